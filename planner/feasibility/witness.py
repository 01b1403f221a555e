"""Valid plans made without a search, or by the first that a planner finds."""

from __future__ import annotations

import numpy as np

from planner.errors import StageboardError
from planner.evaluation import kernels
from planner.machines.catalogue import planner
from planner.machines.trying import counted, find_plan, tried_planners
from planner.methods.feasibility.clock import Clock
from planner.methods.units import forced_units
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.run import run
from planner.search.stop import AnyOf, Cancel, FirstPlan, WallBudget


def lowest(problem: Problem) -> Ints | None:
    """The plan with every op on its first possible device (int32[n]), where devices follow one another.

    Where pins and ties are all that is demanded besides the order, it is valid if any plan is. Where devices may be put in
    any order, they are put in that of the ops that are pinned to them.
    """
    e = problem.evaluator
    codes = {rule.code for rule in e.rules}
    if not codes & {kernels.RULE_ORDER, kernels.RULE_CONTIGUOUS}:
        return None
    unit_of = forced_units(problem)
    row = problem.graph.topological_order
    in_order = np.arange(e.k)
    if kernels.RULE_ORDER not in codes:
        at = np.full(e.k, e.n)
        pinned = row[e.pinned[row] >= 0]
        np.minimum.at(at, e.pinned[pinned], np.flatnonzero(e.pinned[row] >= 0))
        in_order = np.argsort(at, kind="stable")
    place = np.empty(e.k, np.int32)
    place[in_order] = np.arange(e.k, dtype=np.int32)
    low = np.zeros(int(unit_of.max(initial=-1)) + 1, np.int32)
    np.maximum.at(low, unit_of, np.where(e.pinned >= 0, place[e.pinned], 0))
    while True:
        before = low.copy()
        for v in row.tolist():
            following = e.succ_idx[e.succ_ptr[v] : e.succ_ptr[v + 1]]
            if len(following):
                np.maximum.at(low, unit_of[following], low[unit_of[v]])
        if (before == low).all():
            return valid(problem, in_order[low[unit_of]].astype(np.int32))


def first_plan(problem: Problem, clock: Clock, seed: int, name: str = "") -> tuple[str, Ints | None, str]:
    """``(status, plan, planner)``: how a planner that stops at its first plan ended, that plan (int32[n]) and its name.

    The planner is ``name``; without one, those that are tried by default. ``infeasible`` is proven.
    """
    stop = AnyOf([Cancel(clock.over), FirstPlan()])
    try:
        if name:
            result = run(planner(name), problem, stop, seed=seed)
        else:
            result = find_plan(problem, WallBudget(clock.left), stop=stop, seed=seed).result
    except StageboardError:
        return "no_plan", None, ""
    return result.status, result.device_of, result.planner


EFFORT = 0.05
"""Effort of the planner that searches on for ever: some hundredths of a second where there is a plan to be found soon."""


def counted_plan(problem: Problem, clock: Clock, seed: int) -> Ints | None:
    """The first plan (int32[n]) of the quick planners, or of the problem's own within a counted effort; None where they find none.

    How fast the machine is and what else it does change nothing, unless ``clock`` ends it.
    """
    try:
        quick, _, own, _ = tried_planners(problem)
    except StageboardError:
        return None
    for one in (*quick, own):
        if clock.over():
            return None
        stop = AnyOf([Cancel(clock.over), FirstPlan(), counted(one, problem, EFFORT)])
        try:
            result = run(one, problem, stop, seed=seed)
        except StageboardError:
            continue
        if result.device_of is not None:
            return result.device_of
    return None


def valid(problem: Problem, device_of: Ints) -> Ints | None:
    """The assignment (int32[n]) where it breaks no rule."""
    e = problem.evaluator
    if len(device_of) and int(device_of.max()) >= e.k:
        return None
    return None if e.violations(np.ascontiguousarray(device_of, np.int32)) else device_of.astype(np.int32)
