"""The plan that a freshly opened model starts with: as far as the planners of its machine come in a moment.

What makes it may not be compiled yet, which takes some ten seconds: whoever shows a picture at once takes what :func:`stand_in` finds, and asks
for :func:`start_plan` in a process beside.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from planner.compiling.kernel import interpreting
from planner.machines.catalogue import machine_of, serving
from planner.machines.evident import conflict_of
from planner.machines.trying import counted, soon_options
from planner.methods.feasibility.conflicts import Conflict
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.runs.preparing import METHOD, missing
from planner.runs.warm_up import warm_planner
from planner.search.method import Planner
from planner.search.run import run
from planner.search.stop import AnyOf, Cancel, TimeLimit, WorkBudget

LIMIT = 1.0
"""Seconds that a planner has."""
PROCESSOR_SECONDS = 0.4
"""Processor seconds that it has: one that can prove its plan within a second mostly has by then, and the rest is proven beside the window."""
EFFORT = 0.05
"""Share of its usual work that a planner has which would go on for ever."""
MOST_EXACT = 5_000
"""Ops of the largest graph on which an exact planner makes the plan: of a larger one there is a picture first."""
PATIENCE = 10.0
"""How many times longer it may take where kernels are interpreted, beside a picture that is there."""
EVEN_CUT = "even cut"
"""Who is said to have made a plan of :func:`even_cut`."""


@dataclass(frozen=True, eq=False)
class StartPlan:
    """An assignment (int32[n]), the name of the ``planner`` that made it, and the bounds proven on the way.

    Where nobody found one, all ops are on the first device and ``planner`` is empty.
    """

    device_of: Ints
    planner: str
    bounds: tuple[Bound, ...] = ()


def to_compile(problem: Problem) -> bool:
    """Whether the planner that makes the start plan has not been compiled on this machine yet."""
    first = next(_planners(problem), None)
    return first is not None and bool(missing([METHOD + first.name]))


def start_plan(
    problem: Problem, stopped: Callable[[], bool] = lambda: False, patience: float = 1.0
) -> StartPlan:
    """A plan within about ``patience`` times :data:`PROCESSOR_SECONDS` and :data:`LIMIT`, after compiling what is not compiled.

    ``stopped`` says that nobody waits for it any more.
    """
    limit = patience * LIMIT
    for planner in _planners(problem):
        # Loading compiled kernels may take longer than planning: it must not use up the limit.
        warm_planner(planner, problem)
        work = WorkBudget(patience * PROCESSOR_SECONDS, limit, spent=time.thread_time).stop()
        stop = AnyOf([TimeLimit(limit), work, counted(planner, problem, EFFORT), Cancel(stopped)])
        result = run(planner, problem, stop, options=soon_options(planner))
        if result.device_of is not None:
            return StartPlan(result.device_of, planner.name, result.bounds)
    return stand_in(problem)


def stand_in(problem: Problem) -> StartPlan:
    """What needs no planner: equal shares of the work where that is a valid plan, else everything on one device."""
    even = even_cut(problem)
    if not problem.evaluator.violations(even):
        return StartPlan(even, EVEN_CUT)
    return StartPlan(np.zeros(problem.graph.n, np.int32), "")


def _planners(problem: Problem) -> Iterator[Planner]:
    for planner in serving(problem, machine_of(problem).first):
        if not planner.exact or problem.size <= MOST_EXACT:
            yield planner


def even_cut(problem: Problem) -> Ints:
    """Equal shares of the work along the topological order, on the devices that pay transfers (int32[n]).

    For graphs on which planners take longer than one should wait for a first picture. Tensors are not looked at.
    """
    evaluator = problem.evaluator
    devices = np.flatnonzero(evaluator.pays) if evaluator.pays.any() else np.arange(evaluator.k)
    order = problem.graph.topological_order
    work = evaluator.work[evaluator.class_of[devices[0]], order]
    total = float(work.sum())
    # The middle of an op decides, so that one large op does not leave a device empty.
    share = (np.cumsum(work) - work / 2) / total if total > 0 else np.arange(len(order)) / max(1, len(order))
    device_of = np.empty(len(order), np.int32)
    device_of[order] = devices[np.minimum((share * len(devices)).astype(np.int64), len(devices) - 1)]
    return device_of


def plan_or_conflict(
    problem: Problem, doubtful: bool, stopped: Callable[[], bool] = lambda: False, patience: float = 1.0
) -> StartPlan | Conflict:
    """:func:`start_plan`; where it is ``doubtful`` that there is a valid one, first why there is none, if that is so."""
    conflict = conflict_of(problem) if doubtful else None
    return start_plan(problem, stopped, patience) if conflict is None else conflict


def first_plan_or_conflict(problem: Problem, doubtful: bool) -> StartPlan | Conflict:
    """:func:`plan_or_conflict` where nothing is compiled: only what cannot be interpreted is, so that there is a plan soon."""
    with interpreting():
        return plan_or_conflict(problem, doubtful, patience=PATIENCE)
