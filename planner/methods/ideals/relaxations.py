"""Which lattices decide a problem: one whose chains of ideals are all contiguous plans, or relaxations of it.

On a graph without backward ops every contiguous plan is a chain of ideals of the contracted graph, and the reverse. In
training the forward and the backward part have to be contiguous separately, each in an order of its own (section 5.3).
Let F be the forward edges between units (ops that every valid plan keeps together) and R the backward edges, reversed.

* Where a path of R leads along every edge of F, or of F along every edge of R, one order serves both parts: the lattice
  of F and R together is exact.
* Else the lattice of F alone, without the units that have no forward ops, is a relaxation, and so is that of R alone
  without the units that have no backward ops. Leaving a unit out never makes a device dearer: work, memory and tensors
  are sums of what is on it. A plan found this way is completed and evaluated; if it is valid, it is the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.ideals.reduced import Reduced, reduce_units
from planner.methods.orders import depth_first_order
from planner.methods.units import forced_units, merge_cycles, unit_edges
from planner.model.graph import Bools, Ints, csr
from planner.problem.problem import Problem

MOST_UNITS = 20_000
"""Reachability is a square of bits."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The units of a problem (``unit_of`` int32[n]) and the edges between them, as pairs of int32 arrays.

    ``forward`` F and ``mirrored`` R; ``has_forward``, ``has_backward`` bool[m]: which parts a unit has ops of.
    """

    unit_of: Ints
    forward: tuple[Ints, Ints]
    mirrored: tuple[Ints, Ints]
    has_forward: Bools
    has_backward: Bools

    @property
    def both(self) -> tuple[Ints, Ints]:
        """F and R together, each edge once, perhaps with cycles (sources and targets, int32[e] each)."""
        return unit_edges(
            np.arange(len(self.has_forward), dtype=np.int32),
            np.concatenate([self.forward[0], self.mirrored[0]]),
            np.concatenate([self.forward[1], self.mirrored[1]]),
        )


def parts(problem: Problem, unit_of: Ints | None = None) -> Parts:
    """Units (``unit_of`` int32[n], by default what every valid plan keeps together) and edges of both parts."""
    e = problem.evaluator
    if unit_of is None:
        unit_of = forced_units(problem)
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    forward = (e.part[e.edge_src] == 0) & (e.part[e.edge_dst] == 0)
    backward = (e.part[e.edge_src] == 1) & (e.part[e.edge_dst] == 1)
    has = np.zeros((2, count), bool)
    has[e.part, unit_of] = True
    return Parts(
        unit_of,
        unit_edges(unit_of, e.edge_src[forward], e.edge_dst[forward]),
        unit_edges(unit_of, e.edge_dst[backward], e.edge_src[backward]),
        has[0],
        has[1],
    )


@njit(cache=True, nogil=True)
def _all_implied(order, ptr, idx, src, dst):
    """Whether the DAG given as CSR with its topological ``order`` has a path along every pair ``src -> dst``."""
    m = len(ptr) - 1
    reach = np.zeros((m, (m + 63) // 64), np.uint64)
    one = np.uint64(1)
    for place in range(m - 1, -1, -1):
        u = order[place]
        reach[u, u >> 6] |= one << np.uint64(u & 63)
        for e in range(ptr[u], ptr[u + 1]):
            reach[u] |= reach[idx[e]]
    missing = 0
    for e in range(len(src)):
        if (reach[src[e], dst[e] >> 6] >> np.uint64(dst[e] & 63)) & one == 0:
            missing += 1
    return missing == 0


def implied(count: int, dag: tuple[Ints, Ints], pairs: tuple[Ints, Ints]) -> bool:
    """Whether ``dag`` has a path along each of ``pairs`` (each: sources and targets, int32[e]).

    False where there are too many units to tell.
    """
    if count > MOST_UNITS:
        return False
    ptr, idx = csr(*dag, count)
    return bool(_all_implied(depth_first_order(ptr, idx), ptr, idx, *pairs))


def one_order(found: Parts) -> bool:
    """Whether one order of the devices serves both parts of every valid plan."""
    count = len(found.has_forward)
    if not len(found.mirrored[0]) or not len(found.forward[0]):
        return True
    return implied(count, found.mirrored, found.forward) or implied(count, found.forward, found.mirrored)


def relaxations(problem: Problem, found: Parts) -> list[Callable[[bool], Reduced]]:
    """The lattices whose optimum no valid plan is below: the exact one alone, or two, first the one that leaves less out.

    Each is made by calling it with whether idle units are to be taken out.
    """
    if one_order(found):
        return [lambda take: reduce_units(problem, found.unit_of, *found.both, take=take)]
    e = problem.evaluator
    work = np.bincount(found.unit_of, weights=e.work.min(axis=0), minlength=len(found.has_forward))
    kinds = [(found.forward, ~found.has_forward), (found.mirrored, ~found.has_backward)]
    kinds.sort(key=lambda kind: float(work[kind[1]].sum()))

    def make(pairs: tuple[Ints, Ints], dropped: Bools) -> Callable[[bool], Reduced]:
        return lambda take: reduce_units(problem, found.unit_of, *pairs, dropped, take)

    return [make(*kind) for kind in kinds]


def restrictions(problem: Problem, found: Parts) -> Iterator[Reduced]:
    """Lattices whose every chain is a contiguous plan, though not every contiguous plan is one of their chains."""
    both = found.both
    unit_of = merge_cycles(np.arange(len(found.has_forward), dtype=np.int32), *both)
    yield reduce_units(problem, unit_of[found.unit_of], *unit_edges(unit_of, *both), take=False)


def window(problem: Problem, found: Parts, width: int) -> Iterator[Reduced]:
    """The lattices of :func:`restrictions` with units ``width`` apart in the depth-first order kept in that order."""
    for reduced in restrictions(problem, found):
        full = reduced.full
        near = np.arange(max(full.count - width, 0), dtype=np.int32)
        src, dst = np.concatenate([full.src, near]), np.concatenate([full.dst, near + np.int32(width)])
        yield reduce_units(
            problem, full.unit_of, *unit_edges(np.arange(full.count, dtype=np.int32), src, dst), take=False
        )
