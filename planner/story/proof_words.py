"""What is said about proofs: the sentences of captions on what is proven of a plan, and on what a file only claims."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.claims import claim_of, claimed_amount
from planner.problem.problem import Plan, constraint_words
from planner.quantity import amount_text
from planner.text_table import gap_percent

CLAIMANT = "The plan's file"  # in captions: an audience knows no file by its name


BEFORE_CONSTRAINTS, BEFORE_OBJECTIVES, AS_NOW = range(3)
"""How stories word proofs: the oldest without the constraints that plans must keep, later ones without what no plan is better by."""
WORDINGS = (AS_NOW, BEFORE_OBJECTIVES, BEFORE_CONSTRAINTS)
_BETTER_BY = {
    "dram": "leaves less off chip",
    "max-communication": "has a stage that receives less at most",
    "ios": "makes fewer I/Os",
}
"""What a better plan would do, by the first component of the objective where its unit does not say it."""


def proof_sentences(
    plan: Plan | OrderPlan, bounds: Sequence[Bound], wording: int = AS_NOW
) -> tuple[str, str]:
    """What is proven of a valid plan, and what a file claims beyond that; empty where there is nothing to say.

    ``wording`` is one of :data:`WORDINGS`: older stories have others.
    """
    claim = claim_of(plan, bounds)
    amount = "" if claim is None else claimed_amount(plan.problem, claim)
    return _proof(plan, bounds, wording), amount and f"{CLAIMANT} claims {amount}, not proven here."


def _proof(plan: Plan | OrderPlan, bounds: Sequence[Bound], wording: int) -> str:
    standing = plan.problem.standing(plan.evaluation.values, tuple(bounds))
    named = wording != BEFORE_CONSTRAINTS and isinstance(plan, Plan)
    kept = constraint_words(plan.problem) if named and isinstance(plan, Plan) else ""
    given = f"with {kept} no" if kept else "no"
    part = standing.first_open
    if part is None:
        if wording == AS_NOW:
            return f"Proven: {given} {'plan' if isinstance(plan, Plan) else 'order'} {_better_by(plan)}."
        return f"Proven: {given} plan is better."
    if part.bound is None or part.gap is None or not math.isfinite(part.bound.value):
        return ""
    least = amount_text(part.bound.value, plan.problem.unit(part.name))
    head = given[:1].upper() + given[1:]
    return f"{head} plan can do with less than {least}: at most {gap_percent(part.gap)} is left to gain."


def _better_by(plan: Plan | OrderPlan) -> str:
    """What a better plan would do."""
    first = plan.problem.components[0]
    usual = "needs less memory" if plan.problem.unit(first) == "B" else "takes less time"
    return _BETTER_BY.get(first, usual)
