"""The compiler's segmentation, segmentation by stage times, and one device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from planner.errors import PlannerRefusal
from planner.formats import read_model
from planner.machines.catalogue import planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Pin, Problem
from planner.search.run import run
from planner.search.stop import Cancel
from tests.planner.machines.edge_tpu import reference
from tests.planner.machines.edge_tpu.strategies import edge_problems

BASELINES = ("edge-tpu-balanced", "edge-tpu-profiled", "one-device")


@settings(max_examples=80)
@given(edge_problems())
def test_baselines_are_valid_or_refuse(problem: Problem) -> None:
    for name in BASELINES:
        if any(isinstance(c, Pin) for c in problem.constraints):
            with pytest.raises(PlannerRefusal, match="does not honour pin"):
                run(planner(name), problem)
            continue
        result = run(planner(name), problem)
        assert result.device_of is not None and result.components is not None
        device_of = result.device_of.tolist()
        assert reference.is_valid(problem, device_of)
        assert result.components == pytest.approx(tuple(reference.components(problem, device_of).values()))
        assert run(planner(name), problem).device_of.tolist() == device_of  # type: ignore[union-attr]


@given(edge_problems(objective="stage-time", constrained=False))
def test_cuts_by_time_are_no_slower_than_one_device(problem: Problem) -> None:
    alone = run(planner("one-device"), problem).objective
    cut = run(planner("edge-tpu-profiled"), problem).objective
    assert alone is not None and cut is not None and cut <= alone * (1 + 1e-9)


def test_resnet101_as_the_compiler_cuts_it() -> None:
    graph = read_model("sample_models/resnet101.json")
    result = run(planner("edge-tpu-balanced"), Problem(graph, EdgeTpuPipeline(4), "memory-1-3"))
    assert result.device_of is not None
    held = np.bincount(result.device_of, graph.params, 4)
    share = graph.params.sum() // 4 + 1
    assert held.sum() == graph.params.sum() and (held[:3] <= share).all()
    for k in range(3):
        following = int(np.flatnonzero(result.device_of == k + 1)[0])
        assert held[k] + graph.params[following] > share
    assert result.components == (float(held.max()), 256 * 14 * 14 * 5.0)


def test_the_yardstick_of_a_pipeline() -> None:
    graph = read_model("sample_models/resnet50.json")
    result = run(planner("one-device"), Problem(graph, Pipeline(4)))
    assert result.device_of is not None and not result.device_of.any()
    assert result.objective == pytest.approx(graph.work.sum())


def test_bisection_ends_when_it_is_cancelled() -> None:
    graph = read_model("sample_models/densenet121.json")
    asked = iter([False] * 3)
    result = run(
        planner("edge-tpu-profiled"),
        Problem(graph, EdgeTpuPipeline(4), "stage-time"),
        Cancel(lambda: next(asked, True)),
    )
    assert result.stop_reason == "cancelled" and result.iterations == 3 and result.device_of is not None
