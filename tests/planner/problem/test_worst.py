"""What the device is called that an objective is about."""

from __future__ import annotations

import numpy as np
import pytest

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.methods.tiny import tiny_graph
from planner.problem.problem import Problem
from planner.problem.worst import being_worst, meaning, plain_word, streaming_most, worst_word
from tests.planner.problem.examples import streaming_row


def word_of(problem: Problem, device_of: list[int]) -> str:
    """What is said of the worst device of an assignment."""
    return worst_word(problem, problem.evaluate(np.array(device_of, np.int32)))


@pytest.mark.parametrize("objective", EdgeTpuPipeline.objectives)
def test_one_that_holds_most_is_no_bottleneck(objective: str) -> None:
    problem = Problem(tiny_graph(), EdgeTpuPipeline(2), objective)
    assert word_of(problem, [0] * problem.graph.n) == (
        "fullest" if objective.startswith("memory") else "bottleneck"
    )


def test_where_others_stream_over_the_same_link_no_stage_is_the_bottleneck() -> None:
    problem = Problem(streaming_row(), EdgeTpuPipeline(2, precision="file", cache=0.0), "inference-time")
    e = problem.evaluate(np.array([0, 0, 1, 1], np.int32))
    assert int(np.argmax(e.cost)) == 1 and e.bottleneck == 0  # the one streams most, the other works most
    assert worst_word(problem, e) == "largest rest"
    assert (
        being_worst("largest rest") == "has the largest rest"
        and being_worst("bottleneck") == "is the bottleneck"
    )
    assert plain_word("largest rest") == "longest besides streaming" and plain_word("fullest") == "fullest"
    assert "to receive, work and send" in meaning("largest rest") and meaning("bottleneck") == ""
    assert streaming_most(e) == 1, "which counts as much, so it is named, too"
    alone = Problem(streaming_row(), EdgeTpuPipeline(2, precision="file", cache=1e12), "inference-time")
    assert word_of(alone, [0, 0, 1, 1]) == "bottleneck"
    assert streaming_most(alone.evaluate(np.array([0, 0, 1, 1], np.int32))) == -1
    assert streaming_most(problem.evaluate(np.array([1, 1, 1, 1], np.int32))) == -1, "both in one"


def test_elsewhere_it_is_the_bottleneck() -> None:
    problem = Problem(tiny_graph(), Pipeline(2))
    assert word_of(problem, [0] * problem.graph.n) == "bottleneck"
