"""The compiler heuristic that the MCM paper compares with: fill one chip after another, and let the solver correct it."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.mcm.search import methods as mcm_methods
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class ChipGreedy(Planner):
    """Fills chips in the file's order up to an equal share of the work, then FIX (algorithm 2) makes the partition valid.

    An op that cannot have its chip takes the nearest one that is left to it, where the paper's FIX draws one: a denominator must
    not depend on a seed. With ``partition=random`` the same order is cut at random places, by the seed: the paper's random
    partition. Both are O(n) once the ops are in order, before FIX.
    """

    name: ClassVar[str] = "chip-greedy"
    title: ClassVar[str] = "Greedy fill"
    summary: ClassVar[str] = "chips filled to an equal share of the work, corrected by FIX"
    source: ClassVar[Source] = Source("MCM paper", "sections 4.2 and 5.1")
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    options: ClassVar[tuple[Option, ...]] = mcm_methods.GREEDY_OPTIONS

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per correction; more than one only where the first does not fit the chips' memory."""
        mcm_methods.greedy(problem, search)
