"""What stands below the title of a picture of a plan: model, target, how good the plan is, and whether it is valid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gui.canvas.graph.items import Items
from gui.look.numbers import gap_text, plural
from gui.words.held import pushed_beside
from gui.words.machines import machine_with_settings
from gui.words.objectives import component_words, components_text
from gui.words.proofs import claimed_note
from planner.evaluation.times_source import times_mark
from planner.problem.bound import Bound
from planner.problem.claims import telling_claim
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.proof_words import among, rules_used, told_of


def subtitle_of(
    problem: Problem, items: Items, evaluation: Evaluation | None, bounds: Sequence[Bound]
) -> str:
    """How large the model is, in how many groups it is shown, on which target, how good the plan is, and whether it is valid."""
    ops = plural(problem.graph.n, "op")
    if groups := int(np.count_nonzero(items.whole_size > 1)):
        parts = "" if np.array_equal(items.whole_size, items.size) else " or parts of groups"
        alone = f"{plural(items.count - groups, 'op')} and " if items.count > groups else ""
        ops += f", drawn as {alone}{plural(groups, 'group')}{parts}"
    words = f"{ops}, {machine_with_settings(problem)}"
    if evaluation is None:
        return words
    rules = "valid" if evaluation.valid else plural(len(evaluation.violations), "violation")
    return f"{words}   {standing_text(problem, evaluation, bounds, rules)}"


def standing_text(problem: Problem, evaluation: Evaluation, bounds: Sequence[Bound], rules: str = "") -> str:
    """The components of a plan's objective, whether its times are estimated or measured, how far from proven the first open one is, where a bound says so, what is to be said of its
    ``rules``, and what is only claimed: last, so that *not proven* is said of nothing else."""
    standing = problem.standing(evaluation.values, bounds)
    shown = components_text(problem, evaluation.values)
    if len(problem.components) == 1:
        shown = f"{component_words(problem.components[0]).title} {shown}"
    for pushed in filter(None, (pushed_beside(evaluation, name) for name in problem.components)):
        shown += f", {pushed}"
    if mark := times_mark(problem):
        shown += f", {mark}"
    told = f"   {rules}" if rules else ""
    if not evaluation.valid:
        return shown + told
    claim = telling_claim(problem, evaluation.values, bounds)
    end = told if claim is None else f"{told}   {claimed_note(problem, claim)}"
    if standing.gap is None:
        return shown + end
    where = "" if len(problem.components) == 1 or standing.first_open is None else (
        f" ({component_words(standing.first_open.name).title})"
    )  # fmt: skip
    optimal = f"proven optimal{among(rules_used(problem, told_of(standing)))}"
    return f"{shown}   {optimal if standing.gap == 0.0 else f'gap {gap_text(standing.gap)}{where}'}{end}"
