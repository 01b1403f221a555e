"""MIN, counted without looking ahead, so that a change of an order changes nothing that comes before it.

MIN as it is defined evicts what is used farthest ahead. Seen from the end of a gap (a value's time between two uses, at
positions u < t) that is: **the value stays in memory through the gap exactly if no position strictly between has all C - 2
places, that the connection's own two ends leave, taken by gaps that stay and end before t**. (A gap that was evicted met a
position full of gaps that end earlier, some of which may have been evicted later; take the last such position before t: all that
fill it stay. The other way round, a position that is full of gaps that end earlier has no place.) Of two gaps that
end at one connection, the one that MIN would keep counts as the earlier: the dirty one, else the one that began later.

So gaps may be settled in the order of their ends. A set of C - 2 places, each with the end of the last gap that had it, tells
whether one fits: it takes the place that was left last among those left by position u + 1 (best fit leaves the
others what can serve most), and leaves it at t. A gap between neighbours needs none. What it costs depends on its own neuron
alone: 1 read where it did not stay, and 1 write if the value was dirty at u.
"""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.recount.costs import note, outcome, was_dirty
from planner.machines.two_level_memory.recount.state import (
    BESIDE,
    CHANGES,
    DELTA,
    FIRST,
    MISS,
    SLOTS,
    SPACING,
    SPANS,
    STEPS,
    add_site,
    at_most,
    inner,
    is_site,
    mark_before,
    next_site,
    put,
    take,
    take_mark,
    trailing,
)


@inner
def clear(s):
    """Empty the set of places; to be done before the trial's order changes, by which it is numbered."""
    w = len(s.order)
    for i in range(len(s.summary)):
        while s.summary[i]:
            word = (i << 6) + trailing(s.summary[i])
            s.summary[i] &= s.summary[i] - np.uint64(1)
            bits = s.words[word]
            while bits:
                number = (word << 6) + trailing(bits)
                bits &= bits - np.uint64(1)
                s.times[w if number == 0 else s.new_order[number - 1]] = 0
            s.words[word] = 0


@inner
def load(s, until):
    """The places just before position ``until`` in the run that is kept; leaves marks on the way."""
    w = len(s.order)
    order, took, count = s.order, s.took, s.times
    words, summary, new_position = s.words, s.summary, s.new_position
    places = s.numbers[SLOTS] - 2
    spacing = max(SPACING, s.numbers[SLOTS])
    clear(s)
    at = mark_before(s, until)
    if at < 0:
        at = 0
        if places > 0:
            count[w] = places
            put(words, summary, 0)
    else:
        mark = s.mark_of[order[at]]
        for i in range(places):
            e = s.marks[mark, i]
            count[e] += 1
            put(words, summary, 0 if e == w else new_position[e] + 1)
    since = 0
    for k in range(at, until):
        c = order[k]
        if since >= spacing and s.moved[c] == 0 and s.mark_of[c] < 0:
            _mark(s, c)
            since = 0
        since += 1
        for use in range(2 * c, 2 * c + 2):
            e = took[use]
            if e >= 0:
                count[e] -= 1
                if count[e] == 0:
                    take(words, summary, 0 if e == w else new_position[e] + 1)
                if count[c] == 0:
                    put(words, summary, new_position[c] + 1)
                count[c] += 1


@inner
def _mark(s, connection):
    """Leave a mark of the places as they are at a connection."""
    mark = take_mark(s, connection)
    if mark < 0:
        return
    w = len(s.order)
    filled = 0
    for i in range(len(s.summary)):
        above = s.summary[i]
        while above:
            word = (i << 6) + trailing(above)
            above &= above - np.uint64(1)
            bits = s.words[word]
            while bits:
                number = (word << 6) + trailing(bits)
                bits &= bits - np.uint64(1)
                e = w if number == 0 else s.new_order[number - 1]
                for _ in range(s.times[e]):
                    s.marks[mark, filled] = e
                    filled += 1


@inner
def bump(apart, index, by):
    """Change a difference of counts; returns by how much the number of those that are not zero changes."""
    was = apart[index]
    apart[index] = was + by
    if was == 0:
        return 1
    return -1 if was + by == 0 else 0


@inner
def weigh(s):
    """Run the trial from its sites on, each until memory agrees with the kept run again; returns the change of the total."""
    numbers, w = s.numbers, len(s.order)
    order, position, new_order, new_position = s.order, s.position, s.new_order, s.new_position
    chain_next, chain_prev = s.next, s.prev
    took, dirty, cost = s.took, s.dirty, s.cost
    new_took, new_dirty, new_cost, changed, changes = (
        s.new_took, s.new_dirty, s.new_cost, s.changed, s.changes,
    )  # fmt: skip
    moved, sites, words, summary, count, apart = s.moved, s.sites, s.words, s.summary, s.times, s.apart
    source, lasting, spans = s.source, s.lasting, s.spans
    spacing = max(SPACING, numbers[SLOTS])
    made, spanned, delta, low = 0, 0, 0, 0
    p, q, loaded, steps = 0, 0, False, 0
    site = next_site(sites, numbers, 0)
    while site >= 0:
        # Memory agrees with the kept run at p, whose order goes on at q; nothing happens before the next site.
        if not loaded or site - p > 2 * spacing:
            p = site
            q = 0 if p == 0 else position[new_order[p - 1]] + 1
            load(s, q)
            loaded, low = True, 0
            steps += spacing
        steps += site - p
        while p < site:
            c = new_order[p]
            for use in range(2 * c, 2 * c + 2):
                e = took[use]
                if e >= 0:
                    count[e] -= 1
                    if count[e] == 0:
                        take(words, summary, 0 if e == w else new_position[e] + 1)
                    if count[c] == 0:
                        put(words, summary, p + 1)
                    count[c] += 1
            p += 1
            q += 1
        unlike, began = 0, -1
        while p < w:
            c = new_order[p]
            steps += 1
            was_a, was_b = np.int64(FIRST), np.int64(FIRST)
            here = moved[c] == 0
            if here:
                # What was used between here and the connection before in the kept run only.
                while order[q] != c:
                    x = order[q]
                    q += 1
                    began = (
                        began if began >= 0 else p
                    )  # memory before c differs even if it agrees again behind it
                    for use in range(2 * x, 2 * x + 2):
                        e = took[use]
                        if e >= 0:
                            unlike += bump(apart, w + 1 + e if moved[e] else e, 1)
                            unlike += bump(apart, w + 1 + x, -1)
                q += 1
                was_a, was_b = took[2 * c], took[2 * c + 1]
            # Both gaps that end here; where both need a place, the one to be kept rather is first.
            u_a, u_b = chain_prev[2 * c], chain_prev[2 * c + 1]
            x, y = u_a >> 1, u_b >> 1
            at_a = new_position[x] if u_a >= 0 else -1
            at_b = new_position[y] if u_b >= 0 else -1
            swap = False
            if at_a >= 0 and at_b >= 0 and at_a + 1 != p and at_b + 1 != p:
                dirty_a = was_dirty(u_a, dirty, new_dirty, changed)
                dirty_b = was_dirty(u_b, dirty, new_dirty, changed)
                swap = (dirty_b and not dirty_a) or (dirty_a == dirty_b and at_b >= at_a)
            is_a, is_b = np.int64(FIRST), np.int64(FIRST)
            for turn in range(2):
                of_b = (turn == 0) == swap
                at = at_b if of_b else at_a
                if at < 0:
                    continue
                got = np.int64(MISS)
                if at + 1 == p:
                    got = np.int64(BESIDE)
                else:
                    while low < len(summary) - 1 and not summary[low]:
                        low += 1
                    number = at_most(words, summary, at + 2, low)
                    if number >= 0:
                        got = np.int64(w if number == 0 else new_order[number - 1])
                        count[got] -= 1
                        if count[got] == 0:
                            take(words, summary, number)
                        if count[c] == 0:
                            put(words, summary, p + 1)
                        count[c] += 1
                if of_b:
                    is_b = got
                else:
                    is_a = got
            for end in range(2):
                now, was = (is_a, was_a) if end == 0 else (is_b, was_b)
                if now == was and (was < 0 or moved[was] == 0) and here:
                    continue
                if was >= 0:
                    unlike += bump(apart, w + 1 + was if moved[was] else was, 1)
                    unlike += bump(apart, c, -1)
                if now >= 0:
                    unlike += bump(apart, now, -1)
                    unlike += bump(apart, c, 1)
            # What it costs can be another only where the gaps are, or what is known of them before is (then it is a site).
            if is_a != was_a or is_b != was_b or is_site(sites, p):
                last = chain_next[2 * c]
                ends = last < 0 and lasting[source[c]] == 1
                stays, due = outcome(c, is_a, is_b, ends, chain_prev, dirty, new_dirty, changed)
                if stays != (dirty[c] == 1) and last >= 0:
                    add_site(sites, numbers, new_position[last >> 1])
                if (
                    is_a != took[2 * c]
                    or is_b != took[2 * c + 1]
                    or due != cost[c]
                    or stays != (dirty[c] == 1)
                ):
                    delta += note(
                        c, is_a, is_b, stays, due, made, cost, changed, changes, new_took, new_dirty, new_cost
                    )
                    made += 1
            if unlike and began < 0:
                began = p
            p += 1
            if unlike == 0:
                break
        if began >= 0:
            spans[spanned, 0], spans[spanned, 1] = began, p
            spanned += 1
        if unlike:
            apart[:] = 0
        site = next_site(sites, numbers, p) if p < w else -1
    clear(s)
    numbers[CHANGES], numbers[SPANS], numbers[DELTA] = made, spanned, delta
    numbers[STEPS] += steps
    return delta
