"""What searches over the orders of a pipeline share: first plans, reported improvements, and small changes of the best."""

from __future__ import annotations

import numpy as np

from planner.machines.pipeline.orders.slicer import pipeline_units
from planner.machines.pipeline.orders.stage_slicer import slicer_of
from planner.methods.orders import depth_first_order, kahn_order
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem
from planner.search.search import Search

BATCH = 64
"""Orders that are drawn at once."""
LEAST_SHARE, MOST_SHARE = 0.01, 0.5
"""Shares of the units that a changed order moves: between these, evenly on a logarithmic scale."""
REACH = 0.15
"""How far a moved unit goes, as a share of the order (standard deviation)."""


class PipelineSearch:
    """Slices orders of a problem's units and tells ``search`` of everything better. ``slicer`` keeps the best.

    ``possible`` is false where the pins leave some unit no block; that is then proven infeasible.
    """

    def __init__(self, problem: Problem, search: Search, method: str) -> None:
        self.problem = problem
        self.search = search
        self.units = pipeline_units(problem)
        self.possible = self.units.blocked < 0
        self.slicer = slicer_of(self.units)
        if not self.possible:
            infeasible = problem.bound(
                problem.objective, float("inf"), method, problem.assumptions, search.seconds
            )
            search.prove(infeasible)

    def report(self) -> None:
        """Propose the best plan so far."""
        self.search.incumbent(self.slicer.block_of[self.units.unit_of])

    def slice(self, order: Ints) -> bool:
        """Slice one order (int32[m]); returns whether it is the best so far."""
        found = self.slicer.solve(order, self.search, self.slicer.value)
        if found is not None:
            self.report()
        return found is not None

    def slice_keys(self, keys: Floats, strict: bool = True) -> Floats:
        """Slice the orders of ``keys`` (float64[b, m]); values as :meth:`PipelineSlicer.slice_keys` gives them."""
        return self.slicer.slice_keys(keys, self.search, strict, self.report)

    def restart(self) -> None:
        """Forget the best of the slicer, not of the search."""
        self.slicer.value = float("inf")

    def begin(self) -> None:
        """Slice the depth-first order, then the orders of the plans that the search is given to start from."""
        order = depth_first_order(*self.units.succs)
        even = self.slicer.even(order)
        if even is not None:
            self.search.incumbent(even[self.units.unit_of])
        self.slice(order)
        for start in self.given():
            self.slice(self.order_of(start))

    def given(self) -> list[Ints]:
        """The valid plans that the search is given to start from, as blocks of the units (int32[m])."""
        e = self.problem.evaluator
        starts = [e.checked(start) for start in self.search.starts]
        return [self._blocks(start) for start in starts if not e.violations(start)]

    def adopt(self) -> Ints | None:
        """Go on from a better plan that was found elsewhere, sliced anew: its order (int32[m]), None where there is none."""
        found = self.search.adopt()
        if found is None:
            return None
        order = self.order_of(self._blocks(found))
        self.slice(order)
        return order

    def _blocks(self, device_of: Ints) -> Ints:
        block_of = np.zeros(self.units.count, np.int32)
        block_of[self.units.unit_of] = device_of
        return block_of

    def order_of(self, block_of: Ints) -> Ints:
        """An order whose slices contain a valid plan (block of each unit, int32[m]): block by block."""
        order: Ints = kahn_order(*self.units.succs, block_of.astype(np.float64))
        return order

    def random_keys(self, count: int = BATCH) -> Floats:
        """Keys of random orders (MTPP, section 4.2): float64[count, m]."""
        return self.search.rng.random((count, self.units.count))

    def changed_keys(self, count: int = BATCH) -> Floats:
        """Keys (float64[count, m]) of orders near the best: a random share of the units is moved, the others keep their sequence."""
        rng, m = self.search.rng, self.units.count
        place = np.empty(m)
        place[self.slicer.order] = np.arange(m) / max(m, 1)
        share = np.exp(rng.uniform(np.log(LEAST_SHARE), np.log(MOST_SHARE), (count, 1)))
        moved = rng.random((count, m)) < share
        return place + np.where(moved, REACH * rng.standard_normal((count, m)), 0.0)


def search_orders(problem: Problem, search: Search, method: str) -> None:
    """Local search on orders: slice orders near the best one of each start and go on from what is better.

    The first start is the depth-first order or that of a given plan, the others are the best of a few random orders, or what
    was found elsewhere meanwhile.
    Options ``restarts`` and ``orders`` (tried from each start); one iteration per start.
    """
    orders = PipelineSearch(problem, search, method)
    if not orders.possible:
        return
    restarts, most = int(search.options["restarts"]), int(search.options["orders"])
    orders.begin()
    for i in range(restarts):
        if i > 0:
            orders.restart()
            if orders.adopt() is None:
                orders.slice_keys(orders.random_keys())
        for made in range(0, most, BATCH):
            orders.slice_keys(orders.changed_keys(min(BATCH, most - made)))
            search.progress((i + made / most) / restarts, f"start {i + 1} of {restarts}, {made} orders")
            search.check()
        search.iteration()
