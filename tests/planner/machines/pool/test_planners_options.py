"""Planners and the simple bound on pools with subgraphs, replication or clusters: honest, valid, and locally optimal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.formats.graphs import device_placement
from planner.machines.catalogue import bound_methods, planner, planners_for
from planner.machines.pool.target import DevicePool
from planner.machines.several.bounds.simple import Simple
from planner.machines.spec import parse_target
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run, run_bound
from tests.planner import reference
from tests.planner.strategies import graphs, placements, pools_with_options, problems
from tests.shared_files import shared

OPTIONS = {"slice-random": {"orders": 3}, "local-search": {"restarts": 3}}
OURS = ("slice-random", "dpl", "memory-fill", "local-search")


@st.composite
def problems_with_options(draw: st.DrawFn, most: int = 3, largest: int = 5) -> Problem:
    pool, objective = draw(pools_with_options(most=most))
    return draw(problems(target=st.just(pool), graph=graphs(most=largest), objective=objective))


@settings(max_examples=60)
@given(problems_with_options(), st.integers(0, 9))
def test_plans_are_valid_and_bounds_are_below_the_optimum(problem: Problem, seed: int) -> None:
    best, _ = reference.optimum(problem)
    bounds = run_bound(Simple(), problem).bounds
    assert bounds[0].value <= best + 1e-9
    for p in planners_for(problem):
        if p.name not in OURS:
            continue
        result = run(p, problem, seed=seed, options=OPTIONS.get(p.name, {}), bounds=bounds)
        if result.device_of is None:
            assert result.status != "infeasible" or math.isinf(best)
            continue
        assert not reference.broken(problem, result.device_of.tolist()), p.name
        assert result.objective == pytest.approx(reference.objective(problem, result.device_of.tolist()))
        assert result.status != "optimal" or result.objective == pytest.approx(best)


@settings(max_examples=50)
@given(st.data())
def test_local_search_ends_where_no_single_move_helps(data: st.DataObject) -> None:
    problem = data.draw(problems_with_options(most=4, largest=8))
    start = np.array(data.draw(placements(problem)), np.int32)
    result = run(planner("local-search"), problem, options={"restarts": 2}, starts=[start])
    if result.device_of is not None:
        assert problem.live(result.device_of).best_moves() == []
    if not reference.broken(problem, start.tolist()):
        assert result.objective is not None
        assert result.objective <= reference.objective(problem, start.tolist()) * (1 + 1e-9)


def line(n: int = 6, **more: object) -> Graph:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=9.0, memory=4.0, **more) for i in range(n)]  # type: ignore[arg-type]
    return Graph.build("line", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 0.5) for i in range(n - 1)])


def test_memory_fill_for_latency_fills_accelerators_and_leaves_the_rest_to_the_cpu() -> None:
    result = run(planner("memory-fill"), Problem(line(), DevicePool(2, 1, memory=8.0), "latency"))
    assert result.device_of is not None and result.device_of.tolist() == [0, 0, 1, 1, 2, 2]
    assert result.objective == (2.0 + 0.5) + (0.5 + 2.0 + 0.5) + 18.0


def test_an_op_on_a_cpu_ends_a_subgraph_and_the_accelerator_goes_on_with_its_next() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, memory=4.0, supported=i != 1) for i in range(4)]
    graph = Graph.build("line", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, 0.5) for i in range(3)])
    two = Problem(graph, DevicePool(1, 1, memory=12.0, subgraphs=2), "latency")
    result = run(planner("memory-fill"), two)
    assert result.device_of is not None and result.device_of.tolist() == [0, 2, 1, 1]
    assert result.objective == 1.5 + 1.0 + 2.5
    one = run(planner("memory-fill"), Problem(graph, DevicePool(1, 1), "latency"))
    assert one.device_of is not None and one.device_of.tolist() == [0, 1, 1, 1]


def test_replication_keeps_everything_together_where_weights_are_small() -> None:
    """Four free accelerators: four copies of the whole take a quarter of the time each, and nothing is sent."""
    problem = Problem(line(8, param_bytes=0.125), DevicePool(4, 0, bandwidth=1.0, replication=True))
    result = run(planner("local-search"), problem, options={"restarts": 4})
    assert result.objective == pytest.approx(8 / 4 + 3 / 4)
    evaluation = problem.evaluate(result.device_of)  # type: ignore[arg-type]
    assert sorted(evaluation.replicas.tolist()) == [0, 0, 0, 4]


@pytest.mark.parametrize(
    ("target", "best"),
    [(DevicePool(2, 0, cluster_speed=4.0), 1.25), (DevicePool(2, 0, replication=True), 1.0)],
)
def test_no_method_overlooks_what_makes_plans_cheaper(target: DevicePool, best: float) -> None:
    """Two ops of one second and a transfer of another: a fast transfer or two copies beat one device, which takes 2."""
    ops = [Op(i, i, work=1.0, work_cpu=9.0) for i in "ab"]
    problem = Problem(Graph.build("pair", ops, [Tensor("a", ("b",), 1.0, 1.0)]), target)
    assert reference.optimum(problem)[0] == best
    for p in planners_for(problem):
        if p.name in {*OURS, "ideals-dp", "pipedream", "anneal"}:
            result = run(p, problem, options=OPTIONS.get(p.name, {}))
            assert result.status != "optimal" or result.objective == pytest.approx(best), p.name
            assert all(bound.value <= best * (1 + 1e-9) for bound in result.bounds), p.name
    for method in bound_methods().values():
        if method.name in {"simple", "dp"} and method.refusal(problem) is None:
            assert all(bound.value <= best * (1 + 1e-9) for bound in run_bound(method, problem).bounds)


def test_ops_of_one_class_may_be_in_two_subgraphs_of_one_accelerator() -> None:
    """Pins to two slots contradict no class; pins to two accelerators do."""
    target = DevicePool(2, 1, subgraphs=2)
    pins = (Pin("o0", "acc 0.0"), Pin("o5", "acc 0.1"), Together(("o0", "o5")))
    problem = Problem(line(), target, "latency", pins)
    assert run(planner("local-search"), problem, starts=[np.array([0, 0, 0, 1, 1, 1])]).objective == 7.0
    assert run(planner("local-search"), problem).status == "no_plan"
    apart = (Pin("o0", "acc 0.0"), Pin("o5", "acc 1.0"), Together(("o0", "o5")))
    assert run(planner("local-search"), Problem(line(), target, "latency", apart)).status == "infeasible"


def test_the_simple_bound_for_latency_is_the_longest_path() -> None:
    ops = [
        Op(i, i, work=w, work_cpu=2.0, supported=i != "c") for i, w in (("a", 1.0), ("b", 5.0), ("c", 1.0))
    ]
    graph = Graph.build("v", ops, [Tensor("a", ("b", "c"), 8.0)])
    free = Problem(graph, DevicePool(1, 1), "latency")
    assert run_bound(Simple(), free).bounds[0].value == 3.0
    pinned = free.with_constraints((Pin("b", "acc 0"),))
    bound = run_bound(Simple(), pinned).bounds[0]
    assert bound.value == 6.0
    assert bound.assumes == {"rule:support", "pin:b=acc 0"}
    assert free.strongest_bound([bound]) is None


def test_memory_fill_is_near_the_papers_greedy_for_latency() -> None:
    """Table 4's greedy column fixes some topological order; ours is depth-first."""
    for name, greedy in (
        ("OperatorGraphs/bert_l-3_inference", 416.20),
        ("LayerGraphs/bert24_inference", 100.22),
    ):
        graph = device_placement.read(shared(f"workloads/device-placement/latency/{name}.json"))
        result = run(planner("memory-fill"), Problem(graph, parse_target("pool", graph), "latency"))
        assert result.objective == pytest.approx(greedy, rel=0.1)
