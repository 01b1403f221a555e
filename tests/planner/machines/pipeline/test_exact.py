"""The exact planners of a pipeline: equal to brute force, honest about what is proven, quick to stop."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings

from planner.generate import regal_like
from planner.machines.catalogue import planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op
from planner.problem.problem import Pin, Problem
from planner.search.run import run
from planner.search.stop import Cancel
from tests.planner import reference
from tests.planner.strategies import graphs, stage_problems


def check(problem: Problem, name: str, **options: object) -> None:
    best, _ = reference.optimum(problem)
    result = run(planner(name), problem, options={"split": 0.0, **options})
    bound = problem.strongest_bound(result.bounds)
    assert bound is not None
    if math.isinf(best):
        assert result.status == "infeasible"
        return
    assert result.device_of is not None and result.objective is not None
    assert not reference.broken(problem, result.device_of.tolist())
    assert result.objective == pytest.approx(best)
    assert best * (1 - 1e-5) - 1e-9 <= bound.value <= best * (1 + 1e-9) + 1e-9


@settings(max_examples=40)
@given(stage_problems(most=3, graph=graphs(most=6)))
def test_cp_sat_equals_brute_force(problem: Problem) -> None:
    check(problem, "mtpp-cp-sat")


@settings(max_examples=12)
@given(stage_problems(most=3, graph=graphs(most=6)))
def test_the_program_equals_brute_force(problem: Problem) -> None:
    check(problem, "mtpp-mip", solver="highs")


def test_what_fits_into_a_cache_counts_as_exactly_as_what_is_held() -> None:
    """The room of a cache is no multiple of what the ops hold: rounded to their unit it would hide a part of what is streamed."""
    ops = [
        Op(f"op{i}", f"op{i}", "op", work=0.0, work_cpu=0.0, param_bytes=size)
        for i, size in enumerate((0.5, 0.5, 0.0))
    ]
    pins = tuple(Pin(f"op{i}", "stage 0") for i in range(2))
    target = EdgeTpuPipeline(2, cache=0.25, streaming=1.0)
    check(Problem(Graph.build("held", ops, [], time_unit="s"), target, "stage-time", pins), "mtpp-cp-sat")


@pytest.mark.parametrize(
    ("name", "options"),
    [("mtpp-cp-sat", {}), ("mtpp-mip", {"solver": "scip"}), ("mtpp-mip", {"solver": "highs"})],
)
def test_a_graph_too_large_for_brute_force_is_solved(name: str, options: dict[str, object]) -> None:
    graph = regal_like.generate(3, {"nodes": 14})
    problem = Problem(graph, Pipeline(3), constraints=(Pin("op7", "stage 1"),))
    result = run(planner(name), problem, options=options)
    assert result.device_of is not None and result.device_of[graph.index["op7"]] == 1
    assert result.objective is not None and result.stop_reason == "finished"
    bound = problem.strongest_bound(result.bounds)
    assert bound is not None and result.objective * (1 - 1e-5) <= bound.value <= result.objective
    other = run(planner("mtpp-cp-sat"), problem)
    assert other.status == "optimal", (
        "costs are no multiples of anything, and the rounding is too fine to matter"
    )
    assert result.objective == pytest.approx(other.objective, rel=1e-5)


@pytest.mark.parametrize("name", ["mtpp-cp-sat", "mtpp-mip"])
def test_a_cancel_is_heard_and_the_best_plan_kept(name: str) -> None:
    problem = Problem(regal_like.generate(2), Pipeline(8))
    start = np.zeros(problem.graph.n, np.int32)
    cancelled = threading.Event()
    timer = threading.Timer(0.5, cancelled.set)
    timer.start()
    result = run(
        planner(name), problem, stop=Cancel(cancelled.is_set), starts=[start], options={"split": 0.1}
    )
    timer.join()
    assert result.stop_reason == "cancelled"
    assert result.objective is not None and result.objective <= problem.evaluator.objective(start)
