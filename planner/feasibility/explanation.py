"""What is said of a problem that may have no valid plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from planner.methods.feasibility.verdict import Status
from planner.model.graph import Ints
from planner.plan_files.plan_json import constraint_dict
from planner.problem.problem import Constraint, Problem
from planner.problem.target import Target


@dataclass(frozen=True, eq=False)
class Remedy:
    """One change that gives a problem a valid plan: another ``target`` or other ``constraints`` (None = as they are).

    ``verified``: a valid plan of the changed problem is at hand, ``device_of`` (int32[n]); else time ran out before one was
    found, and nothing proves that there is none.
    """

    title: str
    sentence: str
    target: Target | None = None
    constraints: tuple[Constraint, ...] | None = None
    verified: bool = False
    device_of: Ints | None = None

    def apply(self, problem: Problem) -> Problem:
        """The changed problem. Raises :class:`planner.errors.StageboardError` where it does not fit ``problem``."""
        return replace(
            problem,
            target=problem.target if self.target is None else self.target,
            constraints=problem.constraints if self.constraints is None else self.constraints,
        )


@dataclass(frozen=True, eq=False)
class Explanation:
    """Whether a problem has a valid plan, and why not.

    ``infeasible`` is proven. Then ``ops`` (indices) and ``rules`` are the smallest set found that leaves no valid plan by
    itself: names of rules, and tokens of constraints as in :attr:`Problem.assumptions`, ops of a keep-together joined by
    commas; where ops are too large for every device, all of them, the largest first. ``feasible`` comes with a valid plan in ``device_of`` (int32[n]); where the triangle rule keeps most of a network on two
    chips, so that all plans are poor, ``ops``, ``rules`` and ``remedies`` are about that. ``unknown`` says what was tried; its ``remedies`` are the
    nearest changes for which a valid plan was found.
    """

    status: Status
    sentence: str
    ops: tuple[int, ...] = ()
    rules: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    device_of: Ints | None = None

    def to_dict(self, problem: Problem) -> dict[str, Any]:
        """JSON-ready: ``sentence``, ``ops`` (ids), ``rules``, ``remedies`` with their target as a specification."""
        ids = problem.graph.op_ids
        return {
            "sentence": self.sentence,
            "ops": [ids[v] for v in self.ops],
            "rules": list(self.rules),
            "remedies": [
                {
                    "title": remedy.title,
                    "sentence": remedy.sentence,
                    "target": None if remedy.target is None else remedy.target.spec(),
                    "constraints": None
                    if remedy.constraints is None
                    else [constraint_dict(c) for c in remedy.constraints],
                    "verified": remedy.verified,
                }
                for remedy in self.remedies
            ],
        }
