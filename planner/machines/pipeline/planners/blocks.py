"""Blocks chosen from all that cost little enough: plans and bounds until they meet, for wide graphs that are sparse."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.machines.pipeline.blocks.proving import Known, Proving
from planner.machines.pipeline.blocks.units import block_model, everything
from planner.machines.pipeline.exact.incumbent import first_plans
from planner.machines.pipeline.orders.free_annealing import FreeAnnealing
from planner.machines.pipeline.orders.slicer import PipelineSlicer, pipeline_units
from planner.machines.pipeline.superblocks.opening import opening
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search

HOT, COLD = 0.01, 1e-5


class Blocks(Planner):
    """Thresholds on what a block may cost are settled one after another, by prices and by an integer program over blocks.

    Prices take every stage for the fastest and largest; the program knows what a block costs on each stage.

    First plans come from slicings and from annealing without an order. Where the graph is too dense for a diagram of its
    blocks, a diagram that looks past some tensors bounds less.
    """

    name: ClassVar[str] = "blocks"
    title: ClassVar[str] = "Blocks by price"
    summary: ClassVar[str] = "exact column generation over blocks, for wide and sparse graphs"
    source: ClassVar[Source] = Source("Stageboard's own", "docs/bounds.md")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "moves",
            0,
            "moves of each annealing before; 0 = 20,000 per op, at most 10 million",
            low=0,
            high=10**10,
        ),
        Option("runs", 4, "annealing runs before", low=0, high=1000),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per threshold."""
        begun = opening(problem, search, self.name)
        if begun is None:
            return
        first_plans(begun[0], search)
        if begun[0].count == 0 or search.stopped():
            return
        self._anneal(problem, search)
        search.adopt()
        if begun[0].k < 2 or begun[1] >= search.objective * (1 - 1e-9):
            return
        model = block_model(problem, begun[0], search.check)

        def place_of(device_of: Ints) -> Ints:
            place = np.zeros(model.count, np.int32)
            place[model.unit_of] = device_of
            return place

        def offer(place: Ints) -> None:
            search.incumbent(place[model.unit_of])

        def look() -> tuple[Ints, float] | None:
            found = search.adopt()
            return None if found is None else (place_of(found), search.objective)

        known = Known(everything(model), None, offer, look)
        if search.best is not None:
            known.value, known.place = search.objective, place_of(search.best)
        Proving(model, search, self.name, begun[1], known).run()

    @staticmethod
    def _anneal(problem: Problem, search: Search) -> None:
        """Better first plans, by annealing without an order from the best one."""
        if search.best is None or not problem.evaluator.alike:
            return
        units = pipeline_units(problem)
        slicer = PipelineSlicer(units)
        free = FreeAnnealing(units, slicer.network, search.rng)
        moves = float(search.options["moves"]) or min(20_000.0 * units.count, 1e7)
        runs = int(search.options["runs"])
        for i in range(runs if free.possible else 0):
            start = np.zeros(units.count, np.int32)
            start[units.unit_of] = search.best
            for _ in free.run(start, moves, HOT, COLD):
                if free.best < search.objective:
                    search.incumbent(free.block_of[units.unit_of])
                search.progress(None, f"annealing {i + 1} of {runs}")
                search.check()
