"""SliceGraph on one order: the optimal slicing of a depth-first order."""

from __future__ import annotations

import math
from typing import ClassVar

from planner.algorithms.contraction import build_units, chain, forced_units
from planner.algorithms.orders import depth_first_order
from planner.algorithms.segments import Slicer
from planner.problem import Problem
from planner.search import Planner, Search, Source


def report_infeasible(problem: Problem, search: Search, method: str) -> bool:
    """Prove infeasibility where ops that must share a device have none in common; returns whether that is so."""
    if build_units(problem, forced_units(problem)).blocked < 0:
        return False
    search.prove(problem.bound(problem.objective, math.inf, method, problem.assumptions, search.seconds))
    return True


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
        for device_of in Slicer(units).slicings(order, search):
            search.incumbent(device_of[units.unit_of])
        search.iteration()
