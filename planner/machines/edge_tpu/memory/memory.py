"""The least largest m_k of an Edge TPU pipeline, and the ideals on the chains that keep a limit of it.

No pair of ideals is looked at: a chain can reach I at stage k when some ideal I' inside I that it can reach one stage earlier
has potential(I) - potential(I') <= limit, and the largest potential of such an I' comes up along the covers of the lattice.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.edge_tpu.memory.lattice import EdgeTpuLattice
from planner.model.graph import Bools
from planner.search.search import Search


@njit(cache=True, nogil=True)
def reach_up(ptr, upper, potential, before, allowed, limit, best, after):
    """``after`` bool[i]: allowed ideals that one stage of at most ``limit`` leads to from those in ``before``.

    ``best`` int64[i] becomes the largest potential of an ideal of ``before`` inside each, -1 without one.
    """
    count = len(potential)
    for i in range(count):
        best[i] = potential[i] if before[i] else -1
    for i in range(count):
        top = best[i]
        after[i] = allowed[i] and top >= 0 and potential[i] - top <= limit
        for e in range(ptr[i], ptr[i + 1]):
            j = upper[e]
            if best[j] < top:
                best[j] = top


@njit(cache=True, nogil=True)
def reach_down(ptr, upper, potential, after, allowed, limit, best, before):
    """``before`` bool[i]: allowed ideals from which one stage of at most ``limit`` leads to one in ``after``."""
    count = len(potential)
    most = potential[count - 1] + 1
    for i in range(count - 1, -1, -1):
        least = potential[i] if after[i] else most
        for e in range(ptr[i], ptr[i + 1]):
            least = min(least, best[upper[e]])
        best[i] = least
        before[i] = allowed[i] and least < most and least - potential[i] <= limit


def reachable(ideals: EdgeTpuLattice, limit: int, search: Search) -> Bools:
    """bool[n+1, i]: ideal k of some chain from nothing with m <= ``limit`` on each stage so far."""
    lattice, n = ideals.lattice, ideals.tpus.stages
    found = np.zeros((n + 1, ideals.count), bool)
    found[0, 0] = True
    best = np.empty(ideals.count, np.int64)
    for k in range(n):
        reach_up(
            lattice.ptr, lattice.upper, ideals.potential, found[k], ideals.allowed[k + 1], limit, best, found[k + 1]
        )  # fmt: skip
        search.check()
    return found


def on_chains(ideals: EdgeTpuLattice, limit: int, search: Search) -> Bools:
    """bool[n+1, i]: ideals that are number k of a whole chain with m <= ``limit`` on every stage."""
    lattice, n = ideals.lattice, ideals.tpus.stages
    found = reachable(ideals, limit, search)
    best = np.empty(ideals.count, np.int64)
    for k in range(n - 1, -1, -1):
        reach_down(
            lattice.ptr, lattice.upper, ideals.potential, found[k + 1], found[k].copy(), limit, best, found[k]
        )  # fmt: skip
        search.check()
    return found


def least_memory(ideals: EdgeTpuLattice, low: int, high: int, search: Search) -> int:
    """The least limit from ``low`` to ``high`` that a chain keeps, where one keeps ``high``; by bisection."""
    while low < high:
        middle = (low + high) // 2
        if reachable(ideals, middle, search)[-1, -1]:
            high = middle
        else:
            low = middle + 1
    return high
