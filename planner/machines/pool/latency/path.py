"""What the ops along one path of the graph cost at least, in any plan: a lower bound on the latency.

Take a path p_0 .. p_{L-1} and any plan. The path runs through subgraphs of accelerators and through CPU ops, one after the
other, so the latency is at least the sum of their times. Since subgraphs are contiguous (within the forward or the backward
part), the path visits each in one run p_i .. p_j. What such a subgraph holds and pays at least is known:

* it holds every op on a way from p_i to p_j (definition 3.1), and its accelerator all ops colocated with these;
* a tensor made by one of these ops is sent if one of its consumers comes after p_{j+1}, or is in the other part;
* a tensor that one of them consumes is received if its producer comes before p_{i-1}, or is in the other part;
* where an accelerator runs one subgraph, ops that are colocated with these are in it; a run that would leave one out is
  impossible.

Ops are told apart by two numbers: ``low``, the last path op that reaches them, and ``high``, the first one that they reach. An
op is on a way from p_i to p_j if ``i <= low`` and ``high <= j``. So all these costs are sums over rectangles of (i, j),
and a dynamic program over the path, with as many runs as there are subgraphs, finds the least total.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

FITS = 1 + 1e-9


@njit(cache=True, nogil=True)
def path_positions(path, part, order, pred_ptr, pred_idx, succ_ptr, succ_idx):
    """``(low, high)`` int32[n]: the last path op that reaches each op and the first that it reaches, within its part.

    An op reaches itself; -1 and len(path) where there is none. ``order`` is topological. O(n + m).
    """
    n, length = len(part), len(path)
    low = np.full(n, -1, np.int32)
    high = np.full(n, length, np.int32)
    for i in range(length):
        low[path[i]] = i
        high[path[i]] = i
    for v in order:
        for e in range(pred_ptr[v], pred_ptr[v + 1]):
            u = pred_idx[e]
            if part[u] == part[v] and low[u] > low[v]:
                low[v] = low[u]
    for v in order[::-1]:
        for e in range(succ_ptr[v], succ_ptr[v + 1]):
            w = succ_idx[e]
            if part[w] == part[v] and high[w] < high[v]:
                high[v] = high[w]
    return low, high


@njit(cache=True, nogil=True)
def _add(table, first_i, last_i, first_j, last_j, amount):
    """Add ``amount`` for first_i <= i <= last_i and first_j <= j <= last_j; ``table`` is summed up later."""
    if first_i > last_i or first_j > last_j:
        return
    table[first_i, first_j] += amount
    table[last_i + 1, first_j] -= amount
    table[first_i, last_j + 1] -= amount
    table[last_i + 1, last_j + 1] += amount


@njit(cache=True, nogil=True)
def _add_any(table, lows, highs, count, least, length, amount):
    """Add ``amount`` where one of ``count`` ops is on a way from p_i to p_j and i >= ``least``."""
    i = -1
    for x in range(count):
        i = max(i, lows[x])
    while i >= least:
        j = length
        below = -1
        for x in range(count):
            if lows[x] >= i:
                j = min(j, highs[x])
            else:
                below = max(below, lows[x])
        first = max(below + 1, least)
        _add(table, first, i, j, length - 1, amount)
        i = first - 1


@njit(cache=True, nogil=True)
def _sum_up(table):
    for i in range(table.shape[0]):
        for j in range(1, table.shape[1]):
            table[i, j] += table[i, j - 1]
    for i in range(1, table.shape[0]):
        for j in range(table.shape[1]):
            table[i, j] += table[i - 1, j]


@njit(cache=True, nogil=True)
def run_tables(a, path, low, high, work, runs_on_accelerator, whole_units):
    """``(time, memory, barred)`` float64[L + 1, L + 1] of the run from p_i to p_j: least time, least memory, whether impossible.

    ``work`` float64[n] on an accelerator, ``runs_on_accelerator`` bool[m] for units. ``whole_units``: colocated ops of one
    part share a subgraph.
    """
    length, n = len(path), len(a.part)
    time = np.zeros((length + 1, length + 1))
    memory = np.zeros((length + 1, length + 1))
    barred = np.zeros((length + 1, length + 1))
    lows = np.empty(n, np.int32)
    highs = np.empty(n, np.int32)
    for u in range(len(a.member_ptr) - 1):
        total = 0.0
        count = 0
        for e in range(a.member_ptr[u], a.member_ptr[u + 1]):
            v = a.member_idx[e]
            total += a.memory[v]
            if low[v] >= 0 and high[v] < length:
                lows[count] = low[v]
                highs[count] = high[v]
                count += 1
                if not whole_units:
                    _add(time, 0, low[v], high[v], length - 1, work[v])
        if count == 0:
            continue
        _add_any(memory, lows, highs, count, 0, length, total)
        if not runs_on_accelerator[u]:
            _add_any(barred, lows, highs, count, 0, length, 1.0)
        if whole_units:
            for part in range(2):
                _add_unit(a, u, part, low, high, lows, highs, length, work, time, barred)
    for t in range(len(a.tensor_home)):
        h = a.tensor_home[t]
        _add_received(a, t, low, high, lows, highs, length, time)
        if low[h] < 0 or high[h] >= length:
            continue
        last = -1
        for e in range(a.consumer_ptr[t], a.consumer_ptr[t + 1]):
            w = a.consumer_idx[e]
            last = max(last, low[w] - 1 if a.part[w] == a.part[h] else length - 1)
        _add(time, 0, low[h], high[h], last, a.tensor_time[t])
    _sum_up(time)
    _sum_up(memory)
    _sum_up(barred)
    return time, memory, barred


@njit(cache=True, nogil=True)
def _add_unit(a, u, part, low, high, lows, highs, length, work, time, barred):
    """The work of unit u's ops of one part for runs that hold one of them, and no run that must leave one out."""
    count = 0
    spent = 0.0
    last_low = -1
    first_high = length
    for e in range(a.member_ptr[u], a.member_ptr[u + 1]):
        v = a.member_idx[e]
        if a.part[v] != part:
            continue
        spent += work[v]
        last_low = max(last_low, low[v])
        first_high = min(first_high, high[v])
        if low[v] >= 0 and high[v] < length:
            lows[count] = low[v]
            highs[count] = high[v]
            count += 1
    for x in range(count):
        _add(barred, 0, lows[x], highs[x], last_low - 1, 1.0)
        _add(barred, first_high + 1, lows[x], highs[x], length - 1, 1.0)
    _add_any(time, lows, highs, count, 0, length, spent)


@njit(cache=True, nogil=True)
def _add_received(a, t, low, high, lows, highs, length, time):
    """Tensor t for runs that hold a consumer of it and cannot hold its producer."""
    h = a.tensor_home[t]
    for part in range(2):
        count = 0
        for e in range(a.consumer_ptr[t], a.consumer_ptr[t + 1]):
            w = a.consumer_idx[e]
            if a.part[w] == part and low[w] >= 0 and high[w] < length:
                lows[count] = low[w]
                highs[count] = high[w]
                count += 1
        least = high[h] + 1 if part == a.part[h] else 0
        _add_any(time, lows, highs, count, least, length, a.tensor_time[t])


@njit(cache=True, nogil=True)
def cheapest_runs(path, part, on_cpu, time, memory, barred, capacity, most_runs):
    """Least total time of the path (float64), with at most ``most_runs`` runs in each part; ``on_cpu`` float64[n].

    Every op of the path is in a run on an accelerator or on a CPU. Memory only grows with a run, so longer ones need not be tried.
    """
    length = len(path)
    start = 0
    total = 0.0
    while start < length:
        end = start
        while end < length and part[path[end]] == part[path[start]]:
            end += 1
        best = np.zeros(end - start + 1)  # before each op, with the runs allowed so far
        for j in range(start, end):
            best[j - start + 1] = best[j - start] + on_cpu[path[j]]
        for _ in range(most_runs):
            after = best.copy()
            better = False
            for j in range(start, end):
                least = min(after[j - start] + on_cpu[path[j]], best[j - start + 1])
                for i in range(j, start - 1, -1):
                    if memory[i, j] > capacity * FITS:
                        break
                    if barred[i, j] < 0.5 and best[i - start] + time[i, j] < least:
                        least = best[i - start] + time[i, j]
                        better = True
                after[j - start + 1] = least
            best = after
            if not better:
                break
        total += best[end - start]
        start = end
    return total


@njit(cache=True, nogil=True)
def heaviest_path(order, succ_ptr, succ_idx, weight):
    """The ops of a path of greatest total ``weight`` (float64[n], each > 0), from a source to a sink (int32)."""
    n = len(order)
    best = np.zeros(n)
    following = np.full(n, -1, np.int32)
    first = -1
    for v in order[::-1]:
        for e in range(succ_ptr[v], succ_ptr[v + 1]):
            w = succ_idx[e]
            if best[w] > best[v]:
                best[v] = best[w]
                following[v] = w
        best[v] += weight[v]
        if first < 0 or best[v] > best[first]:
            first = v
    path = np.empty(n, np.int32)
    count = 0
    while first >= 0:
        path[count] = first
        count += 1
        first = following[first]
    return path[:count]
