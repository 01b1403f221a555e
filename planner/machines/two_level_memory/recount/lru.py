"""LRU, counted incrementally: residents by the time of their last use, compared with those of the run that is kept.

Memory agrees with the kept run where the same neurons are resident and each was used last by the same connection: then they are
in the same order, too. ``place`` says which use that was, 2 * connection + side; places moved from count as others.
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
def _touch(newer, older, neuron):
    """Make a neuron the latest; one that is not in the list has itself as neighbour."""
    end = len(newer) - 1
    newer[older[neuron]], older[newer[neuron]] = newer[neuron], older[neuron]
    latest = older[end]
    newer[latest], older[neuron], newer[neuron], older[end] = neuron, latest, end, neuron


@inner
def _drop(newer, older, neuron):
    """Take a neuron out of the list."""
    newer[older[neuron]], older[newer[neuron]] = newer[neuron], older[neuron]
    newer[neuron], older[neuron] = neuron, neuron


@inner
def load(s, until):
    """Memory just before position ``until`` in the run that is kept; leaves marks on the way."""
    newer, older, place, old_place = s.newer, s.older, s.place, s.old_place
    numbers, order, took, victim = s.numbers, s.order, s.took, s.victim
    spacing = max(SPACING, numbers[SLOTS])
    end = len(newer) - 1
    while newer[end] != end:
        v = newer[end]
        _drop(newer, older, v)
        place[v], old_place[v] = -1, -1
    held = 0
    at = max(mark_before(s, until), 0)
    mark = s.mark_of[order[at]] if len(order) else -1
    if mark >= 0:
        held = s.marks[mark, 0]
        for i in range(held):
            use = s.marks[mark, 1 + i]
            v = s.target[use >> 1] if use & 1 else s.source[use >> 1]
            newer[v], older[v] = v, v
            _touch(newer, older, v)
            place[v] = use
    since = 0
    for k in range(at, until):
        c = order[k]
        if since >= spacing and s.moved[c] == 0 and s.mark_of[c] < 0:
            mark = take_mark(s, c)
            if mark >= 0:
                s.marks[mark, 0] = held
                v = newer[end]
                for i in range(held):
                    s.marks[mark, 1 + i] = place[v]
                    v = newer[v]
            since = 0
        since += 1
        for use in range(2 * c, 2 * c + 2):
            v = s.target[c] if use & 1 else s.source[c]
            if took[use] != BESIDE:
                gone = victim[use]
                if gone >= 0:
                    _drop(newer, older, gone)
                    place[gone] = -1
                else:
                    held += 1
                newer[v], older[v] = v, v
            _touch(newer, older, v)
            place[v] = use
    numbers[HELD] = held
    v = newer[end]
    while v != end:
        old_place[v] = place[v]
        v = newer[v]


@inner
def weigh(s):
    """Run the trial from its sites on, each until memory agrees with the kept run again; returns the change of the total."""
    numbers, w = s.numbers, len(s.order)
    order, position, new_order, new_position = s.order, s.position, s.new_order, s.new_position
    chain_next, chain_prev = s.next, s.prev
    took, dirty, cost, victim = s.took, s.dirty, s.cost, s.victim
    new_took, new_dirty, new_cost, new_victim = s.new_took, s.new_dirty, s.new_cost, s.new_victim
    changed, changes, moved, sites, spans = s.changed, s.changes, s.moved, s.sites, s.spans
    newer, older, place, old_place = s.newer, s.older, s.place, s.old_place
    source, target, lasting = s.source, s.target, s.lasting
    slots = numbers[SLOTS]
    spacing = max(SPACING, slots)
    end = len(newer) - 1
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
            for use in range(2 * c, 2 * c + 2):
                v = target[c] if use & 1 else source[c]
                if took[use] != BESIDE:
                    gone = victim[use]
                    if gone >= 0:
                        _drop(newer, older, gone)
                        place[gone], old_place[gone] = -1, -1
                    else:
                        numbers[HELD] += 1
                    newer[v], older[v] = v, v
                _touch(newer, older, v)
                place[v], old_place[v] = use, use
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
                        gone = victim[use]
                        if gone >= 0:
                            unlike -= place[gone] != old_place[gone]
                            old_place[gone] = -1
                            unlike += place[gone] != -1
                        v = target[x] if use & 1 else source[x]
                        unlike -= place[v] != old_place[v]
                        old_place[v] = use + 2 * w if moved[x] else use
                        unlike += place[v] != old_place[v]
                    if x == c:
                        break
                    began = (
                        began if began >= 0 else p
                    )  # memory before c differs even if it agrees again behind it
            a, b = source[c], target[c]
            got_a, got_b, gone_a, gone_b = BESIDE, BESIDE, -1, -1
            for use in range(2 * c, 2 * c + 2):
                v = b if use & 1 else a
                if place[v] < 0:
                    got = FIRST if chain_prev[use] < 0 else MISS
                    gone = np.int64(-1)
                    newer[v], older[v] = v, v
                    if numbers[HELD] < slots:
                        numbers[HELD] += 1
                    else:
                        gone = newer[end]
                        while gone in (a, b):
                            gone = newer[gone]
                        _drop(newer, older, gone)
                        unlike -= place[gone] != old_place[gone]
                        place[gone] = -1
                        unlike += old_place[gone] != -1
                    if use & 1:
                        got_b, gone_b = got, gone
                    else:
                        got_a, gone_a = got, gone
                _touch(newer, older, v)
                unlike -= place[v] != old_place[v]
                place[v] = use
                unlike += place[v] != old_place[v]
            last = chain_next[2 * c]
            stays, due = outcome(
                c, got_a, got_b, last < 0 and lasting[a] == 1, chain_prev, dirty, new_dirty, changed
            )
            if stays != (dirty[c] == 1) and last >= 0:
                add_site(sites, numbers, new_position[last >> 1])
            if (
                got_a != took[2 * c] or got_b != took[2 * c + 1] or due != cost[c] or stays != (dirty[c] == 1)
                or gone_a != victim[2 * c] or gone_b != victim[2 * c + 1]
            ):  # fmt: skip
                delta += note(
                    c, got_a, got_b, stays, due, made, cost, changed, changes, new_took, new_dirty, new_cost
                )
                made += 1
                new_victim[2 * c], new_victim[2 * c + 1] = gone_a, gone_b
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
            for v in range(end):
                if place[v] >= 0:
                    old_place[v] = place[v]
        site = next_site(sites, numbers, p) if p < w else -1
    numbers[CHANGES], numbers[SPANS], numbers[DELTA] = made, spanned, delta
    numbers[STEPS] += steps
    return delta
