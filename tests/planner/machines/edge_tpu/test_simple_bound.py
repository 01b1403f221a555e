"""The simple bound on the memory objectives of Edge TPUs: below every plan, and what it says of a known network."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.formats import read_model
from planner.machines.catalogue import bound_method
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.problem.problem import Problem
from planner.search.run import run_bound
from tests.planner.machines.edge_tpu import reference
from tests.planner.machines.edge_tpu.strategies import edge_problems

pytestmark = pytest.mark.coverage


@given(
    st.one_of(edge_problems(most=5, stages=3), edge_problems(objective="inference-time", most=5, stages=3))
)
@settings(max_examples=60)
def test_no_valid_plan_is_below(problem: Problem) -> None:
    bounds = run_bound(bound_method("simple"), problem).bounds
    stages = range(problem.target.count)
    for device_of in itertools.product(stages, repeat=problem.graph.n):
        if not reference.is_valid(problem, list(device_of)):
            continue
        reached = reference.components(problem, list(device_of))
        for bound in bounds:
            assert bound.applies_to(problem.relaxation, problem.assumptions)
            assert bound.value <= reached[bound.component] + 1e-9


def test_resnet50_on_two_and_on_four() -> None:
    graph = read_model("sample_models/resnet50.json")
    total, cache = 25_636_712.0, 8.0 * 2**20
    for count in (2, 4):
        problem = Problem(graph, EdgeTpuPipeline(count))
        bounds = {b.component: b.value for b in run_bound(bound_method("simple"), problem).bounds}
        assert bounds == {"max-memory": total / count, "dram": max(0.0, total - count * cache)}
    timed = Problem(graph, EdgeTpuPipeline(2), "inference-time")
    (bound,) = run_bound(bound_method("simple"), timed).bounds
    assert bound.value == (total - 2 * cache) / 500e6 + timed.evaluator.work.sum() / 2
    alone = Problem(graph, EdgeTpuPipeline(2, shared_link=False), "inference-time")
    (bound,) = run_bound(bound_method("simple"), alone).bounds
    assert bound.value == ((total - 2 * cache) / 500e6 + alone.evaluator.work.sum()) / 2
    assert "rule:shared_children" not in Problem(graph, EdgeTpuPipeline(2)).assumptions
    everything = problem.evaluate(np.zeros(graph.n, np.int32))
    assert everything.values[0] == total
