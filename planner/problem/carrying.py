"""Bounds of other problems that hold for this one: with less memory, or an objective that is never less, no plan costs less."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound, proven
from planner.problem.per_device import in_words
from planner.problem.target import Target
from planner.quantity import bytes_text


@dataclass(frozen=True)
class Ground:
    """What bounds of one :attr:`~planner.problem.base.PlanningProblem.relaxation` are about. ``model`` is a fingerprint of what is planned."""

    model: str
    target: Target
    objective: str
    relaxation: str


def ground(problem: PlanningProblem) -> Ground:
    """That of a problem; it keeps nothing of the model."""
    text = json.dumps(problem.identity(), sort_keys=True)
    model = hashlib.sha256(text.encode()).hexdigest()
    return Ground(model, problem.target, problem.objective, problem.relaxation)


def carried(bounds: Iterable[Bound], former: Ground, problem: PlanningProblem) -> tuple[Bound, ...]:
    """What proven ``bounds`` of ``former`` say of a problem, as bounds of it; nothing where that is not certain.

    It is where the model is the same and the machine, too, but for limits (:attr:`~planner.problem.target.Target.limits`) that only
    got tighter: then each valid plan of the problem is one of the former, and cost no more there. A bound on a component of the
    objective also bounds those that the target says are never less.
    """
    new = ground(problem)
    if new.relaxation == former.relaxation or new.model != former.model:
        return ()
    if not _tighter(new.target, former.target):
        return ()
    limits = _limits_in_words(former.target, new.target)
    found = []
    for bound in proven(bounds):
        if bound.relaxation != former.relaxation:
            continue
        for component in problem.components:
            least = problem.floors(component)
            if component != bound.component and (bound.given or bound.component not in least):
                continue
            other = () if component == bound.component else (bound.component.replace("-", " "),)
            words = bound.proven_for or ", ".join((*limits, *other))
            moved = replace(bound, component=component, relaxation=new.relaxation, proven_for=words)
            if moved.applies_to(problem.relaxation, problem.assumptions):
                found.append(moved)
    return tuple(found)


def _tighter(target: Target, former: Target) -> bool:
    """Whether the machines are alike but for limits, none of which is looser in ``target``."""
    if target.kind != former.kind:
        return False
    mine, theirs = target.limits, former.limits
    machine, before = target.machine(), former.machine()
    if {k: v for k, v in machine.items() if k not in mine} != {
        k: v for k, v in before.items() if k not in theirs
    }:
        return False
    # Limits that are rules are tokens of what a bound assumes: :meth:`Bound.applies_to` compares those.
    return all(
        len(mine[name]) == len(theirs[name])
        and all(a <= b for a, b in zip(mine[name], theirs[name], strict=True))
        for name in mine.keys() & machine.keys()
    )


def _limits_in_words(former: Target, target: Target) -> tuple[str, ...]:
    """``memory 32.00 MiB``: the limits of the former machine that this one does not have."""
    told = []
    for f in fields(former):  # type: ignore[arg-type]
        values = former.limits.get(f.name, ())
        if values != target.limits.get(f.name, ()):
            shown = values[:1] if len(set(values)) == 1 else values
            name = (f.metadata["label"] or f.name).lower()
            told.append(f"{name} {in_words(shown, bytes_text)}")
    return tuple(told)
