"""Simulated annealing on multi-chip modules as in the paper: over distributions, not over assignments."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.mcm.search import methods as mcm_methods
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class ChipAnneal(Planner):
    """From the uniform distribution; each step gives a random set of ops new random distributions, draws one valid partition
    (SAMPLE, algorithm 1), and keeps the change or not by the partition's objective.
    """

    name: ClassVar[str] = "chip-anneal"
    title: ClassVar[str] = "Annealed distributions"
    summary: ClassVar[str] = "simulated annealing over the distributions that SAMPLE draws from"
    source: ClassVar[Source] = Source("MCM paper", "section 5.1, simulated annealing")
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    options: ClassVar[tuple[Option, ...]] = mcm_methods.ANNEAL_OPTIONS

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per evaluated partition."""
        mcm_methods.annealed(problem, search)
