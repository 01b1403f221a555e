"""Why there is no valid plan, on the command line: said on standard error, and a field of the JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from planner.cli.command import Console
from planner.problem.problem import Problem
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from planner.feasibility import Explanation, Remedy
    from planner.methods.feasibility.conflicts import Conflict
    from planner.problem.base import PlanningProblem
    from planner.problem.problem import Problem

MIB = 2.0**20


def say_conflict(console: Console, conflict: Conflict) -> None:
    """Why, where that is evident, and the memory that is sure to be needed."""
    console.note(f"no valid plan exists: {conflict.sentence}")
    if conflict.memory > 0:
        size = (
            f"{math.ceil(conflict.memory / MIB):,} MiB"
            if conflict.memory >= MIB
            else bytes_text(conflict.memory)
        )
        console.note(f"surely needed: {size} on a device, or up to four times less with --precision int8")
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
