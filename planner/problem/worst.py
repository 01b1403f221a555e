"""What the device is called that an objective is about: the one with the largest :attr:`planner.problem.decision.Evaluation.pace`."""

from __future__ import annotations

from planner.problem.base import PlanningProblem

BOTTLENECK, FULLEST, BUSIEST = "bottleneck", "fullest", "busiest"
"""The one that takes longest, the one that holds most, and the one that works longest on a sample whose critical path is what counts."""
LATENCY = "latency"
"""The component that is the time of one sample alone."""


def worst_word(problem: PlanningProblem) -> str:
    """:data:`FULLEST` where the objective is first about bytes, :data:`BUSIEST` where it is about a single sample, else
    :data:`BOTTLENECK`: a stage that holds most sets no pace, and a single sample knows none."""
    if problem.components[0] == LATENCY:
        return BUSIEST
    return FULLEST if problem.unit(problem.components[0]) == "B" else BOTTLENECK
