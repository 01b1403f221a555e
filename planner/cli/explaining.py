"""Why there is no valid plan, on the command line: said on standard error, and a field of the JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planner.cli.command import Console
from planner.problem.problem import Problem
from planner.search.run import status_of

if TYPE_CHECKING:
    from planner.feasibility import Explanation, Remedy
    from planner.problem.base import PlanningProblem
    from planner.problem.problem import Problem
    from planner.search.result import Result

SECONDS = 5.0
"""How long an explanation and its remedies may take."""
FINDER = "feasibility"
"""What a plan says it was found by that came of the question whether there is any."""


def explained(problem: Problem, stopped: Callable[[], bool], proven_by: str, seed: int = 0) -> Explanation:
    """The explanation of a problem for which no plan was found; ``proven_by`` names who proved that there is none, if any."""
    from planner.feasibility import Explanation, explain

    found = explain(problem, SECONDS, stopped, seed)
    if found.status == "unknown" and proven_by:
        sentence = (
            f"'{proven_by}' proved that no plan keeps all rules and constraints; why was not found in time"
        )
        return Explanation("infeasible", sentence)
    return found


def with_plan(result: Result, found: Explanation, wanted: bool) -> Result:
    """``result`` with the plan that the explanation found on its way where one is ``wanted``; as it is without such a plan."""
    if not wanted or found.device_of is None:
        return result
    components = result.problem.evaluator.components(found.device_of)
    status = status_of(result.problem, components, result.bounds)
    return replace(
        result, planner=FINDER, options={}, device_of=found.device_of, objective=components[0],
        components=components, status=status, origin=None, history=(), starts=(), adopted=(), best_iteration=None,
    )  # fmt: skip


def say(console: Console, found: Explanation) -> None:
    """Why, and what would help: one line each."""
    console.note(f"no valid plan exists: {found.sentence}")
    for remedy in found.remedies:
        console.note(f"what would help: {_line(remedy)}")
    if not found.remedies:
        console.note(
            "what would help was not found in time; loosen a pin, a rule or the memory of the target"
        )


def fields(problem: PlanningProblem, found: Explanation | None) -> dict[str, Any]:
    """The field ``explanation`` of the JSON of a problem that is proven infeasible; nothing for others."""
    if found is None or found.status != "infeasible":
        return {}
    assert isinstance(problem, Problem)
    return {"explanation": found.to_dict(problem)}


def _line(remedy: Remedy) -> str:
    how = "" if remedy.target is None else f" (--target {remedy.target.spec()})"
    return f"{remedy.title}{how}{'' if remedy.verified else ', not verified in time'}"
