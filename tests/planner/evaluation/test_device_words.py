"""What tells devices apart, in words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from planner.evaluation.device_words import device_traits
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph
from planner.model.ops import Op
from planner.problem.problem import Problem

pytestmark = pytest.mark.coverage


def test_only_what_differs_is_said() -> None:
    graph = Graph.build("one", [Op("a", "a", work=1.0, work_cpu=1.0)], [])
    assert device_traits(Problem(graph, Pipeline(2, memory=2.0**20))) == ("", "")
    row = Problem(graph, Pipeline(3, speed=(1.0, 0.5, 2.0), memory=(2.0**20, math.inf, 2.0**24)))
    assert device_traits(row) == ("1x · 1.00 MiB", "0.5x · no limit", "2x · 16.00 MiB")
    assert device_traits(row, memory=False) == ("1x", "0.5x", "2x")
    timed = graph.with_device_times({"acc 1": np.array([3.0])})
    pool = Problem(timed, DevicePool(2, 1, subgraphs=2, speed=(1.0, 0.5)), "latency")
    assert device_traits(pool) == ("1x", "1x", "0.5x · measured", "0.5x · measured", "1x")
