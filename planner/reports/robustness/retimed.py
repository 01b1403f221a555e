"""A problem with other op times: the same model on the same machine, the time of each op multiplied by a factor."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from planner.errors import StageboardError
from planner.model.graph import Floats
from planner.problem.base import PlanningProblem
from planner.problem.evaluator import Evaluator
from planner.problem.problem import Problem

PROBE = 2.0
"""The factor by which it is tried out whether a machine's op times follow those of the model."""


NO_OPS = (
    "an order of connections counts I/Os, which do not depend on the times of ops; take a plan of a graph"
)


def retimed(problem: Problem, factors: Floats) -> Problem:
    """``problem`` with the time of each op multiplied by ``factors`` (float64[n]), for planners; rules and constraints as they are."""
    graph = problem.graph
    work, work_cpu = graph.work, graph.work_cpu
    if not problem.target.uses_cost_model:
        # Where the file gives no time, the machine's own rates do.
        given = graph.given_times[0]
        work = np.where(np.isnan(given), problem.evaluator.op_work[0], given)
    timed = graph.with_given_times(work * factors, work_cpu * factors, graph.time_unit, graph.measured)
    own = tuple((device, times * factors) for device, times in graph.device_times)
    for _, times in own:
        times.setflags(write=False)
    return replace(problem, graph=replace(timed, device_times=own))


def why_not(problem: PlanningProblem) -> str:
    """Why nothing can be said of a problem under other op times, as a sentence; empty where it can."""
    if not isinstance(problem, Problem):
        return NO_OPS
    first = problem.components[0]
    if problem.unit(first) == "B":
        timed = [
            name
            for name in problem.target.objectives
            if problem.target.unit(problem.target.components(name)[0]) != "B"
        ]
        instead = f"; plan for {timed[0]}" if timed else ""
        return f"{problem.objective} counts bytes, which do not depend on the times of ops{instead}"
    evaluator = problem.evaluator
    if not (evaluator.op_work > 0).any():
        return f"no op of {problem.graph.name} takes any time; give its ops times"
    after = retimed(problem, np.full(problem.graph.n, PROBE)).evaluator
    if not np.allclose(after.op_work, PROBE * evaluator.op_work, rtol=1e-9, atol=0.0):
        return f"the times of ops on {problem.target.in_words} do not follow those of the model; choose another machine"
    return ""


class Times:
    """What plans of a problem cost under other op times.

    ``linear``: the cost of a device is that of its borders and the sum of its ops' times, and the dearest devices count. Raises
    :class:`StageboardError` where op times say nothing of the problem (:func:`why_not`).
    """

    def __init__(self, problem: Problem) -> None:
        if reason := why_not(problem):
            raise StageboardError(reason)
        self.problem = problem
        evaluator = problem.evaluator
        after = retimed(problem, np.full(problem.graph.n, PROBE)).evaluator
        self._own = np.array_equal(after.tensor_time, evaluator.tensor_time)
        """Whether op times stay with their ops: copies of an op on other devices cost these its time."""
        self.linear = evaluator.plain and self._own

    def evaluator(self, factors: Floats) -> Evaluator:
        """An evaluator that knows no rules, with the time of each op multiplied by ``factors`` (float64[n])."""
        if not self._own:
            scaled = retimed(self.problem, factors).evaluator
        else:
            scaled = copy.copy(self.problem.evaluator)
            scaled.op_work = scaled.op_work * factors
            # What stays with an op beside its time, such as its share of the host's link, stays as it is.
            scaled.work = scaled.work + (scaled.op_work - self.problem.evaluator.op_work)
        scaled.rules = ()
        return scaled
