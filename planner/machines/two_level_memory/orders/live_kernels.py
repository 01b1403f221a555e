"""Numba kernel of the greedy order that keeps few neurons live."""

from __future__ import annotations

import heapq

import numpy as np

from planner.compiling.kernel import njit

LATEST, EARLIEST, RANDOM = 0, 1, 2
"""Which of equally good steps is taken: the one that became so last, first, or any."""


@njit(cache=True, nogil=True)
def few_live(source, target, in_offsets, incoming, out_offsets, outgoing, ties, seed):
    """An order of all connections (int32[W]), made of steps that each add as few live neurons as possible.

    A step either finishes a neuron b, whose sources are all complete, by its remaining connections, or exhausts a complete neuron
    a by all its remaining connections. ``gain[0, b]`` and ``gain[1, a]`` say how many more neurons are live after that step: ends that are not
    yet live, less those that have no further connection. They are kept up to date as neurons become live and connections are used.
    Neurons as numbers 0 to N - 1, connections grouped as in :class:`planner.model.network.Network`. O(W log W).
    """
    np.random.seed(seed)
    neurons, count = len(in_offsets) - 1, len(source)
    left_in, left_out = np.diff(in_offsets), np.diff(out_offsets)
    sink = left_out == 0
    live = np.zeros(neurons, np.bool_)
    used = np.zeros(count, np.bool_)
    # The sum of the numbers of a neuron's unused connections is the number of the only one left.
    sum_in, sum_out = np.zeros(neurons, np.int64), np.zeros(neurons, np.int64)
    blocked = np.zeros(neurons, np.int64)
    gain = np.zeros((2, neurons), np.int64)
    for c in range(count):
        a, b = source[c], target[c]
        sum_out[a] += c
        sum_in[b] += c
        blocked[b] += left_in[a] > 0
        gain[0, b] += 1 - (left_out[a] == 1)
        gain[1, a] += 1 - (left_in[b] == 1 and sink[b])
    for u in range(neurons):
        gain[0, u] += 1 - sink[u]
    heap = [(np.int64(0), np.int64(0), np.int64(0), np.int64(0))][:0]
    changed = np.empty((2, 2 * neurons), np.int64)
    stamp = 0
    marks = np.zeros((2, neurons), np.int64)
    order = np.empty(count, np.int32)
    done = 0
    for u in range(neurons):
        for side in range(2):
            if (left_in[u] > 0 and blocked[u] == 0) if side == 0 else (left_in[u] == 0):
                tie = np.int64(np.random.randint(1 << 30)) if ties == RANDOM else np.int64(u)
                heapq.heappush(heap, (gain[side, u], tie, np.int64(side), np.int64(u)))
    while done < count:
        score, _, kind, v = heapq.heappop(heap)
        left = left_in[v] if kind == 0 else left_out[v]
        if left == 0 or score != gain[kind, v]:
            continue
        stamp += 1
        touched = 0
        begin, end = (in_offsets[v], in_offsets[v + 1]) if kind == 0 else (out_offsets[v], out_offsets[v + 1])
        for turn in range(4):
            for k in range(begin, end):
                c = incoming[k] if kind == 0 else outgoing[k]
                if used[c]:
                    continue
                a, b = source[c], target[c]
                other = a if kind == 0 else b
                last = left_out[a] == 1 if kind == 0 else (left_in[b] == 1 and sink[b])
                if turn == 0 and not (last and live[other]):
                    continue
                if turn == 1 and not last:
                    continue
                if turn == 2 and not live[other]:
                    continue
                for x in (a, b):
                    if live[x]:
                        continue
                    live[x] = True
                    gain[0, x] -= 1
                    gain[1, x] -= 1
                    if x == b:
                        touched = note(changed, marks, touched, stamp, 0, x)
                    for q in range(out_offsets[x], out_offsets[x + 1]):
                        if not used[outgoing[q]]:
                            gain[0, target[outgoing[q]]] -= 1
                            touched = note(changed, marks, touched, stamp, 0, target[outgoing[q]])
                    for q in range(in_offsets[x], in_offsets[x + 1]):
                        if not used[incoming[q]]:
                            gain[1, source[incoming[q]]] -= 1
                            touched = note(changed, marks, touched, stamp, 1, source[incoming[q]])
                gain[0, b] += left_out[a] == 1
                gain[1, a] += left_in[b] == 1 and sink[b]
                used[c] = True
                order[done] = c
                done += 1
                left_out[a] -= 1
                sum_out[a] -= c
                left_in[b] -= 1
                sum_in[b] -= c
                touched = note(changed, marks, touched, stamp, 0, b)
                touched = note(changed, marks, touched, stamp, 1, a)
                if left_out[a] == 1:
                    gain[0, target[sum_out[a]]] -= 1
                    touched = note(changed, marks, touched, stamp, 0, target[sum_out[a]])
                if left_in[b] == 1 and sink[b]:
                    gain[1, source[sum_in[b]]] -= 1
                    touched = note(changed, marks, touched, stamp, 1, source[sum_in[b]])
                if left_in[b] == 0:
                    touched = note(changed, marks, touched, stamp, 1, b)
                    for q in range(out_offsets[b], out_offsets[b + 1]):
                        blocked[target[outgoing[q]]] -= 1
                        touched = note(changed, marks, touched, stamp, 0, target[outgoing[q]])
        for i in range(touched):
            kind, v = changed[0, i], changed[1, i]
            ready = (
                (left_in[v] > 0 and blocked[v] == 0) if kind == 0 else (left_in[v] == 0 and left_out[v] > 0)
            )
            if ready:
                tie = np.int64(stamp if ties == EARLIEST else -stamp)
                if ties == RANDOM:
                    tie = np.int64(np.random.randint(1 << 30))
                heapq.heappush(heap, (gain[kind, v], tie, kind, v))
    return order


@njit(cache=True, nogil=True)
def note(changed, marks, touched, stamp, kind, neuron):
    """List a step whose gain or readiness may have changed, once; returns how many are listed."""
    if marks[kind, neuron] == stamp:
        return touched
    marks[kind, neuron] = stamp
    changed[0, touched], changed[1, touched] = kind, neuron
    return touched + 1
