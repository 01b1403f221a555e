"""Annealing on the blocks of a pipeline, its plans sliced anew."""

from __future__ import annotations

import math
from typing import ClassVar

from planner.machines.pipeline.orders.annealing import Annealing
from planner.machines.pipeline.orders.free_annealing import FreeAnnealing
from planner.machines.pipeline.orders.search import BATCH, PipelineSearch
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search

SHAKEN = 0.7
"""Random part of the keys of orders near a plan: below 1 every plan's own slices are among those of its orders."""
FREE_HOT, FREE_COLD = 0.01, 1e-5
"""First and last temperature of the annealing without an order: squares of what blocks cost too much, as a share."""
COUNTED = 0.05
"""Share of the moves and orders that are tried where activations count: blocks are run for each."""


class Anneal(Planner):
    """Rounds of simulated annealing, one unit a move, each round slower than the one before.

    It starts from the best slicing of the depth-first order, of the orders of given plans and of some random orders. A round goes on
    from the best plan twice: with its blocks in no order, where nothing is pinned, which finds the shape of good plans on wide graphs, then in order. What it
    finds is ordered block by block in several ways and sliced optimally, then orders near the best one are tried. On a path, and where activations
    count, it goes on in order only; where they count with a twentieth of the moves and orders.
    """

    name: ClassVar[str] = "anneal"
    title: ClassVar[str] = "Annealing"
    summary: ClassVar[str] = "simulated annealing on blocks, with random and changed orders sliced in between"
    source: ClassVar[Source] = Source("Stageboard", "docs/slice-graph.md")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("rounds", 6, "rounds of annealing", low=1, high=1_000_000),
        Option(
            "moves",
            0,
            "moves proposed in the first round; 0 = 4000 per op, at most 2 million",
            low=0,
            high=10**10,
        ),
        Option("growth", 1.4, "how much longer each round is than the one before", low=1.0, high=10.0),
        Option("hot", 0.004, "first temperature, as a share of the objective", low=1e-9, high=10.0),
        Option("cold", 0.0002, "last temperature, as a share of the objective", low=1e-9, high=10.0),
        Option("power", 3.0, "power mean of the blocks' costs that is the energy", low=1.0, high=100.0),
        Option("orders", 1000, "orders sliced before each round, and after it", low=0, high=10**9),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per round."""
        orders = PipelineSearch(problem, search, self.name)
        if not orders.possible:
            return
        orders.begin()
        options = search.options
        rounds, moves = int(options["rounds"]), float(options["moves"])
        counted = COUNTED if "activations" in problem.target.beyond else 1.0
        moves = moves or counted * min(4000.0 * orders.units.count, 2e6)
        tried = math.ceil(counted * int(options["orders"]))
        annealing = Annealing(orders.units, orders.slicer.network, search.rng, float(options["power"]))
        free = FreeAnnealing(orders.units, orders.slicer.network, search.rng)
        for i in range(rounds):
            orders.adopt()
            self._slice_many(orders, tried, near=False)
            self._free(orders, free, moves, search, i / rounds)
            for _ in annealing.run(
                orders.slicer.block_of,
                orders.slicer.value,
                moves,
                float(options["hot"]),
                float(options["cold"]),
            ):
                if annealing.best < search.objective:
                    search.incumbent(annealing.block_of[orders.units.unit_of])
                search.progress(i / rounds, f"round {i + 1} of {rounds}")
                search.check()
            shaken = search.rng.random((BATCH, orders.units.count)) * SHAKEN
            orders.slice_keys(annealing.block_of + shaken)
            orders.adopt()
            self._slice_many(orders, tried, near=True)
            moves *= float(options["growth"])
            search.iteration()

    @staticmethod
    def _free(
        orders: PipelineSearch, free: FreeAnnealing, moves: float, search: Search, fraction: float
    ) -> None:
        """Anneal the best plan without an order, then slice its blocks in some order."""
        if not free.possible:
            return
        for _ in free.run(orders.slicer.block_of, moves, FREE_HOT, FREE_COLD):
            if free.best < search.objective:
                search.incumbent(free.block_of[orders.units.unit_of])
            search.progress(fraction, "blocks in no order")
            search.check()
        orders.slice(orders.order_of(free.block_of))

    @staticmethod
    def _slice_many(orders: PipelineSearch, count: int, near: bool) -> None:
        for made in range(0, count, BATCH):
            keys = orders.changed_keys if near else orders.random_keys
            orders.slice_keys(keys(min(BATCH, count - made)))
