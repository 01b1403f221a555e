"""The learned policy on multi-chip modules, as trained or learning on the problem at hand."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.mcm.search import methods as mcm_methods
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class ChipLearned(Planner):
    """A graph neural network that was trained on other graphs proposes the chip of every op, the constraint solver corrects.

    The first proposal is the likeliest plan; it takes a part of a second for thousands of ops.
    """

    name: ClassVar[str] = "chip-learned"
    title: ClassVar[str] = "Learned policy"
    summary: ClassVar[str] = (
        "a trained graph neural network proposes, the solver corrects; may go on learning on the problem"
    )
    source: ClassVar[Source] = Source("MCM paper", "sections 4 and 5.2")
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    options: ClassVar[tuple[Option, ...]] = mcm_methods.LEARNED_OPTIONS

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per evaluated partition."""
        mcm_methods.learned(problem, search)
