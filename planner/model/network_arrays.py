"""Compiled passes over the connections of a network: grouping them by neuron, and layers by longest paths.

Shapes: N neurons, W connections; ids int32, offsets int64.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def group_by(keys, count):
    """Connections grouped by one of their ends: (offsets int64[count + 1], ids int32[W], ascending in each group)."""
    offsets = np.zeros(count + 1, np.int64)
    for key in keys:
        offsets[key + 1] += 1
    for i in range(count):
        offsets[i + 1] += offsets[i]
    ids = np.empty(len(keys), np.int32)
    place = offsets[:count].copy()
    for e in range(len(keys)):
        ids[place[keys[e]]] = e
        place[keys[e]] += 1
    return offsets, ids


@njit(cache=True, nogil=True)
def longest_paths(target, offsets, ids, in_degree):
    """(length of the longest path to each neuron int32[N], how many neurons were reached).

    ``offsets``, ``ids``: connections by source. On a cycle, and behind it, neurons are not reached (-1).
    """
    n = len(in_degree)
    missing = in_degree.copy()
    layer = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    filled = 0
    for v in range(n):
        if missing[v] == 0:
            layer[v] = 0
            queue[filled] = v
            filled += 1
    longest = np.zeros(n, np.int32)
    done = 0
    while done < filled:
        u = queue[done]
        done += 1
        for i in range(offsets[u], offsets[u + 1]):
            v = target[ids[i]]
            longest[v] = max(longest[v], longest[u] + 1)
            missing[v] -= 1
            if missing[v] == 0:
                layer[v] = longest[v]
                queue[filled] = v
                filled += 1
    return layer, filled


@njit(cache=True, nogil=True)
def nearest_consumer(source, target, layer, neurons):
    """The lowest layer that each neuron has a connection to (int32[N]); a neuron without one keeps its own."""
    lowest = np.full(neurons, np.iinfo(np.int32).max, np.int32)
    for e in range(len(source)):
        lowest[source[e]] = min(lowest[source[e]], layer[target[e]])
    for v in range(neurons):
        if lowest[v] == np.iinfo(np.int32).max:
            lowest[v] = layer[v]
    return lowest
