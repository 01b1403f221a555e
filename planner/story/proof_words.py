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


def proof_sentences(
    plan: Plan | OrderPlan, bounds: Sequence[Bound], constrained: bool = True
) -> tuple[str, str]:
    """What is proven of a valid plan, and what a file claims beyond that; empty where there is nothing to say.

    Constraints that plans must keep are named; not where ``constrained`` is False, as in older stories.
    """
    claim = claim_of(plan, bounds)
    amount = "" if claim is None else claimed_amount(plan.problem, claim)
    return _proof(plan, bounds, constrained), amount and f"{CLAIMANT} claims {amount}, not proven here."


def _proof(plan: Plan | OrderPlan, bounds: Sequence[Bound], constrained: bool) -> str:
    standing = plan.problem.standing(plan.evaluation.values, tuple(bounds))
    kept = constraint_words(plan.problem) if constrained and isinstance(plan, Plan) else ""
    given = f"with {kept} no" if kept else "no"
    part = standing.first_open
    if part is None:
        return f"Proven: {given} plan is better."
    if part.bound is None or part.gap is None or not math.isfinite(part.bound.value):
        return ""
    least = amount_text(part.bound.value, plan.problem.unit(part.name))
    head = given[:1].upper() + given[1:]
    return f"{head} plan can do with less than {least}: at most {gap_percent(part.gap)} is left to gain."
