"""Each component of a memory objective of an Edge TPU pipeline, proven in turn."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.edge_tpu.memory.search import ROUTE_OPTION, THREADS_OPTION, search_exactly
from planner.machines.edge_tpu.memory.units import MEMORY_OBJECTIVES
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Ilp(BoundMethod):
    """What the planner ``edge-tpu-ilp`` proves, without its plans.

    The bound on a component after the first speaks of the plans that are best in the components before it.
    """

    name: ClassVar[str] = "ilp"
    title: ClassVar[str] = "Edge TPU, exact"
    summary: ClassVar[str] = "the optimum of each component in turn, by ideals or SDC + ILP"
    source: ClassVar[Source] = Source("Edge TPU", "section IV, equations 1 to 14")
    targets: ClassVar[frozenset[str]] = frozenset({"edge-tpu"})
    objectives: ClassVar[frozenset[str]] = MEMORY_OBJECTIVES
    options: ClassVar[tuple[Option, ...]] = (ROUTE_OPTION, THREADS_OPTION)

    def prove(self, problem: Problem, search: Search) -> None:
        """A simple bound at once, then component after component."""
        search_exactly(problem, search, self.name, propose=False)
