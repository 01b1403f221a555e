"""The exact latency model under a search: warm-started, its bounds and plans reported as they come."""

from __future__ import annotations

import math

import numpy as np

from planner.errors import PlannerRefusal
from planner.evaluation import kernels
from planner.machines.pool.latency.model import LatencyModel, bound_of
from planner.machines.pool.latency.state import Arrays
from planner.methods.mip import cp_sat
from planner.methods.mip.scaling import RESOLUTION
from planner.model.graph import Ints
from planner.problem.bound import gap
from planner.problem.problem import Problem
from planner.search.search import Search

FINE = 10**11
"""Parts of the latency that costs are resolved to where the usual ones leave a gap that only rounding makes."""
EXACT_PLACES = 300
"""Ops times subgraphs up to which the exact model is worth a try without being asked for."""


def is_contiguous(problem: Problem) -> bool:
    """Whether the problem asks for contiguous subgraphs, which is what the exact model expresses."""
    return any(rule.code == kernels.RULE_SUBGRAPHS for rule in problem.evaluator.rules)


def unequal_cpus(problem: Problem, method: str) -> str | None:
    """Why ``method`` does not serve CPUs of unequal speed, or with memories that fill up, as a sentence, or None."""
    e = problem.evaluator
    if len(np.unique(e.class_of[~e.pays])) <= 1 and np.isinf(e.capacity[~e.pays]).all():
        return None
    return (
        f"'{method}' takes all CPUs for one machine of unlimited memory, so it cannot tell which of unequal ones holds what;"
        " choose local-search or critical-path"
    )


def is_small(problem: Problem, arrays: Arrays) -> bool:
    """Whether the exact model may be expected to end."""
    return problem.graph.n * len(arrays.accelerators) <= EXACT_PLACES


def solve_exactly(
    problem: Problem,
    search: Search,
    arrays: Arrays,
    method: str,
    proven: float,
    start: Ints | None,
    *,
    propose: bool,
) -> None:
    """Solve the model until it is solved or the search stops; ``proven`` is a bound.

    It starts from a valid plan ``start`` (int32[n]), if there is one. With ``propose`` plans are reported, without only
    bounds are. Raises :class:`PlannerRefusal` where the model does not express the problem or would be too large.
    """
    if not is_contiguous(problem):
        raise PlannerRefusal("the exact latency model is for contiguous=true; leave solver at auto or none")
    for resolution in (RESOLUTION, FINE):
        exact = _solve(problem, search, arrays, method, proven, start, resolution, propose=propose)
        best = search.best if propose else start
        proven = max(proven, search.state.bound or 0.0)
        if exact or best is None or gap(problem.evaluator.objective(best), proven) == 0.0:
            return
        if not is_small(problem, arrays):
            return
        start = best


def _solve(
    problem: Problem, search: Search, arrays: Arrays, method: str, proven: float, start: Ints | None, resolution: int,
    *, propose: bool,
) -> bool:  # fmt: skip
    """Solve the model over whole costs; returns whether finer ones would not say more, or the search was cut short."""
    objective = math.inf if start is None else problem.evaluator.objective(start)
    model = LatencyModel(problem, arrays, objective, proven, resolution=resolution)
    if start is not None:
        model.hint(start)

    def on_bound(value: float) -> None:
        found = bound_of(model, value)
        if found >= 0:
            search.prove(problem.bound(problem.objective, found, method, problem.assumptions, search.seconds))

    def on_solution(value: cp_sat.Value) -> None:
        if propose:
            search.incumbent(np.asarray(model.device_of(value), np.int32))

    outcome = cp_sat.solve(model.model, search, on_solution=on_solution, on_bound=on_bound)
    if outcome.status == "infeasible" and start is None:
        on_bound(math.inf)
    if outcome.status != "optimal":
        return True
    search.complete()
    return model.scale.exact
