"""What a problem demands, piece by piece, and the problem that demands only some of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.errors import StageboardError
from planner.problem.problem import Constraint, Pin, Problem, Together


@dataclass(frozen=True)
class Requirement:
    """One demand that can be dropped: a rule of the target, or a constraint of the user."""

    name: str
    rule: str = ""
    constraint: Constraint | None = None


def requirements(problem: Problem) -> list[Requirement]:
    """Everything that could be dropped, rules first."""
    in_force = {rule.partition("<=")[0] for rule in problem.target.rules(problem.graph)}
    found = [Requirement(rule, rule=rule) for rule in problem.target.switches if rule in in_force]
    return found + [Requirement(token(c), constraint=c) for c in dict.fromkeys(problem.constraints)]


def token(constraint: Constraint) -> str:
    """A constraint as explanations name it."""
    if isinstance(constraint, Pin):
        return f"pin:{constraint.op}={constraint.device}"
    return "together:" + ",".join(sorted(constraint.ops))


def relaxed(problem: Problem, kept: Sequence[Requirement]) -> Problem | None:
    """The problem with these requirements alone; None where the target cannot be without one of the others."""
    rules = {r.rule for r in kept if r.rule}
    constraints = {r.constraint for r in kept if r.constraint is not None}
    off = {field: value for rule, (field, value) in problem.target.switches.items() if rule not in rules}
    try:
        return replace(
            problem,
            target=replace(problem.target, **off) if off else problem.target,  # type: ignore[type-var]
            constraints=tuple(c for c in problem.constraints if c in constraints),
        )
    except StageboardError:
        return None


def switched_off(problem: Problem, rule: str) -> Problem | None:
    """The problem without one rule of its target; None where that cannot be switched off."""
    return relaxed(problem, [r for r in requirements(problem) if r.rule != rule])


def name_of(problem: Problem, constraint: Constraint) -> str:
    """What a sentence calls a constraint."""
    names = problem.graph.op_names
    index = problem.graph.index
    if isinstance(constraint, Pin):
        title = problem.devices[problem.device_index(constraint.device)].title
        return f"the pin of {names[index[constraint.op]]} to {title}"
    assert isinstance(constraint, Together)
    first = [names[index[op]] for op in constraint.ops[:2]]
    more = f" and {len(constraint.ops) - 2} more" if len(constraint.ops) > 2 else ""
    return f"keeping {' and '.join(first) if not more else ', '.join(first)}{more} together"
