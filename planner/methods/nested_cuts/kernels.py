"""Kernels of nested cuts: where units can be, the cheapest chain of ideals for a price of each device, and the best prices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.methods.max_flow import ENDLESS, push_flow
from planner.model.graph import Ints

LOOSE = 1.0 + 1e-9
"""Sums that are compared with what devices have room for may be off by this share."""
TURNS = 200
"""Pivots of a small linear program, at most."""


class Scratch(NamedTuple):
    """What a cut writes on its way: ``cap`` int64[2a] by arc, ``level`` to ``path`` int32 by node of the network."""

    cap: NDArray[np.int64]
    level: Ints
    turn: Ints
    queue: Ints
    path: Ints


@njit(cache=True, nogil=True)
def reachable(ptr, idx, reach):
    """Fill ``reach`` (bool[m, m], zeros): whether a way leads from one unit to another; edges are a CSR, units numbered topologically."""
    for u in range(len(ptr) - 2, -1, -1):
        for e in range(ptr[u], ptr[u + 1]):
            reach[u] |= reach[idx[e]]
            reach[u, idx[e]] = True


@njit(cache=True, nogil=True)
def too_much(way, fast, slow, order, paying, others, most, found):
    """Mark in ``found`` (bool[m]) each unit that, with all that ``way`` (bool[m, m]) leads to from it, does not fit on some devices.

    ``paying`` devices take ``fast`` float64[m] and ``others`` take ``slow`` float64[m], each up to ``most`` and units divided at will;
    ``order`` int64[m]: units by slow / fast.
    """
    m = len(fast)
    for v in range(m):
        rest, slowly = fast[v], slow[v]
        for u in range(m):
            if way[v, u]:
                rest += fast[u]
                slowly += slow[u]
        if paying == 0:
            found[v] = slowly > others * most * LOOSE
            continue
        room = others * most * LOOSE
        if others > 0:
            for x in range(m):
                u = order[x]
                if u != v and not way[v, u]:
                    continue
                if slow[u] <= room:
                    rest -= fast[u]
                    room -= slow[u]
                else:
                    rest -= fast[u] * (room / slow[u])
                    break
        found[v] = rest > paying * most * LOOSE


@njit(cache=True, nogil=True)
def keep_order(reach, low, high):
    """Let a unit be no further ahead than what leads to it, nor further behind than what it leads to (``low``, ``high`` int8[m]: first and last device)."""
    m = len(low)
    for u in range(m):
        for v in range(u + 1, m):
            if reach[u, v] and low[v] < low[u]:
                low[v] = low[u]
    for v in range(m - 1, -1, -1):
        for u in range(v):
            if reach[u, v] and high[u] > high[v]:
                high[u] = high[v]


@njit(cache=True, nogil=True)
def charge(low, high, rate, row, network, cap):
    """Set what each tensor costs at each threshold, for the devices ``low`` to ``high`` (int8[m]) that units may be on and the ``rate`` float64[g] at which each pays.

    Let p be the first and q the last device that touch a tensor. They pay its sending and its receiving; what is charged at the thresholds p to q - 1 adds up to no more.
    """
    devices = len(rate)
    receive, send, scale, tensor_arc = row.receive, row.send, row.scale, network.tensor_arc
    touch_ptr, touch_unit = row.touch_ptr, row.touch_unit
    receives, sends = np.empty(devices), np.empty(devices)
    for t in range(len(receive)):
        p_low, p_high, q_low, q_high = devices, devices, 0, 0
        for x in range(touch_ptr[t], touch_ptr[t + 1]):
            v = touch_unit[x]
            p_low, p_high = min(p_low, low[v]), min(p_high, high[v])
            q_low, q_high = max(q_low, low[v]), max(q_high, high[v])
        for threshold in range(devices - 1):
            if threshold < p_low or threshold >= q_high:
                cap[tensor_arc[threshold, t]] = 0
        # The least that a last device beyond the threshold pays, and a first one up to it.
        least = np.inf
        for threshold in range(q_high - 1, p_low - 1, -1):
            if threshold + 1 >= q_low:
                least = min(least, rate[threshold + 1])
            receives[threshold] = least
        least = np.inf
        for threshold in range(p_low, q_high):
            if threshold <= p_high:
                least = min(least, rate[threshold])
            sends[threshold] = least
        for threshold in range(p_low, q_high):
            value = receives[threshold] * receive[t]
            if threshold > p_low:
                value -= receives[threshold - 1] * receive[t]
            value += sends[threshold] * send[t]
            if threshold + 1 < q_high:
                value -= sends[threshold + 1] * send[t]
            cap[tensor_arc[threshold, t]] = np.int64(max(0.0, value) * scale)


@njit(cache=True, nogil=True)
def cheapest(low, high, price, row, network, scratch, device, paid):
    """The least that a chain of ideals costs at a ``price`` float64[g] of each device, in sum 1; returns no more than that.

    ``low``, ``high`` int8[m]: the first and last device that each unit may be on. ``device`` int8[m] is filled with where units are in the end, ``paid`` float64[g] with what
    each device pays there, but for tensors between the first and the last that touch them.
    """
    time, pays, scale = row.time, row.pays, row.scale
    devices, m = time.shape
    cap, level = scratch.cap, scratch.level
    source_arc, sink_arc = network.source_arc, network.sink_arc
    rate = np.where(pays, price, 0.0)
    cap[:] = network.fixed
    charge(low, high, rate, row, network, cap)
    whole = np.int64(0)
    for v in range(m):
        behind = np.int64(price[high[v]] * time[high[v], v] * scale)
        whole += behind
        for threshold in range(devices - 1):
            if threshold >= high[v]:
                cap[source_arc[threshold, v]] = ENDLESS
            elif threshold < low[v]:
                cap[sink_arc[threshold, v]] = ENDLESS
        for threshold in range(high[v] - 1, low[v] - 1, -1):
            here = np.int64(price[threshold] * time[threshold, v] * scale)
            if here > behind:
                cap[sink_arc[threshold, v]] = here - behind
            else:
                cap[source_arc[threshold, v]] = behind - here
                whole -= behind - here
            behind = here
    flow = push_flow(
        network.head, network.ptr, network.arcs, cap, level, scratch.turn, scratch.queue, scratch.path
    )
    value = (whole + flow) / scale
    for g in range(devices):
        paid[g] = row.base[g]
        value += price[g] * row.base[g]
    for v in range(m):
        g = 0
        while g < devices - 1 and level[g * m + v] >= 0:
            g += 1
        device[v] = g
        paid[g] += time[g, v]
    for t in range(len(row.receive)):
        p, q = devices, 0
        for x in range(row.touch_ptr[t], row.touch_ptr[t + 1]):
            p, q = min(p, device[row.touch_unit[x]]), max(q, device[row.touch_unit[x]])
        if p < q:
            if pays[p]:
                paid[p] += row.send[t]
            if pays[q]:
                paid[q] += row.receive[t]
    return value


@njit(cache=True, nogil=True)
def best_prices(paid, price):
    """Fill ``price`` (float64[g], in sum 1) with that at which the cheapest of some chains costs most (``paid`` float64[n, g]: what their devices pay); returns how much.

    The matrix game between prices and chains, by the simplex method on the side of the chains.
    """
    n, devices = paid.shape
    least, most = paid.min(), paid.max()
    span = max(most - least, 1e-300)
    width = n + devices + 1
    table = np.zeros((devices + 1, width))
    for g in range(devices):
        for i in range(n):
            table[g, i] = (paid[i, g] - least) / span + 0.1
        table[g, n + g] = 1.0
        table[g, -1] = 1.0
    table[devices, :n] = -1.0
    for _ in range(TURNS):
        column = np.argmin(table[devices, : width - 1])
        if table[devices, column] >= -1e-12:
            break
        pivot = -1
        for g in range(devices):
            if table[g, column] > 1e-12 and (
                pivot < 0 or table[g, -1] * table[pivot, column] < table[pivot, -1] * table[g, column]
            ):
                pivot = g
        if pivot < 0:
            break
        table[pivot] /= table[pivot, column]
        for g in range(devices + 1):
            if g != pivot:
                table[g] -= table[g, column] * table[pivot]
    total = 0.0
    for g in range(devices):
        price[g] = max(0.0, table[devices, n + g])
        total += price[g]
    for g in range(devices):
        price[g] = price[g] / total if total > 0.0 else 1.0 / devices
    value = np.inf
    for i in range(n):
        value = min(value, (paid[i] * price).sum())
    return value


@njit(cache=True, nogil=True)
def dual(low, high, price, known, limit, close, row, network, scratch, devices_of, paid):
    """Raise the bound ``known`` of the chains that ``low`` and ``high`` (int8[m]) leave, up to ``limit``; returns (bound, cuts made).

    ``price`` float64[g] is where to begin, and becomes the best found. A chain for each cut is left in ``devices_of`` int8[rounds, m], with what its devices pay in
    ``paid`` float64[rounds, g]. Ends where at most a share ``close`` is open.
    """
    bound, made = known, 0
    trial = price.copy()
    best = -np.inf
    for i in range(len(devices_of)):
        value = cheapest(low, high, trial, row, network, scratch, devices_of[i], paid[i])
        made += 1
        if value > best:
            best = value
            price[:] = trial
        bound = max(bound, value)
        if bound >= limit:
            break
        at_most = best_prices(paid[:made], trial)
        if at_most - best <= close * abs(at_most):
            break
        trial += price
        trial /= trial.sum()
    return bound, made


@njit(cache=True, nogil=True)
def candidates(low, high, devices_of, reach, weight, unit, threshold, score):
    """Which units to branch on at which threshold, the best first, where chains (int8[n, m]) differ; returns how many.

    Good are those that take much ``weight`` float64[m] along on both sides. ``unit`` and ``threshold`` int64[c], ``score`` float64[c] are filled.
    """
    n, m = devices_of.shape
    count = 0
    differ = np.empty(m, np.int64)
    for i in range(1, n):
        for l in range(low.min(), high.max()):
            size = 0
            for v in range(m):
                if low[v] <= l < high[v] and (devices_of[i, v] <= l) != (devices_of[i - 1, v] <= l):
                    differ[size] = v
                    size += 1
            for x in range(size):
                v = differ[x]
                into, out = weight[v], weight[v]
                for y in range(x):
                    if reach[differ[y], v]:
                        into += weight[differ[y]]
                for y in range(x + 1, size):
                    if reach[v, differ[y]]:
                        out += weight[differ[y]]
                value = into * out
                known = False
                for y in range(count):
                    known = known or (unit[y] == v and threshold[y] == l)
                if known or (count == len(unit) and value <= score[-1]):
                    continue
                count = min(count + 1, len(unit))
                y = count - 1
                while y > 0 and score[y - 1] < value:
                    unit[y], threshold[y], score[y] = unit[y - 1], threshold[y - 1], score[y - 1]
                    y -= 1
                unit[y], threshold[y], score[y] = v, l, value
    return count
