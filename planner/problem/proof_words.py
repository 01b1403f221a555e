"""Of which objective a plan is proven, in words: wherever that is said beside figures that the proof is not about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from planner.problem.worst import LATENCY

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem
    from planner.problem.bound import Bound, Standing

WITH = "with "
"""Begins what stands behind the plans that it is said of, or before them in a sentence; other words are adjectives."""


def of_objective(components: Sequence[str], called: Callable[[str], str] = str) -> str:
    """`` for least max-memory``: what is proven of a plan whose objective has these ``components``, by the first; ``called`` says its name.

    Empty where the objective is how often samples come, or what else is one number and all that plans are told by: who reads of the
    best plan thinks of that. A plan that holds the least, or is the best for a sample alone, need not be the fastest.
    """
    usual = len(components) == 1 and components[0] != LATENCY
    return "" if usual else f" for least {called(components[0])}"


def optimal_words(components: Sequence[str], called: Callable[[str], str] = str) -> str:
    """``proven optimal``, ``proven optimal for least latency``."""
    return f"proven optimal{of_objective(components, called)}"


def rules_used(problem: PlanningProblem, bounds: Iterable[Bound | None]) -> list[str]:
    """What plans are called of which ``bounds`` speak, where their proofs used a rule that a person may switch off: ``contiguous``."""
    tokens = {token for bound in bounds if bound is not None for token in bound.assumes}
    return problem.target.kept_words({rule.removeprefix("rule:") for rule in tokens})


def told_of(standing: Standing) -> list[Bound | None]:
    """The bounds by which it is known how good a plan is: those of the components that are proven, and of the first that is not."""
    parts = standing.components
    first = standing.first_open
    return [part.bound for part in (parts if first is None else parts[: parts.index(first) + 1])]


def plan_words(rules: Sequence[str]) -> str:
    """``contiguous plan``, ``plan with shared children``: a plan that keeps these :func:`rules_used`."""
    behind = [rule.removeprefix(WITH) for rule in rules if rule.startswith(WITH)]
    words = [*(rule for rule in rules if not rule.startswith(WITH)), "plan"]
    return " ".join([*words, *([WITH + " and ".join(behind)] if behind else [])])


def among(rules: Sequence[str]) -> str:
    """`` among contiguous plans``: of which plans one is the best; empty where no rule was used that can be switched off."""
    return f" among {plan_words(rules).replace('plan', 'plans', 1)}" if rules else ""
