"""The exact program as a bound: the dual bounds of the MIP that plans a pipeline."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pipeline.exact.bounds import prove_exact
from planner.machines.pipeline.superblocks.opening import opening
from planner.methods.mip.mip import CHOICES, solver_of
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Exact(BoundMethod):
    """Dual bounds of the exact program, which ends at the optimum if it is given the time."""

    name: ClassVar[str] = "exact"
    title: ClassVar[str] = "Exact program"
    summary: ClassVar[str] = "dual bound of the exact mixed-integer program"
    source: ClassVar[Source] = Source("MTPP", "section 3.1, figure 3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("solver", "scip", "which MIP solver; cbc runs on HiGHS", choices=CHOICES),
    )

    def prove(self, problem: Problem, search: Search) -> None:
        """The two-superblock split in the middle first, which is soon worth more than the program's root."""
        solver = solver_of(search)
        begun = opening(problem, search, self.name)
        if begun is not None and begun[0].count:
            prove_exact(*begun, search, self.name, solver)
