"""How much better plans could be without a rule, as far as that is proven, and what is said of the rules in force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gui.look.numbers import plural
from gui.words.proofs import RULES
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.text_table import gap_percent

SMALL = 0.01
"""What can be gained at most where what gains it is not worth naming as a remedy."""
LOOSE = 1e-3
"""A gap to what is proven without a rule, below which the rule costs nothing."""


def gap_without(
    problem: Problem, evaluation: Evaluation, rule: str, bounds: tuple[Bound, ...]
) -> float | None:
    """How much better a plan could be at most without one of the target's rules: a share of the cost; None where the rule is always kept, or nothing is proven of that."""
    if rule not in problem.target.switches:
        return None
    field, off = problem.target.switches[rule]
    without = replace(problem, target=replace(problem.target, **{field: off}))  # type: ignore[type-var]
    return without.standing(evaluation.values, bounds).gap


def rules_bring_more(problem: Problem, evaluation: Evaluation, bounds: tuple[Bound, ...]) -> bool:
    """Whether plans without some other rule may be better by more than any memory can make them, as far as that is proven."""
    room = gap_without(problem, evaluation, "memory", bounds)
    others = (gap_without(problem, evaluation, rule, bounds) for rule in problem.target.switches)
    return room is not None and any(gap is not None and gap > room for gap in others)


def without_rules_words(problem: Problem, evaluation: Evaluation, bounds: tuple[Bound, ...]) -> str:
    """The rules in force, apart from memory, without which plans may be better, as far as nothing is proven of that."""
    if len(problem.devices) < 2:
        return ""
    in_force = set(problem.target.rules(problem.graph))
    gaps = {rule: gap_without(problem, evaluation, rule, bounds) for rule in problem.target.switches}
    told = [
        (RULES.get(rule, rule.replace("_", " ")), gap)
        for rule, gap in gaps.items()
        if rule != "memory" and rule in in_force and not (gap is not None and gap < LOOSE)
    ]
    # What can bring most comes first; of what is not known nobody can say that it brings less.
    told.sort(key=lambda one: -1.0 if one[1] is None else -one[1])
    switched = [f"{words} ({most})" if (most := at_most("by", gap)) else words for words, gap in told]
    said = []
    if switched:
        said.append(f"Plans that need not keep {_or(switched)} may be better.")
    if unsupported := int(np.count_nonzero(~problem.evaluator.supported.all(axis=0))):
        them = "it" if unsupported == 1 else "them"
        said.append(f"{plural(unsupported, 'op')} cannot go everywhere: support for {them} may help as well.")
    return " ".join(said)


def at_most(joint: str, gap: float | None) -> str:
    """``, by at most 12 %`` where that is proven and says anything: a bound of 0 does not."""
    return "" if gap is None or gap >= 1.0 else f"{joint} at most {gap_percent(gap)}"


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
