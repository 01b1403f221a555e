"""Valid plans made without a search, or by the first that a planner finds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.errors import StageboardError
from planner.evaluation import kernels
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.kernels import broken_pairs
from planner.methods.feasibility.clock import Clock
from planner.methods.units import forced_units
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.stop import AnyOf, Cancel, FirstPlan

SHARES = (1.0, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2)
"""Shares of a chip's memory that parameters may fill."""


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
            return _valid(problem, in_order[low[unit_of]].astype(np.int32))


def spread(problem: Problem) -> Ints | None:
    """A plan of a multi-chip module with most ops on one chip and single units before and after it, one on each other chip.

    Units that nothing on the full chip waits for, or that wait for nothing there, leave it one by one where the triangle rule
    lets them. Pins are not looked at.
    """
    e = problem.evaluator
    if not isinstance(e, McmEvaluator) or (e.pinned >= 0).any():
        return None
    unit_of = forced_units(problem)
    count = int(unit_of.max(initial=-1)) + 1
    ahead: list[list[int]] = [[] for _ in range(count)]
    behind: list[list[int]] = [[] for _ in range(count)]
    for u, v in zip(unit_of[e.edge_src].tolist(), unit_of[e.edge_dst].tolist(), strict=True):
        if u != v:
            ahead[v].append(u)
            behind[u].append(v)
    full = 1 << 15
    place = np.full(count, full)
    first, last = full, full
    while last - first + 1 < min(e.k, count):
        for u in np.flatnonzero(place == full).tolist():
            for at, others in ((first - 1, ahead), (last + 1, behind)):
                if any(place[v] == full for v in others[u]):
                    continue
                # The newcomer stands next to the full chip, the others move out by one.
                trial = place.copy()
                if at < full:
                    trial[place < full] -= 1
                    trial[u] = full - 1
                else:
                    trial[place > full] += 1
                    trial[u] = full + 1
                chips = (trial - trial.min())[unit_of].astype(np.int32)
                if not e.target.triangle or not broken_pairs(e.arcs(chips)).any():
                    break
            else:
                continue
            place = trial
            first, last = int(place.min()), int(place.max())
            break
        else:
            break
    return _valid(problem, (place - place.min())[unit_of].astype(np.int32))


def sliced(problem: Problem) -> Ints | None:
    """A plan of a multi-chip module that fills chip after chip in the order of the graph, None where none of them is valid."""
    return next((plan for chips in slices(problem) if (plan := _valid(problem, chips)) is not None), None)


def slices(problem: Problem) -> Iterator[Ints]:
    """Assignments that fill chip after chip in the order of the graph, where memory counts; they need not be valid.

    Parameters fill a chip up to a share of its memory; the rest is left to activations. Pins and ties are not looked at.
    """
    e = problem.evaluator
    if not isinstance(e, McmEvaluator) or not e.target.check_memory:
        return
    row = problem.graph.topological_order
    held = e.params[row].tolist()
    for share in SHARES:
        room, chips, used, chip = share * e.target.sram, np.empty(e.n, np.int32), 0.0, 0
        for i, size in enumerate(held):
            if used and used + size > room:
                chip, used = chip + 1, 0.0
            used += size
            chips[row[i]] = chip
        if chip < e.k:
            yield chips


def gathered(problem: Problem) -> Ints | None:
    """A plan of a pool with all ops that no pin holds on one device, or filled into one after the other; None where none is valid."""
    e = problem.evaluator
    if problem.target.kind != "pool":
        return None
    groups = problem.groups
    fixed = np.full(groups.count, -1, np.int32)
    held = np.flatnonzero(e.pinned >= 0)
    fixed[groups.group_of[held]] = e.pinned[held]
    allowed = np.ones((groups.count, e.k), bool)
    np.logical_and.at(allowed, groups.group_of, e.allowed)
    for d in range(e.k):
        chosen = np.where(fixed >= 0, fixed, np.where(allowed[:, d], d, allowed.argmax(axis=1)))
        plan = _valid(problem, chosen[groups.group_of].astype(np.int32))
        if plan is not None:
            return plan
    return _valid(problem, _filled(problem, fixed, allowed)[groups.group_of])


def _filled(problem: Problem, fixed: Ints, allowed: np.ndarray) -> Ints:
    """A device for each group (int32[g]): in the order of the graph, each goes on where the one before it was if it fits."""
    e, groups = problem.evaluator, problem.groups
    size = np.bincount(groups.group_of, e.memory, groups.count)
    room = e.capacity.copy()
    np.subtract.at(room, fixed[fixed >= 0], size[fixed >= 0])
    chosen, at = fixed.copy(), 0
    for g in dict.fromkeys(groups.group_of[problem.graph.topological_order].tolist()):
        if chosen[g] < 0:
            order = [*range(at, e.k), *range(at)]
            at = next((d for d in order if allowed[g, d] and size[g] <= room[d]), at)
            chosen[g] = at
            room[at] -= size[g]
    return chosen.astype(np.int32)


def first_plan(problem: Problem, clock: Clock, seed: int, name: str = "") -> tuple[str, Ints | None, str]:
    """``(status, plan, planner)`` of a planner (``name``; without, of all that are tried where none is named) stopped at its
    first plan; ``infeasible`` is proven."""
    from planner.machines.catalogue import planner
    from planner.machines.trying import find_plan
    from planner.search.budget import WallBudget
    from planner.search.run import run

    stop = AnyOf([Cancel(clock.over), FirstPlan()])
    try:
        if name:
            result = run(planner(name), problem, stop, seed=seed)
        else:
            result = find_plan(problem, WallBudget(clock.left), stop=stop, seed=seed).result
    except StageboardError:
        return "no_plan", None, ""
    return result.status, result.device_of, result.planner


def _valid(problem: Problem, device_of: Ints) -> Ints | None:
    e = problem.evaluator
    if len(device_of) and int(device_of.max()) >= e.k:
        return None
    return None if e.violations(np.ascontiguousarray(device_of, np.int32)) else device_of.astype(np.int32)
