"""What a file says was proven. Anybody can write a number into a file: a claim is shown beside the plan of the file, and counts nowhere.

:attr:`planner.problem.bound.Bound.claimed_by` marks a bound as a claim. What is said about it is worked out here and told in the same words
everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from planner.problem.base import AnyPlan, PlanningProblem
from planner.problem.bound import Bound, within
from planner.quantity import amount_text

PRECISION = 1e-5
"""A claim that is larger than what is proven by less than this (relative) says nothing more that a person would see: solvers prove
within tolerances. It still counts for nothing: what is optimal, and by how much a plan is not, rests on what is proven."""


def claimed(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """The bounds that files claim."""
    return tuple(bound for bound in bounds if bound.claimed_by)


def telling_claim(
    problem: PlanningProblem, values: Sequence[float], bounds: Sequence[Bound], valid: bool = True
) -> Bound | None:
    """The strongest claim among ``bounds`` that says more about a plan with these components than what is proven of it.

    It is about the first component of which a claim says more. None where no claim does; one that lies above a plan that is
    ``valid`` is refuted, and says nothing.
    """
    reached = dict(zip(problem.components, values, strict=True))
    applying = [b for b in claimed(bounds) if b.applies_to(problem.relaxation, problem.assumptions)]
    if not applying:
        return None
    for part in problem.standing(values, bounds).components:
        known = -float("inf") if part.bound is None else part.bound.value
        more = [
            b
            for b in applying
            if b.component == part.name
            and b.covers(reached)
            and not within(b.value, known, PRECISION)
            and (not valid or within(b.value, part.value))
        ]
        if more:
            return max(more, key=lambda b: b.value)
    return None


def claim_of(plan: AnyPlan, bounds: Sequence[Bound]) -> Bound | None:
    """:func:`telling_claim` of a plan."""
    return telling_claim(plan.problem, plan.evaluation.values, bounds, plan.evaluation.valid)


def claimed_amount(problem: PlanningProblem, claim: Bound) -> str:
    """What is claimed, with its unit; with the component's name where the objective has several: ``max-memory 1.20 MiB``."""
    amount = amount_text(claim.value, problem.unit(claim.component))
    return amount if len(problem.components) == 1 else f"{claim.component} {amount}"


def claim_words(problem: PlanningProblem, claim: Bound) -> str:
    """``base.plan.json claims a bound of 923.43 us (exact), not proven here``."""
    return f"{claim.claimed_by} claims a bound of {claimed_amount(problem, claim)} ({claim.method}), not proven here"


def as_claims(bounds: Iterable[Bound], claimant: str) -> tuple[Bound, ...]:
    """The same bounds as claims of somebody; those that are claims already stay those of who made them."""
    return tuple(b if b.claimed_by else replace(b, claimed_by=claimant) for b in bounds)
