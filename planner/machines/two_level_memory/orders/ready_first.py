"""The topological order nearest to any order: at each step the first connection of it that is ready."""

from __future__ import annotations

import heapq

import numpy as np

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def ready_first(order, source, target, in_degree, offsets, ids):
    """The order (int32[W]) that takes at each step the connection that comes first in ``order`` of those whose source is complete.

    ``offsets``, ``ids``: connections by source (CSR). ``order`` itself comes back where it is topological.
    """
    w = len(order)
    place = np.empty(w, np.int64)
    for p in range(w):
        place[order[p]] = p
    missing = in_degree.copy()
    heap = [np.int64(0)]
    heap.pop()
    for e in range(w):
        if missing[source[e]] == 0:
            heapq.heappush(heap, place[e])
    out = np.empty(w, np.int32)
    for p in range(w):
        e = order[heapq.heappop(heap)]
        out[p] = e
        b = target[e]
        missing[b] -= 1
        if missing[b] == 0:
            for i in range(offsets[b], offsets[b + 1]):
                heapq.heappush(heap, place[ids[i]])
    return out
