"""RR, counted incrementally: the slots as a queue from the pointer on, compared with that of the run that is kept.

Which slot a value has does not matter, only how many come before it: the pointer evicts the first, and what it passes over because it is
in use goes to the end like what is fetched. Memory agrees with the kept run where the same neurons are resident and each
entered the queue last at the same connection (``place``: 2 * connection + whether it was the second to enter there).
``entry`` says who entered: 0 nobody, 1 the source, 2 the target, 3 the source before the target, 4 the other way round.
"""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.recount.costs import note, outcome
from planner.machines.two_level_memory.recount.state import (
    BESIDE,
    CHANGES,
    DELTA,
    FIRST,
    HELD,
    MISS,
    POINTER,
    SLOTS,
    SPACING,
    SPANS,
    STEPS,
    add_site,
    inner,
    mark_before,
    next_site,
    take_mark,
)


@inner
def _fetch(inside, place, numbers, slots, v, a, b, key):
    """Bring neuron ``v`` of the pair (a, b) in; ``key`` is what enters next at this connection.

    Returns who was evicted, -1 for nobody, what its place was, and who was passed over (and entered with ``key``), -1 for nobody.
    """
    passed = np.int64(-1)
    if numbers[HELD] < slots:
        inside[numbers[HELD]] = v
        numbers[HELD] += 1
        place[v] = key
        return np.int64(-1), np.int64(-1), passed
    pointer = numbers[POINTER]
    while inside[pointer] == a or inside[pointer] == b:
        passed = np.int64(inside[pointer])
        place[passed] = key
        key += 1
        pointer = pointer + 1 if pointer + 1 < slots else 0
    gone = np.int64(inside[pointer])
    was = np.int64(place[gone])
    place[gone] = -1
    inside[pointer] = v
    place[v] = key
    numbers[POINTER] = pointer + 1 if pointer + 1 < slots else 0
    return gone, was, passed


@inner
def load(s, until):
    """Memory just before position ``until`` in the run that is kept; leaves marks on the way."""
    inside, place, old_place, numbers, order, took = (
        s.inside,
        s.place,
        s.old_place,
        s.numbers,
        s.order,
        s.took,
    )
    slots = numbers[SLOTS]
    spacing = max(SPACING, slots)
    for i in range(numbers[HELD]):
        place[inside[i]], old_place[inside[i]] = -1, -1
    numbers[HELD], numbers[POINTER] = 0, 0
    at = max(mark_before(s, until), 0)
    mark = s.mark_of[order[at]]
    if mark >= 0:
        numbers[HELD] = s.marks[mark, 0]
        for i in range(numbers[HELD]):
            inside[i] = s.marks[mark, 1 + 2 * i]
            place[inside[i]] = s.marks[mark, 2 + 2 * i]
    since = 0
    for k in range(at, until):
        c = order[k]
        if since >= spacing and s.moved[c] == 0 and s.mark_of[c] < 0:
            mark = take_mark(s, c)
            if mark >= 0:
                held = numbers[HELD]
                s.marks[mark, 0] = held
                for i in range(held):
                    v = inside[(numbers[POINTER] + i) % held]
                    s.marks[mark, 1 + 2 * i], s.marks[mark, 2 + 2 * i] = v, place[v]
            since = 0
        since += 1
        a, b = s.source[c], s.target[c]
        key = 2 * c
        for use in range(2 * c, 2 * c + 2):
            if took[use] != BESIDE:
                v = b if use & 1 else a
                _, _, passed = _fetch(inside, place, numbers, slots, v, a, b, key)
                key += 1 + (passed >= 0)
    for i in range(numbers[HELD]):
        old_place[inside[i]] = place[inside[i]]


@inner
def _match(place, old_place, neuron, key):
    """Set a neuron's place in the kept run; returns by how much the number of those that differ changes."""
    was = place[neuron] != old_place[neuron]
    old_place[neuron] = key
    return np.int64(place[neuron] != key) - np.int64(was)


@inner
def weigh(s):
    """Run the trial from its sites on, each until memory agrees with the kept run again; returns the change of the total."""
    numbers, w = s.numbers, len(s.order)
    order, position, new_order, new_position = s.order, s.position, s.new_order, s.new_position
    chain_next, chain_prev = s.next, s.prev
    took, dirty, cost, victim = s.took, s.dirty, s.cost, s.victim
    new_took, new_dirty, new_cost, new_victim = s.new_took, s.new_dirty, s.new_cost, s.new_victim
    changed, changes, moved, sites, spans = s.changed, s.changes, s.moved, s.sites, s.spans
    entry, new_entry, inside, place, old_place = s.entry, s.new_entry, s.inside, s.place, s.old_place
    source, target, lasting = s.source, s.target, s.lasting
    slots = numbers[SLOTS]
    spacing = max(SPACING, slots)
    made, spanned, delta = 0, 0, 0
    p, q, loaded, steps = 0, 0, False, 0
    site = next_site(sites, numbers, 0)
    while site >= 0:
        # Memory agrees with the kept run at p, whose order goes on at q; nothing happens before the next site.
        if not loaded or site - p > 2 * spacing:
            p = site
            q = 0 if p == 0 else position[new_order[p - 1]] + 1
            load(s, q)
            loaded = True
            steps += spacing
        steps += site - p
        while p < site:
            c = new_order[p]
            a, b = source[c], target[c]
            key = 2 * c
            for use in range(2 * c, 2 * c + 2):
                if took[use] != BESIDE:
                    v = b if use & 1 else a
                    gone, _, passed = _fetch(inside, place, numbers, slots, v, a, b, key)
                    if gone >= 0:
                        old_place[gone] = -1
                    if passed >= 0:
                        old_place[passed] = key
                        key += 1
                    old_place[v] = key
                    key += 1
            p += 1
            q += 1
        unlike, began = 0, -1
        while p < w:
            c = new_order[p]
            steps += 1
            here = moved[c] == 0
            if here:
                # What the kept run uses up to here; what moved away from there was used at a place of its own.
                while True:
                    x = order[q]
                    q += 1
                    for use in range(2 * x, 2 * x + 2):
                        if victim[use] >= 0:
                            unlike += _match(place, old_place, victim[use], -1)
                    if entry[x]:
                        key = 2 * (x + w) if moved[x] else 2 * x
                        if entry[x] != 2:
                            unlike += _match(place, old_place, source[x], key + (entry[x] == 4))
                        if entry[x] != 1:
                            unlike += _match(place, old_place, target[x], key + (entry[x] == 3))
                    if x == c:
                        break
                    began = (
                        began if began >= 0 else p
                    )  # memory before c differs even if it agrees again behind it
            a, b = source[c], target[c]
            got_a, got_b, gone_a, gone_b = BESIDE, BESIDE, -1, -1
            # Whoever's place changes here is a, b or evicted.
            unlike -= int(place[a] != old_place[a]) + int(place[b] != old_place[b])
            key, enters = 2 * c, 0
            for use in range(2 * c, 2 * c + 2):
                v = b if use & 1 else a
                if place[v] >= 0:
                    continue
                gone, was, passed = _fetch(inside, place, numbers, slots, v, a, b, key)
                if gone >= 0:
                    unlike += int(old_place[gone] != -1) - int(old_place[gone] != was)
                key += 1 + (passed >= 0)
                got = FIRST if chain_prev[use] < 0 else MISS
                if use & 1:
                    got_b, gone_b = got, gone
                    enters = 3 if passed >= 0 or enters == 1 else 2
                else:
                    got_a, gone_a = got, gone
                    enters = 4 if passed >= 0 else 1
            unlike += int(place[a] != old_place[a]) + int(place[b] != old_place[b])
            last = chain_next[2 * c]
            stays, due = outcome(
                c, got_a, got_b, last < 0 and lasting[a] == 1, chain_prev, dirty, new_dirty, changed
            )
            if stays != (dirty[c] == 1) and last >= 0:
                add_site(sites, numbers, new_position[last >> 1])
            if (
                got_a != took[2 * c] or got_b != took[2 * c + 1] or due != cost[c] or stays != (dirty[c] == 1)
                or gone_a != victim[2 * c] or gone_b != victim[2 * c + 1] or enters != entry[c]
            ):  # fmt: skip
                delta += note(
                    c, got_a, got_b, stays, due, made, cost, changed, changes, new_took, new_dirty, new_cost
                )
                made += 1
                new_victim[2 * c], new_victim[2 * c + 1] = gone_a, gone_b
                new_entry[c] = enters
            if unlike and began < 0:
                began = p
            p += 1
            if unlike == 0:
                break
        if began >= 0:
            spans[spanned, 0], spans[spanned, 1] = began, p
            spanned += 1
        if unlike:
            old_place[:] = -1
            for i in range(numbers[HELD]):
                old_place[inside[i]] = place[inside[i]]
        site = next_site(sites, numbers, p) if p < w else -1
    numbers[CHANGES], numbers[SPANS], numbers[DELTA] = made, spanned, delta
    numbers[STEPS] += steps
    return delta
