"""Numba kernels of windows whose sources may stay: what a sequence costs, and simulated annealing on it.

A source that is fetched serves the sums in the window, and where it *stays* until a later place also those that enter till
then. One fetch fewer is worth a stay that is short enough. Each source has one stay at most: windows are counted from the left and
from the right (stabbing intervals at their earliest ends), and a stay closes the gap where both meet.

``sequence`` int64[n] the sums as they enter and leave, ``exit`` int64[N] their places, -1 for what has none; ``until`` int64[n] the first
place not yet in memory while each sum waits, ``since`` int64[n] the first place at which each sum is in memory. ``bits``
uint64[N, n / 64 + 1] the places of sources' targets, ``needs`` uint64[N, N / 64 + 1] the sources of neurons, ``easy`` uint64[n, N / 64 + 1]
where a target more or fewer changes nothing for a source. ``begin`` and ``end`` int64[N] stays, equal for none: from a
fetch at the one place until the other; ``free`` int64[n] how many more may stay from each place to the next; ``toll`` int64[n + 1] what
a stay costs up to each place, ``unit`` what an I/O costs.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.two_level_memory.recount.state import leading, trailing
from planner.machines.two_level_memory.windows.refine_kernels import (
    ALL,
    LOW,
    ONE,
    earlier_allowed,
    next_place,
)

SLACK = 0.7
"""A move is given up when it costs so many I/Os more than may be taken, before all of its sources are looked at."""


@njit(cache=True, nogil=True, inline="always")
def previous_place(bits, s, place):
    """The last place up to ``place`` that is in the set of ``s``, -1 without one."""
    if place < 0:
        return -1
    word = place >> 6
    x = bits[s, word] & (ALL >> (LOW - (np.uint64(place) & LOW)))
    while x == 0:
        word -= 1
        if word < 0:
            return -1
        x = bits[s, word]
    return (word << 6) + 63 - leading(x)


@njit(cache=True, nogil=True)
def room(begin, end, free):
    """Whether one more may stay from ``begin`` to ``end``."""
    for k in range(begin, end):  # noqa: SIM110 - compiled
        if free[k] <= 0:
            return False
    return True


@njit(cache=True, nogil=True)
def free_more(begin, end, free, by):
    """Let ``by`` more stay from ``begin`` to ``end``."""
    for k in range(begin, end):
        free[k] += by


@njit(cache=True, nogil=True)
def priced(s, unit, toll, free, bits, exit, until, since, is_output, left, right):
    """(cost of ``s`` as a source, begin and end of its stay). ``left`` and ``right`` int64[n + 1] are scratch.

    An input costs its fetches; a computed neuron those beyond its own time in memory, and its write.
    """
    own = exit[s]
    first = 0 if own < 0 else until[own] + 1
    count = 0
    place = next_place(bits, s, first)
    while place >= 0:
        left[count] = place
        count += 1
        place = next_place(bits, s, until[place])
    if count == 0:
        return 0, 0, 0
    k = 0
    place = previous_place(bits, s, len(until) - 1)
    while place >= first:
        right[k] = place
        k += 1
        place = previous_place(bits, s, since[place] - 1)
    bonus, begin, end = 0, 0, 0
    for i in range(count - 1):
        a, b = left[i], since[right[count - 2 - i]]
        x = unit - (toll[b] - toll[a])
        if x > bonus and room(a, b, free):
            bonus, begin, end = x, a, b
    cost = unit * count
    if own >= 0:
        written = not is_output[s]
        a, b = own, since[right[count - 1]]
        x = (2 if count == 1 and written else 1) * unit - (toll[b] - toll[a])
        if x > bonus and room(a, b, free):
            bonus, begin, end = x, a, b
        if written:
            cost += unit
    return cost - bonus, begin, end


@njit(cache=True, nogil=True)
def note(s, bits, easy, exit, until, since):
    """Note where a target of ``s`` more or fewer begins no window, neither from the left nor from the right."""
    n = len(until)
    word, bit = s >> 6, ONE << (np.uint64(s) & LOW)
    own = exit[s]
    first = 0 if own < 0 else min(n, until[own] + 1)
    for p in range(first):
        easy[p, word] |= bit
    for p in range(first, n):
        easy[p, word] &= ~bit
    left = next_place(bits, s, first)
    if left < 0:
        return
    place = previous_place(bits, s, n - 1)
    while place >= first:
        for p in range(max(first, since[place]), place):
            easy[p, word] |= bit
        place = previous_place(bits, s, since[place] - 1)
    place = first
    while left >= 0:
        for p in range(place, left + 1):
            easy[p, word] &= ~bit
        place = until[left]
        left = next_place(bits, s, place)
    for p in range(place, n):
        easy[p, word] &= ~bit


@njit(cache=True, nogil=True)
def place_bits(bits, sequence, into_ptr, into_source):
    """Set bit p of row v in ``bits`` (uint64[neurons, words]) where the neuron at place p of ``sequence`` reads neuron v."""
    bits[:] = 0
    for place in range(len(sequence)):
        v = sequence[place]
        for e in range(into_ptr[v], into_ptr[v + 1]):
            bits[into_source[e], place >> 6] |= ONE << (np.uint64(place) & LOW)


@njit(cache=True, nogil=True)
def price_all(
    wish, unit, toll, free, begin, end, cost, bits, easy, exit, until, since, is_output, left, right
):
    """Choose all stays anew, those of ``wish`` int64[N] in its order, and make ``easy`` and ``cost``; returns the sum of the costs."""
    total = 0
    for s in wish:
        cost[s], begin[s], end[s] = priced(
            s, unit, toll, free, bits, exit, until, since, is_output, left, right
        )
        free_more(begin[s], end[s], free, -1)
        note(s, bits, easy, exit, until, since)
        total += cost[s]
    return total


@njit(cache=True, nogil=True)
def anneal(
    seed, budget, hot, cold, unit, total, sequence, exit, until, since, is_output, into_ptr, into_source, toll, free, begin, end, cost,
    bits, needs, easy, touched, fresh, old_begin, old_end, left, right,
):  # fmt: skip
    """Swap the places of two sums until ``budget`` steps are spent, the temperature falling from ``hot`` to ``cold``.

    A swap that costs d more is taken with probability exp(-d / temperature). Everything is kept up to date in place. The last
    six are scratch, int64[N] and for the last two int64[n + 1]. Returns (total, steps spent).
    """
    np.random.seed(seed)
    n, words = len(sequence), needs.shape[1]
    moves, spent = 0, 0
    temperature = hot
    while spent < budget:
        moves += 1
        spent += 1
        if moves & 63 == 0:
            temperature = hot * (cold / hot) ** min(1.0, spent / budget)
        i, j = np.random.randint(n), np.random.randint(n)
        if i == j:
            continue
        i, j = min(i, j), max(i, j)
        u, v = sequence[i], sequence[j]
        # u leaves later: nothing that needs it may leave by then. v leaves earlier: not before what it needs.
        needed = next_place(bits, u, i + 1)
        if (needed >= 0 and needed <= j) or not earlier_allowed(v, i, exit, into_ptr, into_source):
            continue
        limit = -temperature * np.log(1.0 - np.random.random())
        most = limit + SLACK * unit
        word_i, word_j = i >> 6, j >> 6
        bit_i, bit_j = ONE << (np.uint64(i) & LOW), ONE << (np.uint64(j) & LOW)
        sequence[i], sequence[j] = v, u
        exit[u], exit[v] = j, i
        change, count = 0, 0
        for w in range(-2, words):
            if change > most:
                break
            x = ONE
            if w >= 0:
                x = (needs[u, w] ^ needs[v, w]) & ~(easy[i, w] & easy[j, w])
            while x != 0 and change <= most:
                if w >= 0:
                    s = (w << 6) + trailing(x)
                    x &= x - ONE
                    bits[s, word_i] ^= bit_i
                    bits[s, word_j] ^= bit_j
                else:
                    s = np.int64(u if w == -2 else v)
                    x = np.uint64(0)
                touched[count], old_begin[count], old_end[count] = s, begin[s], end[s]
                free_more(begin[s], end[s], free, 1)
                fresh[count], begin[s], end[s] = priced(
                    s, unit, toll, free, bits, exit, until, since, is_output, left, right
                )
                free_more(begin[s], end[s], free, -1)
                change += fresh[count] - cost[s]
                if w >= 0:
                    bits[s, word_i] ^= bit_i
                    bits[s, word_j] ^= bit_j
                count += 1
        spent += count + (words >> 2)
        if change <= limit:
            for w in range(words):
                x = needs[u, w] ^ needs[v, w]
                while x != 0:
                    s = (w << 6) + trailing(x)
                    x &= x - ONE
                    bits[s, word_i] ^= bit_i
                    bits[s, word_j] ^= bit_j
            for k in range(count):
                cost[touched[k]] = fresh[k]
                note(touched[k], bits, easy, exit, until, since)
            total += change
            spent += count
        else:
            for k in range(count):
                s = touched[k]
                free_more(begin[s], end[s], free, 1)
                begin[s], end[s] = old_begin[k], old_end[k]
                free_more(begin[s], end[s], free, -1)
            sequence[i], sequence[j] = u, v
            exit[u], exit[v] = i, j
    return total, spent
