"""Verdicts on whether a problem has a valid plan, and changes that may give it one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.methods.feasibility.conflicts import Conflict
from planner.model.graph import Ints
from planner.problem.problem import Constraint
from planner.problem.target import Target

Status = Literal["feasible", "infeasible", "unknown"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """``infeasible`` (proven) by ``how``: ``conflict`` with the conflict, ``rules`` of the machine, or a planner's name.

    ``feasible`` comes with a valid plan (int32[n]).
    """

    status: Status
    device_of: Ints | None = None
    how: str = ""
    conflict: Conflict | None = None
    tried: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """A change of a problem, in a few words and in a sentence; what is None stays."""

    title: str
    sentence: str
    target: Target | None = None
    constraints: tuple[Constraint, ...] | None = None
