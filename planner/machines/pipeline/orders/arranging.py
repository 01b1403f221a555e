"""The search of the planners ``mla`` and ``mla-weighted``, which differ in the weight of an edge only."""

from __future__ import annotations

import math

import numpy as np

from planner.machines.pipeline.orders import random_keys
from planner.machines.pipeline.orders.arrangement import lengths, pulls, shorten
from planner.machines.pipeline.orders.search import PipelineSearch
from planner.methods.orders import kahn_order
from planner.problem.problem import Problem
from planner.search.search import Search


def arrange_and_slice(problem: Problem, search: Search, method: str, weighted: bool) -> None:
    """Evolve short orders as the paper does, shorten each better one by moving single units, and slice it."""
    orders = PipelineSearch(problem, search, method)
    if not orders.possible:
        return
    orders.begin()
    units, network = orders.units, orders.slicer.network
    m = units.count
    pull = pulls(units, network, weighted)
    seed = np.empty((1, m))
    seed[0, orders.slicer.order] = np.arange(m) / max(m, 1)
    options = search.options
    generations = int(options["generations"])
    least = math.inf
    for generation in random_keys.evolve(
        lambda keys: lengths(keys, network, pull, search), m, search.rng, int(options["population"]), generations,
        float(options["elite"]), float(options["mutants"]), float(options["bias"]), seed,
    ):  # fmt: skip
        if generation.values[0] < least:
            least = float(generation.values[0])
            order = kahn_order(*units.succs, generation.keys[0])
            orders.slice(shorten(order, units, pull, search))
        search.iteration()
        orders.adopt()
        search.progress(generation.number / generations, f"generation {generation.number} of {generations}")
        search.check()
