"""SliceGraph on one order: the optimal slicing of a depth-first order."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pipeline.orders.search import PipelineSearch
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class Slice(Planner):
    """The best cut of one depth-first order into consecutive blocks, and of the order of each plan to start from."""

    name: ClassVar[str] = "slice"
    title: ClassVar[str] = "Slice"
    summary: ClassVar[str] = "best cut of one depth-first order into consecutive blocks"
    source: ClassVar[Source] = Source("MTPP", "section 4, algorithm 1")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})

    def search(self, problem: Problem, search: Search) -> None:
        """Contract what must stay together, order depth-first, slice optimally."""
        orders = PipelineSearch(problem, search, self.name)
        if not orders.possible:
            return
        search.progress(None, "slicing one order")
        orders.begin()
        search.iteration()
