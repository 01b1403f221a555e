"""Local search on multi-chip modules: exact cuts of orders, corrected candidates, annealing of assignments."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.mcm.search import methods as mcm_methods
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class ChipLocalSearch(Planner):
    """Cuts topological orders into chips by dynamic programming, relieves dear chips and lets FIX (algorithm 2) correct the rest, then
    moves units together with what must come along.

    Every placement whose objective is computed counts as one sample (and iteration), steps that are not kept among them.
    """

    name: ClassVar[str] = "chip-local-search"
    title: ClassVar[str] = "Local search on chips"
    summary: ClassVar[str] = "orders cut exactly, then annealing of valid assignments"
    source: ClassVar[Source] = Source("Stageboard", "docs/mcm-search.md")
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    options: ClassVar[tuple[Option, ...]] = mcm_methods.LOCAL_OPTIONS

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per evaluated placement."""
        mcm_methods.local(problem, search)
