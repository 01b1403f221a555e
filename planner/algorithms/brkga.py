"""BRKGA: a genetic algorithm over priorities that Kahn's algorithm turns into orders and SliceGraph into plans."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.partition import random_keys
from planner.partition.pipeline_search import PipelineSearch
from planner.problem import Problem
from planner.search import Option, Planner, Search, Source


class Brkga(Planner):
    """Evolves node priorities; the fitness of priorities is the best slicing of the order they give.

    The depth-first order and those of plans to start from are in the first generation.
    """

    name: ClassVar[str] = "brkga"
    title: ClassVar[str] = "BRKGA"
    summary: ClassVar[str] = "genetic algorithm over topological orders, each sliced optimally"
    source: ClassVar[Source] = Source("MTPP", "section 4.2, algorithm 2 and appendix C.1")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    options: ClassVar[tuple[Option, ...]] = random_keys.OPTIONS

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per generation."""
        orders = PipelineSearch(problem, search, self.name)
        if not orders.possible:
            return
        orders.begin()
        m = orders.units.count
        known = [orders.slicer.order, *(orders.order_of(start) for start in orders.given())]
        seeds = np.empty((len(known), m))
        for row, order in zip(seeds, known, strict=True):
            row[order] = np.arange(m) / max(m, 1)
        options = search.options
        generations = int(options["generations"])
        for generation in random_keys.evolve(
            lambda keys: orders.slice_keys(keys, strict=False), m, search.rng, int(options["population"]), generations,
            float(options["elite"]), float(options["mutants"]), float(options["bias"]), seeds,
        ):  # fmt: skip
            search.iteration()
            search.progress(
                generation.number / generations, f"generation {generation.number} of {generations}"
            )
            search.check()
