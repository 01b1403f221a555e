"""A first plan of a pipeline for exact methods: what they are given, a slicing, and a descent from the best of these."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from planner.machines.pipeline.exact.model import StageModel
from planner.machines.pipeline.orders.stage_slicer import order_slicer
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.steepest_descent import Descent
from planner.methods.units import build_units, chain, unit_edges
from planner.model.graph import Ints
from planner.search.search import Search

ORDERS = 20
"""Orders that are sliced: enough for windows that are worth something, in some tens of milliseconds."""


def sliced(model: StageModel, search: Search) -> Iterator[Ints]:
    """Valid plans (int32[n]): slicings of the depth-first order and of some random ones, each better than those before."""
    problem = model.problem
    units = chain(problem)
    slicer = order_slicer(units)
    best = math.inf
    for i in range(ORDERS):
        order = (
            depth_first_order(*units.succs)
            if i == 0
            else kahn_order(*units.succs, search.rng.random(units.count))
        )
        for device_of in slicer.slicings(order, search, best):
            plan = problem.evaluator.checked(device_of[units.unit_of])
            if not problem.evaluator.violations(plan):
                best = min(best, problem.evaluator.objective(plan))
                yield plan
        search.check()


def first_plans(model: StageModel, search: Search) -> None:
    """Report the valid plans among ``search.starts``, slicings of some orders, and a descent from the best."""
    for start in search.starts:
        search.incumbent(start)
    for plan in sliced(model, search):
        search.incumbent(plan)
    if search.best is not None:
        descend(model, search)


def descend(model: StageModel, search: Search) -> None:
    """The best single move again and again from the best plan."""
    assert search.best is not None
    e = model.problem.evaluator
    units = build_units(model.problem, model.unit_of, *unit_edges(model.unit_of, e.edge_src, e.edge_dst))
    descent = Descent(units)
    place = np.zeros(units.count, np.int32)
    place[units.unit_of] = search.best
    descent.begin(place)
    while not descent.run():
        search.check()
    search.incumbent(descent.device_of[units.unit_of])
