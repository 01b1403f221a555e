"""What the device is called that an objective is about."""

from __future__ import annotations

import pytest

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.methods.tiny import tiny_graph
from planner.problem.problem import Problem
from planner.problem.worst import worst_word


@pytest.mark.parametrize("objective", EdgeTpuPipeline.objectives)
def test_one_that_holds_most_is_no_bottleneck(objective: str) -> None:
    word = "fullest" if objective.startswith("memory") else "bottleneck"
    assert worst_word(Problem(tiny_graph(), EdgeTpuPipeline(2), objective)) == word


def test_elsewhere_it_is_the_bottleneck() -> None:
    assert worst_word(Problem(tiny_graph(), Pipeline(2))) == "bottleneck"
