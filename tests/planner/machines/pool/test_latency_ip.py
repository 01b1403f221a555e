"""latency-ip and its bounds: against brute force, the evaluation of the target, and the paper's table."""

from __future__ import annotations

import csv
import itertools
import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.formats import read_model
from planner.machines.pool.bounds.critical_path import CriticalPath
from planner.machines.pool.bounds.ip import Ip
from planner.machines.pool.latency.bound import PathBound
from planner.machines.pool.latency.cut import cut_row, cut_scratch
from planner.machines.pool.latency.path import heaviest_path, path_positions
from planner.machines.pool.latency.state import (
    Arrays,
    build_arrays,
    build_scratch,
    measure,
    placed,
    units_placed,
)
from planner.machines.pool.planners.latency_ip import LatencyIp
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run, run_bound
from planner.search.search import Callbacks as Listener
from planner.search.search import Search
from planner.search.stop import Cancel, Never
from tests.planner import reference
from tests.planner.strategies import graphs, placements, pools, problems
from tests.shared_files import shared

QUICK = {"runs": 4, "moves": 1500}


@st.composite
def latency_pools(draw: st.DrawFn, most: int = 3) -> DevicePool:
    pool = replace(draw(pools(most=most)), communication="sum")
    if pool.contiguous and pool.accelerators and draw(st.booleans()):
        pool = replace(pool, subgraphs=max(1, min(2, most // pool.accelerators)))
    return pool


def latency_problems(most_ops: int = 5, most: int = 3) -> st.SearchStrategy[Problem]:
    return problems(target=latency_pools(most=most), graph=graphs(most=most_ops), objective="latency")


@settings(max_examples=80)
@given(st.data())
def test_the_quick_latency_is_that_of_the_target(data: st.DataObject) -> None:
    problem = data.draw(latency_problems(most_ops=9, most=4))
    device_of = np.array(data.draw(placements(problem)), np.int32)
    if data.draw(st.booleans()):
        device_of[problem.graph.topological_order] = np.sort(device_of)
    arrays = build_arrays(problem)
    place = units_placed(arrays, device_of)
    if place is None:
        return
    device_of = placed(arrays, place)
    latency, _, over = measure(arrays, build_scratch(arrays), device_of)
    times = problem.evaluator.schedule(device_of)  # type: ignore[attr-defined]
    assert math.isfinite(latency) == (times.cuts == 0)
    if times.cuts == 0:
        assert latency == pytest.approx(times.latency)
    broken = {violation.kind for violation in problem.evaluator.violations(device_of)}
    assert (over > 0) == ("memory" in broken)
    assert broken <= {"memory", "contiguous"}


@settings(max_examples=30)
@given(latency_problems(), st.integers(0, 9), st.booleans())
def test_plans_are_valid_and_proofs_hold(problem: Problem, seed: int, paths_only: bool) -> None:
    best, _ = reference.optimum(problem)
    method = LatencyIp()
    options = {**QUICK, "solver": "none"} if paths_only else QUICK
    result = run(method, problem, seed=seed, options=options)
    for bound in result.bounds:
        assert bound.value <= best + 1e-9
    if result.device_of is None:
        assert result.status != "infeasible" or math.isinf(best)
        return
    assert not reference.broken(problem, result.device_of.tolist())
    assert result.objective == pytest.approx(reference.objective(problem, result.device_of.tolist()))
    assert result.objective is not None and result.objective >= best - 1e-9
    assert result.status != "optimal" or result.objective == pytest.approx(best)


@settings(max_examples=15, deadline=None)
@given(latency_problems(most_ops=5), st.integers(0, 9))
def test_the_exact_model_equals_brute_force(problem: Problem, seed: int) -> None:
    """Without annealing: every plan and the final proof come from the solver."""
    if not problem.target.contiguous or not problem.target.accelerators:  # type: ignore[attr-defined]
        return
    best, _ = reference.optimum(problem)
    result = run(LatencyIp(), problem, seed=seed, options={"runs": 0, "solver": "cp-sat"})
    if math.isinf(best):
        assert result.device_of is None
        assert result.status == "infeasible"
        return
    assert result.objective == pytest.approx(best)
    assert result.status == "optimal"


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_no_path_bound_is_above_any_valid_plan(data: st.DataObject) -> None:
    problem = data.draw(latency_problems(most_ops=9, most=4))
    device_of = data.draw(placements(problem))
    if data.draw(st.booleans()):
        order = problem.graph.topological_order.tolist()
        device_of = [sorted(device_of)[order.index(v)] for v in range(problem.graph.n)]
    if reference.broken(problem, device_of):
        return
    options = {"paths": 12, "cuts": 8}
    result = run_bound(CriticalPath(), problem, options=options, seed=data.draw(st.integers(0, 99)))
    worth = reference.objective(problem, device_of)
    assert all(bound.value <= worth + 1e-9 for bound in result.bounds)


@settings(max_examples=40, deadline=None)
@given(latency_problems(most_ops=6), st.integers(0, 9))
def test_minimum_cuts_prove_no_less_than_sums_and_no_more_than_the_optimum(
    problem: Problem, seed: int
) -> None:
    best = reference.optimum(problem)[0]
    proven = []
    for cuts in (0, 8):
        bounds = run_bound(CriticalPath(), problem, options={"paths": 12, "cuts": cuts}, seed=seed).bounds
        proven.append(max(bound.value for bound in bounds))
    assert proven[0] <= proven[1] * (1 + 1e-9) + 1e-9
    assert proven[1] <= best + 1e-9


def cheapest_cut(problem: Problem, arrays: Arrays, inside: set[int], outside: set[int]) -> float:
    """What a subgraph of the first accelerator costs that holds ``inside`` and not ``outside``: over all of these."""
    a, n = arrays, problem.graph.n
    free = [v for v in range(n) if v not in inside | outside]
    best = math.inf
    for chosen in itertools.product((False, True), repeat=len(free)):
        held = inside | {v for v, c in zip(free, chosen, strict=True) if c}
        cost = float(a.work[a.class_of[0]][list(held)].sum())
        for t in range(len(a.tensor_home)):
            users = set(a.consumer_idx[a.consumer_ptr[t] : a.consumer_ptr[t + 1]].tolist())
            made = int(a.tensor_home[t]) in held
            cost += float(a.tensor_time[t]) * (bool(users - held) if made else bool(users & held))
        best = min(best, cost)
    return best


@settings(max_examples=60, deadline=None)
@given(graphs(most=7), st.data())
def test_a_run_costs_no_more_than_the_cheapest_subgraph_around_it(graph: Graph, data: st.DataObject) -> None:
    """Between the least cost with the run alone inside, and that of any subgraph that a plan may have there."""
    problem = Problem(graph, DevicePool(2, 1), "latency")
    a = build_arrays(problem)
    order = graph.topological_order.astype(np.int32)
    path = heaviest_path(
        order, a.succ_ptr, a.succ_idx, np.array([1.0 + data.draw(st.integers(0, 3)) for _ in range(graph.n)])
    )
    if (np.diff(a.part[path]) < 0).any():
        return
    low, high = path_positions(path, a.part, order, a.pred_ptr, a.pred_idx, a.succ_ptr, a.succ_idx)
    size = len(path) + 1
    time_of, barred = np.zeros((size, size)), np.ones((size, size))
    i = data.draw(st.integers(0, len(path) - 1))
    ready = np.ones(len(a.allowed), bool)
    scratch, at = cut_scratch(a), i
    while at >= 0:
        at = cut_row(
            a, scratch, i, at, 2, path, low, high, order, a.work[a.class_of[0]], ready, True,
            math.inf, time_of, barred,
        )  # fmt: skip
    for j in range(i, len(path)):
        if barred[i, j]:
            continue
        ops = set(path[i : j + 1].tolist())
        part = a.part[path[i]]
        outside = {v for v in range(graph.n) if a.part[v] != part or low[v] > j or high[v] < i}
        assert time_of[i, j] >= cheapest_cut(problem, a, ops, outside) - 1e-9


@settings(max_examples=10, deadline=None)
@given(latency_problems(most_ops=5), st.integers(0, 9))
def test_the_integer_programs_bound_is_the_optimum(problem: Problem, seed: int) -> None:
    if Ip().refusal(problem) is not None or not problem.target.accelerators:  # type: ignore[attr-defined]
        return
    best, _ = reference.optimum(problem)
    result = run_bound(Ip(), problem, seed=seed)
    assert max(bound.value for bound in result.bounds) == pytest.approx(best)


def test_the_integer_program_bounds_contiguous_latency_only() -> None:
    problem = Problem(chain_of(4), DevicePool(2, 1, memory=2.0, contiguous=False), "latency")
    with pytest.raises(PlannerRefusal, match="contiguous"):
        run_bound(Ip(), problem)


def test_splits_in_any_shape_may_return_to_an_accelerator() -> None:
    # Fast ops at both ends of a chain, in the middle one that the accelerator may not hold.
    ops = [Op(str(i), str(i), work=1.0, work_cpu=2.0 if i == 1 else 50.0, supported=i != 1) for i in range(3)]
    graph = Graph.build("there and back", ops, [Tensor(str(i), (str(i + 1),), 0.0, 1.0) for i in range(2)])
    result = run(LatencyIp(), Problem(graph, DevicePool(1, 1, contiguous=False), "latency"), options=QUICK)
    assert result.device_of is not None
    assert result.device_of.tolist() == [0, 1, 0]
    assert result.objective == pytest.approx(1 + 1 + 2 + 1 + 1)


def test_two_subgraphs_are_no_worse_than_one() -> None:
    graph = chain_of(6)
    options = {**QUICK, "solver": "none"}
    values = [
        run(
            LatencyIp(), Problem(graph, DevicePool(3, 1, memory=2.0, subgraphs=q), "latency"), options=options
        )
        for q in (1, 2)
    ]
    assert values[1].objective is not None and values[0].objective is not None
    assert values[1].objective <= values[0].objective


def chain_of(count: int, work: float = 1.0, transfer: float = 0.5) -> Graph:
    ops = [Op(str(i), str(i), work=work, work_cpu=100.0, memory=1.0) for i in range(count)]
    tensors = [Tensor(str(i), (str(i + 1),), 0.0, transfer) for i in range(count - 1)]
    return Graph.build("chain", ops, tensors)


def test_a_chain_is_solved_and_proven_by_its_path_alone() -> None:
    # Six ops, two of which fit on an accelerator: three subgraphs, two borders paid on both sides.
    problem = Problem(chain_of(6), DevicePool(3, 1, memory=2.0), "latency")
    result = run(LatencyIp(), problem, options={**QUICK, "solver": "none"})
    assert result.objective == pytest.approx(6 + 2 * 2 * 0.5)
    assert result.status == "optimal"
    assert result.bounds[-1].method == "latency-ip"


def test_too_few_accelerators_without_a_cpu_are_proven_infeasible() -> None:
    problem = Problem(chain_of(6), DevicePool(2, 0, memory=2.0), "latency")
    result = run(LatencyIp(), problem, options=QUICK)
    assert result.status == "infeasible"


def test_a_path_too_long_for_tables_counts_op_by_op(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(chain_of(6), DevicePool(3, 1, memory=2.0), "latency")
    monkeypatch.setattr("planner.machines.pool.latency.bound.LONGEST_PATH", 5)
    search = Search(problem, Never(), Listener(), 0, {})
    bound = PathBound(problem, build_arrays(problem), search, "test")
    assert bound.of_path(np.arange(6, dtype=np.int32)) == 6.0


def test_constraints_and_starts_are_honoured() -> None:
    graph = chain_of(6)
    constraints = (Pin("2", "cpu 0"), Together(("0", "1")), Pin("5", "acc 1"))
    problem = Problem(graph, DevicePool(3, 2, memory=2.0), "latency", constraints)
    start = np.array([0, 0, 3, 2, 2, 1], np.int32)
    assert not problem.evaluator.violations(start)
    result = run(LatencyIp(), problem, options={"runs": 0, "solver": "none"}, starts=[start])
    assert result.objective is not None and result.objective <= problem.evaluator.objective(start)
    best = run(LatencyIp(), problem, options=QUICK)
    assert best.device_of is not None and best.status == "optimal"
    assert best.device_of[2] == 3
    assert best.device_of[5] == 1


def test_the_same_seed_gives_the_same_plan() -> None:
    problem = Problem(chain_of(8), DevicePool(2, 1, memory=3.0), "latency")
    plans = [
        run(LatencyIp(), problem, seed=5, options={**QUICK, "solver": "none"}).device_of for _ in range(2)
    ]
    assert np.array_equal(*plans)  # type: ignore[arg-type]


def test_the_exact_model_refuses_what_it_does_not_express() -> None:
    problem = Problem(chain_of(4), DevicePool(2, 1, memory=2.0, contiguous=False), "latency")
    with pytest.raises(PlannerRefusal, match="contiguous=true"):
        run(LatencyIp(), problem, options={**QUICK, "solver": "cp-sat"})


def test_a_cancel_ends_it_at_once_and_keeps_the_best_plan() -> None:
    graph = read_model(shared("workloads/device-placement/latency/OperatorGraphs/bert_l-3_inference.json"))
    problem = Problem(graph, file_pool(graph), "latency")
    began: list[float] = []

    def cancelled() -> bool:
        began.append(time.perf_counter())
        return began[-1] - began[0] > 0.3

    result = run(LatencyIp(), problem, stop=Cancel(cancelled))
    assert result.stop_reason == "cancelled"
    assert result.device_of is not None


def file_pool(graph: Graph) -> DevicePool:
    machine = dict(graph.deployment)
    return DevicePool(int(machine["accelerators"]), int(machine["cpus"]), machine["memory"])


def papers_latency(workload: str) -> float:
    with shared("oracles/device_placement_latency.tsv").open() as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        return next(float(row["ip"]) for row in rows if row["workload"] == workload)


@pytest.mark.parametrize(
    ("workload", "runs", "margin"),
    [
        ("OperatorGraphs/bert_l-3_inference", 1, 0.005),
        ("LayerGraphs/bert24_inference", 1, 0.0),
        ("LayerGraphs/resnet50_inference", 2, 0.0),
    ],
)
def test_plans_are_at_least_as_good_as_the_papers(workload: str, runs: int, margin: float) -> None:
    """An hour of the paper's solver against a second of ours; ``margin`` is what may be worse."""
    graph = read_model(shared(f"workloads/device-placement/latency/{workload}.json"))
    problem = Problem(graph, file_pool(graph), "latency")
    result = run(LatencyIp(), problem, options={"runs": runs, "moves": 60_000, "solver": "none"}, seed=1)
    papers = papers_latency(workload)
    assert result.objective is not None and result.objective <= papers * (1 + margin) + 0.005
    assert result.bounds and result.bounds[-1].value <= result.objective
    assert result.bounds[-1].value >= 0.75 * result.objective
