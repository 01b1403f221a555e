"""The planners of a pipeline: valid, honest, repeatable, quick to stop; and the machinery they share."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.orders import random_keys
from planner.machines.pipeline.orders.annealing import Annealing
from planner.machines.pipeline.orders.arrangement import lengths, pulls, shorten
from planner.machines.pipeline.orders.search import PipelineSearch
from planner.machines.pipeline.orders.slicer import PipelineSlicer, pipeline_units
from planner.machines.pipeline.planners.anneal import Anneal
from planner.machines.pipeline.planners.brkga import Brkga
from planner.machines.pipeline.planners.mla import Mla
from planner.machines.pipeline.planners.mla_weighted import MlaWeighted
from planner.machines.pipeline.planners.slice import Slice
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.several.planners.local_search import LocalSearch
from planner.machines.several.planners.slice_random import SliceRandom
from planner.methods.orders import kahn_order
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.search.method import Planner
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import AnyOf, Cancel, Never
from tests.planner import reference
from tests.planner.strategies import graphs, stage_problems

SMALL = {"population": 8, "generations": 4}
QUICK: list[tuple[Planner, dict[str, object]]] = [
    (Slice(), {}),
    (SliceRandom(), {"orders": 20}),
    (Brkga(), SMALL),
    (Mla(), SMALL),
    (MlaWeighted(), SMALL),
    (Anneal(), {"rounds": 2, "moves": 300, "orders": 20}),
    (LocalSearch(), {"on": "orders", "restarts": 2, "orders": 100}),
]
names = [p.name for p, _ in QUICK]


def quiet(problem: Problem, seed: int = 0) -> Search:
    return Search(problem, Never(), Callbacks(), seed, {})


def random_graph(n: int, seed: int, heavy: float = 0.5) -> Graph:
    """Sparse, with skips; tensors cost about ``heavy`` times the work."""
    rng = np.random.default_rng(seed)
    ops = [
        Op(f"o{i}", f"o{i}", work=float(rng.uniform(0.1, 1)), work_cpu=1.0, param_bytes=1.0) for i in range(n)
    ]
    tensors = []
    for i in range(n - 1):
        to = {int(j) for j in rng.integers(i + 1, min(n, i + 15), 2)}
        tensors.append(
            Tensor(f"o{i}", tuple(f"o{j}" for j in sorted(to)), 1.0, float(rng.exponential(heavy)))
        )
    return Graph.build("random", ops, tensors)


@settings(max_examples=30)
@given(stage_problems(most=3, graph=graphs(most=5)), st.integers(0, 9))
def test_every_plan_is_valid_and_no_better_than_the_optimum(problem: Problem, seed: int) -> None:
    best, _ = reference.optimum(problem)
    for planner, options in QUICK:
        result = run(planner, problem, seed=seed, options=options)
        if math.isinf(best):
            assert result.status == "infeasible", planner.name
            continue
        assert result.device_of is not None and result.objective is not None
        assert not reference.broken(problem, result.device_of.tolist()), planner.name
        assert result.objective == pytest.approx(reference.objective(problem, result.device_of.tolist()))
        assert result.objective >= best - 1e-9


@pytest.mark.parametrize(("planner", "options"), QUICK, ids=names)
def test_the_same_seed_gives_the_same_plan(planner: Planner, options: dict[str, object]) -> None:
    problem = Problem(random_graph(60, 1), Pipeline(5))
    one, two = (run(planner, problem, options=options, seed=7) for _ in range(2))
    assert one.device_of is not None and two.device_of is not None
    assert one.device_of.tolist() == two.device_of.tolist()
    assert one.iterations == two.iterations


@pytest.mark.parametrize(("planner", "options"), QUICK, ids=names)
def test_a_plan_to_start_from_is_never_made_worse(planner: Planner, options: dict[str, object]) -> None:
    problem = Problem(random_graph(40, 2), Pipeline(4))
    start = run(Anneal(), problem, seed=3, options={"rounds": 2, "moves": 50_000}).device_of
    assert start is not None
    objective = problem.evaluator.objective(start)
    bad = np.arange(40, dtype=np.int32)[::-1] % 4
    result = run(planner, problem, options=options, starts=[bad.copy(), start])
    assert result.objective is not None and result.objective <= objective * (1 + 1e-9)


@pytest.mark.parametrize(("planner", "options"), QUICK, ids=names)
def test_pins_and_together_are_kept(planner: Planner, options: dict[str, object]) -> None:
    constraints = (Pin("o3", "stage 1"), Pin("o30", "stage 1"), Pin("o35", "stage 3"), Together(("o5", "o9")))
    problem = Problem(random_graph(40, 4), Pipeline(5, memory=6.0, bandwidth=4.0), constraints=constraints)
    result = run(planner, problem, options=options)
    assert result.device_of is not None
    assert not reference.broken(problem, result.device_of.tolist())


@pytest.mark.parametrize(("planner", "options"), QUICK, ids=names)
def test_pins_against_the_order_are_proven_infeasible(planner: Planner, options: dict[str, object]) -> None:
    problem = Problem(
        random_graph(10, 0), Pipeline(3), constraints=(Pin("o0", "stage 2"), Pin("o9", "stage 0"))
    )
    reachable = {0}
    for u, v in sorted(reference.edges(problem.graph)):
        if u in reachable:
            reachable.add(v)
    assert 9 in reachable
    assert run(planner, problem, options=options).status == "infeasible"


@pytest.mark.parametrize(
    ("planner", "options"),
    [
        (SliceRandom(), {"orders": 10**7}),
        (Brkga(), {"generations": 10**6}),
        (Mla(), {"generations": 10**6}),
        (MlaWeighted(), {"generations": 10**6}),
        (Anneal(), {"rounds": 1, "moves": 10**10}),
        (LocalSearch(), {"on": "orders", "orders": 10**9}),
    ],
    ids=names[1:],
)
def test_a_cancelled_search_asks_often_and_keeps_its_best(
    planner: Planner, options: dict[str, object]
) -> None:
    problem = Problem(random_graph(300, 5), Pipeline(8))
    asked: list[float] = []

    def cancelled() -> bool:
        asked.append(time.thread_time())
        return len(asked) > 12

    result = run(planner, problem, AnyOf([Cancel(cancelled)]), options=options)
    assert result.stop_reason == "cancelled" and result.device_of is not None
    assert len(asked) >= 13


def test_orders_are_searched_on_pipelines_only() -> None:
    problem = Problem(random_graph(10, 0), DevicePool(2, 0))
    with pytest.raises(PlannerRefusal, match="serves a pipeline only"):
        run(LocalSearch(), problem, options={"on": "orders"})


# ------------------------------------------------------------------------------------------------------ shared machinery
@settings(max_examples=60)
@given(stage_problems(most=4, graph=graphs(least=2, most=8)), st.integers(0, 99))
def test_an_order_contains_the_plan_it_is_made_of(problem: Problem, seed: int) -> None:
    orders = PipelineSearch(problem, quiet(problem, seed), "test")
    if not orders.possible:
        return
    units = orders.units
    rng = np.random.default_rng(seed)
    found = orders.slicer.solve(kahn_order(*units.succs, rng.random(units.count)), orders.search)
    assert found is not None
    order = orders.order_of(found[1])
    assert (np.diff(found[1][order]) >= 0).all()
    again = PipelineSlicer(units).solve(order, orders.search)
    assert again is not None and again[0] <= found[0] * (1 + 1e-12)


@settings(max_examples=60)
@given(stage_problems(most=4, graph=graphs(least=2, most=8)), st.integers(1, 99))
def test_annealing_keeps_its_sums(problem: Problem, seed: int) -> None:
    units = pipeline_units(problem)
    if units.blocked >= 0:
        return
    slicer = PipelineSlicer(units)
    rng = np.random.default_rng(seed)
    found = slicer.solve(kahn_order(*units.succs, rng.random(units.count)), quiet(problem))
    assert found is not None
    annealing = Annealing(units, slicer.network, rng, 3.0)
    for _ in annealing.run(found[1], max(found[0], 1.0), 200.0, 1.0, 0.5):
        placed = annealing._placement
        cost = placed.cost.copy()
        annealing.sum_up()
        assert cost == pytest.approx(placed.cost)
        device_of = placed.block_of[units.unit_of].tolist()
        assert not reference.broken(problem, device_of)
        assert placed.cost.max() == pytest.approx(reference.objective(problem, device_of))
    device_of = annealing.block_of[units.unit_of].tolist()
    assert not reference.broken(problem, device_of)
    assert annealing.best == pytest.approx(reference.objective(problem, device_of))
    assert annealing.best <= found[0] + 1e-9


@pytest.mark.parametrize("weighted", [False, True])
def test_arrangements_are_as_long_as_the_paper_says_and_get_shorter(weighted: bool) -> None:
    for seed in range(5):
        problem = Problem(random_graph(7, seed), Pipeline(2))
        units = pipeline_units(problem)
        network = PipelineSlicer(units).network
        pull = pulls(units, network, weighted)
        keys = np.random.default_rng(seed).random((3, units.count))

        def length(order: np.ndarray) -> float:
            place = np.argsort(order)
            weight = 0.0
            for u, consumers, _, profiled in reference.tensors(problem.graph):  # noqa: B023
                for v in consumers:
                    weight += (profiled if weighted else 1.0) * (place[v] - place[u])
            return weight

        values = lengths(keys, network, pull, quiet(problem))
        least = min(
            length(np.array(order))
            for order in itertools.permutations(range(7))
            if all(order.index(u) < order.index(v) for u, v in reference.edges(problem.graph))
        )
        for row, value in zip(keys, values, strict=True):
            order = kahn_order(*units.succs, row)
            assert value == pytest.approx(length(order))
            better = shorten(order, units, pull, quiet(problem))
            assert sorted(better.tolist()) == list(range(7))
            place = np.argsort(better)
            assert (place[units.src] < place[units.dst]).all()
            assert least - 1e-9 <= length(better) <= value + 1e-9


def test_evolution_keeps_its_elite() -> None:
    rng = np.random.default_rng(0)
    seen = []
    target = rng.random(12)
    for generation in random_keys.evolve(
        lambda keys: np.abs(keys - target).sum(axis=1), 12, rng, 30, 40, 0.2, 0.1, 0.7, target[None] * 0.5
    ):
        assert (np.diff(generation.values) >= 0).all()
        seen.append(float(generation.values[0]))
    assert len(seen) == 40 and seen == sorted(seen, reverse=True)
    assert seen[-1] < seen[0] / 2


def test_searches_of_many_orders_beat_one_order() -> None:
    problem = Problem(random_graph(80, 9), Pipeline(6))
    one = run(Slice(), problem).objective
    assert one is not None
    for planner, options in QUICK[1:]:
        result = run(planner, problem, options=options)
        assert result.objective is not None and result.objective < one, planner.name


@pytest.mark.parametrize(("planner", "options"), QUICK, ids=names)
def test_edge_tpus_are_planned_by_their_stage_time_only(planner: Planner, options: dict[str, object]) -> None:
    graph = random_graph(40, 6)
    target = EdgeTpuPipeline(4, cache=8.0, shared_children=True, down=2.0, up=0.5, streaming=1.0)
    problem = Problem(graph, target, "stage-time", (Pin("o20", "stage 2"),))
    result = run(planner, problem, options=options, seed=1)
    assert result.device_of is not None and not reference.broken(problem, result.device_of.tolist())
    assert result.objective == pytest.approx(reference.objective(problem, result.device_of.tolist()))
    for objective in [name for name in target.objectives if name.startswith("memory")]:
        with pytest.raises(PlannerRefusal, match="does not minimise memory"):
            run(planner, Problem(graph, target, objective), options=options)
