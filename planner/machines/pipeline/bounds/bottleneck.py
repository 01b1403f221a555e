"""The bottleneck bound: three superblocks, of which only the middle one, a block with its share of the work, counts."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pipeline.exact.bounds import prove_bottleneck
from planner.machines.pipeline.superblocks.opening import opening
from planner.methods.mip.mip import CHOICES, solver_of
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Bottleneck(BoundMethod):
    """Some block has at least its share of the work; the cheapest such block, wherever it lies, is a bound."""

    name: ClassVar[str] = "bottleneck"
    title: ClassVar[str] = "Bottleneck"
    summary: ClassVar[str] = "cheapest block with an equal share of the work (three superblocks)"
    source: ClassVar[Source] = Source("MTPP", "section 3.2, Corollary 3.4")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("solver", "scip", "which MIP solver; cbc runs on HiGHS", choices=CHOICES),
    )

    def prove(self, problem: Problem, search: Search) -> None:
        """One program; its dual bounds stream."""
        solver = solver_of(search)
        begun = opening(problem, search, self.name)
        if begun is not None and begun[0].count:
            prove_bottleneck(*begun, search, self.name, solver)
