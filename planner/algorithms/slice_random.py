"""SliceGraph on many random orders."""

from __future__ import annotations

from typing import ClassVar

from planner.algorithms.contraction import chain
from planner.algorithms.orders import depth_first_order, kahn_order
from planner.algorithms.segments import Slicer
from planner.algorithms.slice_graph import report_infeasible
from planner.problem import Problem
from planner.search import Option, Planner, Search, Source


class SliceRandom(Planner):
    """Kahn's algorithm on random priorities gives random orders; the best slicing of all of them is kept.

    The depth-first order goes first, and every further order is only searched for slicings better than the best so
    far, which most do not have and which is quickly found out.
    """

    name: ClassVar[str] = "slice-random"
    title: ClassVar[str] = "Slice random orders"
    summary: ClassVar[str] = "best cut of many random topological orders"
    source: ClassVar[Source] = Source("MTPP", "section 4.2 and appendix C.1")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "max-load", "gpipe"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("orders", 1000, "how many random orders to try", low=1, high=10_000_000),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per order."""
        if report_infeasible(problem, search, self.name):
            return
        units = chain(problem)
        slicer = Slicer(units)
        orders = int(search.options["orders"])
        for i in range(orders + 1):
            search.check()
            if i == 0:
                order = depth_first_order(*units.succs)
            else:
                order = kahn_order(*units.succs, search.rng.random(units.count))
            for device_of in slicer.slicings(order, search, search.objective * (1 - 1e-9)):
                search.incumbent(device_of[units.unit_of])
            search.iteration()
            search.progress((i + 1) / (orders + 1), f"order {i} of {orders}")
