"""What the device is called that an objective is about: the one with the largest :attr:`planner.problem.decision.Evaluation.pace`."""

from __future__ import annotations

from planner.problem.base import PlanningProblem

BOTTLENECK, FULLEST = "bottleneck", "fullest"
"""The one that takes longest, and the one that holds most."""


def worst_word(problem: PlanningProblem) -> str:
    """:data:`FULLEST` where the objective is first about bytes, else :data:`BOTTLENECK`: a stage that holds most sets no pace."""
    return FULLEST if problem.unit(problem.components[0]) == "B" else BOTTLENECK
