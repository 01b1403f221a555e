"""What the device is called that an objective is about: :attr:`planner.problem.decision.Evaluation.bottleneck`."""

from __future__ import annotations

import numpy as np

from planner.problem.base import PlanningProblem
from planner.problem.decision import Evaluation

STREAMS_MOST = "streams most"
"""What :func:`streaming_most` is called."""
BOTTLENECK, FULLEST, BUSIEST = "bottleneck", "fullest", "busiest"
"""The one that takes longest, the one that holds most, and the one that works longest on a sample whose critical path is what counts."""
LARGEST_REST = "largest rest"
"""The one that takes longest besides streaming, where all stream one after another: none sets the pace alone."""
LATENCY = "latency"
"""The component that is the time of one sample alone."""


def worst_word(problem: PlanningProblem, evaluation: Evaluation) -> str:
    """:data:`FULLEST` where the objective is first about bytes, :data:`BUSIEST` where it is about a single sample,
    :data:`LARGEST_REST` where the evaluation has rests, else :data:`BOTTLENECK`: a stage that holds most sets no pace, and a
    single sample knows none."""
    if problem.components[0] == LATENCY:
        return BUSIEST
    if problem.unit(problem.components[0]) == "B":
        return FULLEST
    return BOTTLENECK if evaluation.rests is None else LARGEST_REST


def streaming_most(evaluation: Evaluation) -> int:
    """The device that streams longest where all stream one after another, so that the one with the :data:`LARGEST_REST` is not all that
    counts; -1 where that is one device, nobody streams, or the pace is set by one alone."""
    if evaluation.rests is None or evaluation.streaming.max(initial=0.0) <= 0:
        return -1
    most = int(np.argmax(evaluation.streaming))
    return most if most != evaluation.bottleneck else -1


def being_worst(word: str) -> str:
    """What a device is or has that is called so (:func:`worst_word`): ``is the bottleneck``, ``has the largest rest``."""
    return f"{'has' if word == LARGEST_REST else 'is'} the {word}"


def plain_word(word: str) -> str:
    """What such a device is called where nobody can look the word up, as on a slide."""
    return "longest besides streaming" if word == LARGEST_REST else word


def meaning(word: str) -> str:
    """What the word says, in a sentence; empty of words that everybody knows."""
    if word != LARGEST_REST:
        return ""
    return (
        "Rest: what a stage takes besides streaming, to receive, work and send. All stages stream one after another, and the largest"
        " rest is added to that."
    )
