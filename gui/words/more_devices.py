"""What is known of more devices than a machine has: whether plans for them are better, and what is proven of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gui.look.numbers import listed, percent, plural
from gui.words.objectives import seen_better
from planner.problem.bound import better
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.runs.stage_counts import StageCount, count_of


@dataclass(frozen=True)
class MoreDevices:
    """What plans for more devices are against one for fewer: ``words`` without a full stop, and whether any is ``better``."""

    words: str
    better: bool


def more_devices(
    results: Mapping[int, StageCount], problem: Problem, evaluation: Evaluation
) -> MoreDevices | None:
    """What the plans and bounds of larger counts in ``results`` say of the valid plan of ``problem`` with this ``evaluation``; None where
    no larger count is planned.

    A count is proven no better where its bounds reach the plan's own values.
    """
    counted = problem.target.counted
    more = [one for count, one in sorted(results.items()) if count > count_of(problem) and one.problem]
    planned = [one for one in more if one.evaluation is not None and one.evaluation.valid]
    if counted is None or not planned:
        return None
    best = planned[0]
    for one in planned[1:]:
        if better(one.evaluation.values, best.evaluation.values):  # type: ignore[union-attr]
            best = one
    assert best.evaluation is not None
    if seen_better(problem, best.evaluation.values, evaluation.values):
        pairs = zip(best.evaluation.values, evaluation.values, strict=True)
        now, before = next((a, b) for a, b in pairs if a != b)
        many = plural(best.count, counted.one, counted.many)
        return MoreDevices(f"A plan for {many} is {percent(1 - now / before)} better", better=True)
    proven = [
        one.count
        for one in planned
        if one.problem is not None and one.problem.standing(evaluation.values, one.found.bounds).gap == 0.0
    ]
    if proven:
        are = "is" if len(proven) == 1 else "are"
        words = f"More {counted.many} bring nothing ({listed([str(count) for count in proven])} {are} proven no better)"
        return MoreDevices(words, better=False)
    told = f"{listed([str(one.count) for one in planned])} {counted.many}"
    return MoreDevices(f"For {told} no better plan was found", better=False)
