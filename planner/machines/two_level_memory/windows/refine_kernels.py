"""Numba kernels of the search over windows: what a window costs, and simulated annealing on its two sequences.

A source's targets are a set of bits over the places of ``leaving``. It is fetched when the first sum leaves that it has not
served, and then serves all sums in memory, so fetches of a source are counted by jumping from one such place to the next: some
five jumps for a window that slides over 500 targets with 98 at a time. That is least for the two sequences (stabbing
intervals at their earliest ends).

``entry`` and ``exit`` int64[N] places of the sums, -1 for what has none; ``bits`` uint64[N, n / 64 + 1]; ``jumps`` of the same shape the places
at which sources are fetched; ``cost`` int64[N] I/Os of each neuron as a source; ``until`` int64[n] as in :class:`planner.machines.two_level_memory.windows.locality.Window`. Sums leave at most ``drift`` places away
from where they enter in their sequences, so that jumps overshoot by no more.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.two_level_memory.recount.state import leading, trailing

BOTH, ENTER, LEAVE = 0, 1, 2
"""What a move swaps of two sums: both places, when they enter, or when they leave."""
ONE = np.uint64(1)
LOW, ALL = np.uint64(63), np.uint64(0xFFFFFFFFFFFFFFFF)


@njit(cache=True, nogil=True, inline="always")
def next_place(bits, s, place):
    """The first place from ``place`` on that is in the set of ``s``, -1 without one."""
    word = place >> 6
    if word >= bits.shape[1]:
        return -1
    x = bits[s, word] & (ALL << (np.uint64(place) & LOW))
    while x == 0:
        word += 1
        if word >= bits.shape[1]:
            return -1
        x = bits[s, word]
    return (word << 6) + trailing(x)


@njit(cache=True, nogil=True, inline="always")
def fetches(s, bits, entry, exit, leaving, until, drift, is_output):
    """I/Os of ``s`` as a source: an input's fetches; a computed neuron's beyond its own time in memory, and its write."""
    own = exit[s]
    if own < 0:
        served, place = 0, 0
    else:
        served, place = until[own] + 1, max(own + 1, until[own] + 1 - drift)
    count = 0
    while True:
        place = next_place(bits, s, place)
        while drift > 0 and place >= 0 and entry[leaving[place]] < served:
            place = next_place(bits, s, place + 1)
        if place < 0:
            break
        count += 1
        served = until[place]
        place = max(place + 1, served - drift)
    if count > 0 and own >= 0 and not is_output[s]:
        count += 1
    return count


@njit(cache=True, nogil=True)
def note(s, bits, jumps, exit, until):
    """Note the places at which ``s`` is fetched as a set of bits: where sums enter and leave in one sequence (no drift)."""
    jumps[s] = 0
    own = exit[s]
    place = next_place(bits, s, 0 if own < 0 else until[own] + 1)
    while place >= 0:
        jumps[s, place >> 6] |= ONE << (np.uint64(place) & LOW)
        place = next_place(bits, s, until[place])


@njit(cache=True, nogil=True, inline="always")
def indifferent(s, gone, come, jumps, exit, until):
    """Whether ``s`` is fetched at the same places when a target leaves at ``come`` and no more at ``gone``.

    It is where ``s`` is not fetched at ``gone`` and a fetch before ``come`` serves that too: nine times in ten.
    """
    if jumps[s, gone >> 6] >> (np.uint64(gone) & LOW) & ONE:
        return False
    own = exit[s]
    if own >= 0 and come <= until[own]:
        return True
    word = come >> 6
    x = jumps[s, word] & (ALL >> (LOW - (np.uint64(come) & LOW)))
    while x == 0:
        word -= 1
        if word < 0:
            return False
        x = jumps[s, word]
    return come < until[(word << 6) + 63 - leading(x)]


@njit(cache=True, nogil=True)
def fill(bits, jumps, cost, entry, exit, leaving, until, drift, is_output, into_ptr, into_source):
    """Make ``bits``, ``jumps`` and ``cost`` anew; returns the sum of the costs."""
    bits[:] = 0
    for place in range(len(leaving)):
        v = leaving[place]
        for e in range(into_ptr[v], into_ptr[v + 1]):
            bits[into_source[e], place >> 6] |= ONE << (np.uint64(place) & LOW)
    total = 0
    for s in range(len(cost)):
        cost[s] = fetches(s, bits, entry, exit, leaving, until, drift, is_output)
        if drift == 0:
            note(s, bits, jumps, exit, until)
        total += cost[s]
    return total


@njit(cache=True, nogil=True)
def earlier_allowed(v, place, exit, into_ptr, into_source):
    """Whether ``v`` may leave at ``place``: all computed neurons that it needs leave before."""
    last = -1
    for e in range(into_ptr[v], into_ptr[v + 1]):
        last = max(last, exit[into_source[e]])
    return last < place


@njit(cache=True, nogil=True)
def flip(v, a, b, bits, into_ptr, into_source):
    """Move the bits of ``v`` in the sets of its sources from place ``a`` to ``b``, or back."""
    word_a, word_b = a >> 6, b >> 6
    bit_a, bit_b = ONE << (np.uint64(a) & LOW), ONE << (np.uint64(b) & LOW)
    for e in range(into_ptr[v], into_ptr[v + 1]):
        s = into_source[e]
        bits[s, word_a] ^= bit_a
        bits[s, word_b] ^= bit_b


@njit(cache=True, nogil=True)
def anneal(
    seed, budget, hot, cold, total, best, best_entering, best_leaving, entering, leaving, entry, exit, bits, jumps, cost, until, drift,
    is_output, into_ptr, into_source, mark, touched, fresh, apart,
):  # fmt: skip
    """Swap places of two sums until ``budget`` sources have been looked at, the temperature falling from ``hot`` to ``cold``.

    A swap that costs d more is taken with probability exp(-d / temperature). ``apart`` is the share of moves that swap only
    when sums enter, or only when they leave. Everything is kept up to date in place; ``best_*`` hold the cheapest seen.
    ``mark`` int64[N], ``touched`` int32[N] and ``fresh`` int64[N] are scratch. Returns (total, best, moves tried).
    """
    np.random.seed(seed)
    n = len(leaving)
    mark[:] = -1
    spent, moves = 0, 0
    ratio = np.log(cold / hot)
    temperature = hot
    while spent < budget:
        moves += 1
        spent += 2
        if moves & 63 == 0:
            temperature = hot * np.exp(ratio * spent / budget)
        i = np.random.randint(n)
        kind = BOTH
        if np.random.random() < apart:
            kind = ENTER if np.random.random() < 0.5 else LEAVE
        j = np.random.randint(n) if kind == BOTH else i + 1 + np.random.randint(max(1, drift))
        if i == j or j >= n:
            continue
        if kind == ENTER:
            u, v = entering[min(i, j)], entering[max(i, j)]
        else:
            u, v = leaving[min(i, j)], leaving[max(i, j)]
        enter_u, enter_v, leave_u, leave_v = entry[u], entry[v], exit[u], exit[v]
        new_enter_u, new_enter_v = (enter_u, enter_v) if kind == LEAVE else (enter_v, enter_u)
        new_leave_u, new_leave_v = (leave_u, leave_v) if kind == ENTER else (leave_v, leave_u)
        if (
            new_enter_u >= until[new_leave_u]
            or new_enter_v >= until[new_leave_v]
            or abs(new_enter_u - new_leave_u) > drift
            or abs(new_enter_v - new_leave_v) > drift
        ):
            continue
        if kind != ENTER:
            # u leaves later: nothing that needs it may leave by then. v leaves earlier: not before what it needs.
            needed = next_place(bits, u, leave_u + 1)
            if (needed >= 0 and needed <= leave_v) or not earlier_allowed(
                v, leave_u, exit, into_ptr, into_source
            ):
                continue
            flip(u, leave_u, leave_v, bits, into_ptr, into_source)
            flip(v, leave_v, leave_u, bits, into_ptr, into_source)
            leaving[leave_u], leaving[leave_v] = v, u
        entry[u], entry[v], exit[u], exit[v] = new_enter_u, new_enter_v, new_leave_u, new_leave_v
        count = 0
        for w in (u, v):
            gone, come = (leave_u, leave_v) if w == u else (leave_v, leave_u)
            for e in range(into_ptr[w], into_ptr[w + 1]):
                s = into_source[e]
                if mark[s] != moves:
                    mark[s] = moves
                    if drift > 0 or not indifferent(s, gone, come, jumps, exit, until):
                        touched[count] = s
                        count += 1
            spent += (into_ptr[w + 1] - into_ptr[w]) >> 3
            if kind != ENTER and mark[w] != moves:
                mark[w] = moves
                touched[count] = w
                count += 1
        limit = -temperature * np.log(1.0 - np.random.random())
        change = 0
        for k in range(count):
            s = touched[k]
            fresh[k] = fetches(s, bits, entry, exit, leaving, until, drift, is_output)
            change += fresh[k] - cost[s]
        spent += count
        if change <= limit:
            for k in range(count):
                cost[touched[k]] = fresh[k]
                if drift == 0:
                    note(touched[k], bits, jumps, exit, until)
            entering[new_enter_u], entering[new_enter_v] = u, v
            total += change
            if total < best:
                best = total
                best_entering[:] = entering
                best_leaving[:] = leaving
        else:
            entry[u], entry[v], exit[u], exit[v] = enter_u, enter_v, leave_u, leave_v
            if kind != ENTER:
                leaving[leave_u], leaving[leave_v] = u, v
                flip(u, leave_u, leave_v, bits, into_ptr, into_source)
                flip(v, leave_v, leave_u, bits, into_ptr, into_source)
    return total, best, moves
