"""What is said about proofs: the sentences of captions on what is proven of a plan, and on what a file only claims."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.claims import claim_of, claimed_amount
from planner.problem.problem import Plan, constraint_words
from planner.problem.proof_words import WITH, rules_used, told_of
from planner.quantity import amount_text
from planner.text_table import gap_percent, percent

CLAIMANT = "The plan's file"  # in captions: an audience knows no file by its name


BEFORE_CONSTRAINTS, BEFORE_OBJECTIVES, WITH_FINER_GAPS, WITH_AT_MOST, BEFORE_RULES, AS_NOW = range(6)
"""How stories word proofs: the oldest without the constraints that plans must keep, later ones without what no plan is better by, then with
some gaps of two decimals, then with all gaps as what is left at most, then without the rules that a proof used."""
WORDINGS = (AS_NOW, BEFORE_RULES, WITH_AT_MOST, WITH_FINER_GAPS, BEFORE_OBJECTIVES, BEFORE_CONSTRAINTS)
_BETTER_BY = {
    "dram": "leaves less off chip",
    "max-communication": "has a stage that receives less at most",
    "ios": "makes fewer I/Os",
}
"""What a better plan would do, by the first component of the objective where its unit does not say it."""


def proof_sentences(
    plan: Plan | OrderPlan, bounds: Sequence[Bound], wording: int = AS_NOW, machine: str = ""
) -> tuple[str, str]:
    """What is proven of a valid plan, and what a file claims beyond that; empty where there is nothing to say.

    ``wording`` is one of :data:`WORDINGS`: older stories have others. ``machine``: where no plan is better, as
    :func:`~planner.story.machines.machine_phrase` has it, where a story has told of another machine before.
    """
    claim = claim_of(plan, bounds)
    amount = "" if claim is None else claimed_amount(plan.problem, claim)
    return _proof(plan, bounds, wording, machine), amount and f"{CLAIMANT} claims {amount}, not proven here."


def _proof(plan: Plan | OrderPlan, bounds: Sequence[Bound], wording: int, machine: str) -> str:
    standing = plan.problem.standing(plan.evaluation.values, tuple(bounds))
    named = wording != BEFORE_CONSTRAINTS and isinstance(plan, Plan)
    kept = [constraint_words(plan.problem)] if named and isinstance(plan, Plan) else []
    rules = rules_used(plan.problem, told_of(standing)) if wording == AS_NOW else []
    kept += [rule.removeprefix(WITH) for rule in rules if rule.startswith(WITH)]
    keeping = " and ".join(filter(None, kept))
    adjectives = (rule for rule in rules if not rule.startswith(WITH))
    given = " ".join(filter(None, (machine, keeping and WITH + keeping, "no", *adjectives)))
    part = standing.first_open
    if part is None:
        if wording >= WITH_FINER_GAPS:
            return f"Proven: {given} {'plan' if isinstance(plan, Plan) else 'order'} {_better_by(plan)}."
        return f"Proven: {given} plan is better."
    if part.bound is None or part.gap is None or not math.isfinite(part.bound.value):
        return ""
    least = amount_text(part.bound.value, plan.problem.unit(part.name))
    head = given[:1].upper() + given[1:]
    left = _finer(part.gap) if wording == WITH_FINER_GAPS else gap_percent(part.gap)
    limit = _limit(part.gap, left) if wording >= BEFORE_RULES else "at most"
    return f"{head} plan can do with less than {least}: {limit} {left} is left to gain."


def _limit(gap: float, shown: str) -> str:
    """What a gap is to what is ``shown`` of it: less than that where it was rounded up, as a plan that closes it gains a share that is not."""
    rounded = float(shown.partition(" ")[0]) - 100.0 * gap > 1e-6
    return "less than" if rounded else "at most"


def _finer(gap: float) -> str:
    """A gap as stories had it for a while: with another decimal where rounding it up says more than its share (``55.65 %`` of 55.6 %)."""
    shown = gap_percent(gap)
    return shown if gap < 0.001 or shown == percent(gap) else gap_percent(gap, 2)


def _better_by(plan: Plan | OrderPlan) -> str:
    """What a better plan would do."""
    first = plan.problem.components[0]
    usual = "needs less memory" if plan.problem.unit(first) == "B" else "takes less time"
    return _BETTER_BY.get(first, usual)
