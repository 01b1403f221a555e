"""Kernels of what rules ask of stages in a row: the places that pins leave to ideals, and ways that lead past a stage."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def places_of_ideals(first, end, parent, parent_unit, bits, earliest, latest, by_latest, lowest, highest):
    """Fill ``lowest`` and ``highest`` of the ideals from ``first`` to ``end``; ``by_latest`` int32: the units whose latest stage counts, first those with the least."""
    one = np.uint64(1)
    for i in range(first, end):
        if i > 0:
            lowest[i] = max(lowest[parent[i]], earliest[parent_unit[i]] + 1)
        for x in range(len(by_latest)):
            v = by_latest[x]
            if (bits[i, v >> 6] >> np.uint64(v & 63)) & one == 0:
                highest[i] = latest[v]
                break


@njit(cache=True, nogil=True)
def ways_between(ptr, idx, reach):
    """Fill ``reach`` (uint64[m, words], zeros): the units that ways lead to from each; edges are a CSR, units numbered topologically."""
    one = np.uint64(1)
    for u in range(len(ptr) - 2, -1, -1):
        for e in range(ptr[u], ptr[u + 1]):
            v = idx[e]
            reach[u] |= reach[v]
            reach[u, v >> 6] |= one << np.uint64(v & 63)


@njit(cache=True, nogil=True)
def passed_by(succ_ptr, succ_idx, reach, ptr, unit, passing):
    """Fill ``passing`` bool[h]: tensors to some reader of which a further way leads from their producer (``ptr``, ``unit``: the units of each)."""
    one = np.uint64(1)
    for t in range(len(ptr) - 1):
        u = unit[ptr[t]]
        passing[t] = False
        for x in range(ptr[t] + 1, ptr[t + 1]):
            v = unit[x]
            for e in range(succ_ptr[u], succ_ptr[u + 1]):
                if (reach[succ_idx[e], v >> 6] >> np.uint64(v & 63)) & one != 0:
                    passing[t] = True
