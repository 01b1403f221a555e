"""Why there is no valid plan, on the command line: said on standard error, and a field of the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.cli.command import Console
from planner.problem.problem import Problem
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from planner.feasibility import Explanation, Remedy
    from planner.methods.feasibility.conflicts import Conflict
    from planner.problem.base import PlanningProblem


def say_conflict(console: Console, conflict: Conflict) -> None:
    """Why, where that is evident, and the memory that a device needs at least; what else would help is only said once it was tried."""
    console.note(f"no valid plan exists: {conflict.sentence}")
    if conflict.memory > 0:
        console.note(f"surely needed: {bytes_text(conflict.memory)} on a device, as values are counted now")
    console.note("trying what would help")


def say(console: Console, found: Explanation, said: str = "") -> None:
    """Why, unless that was ``said``, and what would help: one line each."""
    if found.sentence != said:
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
