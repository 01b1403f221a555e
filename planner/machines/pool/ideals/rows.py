"""Accelerators that are all alike, and CPUs: rows of open stages with a CPU here and there.

Without pins and limits an accelerator costs what a stage in a row does, and a pass over open stages
(:mod:`planner.methods.ideals.chains`) tells how few accelerators reach each ideal. A CPU pays no transfers: what it costs is a difference of
sums, so the ideals that it reaches from all those before are found along the lattice. One pass for each number of CPUs used.
"""

from __future__ import annotations

import math

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation import kernels
from planner.machines.pool.ideals.states import ACCELERATOR, CPU, Chain, States, absorbed
from planner.methods.ideals.chains import Chains
from planner.methods.ideals.lattice import Lattice
from planner.methods.ideals.potentials import ideal_sums
from planner.methods.ideals.stages import NOWHERE
from planner.methods.units import Units
from planner.model.graph import Ints
from planner.search.search import Search

MOST_CELLS = 20_000_000
"""Ideals times numbers of accelerators, some 250 MB."""
IDEALS_PER_CALL = 50_000


@njit(cache=True, nogil=True)
def after_a_cpu(first, end, bound, ptr, upper, work, furthest, origin, place, before, load, source):
    """Let a CPU go on from the ideals before each from ``first`` to ``end``: from the least costly of those that few enough accelerators reach.

    ``work`` float64[i]: of a CPU; ``furthest`` float64[i, a+1], ``origin`` int32[i, a+1]: most work of an ideal inside that at most so many accelerators
    reach (-inf, none), and which it is. ``place`` int16[i], ``load`` float64[i] are brought up to date (``before`` float64[i] is what loads were: a CPU goes on from chains
    without it); ``source`` int32[i] is filled: where the CPU began.
    """
    most = furthest.shape[1]
    for i in range(first, end):
        for a in range(place[i], most):
            if work[i] > furthest[i, a] or origin[i, a] < 0:
                furthest[i, a], origin[i, a] = work[i], i
        for e in range(ptr[i], ptr[i + 1]):
            j = upper[e]
            for a in range(most):
                if origin[i, a] >= 0 and (origin[j, a] < 0 or furthest[i, a] > furthest[j, a]):
                    furthest[j, a], origin[j, a] = furthest[i, a], origin[i, a]
        source[i] = i
        for a in range(min(most, place[i])):
            if origin[i, a] >= 0 and work[i] - furthest[i, a] < bound:
                place[i], source[i] = a, origin[i, a]
                load[i] = max(before[source[i]], work[i] - furthest[i, a])
                break


class Rows:
    """Finds chains of ideals of ``lattice`` whose devices all cost less than a bound; see :func:`served`."""

    def __init__(self, lattice: Lattice, states: States, search: Search) -> None:
        e = lattice.units.problem.evaluator
        self.lattice, self.states = lattice, states
        self._accelerators = states.accelerators
        self._cpus = int(np.count_nonzero(e.class_of == CPU))
        self._chains = Chains(lattice, search, class_of=np.full(self._accelerators, ACCELERATOR, np.int32))
        work = lattice.units.work[CPU].sum(axis=1) if self._cpus else np.zeros(lattice.units.count)
        self._work = ideal_sums(lattice, work[:, None], search)[:, 0].copy()

    def solve(
        self, bound: float, search: Search, slack: float = 0.0, patience: float = math.inf
    ) -> Chain | None:
        """A chain with every load below ``bound``, or None where there is none; with ``slack`` and ``patience`` as :meth:`planner.methods.ideals.chains.Chains.solve`. Raises :class:`planner.methods.ideals.chains.TooWide`."""
        reached = self._chains.reached
        reached.place.fill(NOWHERE)
        reached.load.fill(math.inf)
        reached.place[0], reached.load[0] = 0, 0.0
        alone = absorbed(self.lattice.units, bound) if self._cpus else 0.0
        ways: list[tuple[Ints, Ints]] = []
        for left in range(self._cpus, -1, -1):
            self._chains.extend(bound, left * alone, search, slack, patience)
            by_accelerator = reached.source.copy()
            by_cpu = np.arange(self.lattice.count, dtype=np.int32)
            ways.append((by_accelerator, by_cpu))
            if reached.place[-1] < NOWHERE or not left:
                break
            self._after_a_cpu(bound, by_cpu, search)
        return self._chain(ways) if reached.place[-1] < NOWHERE else None

    def _after_a_cpu(self, bound: float, source: Ints, search: Search) -> None:
        lattice, reached = self.lattice, self._chains.reached
        before = reached.load.copy()
        furthest = np.full((lattice.count, self._accelerators + 1), -math.inf)
        origin = np.full(furthest.shape, -1, np.int32)
        for first in range(0, lattice.count, IDEALS_PER_CALL):
            search.check()
            after_a_cpu(
                first, min(first + IDEALS_PER_CALL, lattice.count), bound, lattice.ptr, lattice.upper, self._work,
                furthest, origin, reached.place, before, reached.load, source,
            )  # fmt: skip

    def _chain(self, ways: list[tuple[Ints, Ints]]) -> Chain:
        """Walk back from the ideal of all units, through the passes from the last to the first."""
        segments = []
        ideal, level = self.lattice.count - 1, len(ways) - 1
        kind = next((y for y, c in enumerate(self.states.type_class.tolist()) if y and c == CPU), 0)
        while ideal > 0:
            before = int(ways[level][0][ideal])
            device = ACCELERATOR
            if before < 0:
                # Chains of this pass begin where a CPU of the one before ended, or with nothing.
                level -= 1
                before, device = int(ways[level][1][ideal]), kind
            if before != ideal:
                segments.append((device, self.lattice.members(ideal) & ~self.lattice.members(before)))
            ideal = before
        return Chain.of(self.states, self.lattice.units, segments[::-1], float(self._chains.reached.load[-1]))


def served(units: Units, states: States, ideals: int) -> bool:
    """Whether :class:`Rows` does for a lattice of so many ideals: sums of costs, devices without pins, and limits that nothing can break."""
    e = units.problem.evaluator
    return (
        e.communication == kernels.SUM
        and e.objective_code == kernels.MAX_COST
        and e.alike
        and not e.clustered
        and e.sync_rate == 0.0
        and not any(states.pinned)
        and bool(units.allowed.all())
        and float(units.memory.sum()) <= float(e.capacity.min())
        and float(units.params.sum()) <= float(e.budget.min())
        and bool((e.class_of == ACCELERATOR).any())
        and ideals * (states.accelerators + 1) <= MOST_CELLS
    )
