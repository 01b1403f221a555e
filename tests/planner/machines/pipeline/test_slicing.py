"""Slicing for pipelines against brute force and against the general dynamic program."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.orders import slicer as pipeline_slicer
from planner.machines.pipeline.orders.slicer import PipelineSlicer, pipeline_units
from planner.machines.pipeline.target import Pipeline
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.slicing import Slicer
from planner.methods.units import build_units, unit_edges
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.search.search import Callbacks, Search
from planner.search.stop import Never
from tests.planner import reference
from tests.planner.strategies import graphs, stage_problems


def quiet(problem: Problem, seed: int = 0) -> Search:
    return Search(problem, Never(), Callbacks(), seed, {})


def dense(rng: np.random.Generator, n: int, heavy: float) -> Graph:
    """A random graph whose tensors cost about ``heavy`` times the work: segment costs then go up and down."""
    ops = [
        Op(
            f"o{i}",
            f"o{i}",
            work=float(rng.uniform(0, 1)),
            work_cpu=1.0,
            param_bytes=float(rng.integers(0, 4)),
        )
        for i in range(n)
    ]
    tensors = []
    for i in range(n - 1):
        to = [j for j in range(i + 1, min(n, i + 12)) if rng.random() < 0.2]
        if rng.random() < 0.2:
            to.append(n - 1)
        if to:
            time = float(rng.exponential(heavy))
            tensors.append(Tensor(f"o{i}", tuple(f"o{j}" for j in sorted(set(to))), time, time))
    return Graph.build("dense", ops, tensors)


@settings(max_examples=80)
@given(stage_problems(most=3, graph=graphs(most=6)), st.integers(0, 999))
def test_slicing_equals_brute_force(problem: Problem, seed: int) -> None:
    units = pipeline_units(problem)
    if units.blocked >= 0:
        assert math.isinf(reference.optimum(problem)[0])
        return
    order = kahn_order(*units.succs, np.random.default_rng(seed).random(units.count))
    ops = [np.flatnonzero(units.unit_of == u).tolist() for u in order.tolist()]
    expected = math.inf
    for place in reference.slicings(ops, len(problem.devices), True):
        device_of = [place[v] for v in range(problem.graph.n)]
        if not reference.broken(problem, device_of):
            expected = min(expected, reference.objective(problem, device_of))
    slicer = PipelineSlicer(units)
    found = slicer.solve(order, quiet(problem))
    assert found is not None, "pins never go back along an order of these units"
    assert found[0] == pytest.approx(expected)
    assert slicer.segment_bound <= expected + 1e-9
    device_of = found[1][units.unit_of].tolist()
    assert not reference.broken(problem, device_of)
    assert found[0] == pytest.approx(reference.objective(problem, device_of))
    assert slicer.solve(order, quiet(problem), found[0]) is None, "nothing is below the best"
    again = slicer.solve(order, quiet(problem), found[0] * 1.01 + 1e-6)
    assert again is not None and again[0] == pytest.approx(expected)


@pytest.mark.parametrize("heavy", [0.05, 0.5, 3.0, 20.0])
@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("memory", [1e3, 9.0])
@pytest.mark.parametrize("up", [1.0, 0.2, 50.0])
def test_slicing_equals_the_general_program(heavy: float, k: int, memory: float, up: float) -> None:
    rng = np.random.default_rng([k, int(heavy * 100)])
    for n in (5, 20, 60, 90):
        for _ in range(4 if up == 1.0 else 2):
            graph = dense(rng, n, heavy)
            if up == 1.0:
                problem = Problem(graph, Pipeline(k, memory=memory, bandwidth=1.0))
            else:
                target = EdgeTpuPipeline(
                    k, cache=memory, down=1.0, up=up, streaming=1.0, shared_children=False
                )
                problem = Problem(graph, target, "stage-time")
            units = pipeline_units(problem)
            general, fast = Slicer(units), PipelineSlicer(units)
            for order in (depth_first_order(*units.succs), kahn_order(*units.succs, rng.random(units.count))):
                expected, found = general.best(order, quiet(problem)), fast.solve(order, quiet(problem))
                assert expected is not None and found is not None
                assert found[0] == pytest.approx(expected[0], rel=1e-9)
                assert problem.evaluator.objective(found[1][units.unit_of]) == pytest.approx(found[0])


def test_pinned_blocks_equal_the_general_program() -> None:
    rng = np.random.default_rng(3)
    for heavy in (0.1, 4.0):
        for _ in range(10):
            graph = dense(rng, 40, heavy)
            at = np.sort(rng.choice(40, 3, replace=False))
            pins = tuple(Pin(f"o{v}", f"stage {d}") for v, d in zip(at, (1, 1, 4), strict=True))
            problem = Problem(graph, Pipeline(6), constraints=pins)
            units = pipeline_units(problem)
            order = kahn_order(*units.succs, rng.random(units.count))
            expected = Slicer(units).best(order, quiet(problem))
            found = PipelineSlicer(units).solve(order, quiet(problem))
            assert expected is not None and found is not None
            assert found[0] == pytest.approx(expected[0])
            assert not problem.evaluator.violations(found[1][units.unit_of])


@settings(max_examples=60)
@given(stage_problems(most=3, graph=graphs(most=5)))
def test_units_with_pins_keep_every_valid_plan(problem: Problem) -> None:
    units = pipeline_units(problem)
    _, plan = reference.optimum(problem)
    assert (units.blocked >= 0) == (plan is None)
    if plan is None:
        return
    for device_of in reference.assignments(problem):
        if not reference.broken(problem, device_of):
            blocks = np.array(device_of)
            of_unit = np.zeros(units.count, np.int64)
            of_unit[units.unit_of] = blocks
            assert (of_unit[units.unit_of] == blocks).all()
            assert (of_unit[units.src] <= of_unit[units.dst]).all()


def test_many_orders_at_once_equal_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    problem = Problem(dense(rng, 50, 1.0), Pipeline(4))
    units = pipeline_units(problem)
    keys = rng.random((20, units.count))
    one = PipelineSlicer(units)
    expected = [one.solve(kahn_order(*units.succs, row), quiet(problem))[0] for row in keys]  # type: ignore[index]
    best: list[float] = []
    for steps in (pipeline_slicer.STEPS_PER_CALL, 1):
        monkeypatch.setattr(pipeline_slicer, "STEPS_PER_CALL", steps)
        many = PipelineSlicer(units)
        assert many.slice_keys(keys, quiet(problem), strict=False) == pytest.approx(expected)
        many = PipelineSlicer(units)
        best.clear()
        values = many.slice_keys(keys, quiet(problem), found=lambda many=many: best.append(many.value))  # type: ignore[misc]
        lowest = np.minimum.accumulate(expected)
        kept = np.isfinite(values)
        assert values[kept] == pytest.approx(np.array(expected)[kept])
        assert kept.tolist() == [i == 0 or expected[i] < lowest[i - 1] * (1 - 1e-12) for i in range(20)]
        assert many.value == pytest.approx(min(expected)) == pytest.approx(best[-1])
        assert problem.evaluator.objective(many.block_of[units.unit_of]) == pytest.approx(many.value)
        assert one.solve(many.order, quiet(problem))[0] == pytest.approx(many.value)  # type: ignore[index]


def worst_case(k: int, epsilon: float, edge: bool = True) -> tuple[Problem, np.ndarray]:
    """MTPP, Lemma B.2: k heavy and k light ops, an edge from the first heavy to the first light one (Remark B.3: without it)."""
    ops = [Op(f"h{i}", f"h{i}", work=1 - epsilon, work_cpu=1.0) for i in range(k)]
    ops += [Op(f"l{i}", f"l{i}", work=epsilon, work_cpu=1.0) for i in range(k)]
    graph = Graph.build("B.2", ops, [Tensor("h0", ("l0",), 10.0 * k, 10.0 * k)] if edge else [])
    order = np.array([*range(k), *range(2 * k - 1, k - 1, -1)], np.int32)
    return Problem(graph, Pipeline(k)), order


@pytest.mark.parametrize("k", [2, 3, 8])
def test_the_worst_order_costs_k_times_the_optimum(k: int) -> None:
    problem, order = worst_case(k, 1 / 16)
    matched = np.concatenate([np.arange(k), np.arange(k)]).astype(np.int32)
    evaluation = problem.evaluate(matched)
    assert evaluation.valid and evaluation.objective == 1.0
    units = build_units(
        problem,
        np.arange(2 * k, dtype=np.int32),
        *unit_edges(np.arange(2 * k, dtype=np.int32), *problem.graph.edges),
    )
    found = PipelineSlicer(units).solve(order, quiet(problem))
    assert found is not None and found[0] == k, "every slice with a border pays the edge, 10 k"
    good = np.argsort(np.concatenate([np.arange(k) * 2, np.arange(k) * 2 + 1])).astype(np.int32)
    best = PipelineSlicer(units).solve(good, quiet(problem))
    assert best is not None and best[0] == 1.0


@pytest.mark.parametrize("k", [2, 3, 8])
def test_an_order_with_all_heavy_ops_first_costs_2k_of_k_and_1_times_the_optimum_even_without_transfers(
    k: int,
) -> None:
    """MTPP, Remark B.3: two heavy ops share a block, or there is a border after each and the last block has all light ones."""
    problem, _ = worst_case(k, 1 / (k + 1), edge=False)
    assert problem.evaluate(np.concatenate([np.arange(k)] * 2).astype(np.int32)).objective == pytest.approx(
        1.0
    )
    slicer = PipelineSlicer(pipeline_units(problem))
    found = slicer.solve(np.arange(2 * k, dtype=np.int32), quiet(problem))
    assert found is not None and found[0] == pytest.approx(2 * k / (k + 1))


def test_an_empty_graph_is_sliced_into_nothing() -> None:
    problem = Problem(Graph.build("empty", [], []), Pipeline(2))
    slicer = PipelineSlicer(pipeline_units(problem))
    found = slicer.solve(np.empty(0, np.int32), quiet(problem))
    assert found is not None and found[0] == 0.0 and len(found[1]) == 0


def test_pins_alone_may_make_a_plan_cost_something() -> None:
    """Equal shares of no work say nothing about the value: the search for it must still get off the ground."""
    ops = [Op(f"o{i}", f"o{i}", work=0.0, work_cpu=0.0) for i in range(4)]
    graph = Graph.build("idle", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 3.0) for i in range(3)])
    problem = Problem(graph, Pipeline(2), constraints=(Pin("o0", "stage 0"), Pin("o3", "stage 1")))
    units = pipeline_units(problem)
    found = PipelineSlicer(units).solve(depth_first_order(*units.succs), quiet(problem))
    assert found is not None and found[0] == 3.0


def test_a_reserve_larger_than_the_memory_streams_more_than_the_parameters() -> None:
    ops = [Op(f"op{i}", f"op{i}", work=0.25 if i == 1 else 0.0, work_cpu=0.0) for i in range(5)]
    target = Pipeline(2, bandwidth=12e9, memory=0.0, reserve=2.0)
    problem = Problem(Graph.build("heavy", ops, []), target, constraints=(Pin("op0", "stage 0"),))
    found = PipelineSlicer(pipeline_units(problem)).solve(np.array([3, 2, 1, 0, 4], np.int32), quiet(problem))
    assert found is not None
    assert found[0] == pytest.approx(problem.evaluate(found[1]).objective, rel=1e-12)
