"""The bottleneck-guess bound: which stage is the block with its share of the work? The weakest guess is a bound."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pipeline.exact.bounds import prove_bottleneck, prove_guesses
from planner.machines.pipeline.superblocks.opening import opening
from planner.methods.mip.mip import CHOICES, solver_of
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class BottleneckGuess(BoundMethod):
    """As ``bottleneck`` for every place that the block can have; those before and after it also pay, on average."""

    name: ClassVar[str] = "bottleneck-guess"
    title: ClassVar[str] = "Bottleneck, guessed"
    summary: ClassVar[str] = "the bottleneck bound for each place of the block, its neighbours paying too"
    source: ClassVar[Source] = Source("MTPP", "section 3.3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("solver", "scip", "which MIP solver; cbc runs on HiGHS", choices=CHOICES),
        Option("slice", 2.0, "seconds for each guess before the weakest are gone on with", low=0.1),
    )

    def prove(self, problem: Problem, search: Search) -> None:
        """The bottleneck bound first, then rounds over the guesses, longer each time."""
        solver, seconds = solver_of(search), float(search.options["slice"])
        begun = opening(problem, search, self.name)
        if begun is None or not begun[0].count:
            return
        model, bound = begun
        bound = prove_bottleneck(model, bound, search, self.name, solver, seconds)
        prove_guesses(model, bound, search, self.name, solver, seconds)
