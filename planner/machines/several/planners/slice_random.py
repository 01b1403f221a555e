"""SliceGraph on many random orders."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pipeline.orders.search import BATCH, PipelineSearch
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.slicing import Slicer
from planner.methods.units import chain, mirrors
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class SliceRandom(Planner):
    """Kahn's algorithm on random priorities gives random orders; the best slicing of all of them is kept.

    The depth-first order goes first, then those of plans to start from (on a pipeline), and every further order is only
    searched for slicings better than the best so far, which most do not have and which is quickly found out. Of the two contractions that training graphs have (see
    :class:`planner.machines.pool.planners.dpl.Dpl`), the one with the better depth-first slicing is used.
    """

    name: ClassVar[str] = "slice-random"
    title: ClassVar[str] = "Slice random orders"
    summary: ClassVar[str] = "best cut of many random topological orders"
    source: ClassVar[Source] = Source("MTPP", "section 4.2 and appendix C.1")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu", "pool"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time", "max-load", "gpipe"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("orders", 1000, "how many random orders to try", low=1, high=10_000_000),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per order, the depth-first one included."""
        if problem.target.kind == "pool":
            self._pool(problem, search)
        else:
            self._pipeline(problem, search)

    def _pipeline(self, problem: Problem, search: Search) -> None:
        orders = PipelineSearch(problem, search, self.name)
        if not orders.possible:
            return
        orders.begin()
        search.iteration()
        most, made = int(search.options["orders"]), 0
        while made < most:
            search.check()
            orders.adopt()
            count = min(BATCH, most - made)
            orders.slice_keys(orders.random_keys(count))
            made += count
            search.iteration(count)
            search.progress(made / most, f"order {made} of {most}")

    def _pool(self, problem: Problem, search: Search) -> None:
        if report_infeasible(problem, search, self.name):
            return
        orders = int(search.options["orders"])
        slicer: Slicer | None = None
        for mirror in mirrors(problem):
            candidate = Slicer(chain(problem, mirror))
            order = depth_first_order(*candidate.units.succs)
            better = search.incumbent(candidate.even(order)[candidate.units.unit_of])
            if self._slice(candidate, order, search) or better or slicer is None:
                slicer = candidate
        assert slicer is not None
        units = slicer.units
        search.iteration()
        for i in range(1, orders + 1):
            search.check()
            search.adopt()
            self._slice(slicer, kahn_order(*units.succs, search.rng.random(units.count)), search)
            search.iteration()
            search.progress(i / orders, f"order {i} of {orders}")

    @staticmethod
    def _slice(slicer: Slicer, order: Ints, search: Search) -> bool:
        """Report slicings of one order that are better than the best so far; returns whether there was a valid one."""
        better = False
        for device_of in slicer.slicings(order, search, search.objective * (1 - 1e-9)):
            better = search.incumbent(device_of[slicer.units.unit_of]) or better
        return better
