"""Valid plans that do not execute all the same: what rules count is not all that a machine needs."""

from __future__ import annotations

from planner.compiling.kernel import interpreting
from planner.machines.catalogue import machine_of
from planner.methods.simulation import SimulationReport
from planner.model.graph import Ints
from planner.problem.base import AnyPlan, PlanningProblem, decision_of
from planner.problem.decision import Evaluated


def stuck_plan(plan: AnyPlan) -> SimulationReport | None:
    """:func:`stuck` of a plan."""
    return stuck(plan.problem, plan.evaluation, decision_of(plan))


def stuck(problem: PlanningProblem, evaluation: Evaluated, decision: Ints) -> SimulationReport | None:
    """What the machine's simulation says of a valid decision (int32[n]) that it knows at once not to execute; None of all others.

    It is asked of every plan that is told of, so it never waits for a compiler.
    """
    look = machine_of(problem).part("stuck") if evaluation.valid else None
    if look is None:
        return None
    with interpreting():
        found: SimulationReport | None = look(problem, decision)
    return found
