"""Sequences of units in which few tensors are open at any place, by greedy choice and annealing."""

from __future__ import annotations

import math

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.random_streams import uniform

GROWTH = 3.0
"""About how many times as many states an open tensor makes."""


@njit(cache=True, nogil=True)
def weight(sequence, ptr, idx, place, counts):
    """The sum of GROWTH ** (tensors open after a unit) over all units but the last.

    ``sequence`` int32[m]; ``ptr``, ``idx``: the units of each tensor; ``place`` int32[m] and ``counts`` int32[m + 1] are scratch.
    """
    m = len(sequence)
    for i in range(m):
        place[sequence[i]] = i
    counts[:] = 0
    for h in range(len(ptr) - 1):
        first, last = m, -1
        for x in range(ptr[h], ptr[h + 1]):
            at = place[idx[x]]
            first = min(first, at)
            last = max(last, at)
        counts[first] += 1
        counts[last] -= 1
    total = 0.0
    opened = 0
    for i in range(m):
        opened += counts[i]
        total += GROWTH ** min(opened, 200)
    return total


@njit(cache=True, nogil=True)
def greedy(sequence, ptr, idx, unit_ptr, unit_idx, noise, state):
    """Fill ``sequence`` (int32[m]): next is always the unit that leaves the fewest tensors open, near what is open; ties by ``noise``."""
    m, sets = len(unit_ptr) - 1, len(ptr) - 1
    left = np.empty(sets, np.int32)
    opened_at = np.full(sets, -1, np.int32)
    done = np.zeros(m, np.bool_)
    for h in range(sets):
        left[h] = ptr[h + 1] - ptr[h]
    for i in range(m):
        best, best_value = -1, 1e300
        for v in range(m):
            if done[v]:
                continue
            value = noise * uniform(state)
            for y in range(unit_ptr[v], unit_ptr[v + 1]):
                h = unit_idx[y]
                if opened_at[h] < 0:
                    if left[h] > 1:
                        value += 1.0
                else:
                    if left[h] == 1:
                        value -= 1.0
                    value -= 0.3 / (ptr[h + 1] - ptr[h])
            if value < best_value:
                best, best_value = v, value
        sequence[i] = best
        done[best] = True
        for y in range(unit_ptr[best], unit_ptr[best + 1]):
            h = unit_idx[y]
            left[h] -= 1
            if opened_at[h] < 0:
                opened_at[h] = i


@njit(cache=True, nogil=True)
def improve(sequence, ptr, idx, place, counts, steps, hot, cold, state, best):
    """Move units along ``sequence`` (int32[m]) while the temperature of the logarithm of the weight falls; ``best`` int32[m] gets the best.

    Returns the weight of ``best``.
    """
    m = len(sequence)
    value = weight(sequence, ptr, idx, place, counts)
    best[:] = sequence
    best_value = value
    for step in range(steps):
        temperature = hot * (cold / hot) ** (step / steps)
        a = int(uniform(state) * m)
        reach = int(math.exp(uniform(state) * math.log(m))) + 1
        b = a + (reach if uniform(state) < 0.5 else -reach)
        if b < 0 or b >= m or a == b:
            continue
        v = sequence[a]
        if a < b:
            for i in range(a, b):
                sequence[i] = sequence[i + 1]
        else:
            for i in range(a, b, -1):
                sequence[i] = sequence[i - 1]
        sequence[b] = v
        new = weight(sequence, ptr, idx, place, counts)
        if new <= value or uniform(state) < math.exp(-(math.log(new) - math.log(value)) / temperature):
            value = new
            if value < best_value:
                best_value = value
                best[:] = sequence
            continue
        if a < b:
            for i in range(b, a, -1):
                sequence[i] = sequence[i - 1]
        else:
            for i in range(b, a):
                sequence[i] = sequence[i + 1]
        sequence[a] = v
    return best_value
