"""Planning where nobody names a planner: the order of tries, their budget, and that there is always an answer."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from planner.errors import PlannerRefusal
from planner.feasibility import explain
from planner.formats import read_models
from planner.machines.catalogue import planner
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.planners.max_load_ip import MaxLoadIp
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.machines.trying import best_of, find_plan, quick_plan, tried_planners, tried_words
from planner.methods.balanced import balanced_slicing
from planner.methods.orders import depth_first_order
from planner.methods.units import chain
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.runs.replay import replay
from planner.search import stop as stop_module
from planner.search.method import Planner
from planner.search.result import Result
from planner.search.run import plan_of, run
from planner.search.stop import (
    AnyOf,
    Budget,
    FirstPlan,
    GapReached,
    Progress,
    Stop,
    TimeLimit,
    WallBudget,
    WorkBudget,
    processor_seconds,
)

SAMPLES = Path(__file__).parents[3] / "sample_models"
GRAPHS = sorted(
    file.name for file in SAMPLES.iterdir() if file.suffix in (".json", ".onnx", ".tflite") and file.is_file()
)
MACHINES = ("pipeline:4", "pool:2+1", "pool:2+1,contiguous=false", "edge-tpu:4", "mcm:12")


def looks(count: int) -> WorkBudget:
    """A budget that is spent after so many looks at it."""
    return WorkBudget(count, 1e9, spent=itertools.count().__next__, now=itertools.count().__next__)  # type: ignore[arg-type]


def blocks(n: int) -> Graph:
    """Blocks of a transformer in a row, 20 ops each: three branches, a residual, a feed-forward chain."""
    rng = np.random.default_rng(1)
    work, size = rng.uniform(1e-5, 1e-4, n), rng.integers(1_000, 100_000, n)
    ops = [Op(f"o{i}", f"o{i}", work=work[i], work_cpu=10 * work[i], memory=float(size[i])) for i in range(n)]
    inside = [(0, 3), (1, 3), (2, 5), (3, 4), (4, 5), *((i, i + 1) for i in range(5, 19)), (10, 18)]
    edges: dict[int, list[int]] = {}
    for begin in range(0, n, 20):
        if begin:
            edges[begin - 1] = [begin, begin + 1, begin + 2, begin + 10]
        for a, b in inside:
            edges.setdefault(begin + a, []).append(begin + b)
    tensors = [Tensor(f"o{a}", tuple(f"o{b}" for b in sorted(to)), 1e5) for a, to in edges.items()]
    return Graph.build(f"blocks {n}", ops, tensors, time_unit="s")


def ended(planner: Planner, problem: Problem, device_of: Any = None, **changes: Any) -> Result:
    """A result as a planner might hand it on."""
    result = Result(planner.name, problem, None, None, (), "no_plan", "finished", 0.5, 0, {}, 1)
    if device_of is not None:
        device_of = np.array(device_of, np.int32)
        components = problem.evaluator.components(device_of)
        result = replace(
            result, device_of=device_of, objective=components[0], components=components, status="feasible"
        )
    return replace(result, **changes)


def row() -> Problem:
    """Four ops in a row on two stages."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=2.0) for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=0.5) for i in range(3)]
    return Problem(Graph.build("row", ops, tensors), Pipeline(2))


# ---------------------------------------------------------------------------------------------------------- an answer
def test_a_search_that_would_not_end_has_a_plan_when_its_budget_is_spent() -> None:
    problem = Problem(read_models([SAMPLES / "denoiser.onnx"]), parse_target("pool:3+1"))
    tried = find_plan(problem, looks(30))
    assert tried.result.device_of is not None and tried.stop_reason == "time"
    assert not problem.evaluator.violations(tried.result.device_of)
    assert [t.planner for t in tried.tries] == ["memory-fill", "ideals-dp"]
    assert tried.result.planner in ("memory-fill", "ideals-dp") and tried.result.status == "feasible"


@pytest.mark.parametrize(
    "spec", ["pool:3+1", "pool:3+1,memory=400e6", "pool:3+1,memory=400e6,contiguous=false"]
)
def test_a_pool_of_20_000_ops_has_a_plan(spec: str) -> None:
    graph = blocks(20_000)
    problem = Problem(graph, parse_target(spec, graph))
    tried = find_plan(problem, looks(2_000), stop=FirstPlan())
    assert tried.result.device_of is not None and not problem.evaluator.violations(tried.result.device_of)
    for name in ("ideals-dp", "dpl", "local-search"):
        if planner(name).refusal(problem) is None:
            assert run(planner(name), problem, FirstPlan()).device_of is not None, name


@pytest.mark.parametrize("model", GRAPHS)
def test_every_sample_has_an_answer_on_every_machine(model: str) -> None:
    graph = read_models([SAMPLES / model])
    for spec in MACHINES:
        problem = Problem(graph, parse_target(spec, graph))
        result = find_plan(problem, Budget(), stop=FirstPlan()).result
        if result.device_of is None:
            assert explain(problem).status == "infeasible", spec
        else:
            assert not problem.evaluator.violations(result.device_of), spec


def test_what_contradicts_itself_is_not_searched() -> None:
    graph = blocks(40)
    problem = Problem(graph, parse_target("pool:2+0,memory=1000", graph))
    tried = find_plan(problem, Budget())
    assert tried.result.device_of is None and [t.planner for t in tried.tries] == ["memory-fill", "dpl"]
    late = find_plan(problem, Budget(), runner=lambda p, s, o: ended(p, problem, stop_reason="time"))
    assert late.stop_reason == "finished"


def test_others_are_asked_where_quick_planners_and_the_own_one_find_nothing() -> None:
    problem = Problem(blocks(20), DevicePool(2, 1))
    asked: list[str] = []

    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        asked.append(planner.name)
        if planner.name == "dpl":
            raise PlannerRefusal("not this one")
        return ended(planner, problem, np.zeros(20) if planner.name == "local-search" else None)

    tried = find_plan(problem, Budget(), runner=runner)
    assert (
        asked == ["memory-fill", "dpl", "ideals-dp", "local-search"]
        and tried.result.planner == "local-search"
    )
    assert [t.stop_reason for t in tried.tries] == ["finished", "refused", "finished", "finished"]
    assert tried_words(tried.tries[:2]) == "'memory-fill' (found none), 'dpl' (does not serve it)"


def test_the_own_planner_has_all_that_is_left_once_it_has_a_plan() -> None:
    problem = Problem(blocks(20), DevicePool(2, 1))
    spent = 0.0
    fired: list[tuple[bool, bool]] = []

    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        nonlocal spent
        if planner.name == "ideals-dp":
            spent = 7.0
            fired.append((stop(Progress()), stop(Progress(components=(1.0,)))))
        return ended(planner, problem)

    find_plan(
        problem, WorkBudget(10.0, 1e9, spent=lambda: spent, now=itertools.count().__next__), runner=runner
    )  # type: ignore[arg-type]
    assert fired == [(True, False)]


def test_a_time_limit_is_told_to_the_own_planner_as_a_whole() -> None:
    problem = Problem(blocks(20), DevicePool(2, 1))
    left: list[float] = []

    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        left.append(AnyOf([stop]).left(Progress()))
        return ended(planner, problem)

    find_plan(problem, WallBudget(1000.0), runner=runner)
    assert left[0] < 201.0 and 900.0 < left[2] <= 1000.0


def test_nothing_found_is_no_proof() -> None:
    problem = Problem(blocks(20), DevicePool(2, 1))
    tried = find_plan(problem, Budget(), runner=lambda planner, stop, options: ended(planner, problem))
    quick, exact, own, further = tried_planners(problem)
    assert [t.planner for t in tried.tries] == [p.name for p in (*quick, *exact, own, *further)]
    assert tried.result.status == "no_plan" and tried.result.device_of is None


def test_where_all_refuse_the_last_says_why() -> None:
    def refuse(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        raise PlannerRefusal(f"not {planner.name}")

    with pytest.raises(PlannerRefusal, match="not local-search"):
        find_plan(row(), Budget(), runner=refuse)


def test_an_option_that_the_own_planner_has_not_is_refused_before_anything_is_tried() -> None:
    with pytest.raises(PlannerRefusal, match="'anneal' has no option 'nonsense'"):
        find_plan(row(), Budget(), options={"nonsense": "1"}, runner=lambda *_: pytest.fail("tried"))


# ------------------------------------------------------------------------------------------------- which result it is
@pytest.mark.parametrize("spec", ["pool:3+0", "pipeline:3"])
def test_the_planner_that_suits_the_problem_finds_what_it_finds_alone_and_again(spec: str) -> None:
    graph = read_models([SAMPLES / "unet.onnx"])
    problem = Problem(graph, parse_target(spec, graph))
    _, exact, own, _ = tried_planners(problem)
    best = (*exact, own)[0]
    alone = run(best, problem, seed=3)
    tried = find_plan(problem, Budget(), seed=3)
    assert tried.result.planner == best.name and tried.result.status == alone.status == "optimal"
    assert np.array_equal(tried.result.device_of, alone.device_of) and tried.result.starts == ()
    assert replay(plan_of(tried.result)).outcome == "identical"


def test_an_exact_planner_leaves_what_is_too_wide_for_it_to_others() -> None:
    problem = Problem(Graph.build("wide", [Op(f"o{i}", f"o{i}", work=1.0 + i % 5, work_cpu=1.0) for i in range(30)], []),
                      Pipeline(3))  # fmt: skip
    tried = find_plan(problem, Budget())
    assert [t.planner for t in tried.tries][:3] == ["one-device", "chain-dp", "anneal"]
    assert tried.result.device_of is not None


@pytest.mark.parametrize(
    ("spec", "ops", "names"),
    [
        ("pipeline:3", 4, ["chain-dp"]),
        ("pipeline:3,communication=overlap", 4, ["mtpp-cp-sat"]),
        ("pipeline:3,path=true", 4, ["mtpp-cp-sat"]),
        ("pipeline:3,communication=overlap", 2_501, []),
        ("pipeline:3,activations=peak", 4, []),
    ],
)
def test_the_first_exact_planner_that_serves_is_tried_where_its_program_is_worth_building(
    spec: str, ops: int, names: list[str]
) -> None:
    graph = Graph.build("row", [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(ops)],
                        [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=1.0) for i in range(ops - 1)])  # fmt: skip
    assert [p.name for p in tried_planners(Problem(graph, parse_target(spec, graph)))[1]] == names


def test_overlapped_transfers_are_planned_and_proven_unasked() -> None:
    graph = read_models([SAMPLES / "unet.onnx"])
    tried = find_plan(Problem(graph, parse_target("pipeline:4,communication=overlap", graph)), Budget())
    assert tried.result.status == "optimal" and tried.result.planner == "mtpp-cp-sat"


def test_the_better_plan_counts_and_of_equals_the_last() -> None:
    problem = row()
    worse, better = ended(planner("slice"), problem, [0] * 4), ended(planner("anneal"), problem, [0, 0, 1, 1])
    twin = ended(planner("brkga"), problem, [0, 0, 1, 1])
    assert best_of([worse, better]).planner == best_of([better, worse]).planner == "anneal"
    assert best_of([better, twin]).planner == "brkga" and best_of([twin, better]).planner == "anneal"
    bound = problem.bound("bottleneck", 2.5, "exact", frozenset())
    none = ended(planner("slice"), problem, bounds=(bound,))
    assert best_of([better, none]).planner == "anneal" and best_of([better, none]).status == "optimal"


def test_a_plan_that_is_proven_the_best_ends_the_tries() -> None:
    problem = row()
    bound = problem.bound("bottleneck", 2.5, "exact", frozenset())

    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        return ended(planner, problem, [0, 0, 1, 1], bounds=(bound,))

    tried = find_plan(problem, Budget(), runner=runner)
    assert len(tried.tries) == 1 and tried.result.status == "optimal" and tried.stop_reason == "finished"


def test_a_gap_that_is_reached_ends_the_tries() -> None:
    problem = row()
    bound = problem.bound("bottleneck", 2.0, "exact", frozenset())

    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        return ended(planner, problem, [0, 0, 1, 1], bounds=(bound,))

    tried = find_plan(problem, Budget(), stop=GapReached(0.5), runner=runner)
    assert len(tried.tries) == 1 and tried.stop_reason == "gap"


def test_an_interrupt_keeps_what_was_found_before() -> None:
    problem = row()

    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        if planner.name == "anneal":
            raise KeyboardInterrupt
        return ended(planner, problem, [0, 0, 1, 1])

    tried = find_plan(problem, Budget(), runner=runner)
    assert tried.stop_reason == "cancelled" and tried.result.device_of is not None
    with pytest.raises(KeyboardInterrupt):
        find_plan(problem.with_constraints((Pin("o3", "stage 1"),)), Budget(), runner=_interrupted)


def _interrupted(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
    raise KeyboardInterrupt


def test_a_quick_plan_is_the_first_there_is() -> None:
    problem = row()
    found = quick_plan(problem, lambda planner, stop, options: run(planner, problem, stop))
    assert found is not None and found.planner == "one-device"
    assert quick_plan(problem, lambda planner, stop, options: ended(planner, problem)) is None


# ----------------------------------------------------------------------------------------------------------- budgets
def test_a_budget_of_work_fires_on_either_time() -> None:
    cpu, wall = 0.0, 0.0
    budget = WorkBudget(10.0, 30.0, spent=lambda: cpu, now=lambda: wall)
    share, whole = budget.stop(0.5), budget.stop()
    assert not share(Progress()) and not hasattr(whole, "left")
    cpu, wall = 6.0, 1.0
    assert share(Progress()) and not whole(Progress()) and not budget.over
    cpu, wall = 6.0, 31.0
    assert whole(Progress()) and budget.over and whole.reason == "time"
    assert budget.stop()(Progress())


def test_a_budget_of_time_is_a_time_limit_and_none_is_none() -> None:
    stop = WallBudget(100.0).stop(0.5)
    assert isinstance(stop, TimeLimit) and 0.0 < stop.limit <= 50.0
    assert WallBudget(0.0).over and not Budget().over and not Budget().stop(0.1)(Progress(seconds=1e9))


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell of children that run")
def test_the_work_of_children_counts_while_they_run_and_after() -> None:
    words = "sum(i * i for i in range(3_000_000)); print(flush=True); input()"
    before = processor_seconds() - time.process_time()
    with subprocess.Popen(
        [sys.executable, "-c", words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        running = processor_seconds() - time.process_time() - before
        child.communicate(b"\n")
    assert running > 0.0 and processor_seconds() - time.process_time() - before >= running


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell of children that run")
def test_what_ended_below_a_child_does_not_count_at_once() -> None:
    works = "import time; sum(i * i for i in range(8_000_000)); print(time.process_time(), flush=True)"
    words = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {works!r}]); print(flush=True); input()"
    before = processor_seconds() - time.process_time()
    with subprocess.Popen(
        [sys.executable, "-c", words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        below = float(child.stdout.readline())
        child.stdout.readline()
        running = processor_seconds() - time.process_time() - before
        child.communicate(b"\n")
    assert running < below < processor_seconds() - time.process_time() - before


# ---------------------------------------------------------------------------------------------------- a first slicing
@pytest.mark.parametrize("seed", range(8))
def test_balanced_slicings_keep_memory_and_support(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ops = [
        Op(f"o{i}", f"o{i}", work=rng.uniform(1, 2), work_cpu=rng.uniform(5, 9), memory=float(rng.integers(1, 9)),
           supported=not 10 <= i < 12)
        for i in range(30)
    ]  # fmt: skip
    graph = Graph.build("r", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=0.1) for i in range(29)])
    problem = Problem(graph, DevicePool(4, 2, memory=60.0))
    units = chain(problem)
    order = depth_first_order(*units.succs)
    found = balanced_slicing(units, order)
    assert found is not None and not problem.evaluator.violations(found[units.unit_of])
    best = run(planner("dpl"), problem).objective
    assert best is not None and best <= problem.evaluator.objective(found[units.unit_of]) * (1 + 1e-9)
    assert balanced_slicing(chain(Problem(graph, DevicePool(4, 0, memory=60.0))), order) is None


def test_who_is_tried_where_programs_would_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(blocks(40), DevicePool(2, 1))
    assert [p.name for p in tried_planners(problem)[3]] == ["local-search", "max-load-ip"]
    monkeypatch.setattr(MaxLoadIp, "most_unasked", 10)
    assert [p.name for p in tried_planners(problem)[3]] == ["local-search"]


def test_what_is_compiled_counts_against_no_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = SimpleNamespace(seconds=100.0, processor_seconds=100.0)
    monkeypatch.setattr(stop_module, "compiling", spent)
    by_clock, by_work = WorkBudget(1e6, 50.0), WorkBudget(50.0, 1e6)
    assert not by_clock.over and not by_work.over
    spent.seconds = 0.0  # of what went by since, nothing was compiling
    assert by_clock.over and not by_work.over
    spent.processor_seconds = 0.0
    assert by_work.over
