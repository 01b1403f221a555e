"""Searching for the least time per inference: all ideals where there are few, else those of many orders, then moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from planner.machines.edge_tpu.fastest.arcs import Costs, costs_of, least_time, path_lattice
from planner.machines.edge_tpu.fastest.fastest import CLOSE, Fastest
from planner.machines.edge_tpu.memory.lattice import TooLarge, edge_tpu_lattice
from planner.machines.edge_tpu.memory.units import EdgeTpuUnits, edge_tpu_units
from planner.methods.good_orders import neighbour, ruled_orders
from planner.methods.ideals.lattice import Lattice, enumerate_ideals
from planner.methods.live_descent import climb
from planner.methods.orders import depth_first_order, kahn_order
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.search import Search

MOST_IDEALS = 50_000
"""Ideals of which all pairs may be looked at."""
ORDERS_OPTION = Option(
    "orders", 100, "orders that are cut where the graph has too many ideals to look at all", low=1
)


class FastestSearch:
    """One run. Without ``propose`` plans only tell it what a better one has to beat. Methods may raise :class:`planner.search.search.Stopped`."""

    def __init__(self, problem: Problem, search: Search, method: str, propose: bool = True) -> None:
        self._problem, self._search, self._method, self._propose = problem, search, method, propose
        self._known = math.inf
        """The least time of the plans that were not proposed."""
        self._mine: Ints | None = None
        self._mine_takes = math.inf
        """The best plan of its own (int32[n]) and its time, whatever it was given: what is cut and moved follows from that first, so that a
        plan to begin with never leads away from what is found without one."""
        self._tpus: EdgeTpuUnits = edge_tpu_units(problem)

    def run(self) -> None:
        """Plans, bounds and, where all ideals could be looked at, the proof."""
        search, tpus = self._search, self._tpus
        if not tpus.feasible:
            self._prove(math.inf)
            return
        for start in search.starts:
            self._offer(start)
        self._found(tpus.device_of(tpus.balanced()))
        search.check()
        costs = costs_of(tpus)
        rest, streamed = least_time(costs, tpus.stages)
        self._prove(rest + streamed * costs.stream)
        orders = self._orders()
        with suppress(TooLarge):
            for _ in range(2):
                self._cut(path_lattice(tpus, next(orders)), costs, self._mine_takes, proves=False)
        lattice = enumerate_ideals(tpus.units, MOST_IDEALS, search)
        if lattice is not None:
            with suppress(TooLarge):
                self._cut(lattice, costs, self._upper, proves=True)
                return
        if not self._propose:
            return
        with suppress(TooLarge):
            self._try_orders(orders, costs)
        self._climb(self._mine)
        search.adopt()
        if search.best is not None and search.objective < self._mine_takes * (1.0 - CLOSE):
            # A plan that it was given, or that others found, is better: orders near that one, too.
            self._mine, self._mine_takes = search.best, search.objective
            with suppress(TooLarge):
                self._try_orders(self._near(), costs)
            self._climb(search.best)

    def _offer(self, device_of: Ints) -> None:
        """Propose a plan (int32[n]), or keep in mind what it takes."""
        if self._propose:
            self._search.incumbent(device_of)
            return
        evaluator = self._problem.evaluator
        device_of = evaluator.checked(np.asarray(device_of))
        if not evaluator.violations(device_of):
            self._known = min(self._known, evaluator.components(device_of)[0])

    def _found(self, device_of: Ints) -> None:
        """Propose a plan of its own (int32[n])."""
        self._offer(device_of)
        evaluator = self._problem.evaluator
        device_of = evaluator.checked(np.asarray(device_of))
        takes = evaluator.components(device_of)[0]
        if takes < self._mine_takes and not evaluator.violations(device_of):
            self._mine, self._mine_takes = device_of, takes
            if takes * (1.0 - CLOSE) <= self._search.objective:
                self._search.meet()

    @property
    def _upper(self) -> float:
        """The time of the best plan so far, infinity before the first."""
        return min(self._search.objective, self._known)

    def _cut(self, lattice: Lattice, costs: Costs, limit: float, *, proves: bool) -> None:
        """Find the fastest plan of a lattice, if it takes less than ``limit`` (seconds). Raises :class:`TooLarge`."""
        search = self._search
        search.adopt()
        ideals = edge_tpu_lattice(self._tpus, lattice, search)
        for found in Fastest(ideals, costs, limit, search).steps():
            if found.stage_of is not None:
                self._found(self._tpus.device_of(self._first_stages(found.stage_of)))
            search.iteration()
            if proves:
                self._prove(found.bound)
                search.progress(None, f"{ideals.count} ideals, at least {found.bound:.4g} s")
        if proves:
            # Also where the plan at hand left nothing to look at. Plans that are hardly faster were left out.
            self._prove(self._upper * (1.0 - CLOSE))
            search.meet()

    def _first_stages(self, stage_of: Ints) -> Ints:
        """The same cut (int32[m]) on the first stages where pins allow: TPUs are alike, and those that are not needed come last."""
        first = np.unique(stage_of, return_inverse=True)[1].astype(stage_of.dtype)
        return first if self._tpus.keeps(first) else stage_of

    def _prove(self, seconds: float) -> None:
        problem = self._problem
        self._search.prove(
            problem.bound(problem.objective, seconds, self._method, problem.assumptions, self._search.seconds)
        )

    # ------------------------------------------------------------------ orders
    def _try_orders(self, orders: Iterator[Ints], costs: Costs) -> None:
        """Cut many orders. Raises :class:`TooLarge`."""
        search = self._search
        most = int(search.options["orders"])
        for number in range(most):
            search.progress(number / most, f"order {number + 1} of {most}")
            self._cut(path_lattice(self._tpus, next(orders)), costs, self._mine_takes, proves=False)

    def _climb(self, start: Ints | None) -> None:
        """Move single groups of a plan (int32[n])."""
        search = self._search
        if start is not None:
            for moves in climb(self._problem, start, search):
                search.progress(None, f"{moves} moves")

    def _orders(self) -> Iterator[Ints]:
        """Depth first, as the file has it, some by rule; then, without end, orders near that of the best plan."""
        units = self._tpus.units
        yield self._pinned_order(self._places(depth_first_order(*units.succs)))
        yield self._pinned_order(units.first_places)
        for order in ruled_orders(units):
            yield self._pinned_order(self._places(order))
        yield from self._near()

    def _near(self) -> Iterator[Ints]:
        """Orders near that of its best plan, without end."""
        search, tpus = self._search, self._tpus
        units = tpus.units
        while True:
            place = self._places(depth_first_order(*units.succs))
            if self._mine is not None:
                stage = np.zeros(tpus.count)
                stage[units.unit_of] = self._mine
                place = stage * tpus.count + place
            yield self._pinned_order(
                self._places(neighbour(units, kahn_order(*units.succs, place), search.rng))
            )

    @staticmethod
    def _places(order: Ints) -> np.ndarray:
        place = np.empty(len(order))
        place[order] = np.arange(len(order), dtype=np.float64)
        return place

    def _pinned_order(self, place: np.ndarray) -> Ints:
        """The order nearest to ``place`` (float64[m]) that has units with an earlier last stage first."""
        tpus = self._tpus
        far = float(place.max(initial=0.0)) + 1.0
        order: Ints = kahn_order(*tpus.units.succs, place + far * tpus.latest)
        return order
