"""Latency bounds by regions: against brute force, on graphs that fall into regions, and the parts that they are made of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.formats import read_model
from planner.machines.pool.bounds.critical_path import CriticalPath
from planner.machines.pool.latency.bound import PathBound
from planner.machines.pool.latency.regions.bound import RegionBound
from planner.machines.pool.latency.regions.flows import best_flow
from planner.machines.pool.latency.regions.region import articulate, articulation_ops
from planner.machines.pool.latency.regions.tables import Tables, Way
from planner.machines.pool.latency.state import build_arrays
from planner.machines.pool.planners.latency_ip import LatencyIp
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Search
from planner.search.stop import Never
from tests.planner import reference
from tests.planner.strategies import graphs, placements, problems
from tests.shared_files import shared


@st.composite
def region_graphs(draw: st.DrawFn, most: int = 7) -> Graph:
    """Regions in a row: up to three branches, of an op or two, between single ops; now and then a tensor that passes over one."""
    numbers = st.integers(0, 6).map(float)
    makers: list[set[int]] = [set()]
    joint = 0
    while len(makers) < most and draw(st.integers(0, 5)):
        ends = []
        for _ in range(draw(st.integers(1, 3))):
            before = joint
            for _ in range(draw(st.integers(0, 2))):
                if len(makers) >= most - 1:
                    break
                makers[before].add(len(makers))
                before = len(makers)
                makers.append(set())
            ends.append(before)
        joint = len(makers)
        makers.append(set())
        for end in ends:
            makers[end].add(joint)
        if draw(st.integers(0, 3)) == 0:
            makers[draw(st.integers(0, joint - 1))].add(joint)
    ops, tensors = [], []
    for v, readers in enumerate(makers):
        ops.append(
            Op(
                f"op{v}", f"op{v}", work=draw(numbers), work_cpu=draw(numbers) * 3, memory=draw(numbers),
                supported=draw(st.integers(0, 9)) > 0,
            )
        )  # fmt: skip
        if readers:
            size = draw(numbers)
            tensors.append(Tensor(f"op{v}", tuple(f"op{w}" for w in sorted(readers)), size, size))

    return Graph.build("regions", ops, tensors, time_unit=None)


@st.composite
def latency_pools(draw: st.DrawFn) -> DevicePool:
    accelerators, subgraphs = draw(st.sampled_from([(1, 1), (1, 2), (2, 1), (3, 1)]))
    memory = draw(st.sampled_from([math.inf, 5.0, 9.0, 14.0]))
    return DevicePool(accelerators, draw(st.integers(0, 1)), memory=memory, subgraphs=subgraphs)


def region_problems(most_ops: int = 7) -> st.SearchStrategy[Problem]:
    return problems(target=latency_pools(), graph=region_graphs(most=most_ops), objective="latency")


def searching(problem: Problem) -> Search:
    return Search(problem, Never(), Callbacks(), 0, {})


def path_bound(problem: Problem) -> PathBound:
    return PathBound(problem, build_arrays(problem), searching(problem), "critical-path")


def proven(problem: Problem) -> RegionBound:
    bound = path_bound(problem).regions
    while bound.advance(0.0):
        pass
    return bound


@settings(max_examples=120, deadline=None)
@given(region_problems(most_ops=6))
def test_no_valid_plan_lies_below(problem: Problem) -> None:
    best = reference.optimum(problem)[0]
    bound = proven(problem)
    assert bound.proven <= best * (1 + 1e-9) + 1e-9
    if bound.plan is not None and not problem.evaluator.violations(bound.plan):
        assert problem.evaluator.objective(bound.plan) >= best - 1e-9


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_valid_plan_of_larger_graphs_lies_below(data: st.DataObject) -> None:
    problem = data.draw(region_problems(most_ops=14))
    device_of = data.draw(placements(problem))
    order = problem.graph.topological_order.tolist()
    device_of = [sorted(device_of)[order.index(v)] for v in range(problem.graph.n)]
    if reference.broken(problem, device_of):
        return
    assert proven(problem).proven <= reference.objective(problem, device_of) * (1 + 1e-9) + 1e-9


@settings(max_examples=60, deadline=None)
@given(graphs(most=8))
def test_articulation_ops_are_comparable_with_all_others(graph: Graph) -> None:
    e = Problem(graph, DevicePool(1, 1), "latency").evaluator
    src, dst = e.edge_src.tolist(), e.edge_dst.tolist()
    after: list[set[int]] = [set() for _ in range(graph.n)]
    for v in graph.topological_order[::-1].tolist():
        for u, w in zip(src, dst, strict=True):
            if u == v:
                after[v] |= {w} | after[w]
    expected = [
        v
        for v in graph.topological_order.tolist()
        if all(w == v or w in after[v] or v in after[w] for w in range(graph.n))
    ]
    found = articulation_ops(graph.topological_order, (e.pred_ptr, e.pred_idx), (e.succ_ptr, e.succ_idx))
    assert found.tolist() == expected


@settings(max_examples=60, deadline=None)
@given(region_problems(most_ops=9), st.data())
def test_a_plan_of_a_region_takes_what_the_target_says(problem: Problem, data: st.DataObject) -> None:
    """Whatever flow and way: what is proven is at most the plan's mean over paths, and that at most its time."""
    cut = articulate(build_arrays(problem), path_bound(problem).rules)
    region = data.draw(st.sampled_from(cut.regions))
    tables = Tables(region, math.inf, 1.0, 2, unlimited=False)
    for _ in tables.prepare(searching(problem), 10**6):
        pass
    way = Way(False, False, data.draw(st.integers(0, 2)))
    rows: list[tuple[np.ndarray, float]] = []
    flow = tables.first_flow()
    for _ in range(3):
        before = tables.values.at(way)
        plans = tables.look(flow, way)
        assert tables.values.at(way) >= before
        if not plans:
            return
        for plan in plans:
            costs, constant = tables.row(plan, way)
            mean = float((costs * flow).sum()) + constant
            assert tables.time_of(plan, way) >= mean - 1e-9
            assert tables.time_of(plan, way) >= tables.values.at(way) - 1e-9
            rows.append((costs, constant))
        flow, most = best_flow(region, rows)
        assert tables.values.at(way) <= most + 1e-7


def branches(count: int, length: int) -> Graph:
    """Chains of ops side by side, between a first and a last op; tensors cost nothing."""
    ops = [Op("first", "first", work=1.0, work_cpu=1.0)]
    tensors = []
    for b in range(count):
        for i in range(length):
            ops.append(Op(f"{b}-{i}", f"{b}-{i}", work=1.0, work_cpu=10.0))
            if i:
                tensors.append(Tensor(f"{b}-{i - 1}", (f"{b}-{i}",), 0.0, 0.0))
        tensors.append(Tensor(f"{b}-{length - 1}", ("last",), 0.0, 0.0))
    tensors.insert(0, Tensor("first", tuple(f"{b}-0" for b in range(count)), 0.0, 0.0))
    ops.append(Op("last", "last", work=1.0, work_cpu=1.0))
    return Graph.build("branches", ops, tensors, time_unit=None)


def test_one_accelerator_serves_branches_one_after_the_other() -> None:
    """A path sees one branch alone, which takes 4 on an accelerator; all three together take 12 there."""
    problem = Problem(branches(3, 4), DevicePool(1, 8), "latency")
    ran = run(LatencyIp(), problem, options={"runs": 1, "solver": "none"})
    assert ran.objective == pytest.approx(14.0)
    for bounds in (run_bound(CriticalPath(), problem).bounds, ran.bounds):
        best = problem.strongest_bound(bounds)
        assert best is not None and best.value == pytest.approx(14.0)


def test_memory_of_a_subgraph_counts_in_the_regions_that_it_reaches_into() -> None:
    """A subgraph that holds a region with both of its ends needs the memory of all."""
    graph = branches(2, 2)
    ops = [Op(i, i, work=1.0, work_cpu=5.0, memory=1.0) for i in graph.op_ids]
    whole = Graph.build("memory", ops, graph_tensors(graph), time_unit=None)
    for memory, least in ((6.0, 6.0), (5.0, None), (1.0, None)):
        problem = Problem(whole, DevicePool(1, 1, memory=memory), "latency")
        expected = least or reference.optimum(problem)[0]
        assert proven(problem).proven == pytest.approx(expected)


def graph_tensors(graph: Graph) -> list[Tensor]:
    return [
        Tensor(
            graph.op_ids[graph.tensor_producer[t]],
            tuple(
                graph.op_ids[v] for v in graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
            ),
            0.0,
            0.0,
        )
        for t in range(graph.tensor_count)
    ]


def test_graphs_without_regions_and_splits_in_any_shape_are_left_alone() -> None:
    wide = Graph.build("wide", [Op(f"op{v}", f"op{v}", work=1.0, work_cpu=1.0) for v in range(70)], [])
    assert proven(Problem(wide, DevicePool(2, 1), "latency")).proven < 0
    assert proven(Problem(branches(2, 2), DevicePool(2, 1, contiguous=False), "latency")).proven < 0


def test_the_layer_graphs_of_the_paper_are_proven() -> None:
    """Its integer program had an optimum for the first only; the others were open by more than 90 %."""
    for name, best, least in (
        ("bert24", 100.2185, 1.0), ("resnet50", 1156.88128, 1.0), ("inceptionv3", 1199.7035, 0.99),
    ):  # fmt: skip
        graph = read_model(shared(f"workloads/device-placement/latency/LayerGraphs/{name}_inference.json"))
        problem = Problem(graph, parse_target("pool", graph), "latency")
        bound = proven(problem)
        assert best * least <= bound.proven * (1 + 1e-6) <= best * (1 + 1e-5)
        assert bound.plan is not None and not problem.evaluator.violations(bound.plan)
        assert problem.evaluator.objective(bound.plan) <= best * 1.02
