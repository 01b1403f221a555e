"""BRKGA: a genetic algorithm over priorities that Kahn's algorithm turns into orders and SliceGraph into plans."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.machines.pipeline.orders import random_keys
from planner.machines.pipeline.orders.search import PipelineSearch
from planner.model.graph import Floats, Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class Brkga(Planner):
    """Evolves node priorities; the fitness of priorities is the best slicing of the order they give.

    The depth-first order and those of plans to start from are in the first generation; that of a plan found elsewhere enters
    the next one.
    """

    name: ClassVar[str] = "brkga"
    title: ClassVar[str] = "BRKGA"
    summary: ClassVar[str] = "genetic algorithm over topological orders, each sliced optimally"
    source: ClassVar[Source] = Source("MTPP", "section 4.2, algorithm 2 and appendix C.1")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
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
            row[:] = keys_of(order)
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
            adopted = orders.adopt()
            if adopted is not None:
                keys = keys_of(adopted)
                generation.insert(keys, float(orders.slice_keys(keys[None], strict=False)[0]))
            search.check()


def keys_of(order: Ints) -> Floats:
    """Keys (float64[m]) that give this order (int32[m])."""
    keys = np.empty(len(order))
    keys[order] = np.arange(len(order)) / max(len(order), 1)
    return keys
