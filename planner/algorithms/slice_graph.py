"""SliceGraph on one order: the optimal slicing of a depth-first order."""

from __future__ import annotations

from typing import ClassVar

from planner.partition.contraction import chain
from planner.partition.infeasible import report_infeasible
from planner.partition.orders import depth_first_order
from planner.partition.segments import Slicer
from planner.problem import Problem
from planner.search import Planner, Search, Source


class Slice(Planner):
    """The best cut of one depth-first order into consecutive blocks."""

    name: ClassVar[str] = "slice"
    title: ClassVar[str] = "Slice"
    summary: ClassVar[str] = "best cut of one depth-first order into consecutive blocks"
    source: ClassVar[Source] = Source("MTPP", "section 4, algorithm 1")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck"})

    def search(self, problem: Problem, search: Search) -> None:
        """Contract what must stay together, order depth-first, slice optimally."""
        if report_infeasible(problem, search, self.name):
            return
        units = chain(problem)
        search.progress(None, "slicing one order")
        order = depth_first_order(*units.succs)
        slicer = Slicer(units)
        search.incumbent(slicer.even(order)[units.unit_of])
        for device_of in slicer.slicings(order, search, search.objective):
            search.incumbent(device_of[units.unit_of])
        search.iteration()
