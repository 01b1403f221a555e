"""Which machine a plan is for, where a story tells of one model on several: with more or fewer devices, or more or less fast memory."""

from __future__ import annotations

from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.printable import plural
from planner.problem.base import PlanningProblem
from planner.problem.problem import Plan, Problem


def machine_phrase(problem: PlanningProblem) -> str:
    """``on 1 TPU``, ``on 3 accelerators, 1 CPU`` or ``with 50 values in fast memory``: where a plan runs, in the middle of a sentence."""
    if isinstance(problem, NetworkProblem):
        return f"with {plural(problem.target.size, 'value')} in fast memory"
    assert isinstance(problem, Problem)
    if problem.target.in_a_row:
        return f"on {plural(len(problem.devices), *problem.target.words.counted)}"
    return f"on {problem.places}"


def other_machine(plan: Plan | OrderPlan, before: Plan | OrderPlan | None) -> str:
    """The :func:`machine_phrase` of a plan, where that of the plan ``before`` it, of the same model, is another; else empty."""
    if before is None or _model(plan.problem) != _model(before.problem):
        return ""
    phrase = machine_phrase(plan.problem)
    return phrase if phrase != machine_phrase(before.problem) else ""


def machine_title(plan: Plan | OrderPlan, before: Plan | OrderPlan) -> str:
    """``On 1 TPU instead of 2``: the title of a plan for another machine than that of the plan ``before``; empty where it is the same."""
    words = other_machine(plan, before)
    now, then = _count(plan.problem), _count(before.problem)
    if words and now and then and plan.problem.target.kind == before.problem.target.kind:
        words += f" instead of {then:,}"
    return words[:1].upper() + words[1:]


def _model(problem: PlanningProblem) -> str:
    if isinstance(problem, NetworkProblem):
        return problem.network.fingerprint
    assert isinstance(problem, Problem)
    return problem.graph.fingerprint


def _count(problem: PlanningProblem) -> int:
    """The one number that the phrase of a machine has; 0 where it has several."""
    if isinstance(problem, NetworkProblem):
        return problem.target.size
    assert isinstance(problem, Problem)
    return len(problem.devices) if problem.target.in_a_row else 0
