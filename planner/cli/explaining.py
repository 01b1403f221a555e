"""Why there is no valid plan, on the command line: said on standard error, and a field of the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.cli.command import Console
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from planner.feasibility import Explanation, Remedy
    from planner.problem.base import PlanningProblem
    from planner.problem.problem import Problem


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
