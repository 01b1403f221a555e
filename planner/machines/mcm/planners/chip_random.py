"""Random search on multi-chip modules: SAMPLE from the uniform distribution."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.mcm.search import methods as mcm_methods
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class ChipRandom(Planner):
    """Draws each op's chip with equal probabilities in a random order; the solver keeps every partition valid (algorithm 1)."""

    name: ClassVar[str] = "chip-random"
    title: ClassVar[str] = "Random search"
    summary: ClassVar[str] = "valid partitions from the uniform distribution, by SAMPLE"
    source: ClassVar[Source] = Source("MCM paper", "section 5.1, random search")
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    options: ClassVar[tuple[Option, ...]] = mcm_methods.RANDOM_OPTIONS

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per evaluated partition."""
        mcm_methods.random(problem, search)
