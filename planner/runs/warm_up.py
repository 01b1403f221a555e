"""Compile what is compiled at first use, on tiny problems, so that no measured search and no first drag waits for it.

A kernel is compiled once per signature and machine and kept on disk (:mod:`planner.compiling`); later processes load it, which
also takes a moment. :mod:`planner.runs.preparing` does all of it ahead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.feasibility import explain
from planner.machines.catalogue import (
    DEFAULT,
    immediate_bound,
    machine_of,
    machines,
    unasked_bounds,
)
from planner.machines.trying import tried_planners
from planner.methods.tiny import SECONDS, Warm
from planner.problem.base import PlanningProblem
from planner.problem.decision import Assignment
from planner.problem.problem import Problem
from planner.repair import RepairError, repair
from planner.reports.schedule.schedule import kinds_for, schedule
from planner.search.method import BoundMethod, Planner
from planner.search.run import plan_of, run, run_bound
from planner.search.stop import AnyOf, IterationLimit, TimeLimit


def warm_of(problem: PlanningProblem) -> Warm:
    """The tiny problems of the machine that ``problem`` is for."""
    made = machine_of(problem).part("warm")
    return Warm() if made is None else made()


def like(problem: Any) -> Any:
    """A tiny problem with the target and objective of ``problem``, and backward ops where it has some."""
    return warm_of(problem).like(problem)


def warm_planner(
    planner: Planner, problem: PlanningProblem, options: Mapping[str, Any] | None = None
) -> None:
    """Run ``planner`` for a moment on a tiny problem like ``problem``; what it refuses there is not warmed up."""
    if (method := immediate_bound(problem)) is not None:
        warm_bound(method, problem)
    if planner.name == DEFAULT:
        # Whoever it lets search; who is asked when all of these found nothing compiles then.
        quick, exact, own, _ = tried_planners(problem)
        for one in (*quick, *exact, own):
            warm_planner(one, problem)
        return
    tiny = like(problem)
    warm_of(problem).search(tiny)
    if planner.refusal(tiny) is None:
        # An option may only fit the real problem, such as a split file.
        with suppress(StageboardError):
            plan_of(run(planner, tiny, AnyOf([TimeLimit(SECONDS), IterationLimit(2)]), options=options))


def warm_bound(method: BoundMethod, problem: PlanningProblem) -> None:
    """Run ``method`` for a moment on a tiny problem like ``problem``."""
    if method.name == DEFAULT:
        for one in unasked_bounds(problem):
            warm_bound(one, problem)
        return
    tiny = like(problem)
    warm_of(problem).prove(tiny)
    if method.refusal(tiny) is None:
        run_bound(method, tiny, AnyOf([TimeLimit(SECONDS), IterationLimit(2)]))


def warm_target(problem: Problem) -> None:
    """Full and live evaluation, every rule and every edit on a tiny problem."""
    live = problem.live(np.zeros(problem.graph.n, np.int32))
    last = len(problem.devices) - 1
    live.check([7]).violations(last)
    live.delta([6, 7])
    live.apply([3], last)
    live.closure([3], 0)
    live.best_moves()
    live.undo()
    # Plans are read-only arrays, and numba compiles for those apart.
    problem.evaluate(live.device_of)
    problem.evaluate(Assignment(live.device_of))
    for kind in kinds_for(problem):
        schedule(problem, live.device_of, kind=kind)


def warm_repair(problem: Problem) -> None:
    """Repair a tiny plan on the target of ``problem``."""
    tiny = like(problem)
    k = len(tiny.devices)
    with suppress(RepairError):
        repair(tiny, np.arange(tiny.graph.n, dtype=np.int32)[::-1] % k, seconds=SECONDS)


def warm_explain(problem: Problem) -> None:
    """Look for a reason why a tiny problem on the target of ``problem`` has no valid plan."""
    explain(like(problem), seconds=SECONDS)


def warm_editing(tiny: PlanningProblem) -> None:
    """Evaluation, editing and repair on a tiny problem."""
    warm_of(tiny).evaluate(tiny)
    if isinstance(tiny, Problem):
        warm_target(tiny)
        warm_repair(tiny)


def tiny_problems() -> Iterator[PlanningProblem]:
    """Those of every machine."""
    for machine in machines().values():
        if (made := machine.part("warm")) is not None:
            yield from made().problems()
