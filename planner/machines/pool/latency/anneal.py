"""Annealing over assignments for latency: moves of connected sets of units, each fully evaluated, compiled."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.pool.latency.state import measure
from planner.methods.random_streams import below, uniform


@njit(cache=True, nogil=True)
def _grow(a, place, u, direction, limit, chosen, mark, stamp):
    """Collect in ``chosen`` (int32[m]) the units of u's device that are reached from u; returns how many.

    ``direction`` 0: against the edges, 1: along them, 2: either way. At most ``limit`` units.
    """
    d = place[u]
    mark[u] = stamp
    chosen[0] = u
    count = 1
    i = 0
    while i < count and count < limit:
        x = chosen[i]
        i += 1
        low = a.middle[x] if direction == 1 else a.near_ptr[x]
        high = a.middle[x] if direction == 0 else a.near_ptr[x + 1]
        for e in range(low, high):
            y = a.near_idx[e]
            if mark[y] != stamp and place[y] == d and count < limit:
                mark[y] = stamp
                chosen[count] = y
                count += 1
    return count


@njit(cache=True, nogil=True)
def _take_sources(a, place, d, chosen, count, mark, stamp):
    """Add sources (weights, say) of device d whose successors are all chosen; returns how many are chosen now."""
    for i in range(count):
        x = chosen[i]
        for e in range(a.near_ptr[x], a.middle[x]):
            y = a.near_idx[e]
            if mark[y] == stamp or place[y] != d or a.middle[y] > a.near_ptr[y]:
                continue
            alone = True
            for f in range(a.middle[y], a.near_ptr[y + 1]):
                if mark[a.near_idx[f]] != stamp:
                    alone = False
                    break
            if alone:
                mark[y] = stamp
                chosen[count] = y
                count += 1
    return count


@njit(cache=True, nogil=True)
def propose(a, place, state, chosen, mark, stamp):
    """Draw a move: ``(count, device)`` for the units ``chosen[:count]``, all on one device now; count 0 = none."""
    m = len(place)
    u = below(state, m)
    here = place[u]
    kind = uniform(state)
    device = -1
    direction = 2
    if kind < 0.6:
        # Across the border, towards a neighbour's device.
        for _ in range(8):
            size = a.near_ptr[u + 1] - a.near_ptr[u]
            if size > 0:
                e = a.near_ptr[u] + below(state, size)
                w = a.near_idx[e]
                if place[w] != place[u]:
                    device = place[w]
                    direction = 1 if e >= a.middle[u] else 0
                    break
            u = below(state, m)
        if device < 0:
            return 0, -1
        here = place[u]
    elif kind < 0.75:
        device = a.cpu
        direction = below(state, 3)
    elif kind < 0.8:
        # Everything on this device goes to a neighbour's.
        size = a.near_ptr[u + 1] - a.near_ptr[u]
        if size == 0:
            return 0, -1
        device = place[a.near_idx[a.near_ptr[u] + below(state, size)]]
        count = 0
        if device != here:
            for x in range(m):
                if place[x] == here:
                    chosen[count] = x
                    count += 1
        return count, device
    elif len(a.accelerators) > 0:
        device = a.accelerators[below(state, len(a.accelerators))]
        direction = below(state, 3)
    if device < 0 or device == here:
        return 0, -1
    limit = m
    extent = uniform(state)
    if extent < 0.4:
        limit = 1
    elif extent < 0.7:
        limit = 2 + below(state, 12)
    count = _grow(a, place, u, direction, limit, chosen, mark, stamp)
    if uniform(state) < 0.8:
        count = _take_sources(a, place, here, chosen, count, mark, stamp)
    return count, device


@njit(cache=True, nogil=True)
def put(a, place, device_of, unit, device):
    """Place one unit and its ops."""
    place[unit] = device
    for i in range(a.member_ptr[unit], a.member_ptr[unit + 1]):
        v = a.member_idx[i]
        device_of[v] = a.op_cpu[v] if device == a.cpu else device


@njit(cache=True, nogil=True)
def anneal(a, s, place, device_of, best_place, best, heat, cooling, weights, steps, state, chosen, mark):
    """Make ``steps`` moves in place, cooling from ``heat``; returns ``(best, heat, share)``.

    The energy is latency + weights[0] * time of all subgraphs + weights[1] * excess of memory. The best assignment
    without excess is kept in ``best_place`` (int32[m]). ``share`` is that of the steps that ended without excess.
    ``mark`` is int32[m + 1]; its last entry counts stamps.
    """
    m = len(place)
    latency, busy, over = measure(a, s, device_of)
    energy = latency + weights[0] * busy + weights[1] * over
    fitting = 0
    for _ in range(steps):
        heat *= cooling
        fitting += over == 0.0
        mark[m] += 1
        count, device = propose(a, place, state, chosen, mark, mark[m])
        legal = count > 0
        for i in range(count):
            if not a.allowed[chosen[i], device]:
                legal = False
                break
        if not legal:
            continue
        here = place[chosen[0]]
        for i in range(count):
            put(a, place, device_of, chosen[i], device)
        latency, busy, excess = measure(a, s, device_of)
        after = latency + weights[0] * busy + weights[1] * excess
        if after <= energy or uniform(state) < np.exp((energy - after) / heat):
            energy = after
            over = excess
            if over == 0.0 and latency < best:
                best = latency
                best_place[:] = place
        else:
            for i in range(count):
                put(a, place, device_of, chosen[i], here)
    return best, heat, fitting / steps
