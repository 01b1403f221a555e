"""Chains of ideals for stages in a row: equal to brute force and to other exact methods, honest above its limit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.formats import read_model
from planner.machines.catalogue import bound_method, planner
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.methods.ideals.chains import Chains
from planner.methods.ideals.lattice import enumerate_ideals
from planner.methods.ideals.relaxations import parts, relaxations
from planner.methods.ideals.rows import cheap_to_cut, count_ideals
from planner.methods.units import forced_units
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Never
from tests.planner import reference
from tests.planner.machines.edge_tpu.brute import valid_plans
from tests.planner.machines.edge_tpu.strategies import edge_problems
from tests.planner.strategies import graphs, problems, stage_problems, uneven_stages

CHAIN, PROVES = planner("chain-dp"), bound_method("chain-dp")
SMALL, MIDDLING, LARGER = graphs(least=2, most=6), graphs(least=4, most=9), graphs(least=5, most=10)


def quiet(problem: Problem) -> Search:
    return Search(problem, Never(), Callbacks(), 0, {})


def check(problem: Problem, best: float | None = None) -> None:
    """The plan is the best of all plans (by default as the reference counts) and proven; the bound method proves the same alone."""
    best = reference.optimum(problem)[0] if best is None else best
    result, alone = run(CHAIN, problem), run_bound(PROVES, problem)
    bounds = [*result.bounds, *alone.bounds]
    for bound in bounds:
        assert bound.value <= best and bound.assumes <= problem.assumptions
    if math.isinf(best):
        assert result.status == "infeasible" and problem.strongest_bound(alone.bounds).value == math.inf  # type: ignore[union-attr]
        return
    assert result.device_of is not None and result.objective is not None
    assert result.status == "optimal" and result.objective == pytest.approx(best, rel=1e-9, abs=0.0)
    assert not problem.evaluator.violations(result.device_of)
    assert problem.standing((best,), alone.bounds).status == "optimal"


@pytest.mark.parametrize("work", [0.0, 1.0])
def test_pins_that_part_what_every_better_plan_keeps_together(work: float) -> None:
    ops = [Op(f"op{i}", f"op{i}", work=work, work_cpu=work) for i in range(3)]
    graph = Graph.build("parted", ops, [Tensor("op0", ("op1",), 1e9)])
    check(Problem(graph, Pipeline(2), "bottleneck", (Pin("op0", "stage 0"), Pin("op1", "stage 1"))))


@settings(max_examples=120)
@given(stage_problems(most=3, graph=graphs(most=6)))
def test_the_plan_is_the_best_of_all(problem: Problem) -> None:
    check(problem)


@settings(max_examples=120)
@given(uneven_stages(most=4, graph=graphs(most=5)))
def test_the_plan_of_unequal_stages_is_the_best_of_all(problem: Problem) -> None:
    check(problem)


def test_a_start_waits_for_a_faster_stage() -> None:
    """The stages between stay empty, and the ones that are left are counted as fast as they are."""
    ops = [Op(f"v{i}", f"v{i}", work=work, work_cpu=0.0) for i, work in enumerate((1.0, 8.0, 1.0))]
    tensors = [Tensor(f"v{i}", (f"v{i + 1}",), 1.0, time=0.0) for i in range(2)]
    graph = Graph.build("waiting", ops, tensors, time_unit="s")
    problem = Problem(graph, Pipeline(4, speed=(1.0, 0.5, 8.0, 0.5)))
    check(problem)
    result = run(CHAIN, problem)
    assert result.device_of is not None and result.device_of[1] == 2 and result.objective == 1.125
    timed = Problem(
        graph.with_device_times({"stage 3": np.array([np.nan, 0.5, np.nan])}),
        Pipeline(4, memory=(1.0, 1.0, 1.0, 2.0)),
    )
    check(timed)
    assert run(CHAIN, timed).objective == 1.5


def test_an_empty_stage_that_streams_counts_among_unequal_ones() -> None:
    ops = [Op(f"v{i}", f"v{i}", work=1.0, work_cpu=0.0, param_bytes=1.0) for i in range(3)]
    graph = Graph.build("reserved", ops, [Tensor("v0", ("v1", "v2"), 1.0)], time_unit="s")
    problem = Problem(graph, Pipeline(3, bandwidth=1.0, memory=(math.inf, 0.0, math.inf), reserve=8.0))
    check(problem)
    assert run(CHAIN, problem).objective == 8.0


def test_what_slow_stages_do_is_not_lost_beside_fast_ones() -> None:
    """Speeds far apart, and times on one stage that are nothing beside those on others."""
    ops = [Op(f"v{i}", f"v{i}", work=1e9 if i < 6 else 1e-3, work_cpu=0.0) for i in range(9)]
    tensors = [Tensor(f"v{i}", (f"v{i + 1}",), 1.0, time=1e-4) for i in range(8)]
    graph = Graph.build("apart", ops, tensors, time_unit="s")
    check(Problem(graph, Pipeline(3, speed=(1e12, 1e-1, 1.0))))
    quick = np.where(np.arange(9) < 6, 1e-9, np.nan)
    check(Problem(graph.with_device_times({"stage 0": quick}), Pipeline(3)))


@settings(max_examples=60)
@given(edge_problems(objective="stage-time", most=5))
def test_stages_of_edge_tpus(problem: Problem) -> None:
    """With shared children, parameters in several precisions, and what the host sends and takes."""
    plans = valid_plans(problem).astype(np.int32)
    check(problem, min((problem.evaluator.objective(plan) for plan in plans), default=math.inf))


@settings(max_examples=60)
@given(
    graphs(least=3, most=6, training=False),
    st.integers(1, 4),
    st.sampled_from([1e-12, 1e-6, 1.0, 1e9, 1e15]),
    st.lists(st.sampled_from([1e-12, 1e-3, 1.0, 1e15]), min_size=6, max_size=6),
)
def test_costs_of_any_size(graph: Graph, k: int, scale: float, mixed: list[float]) -> None:
    """All at one scale, and each op at its own."""
    check(Problem(scaled(graph, [scale] * graph.n, scale), Pipeline(k)))
    check(Problem(scaled(graph, mixed, scale), Pipeline(k)))


def scaled(graph: Graph, factors: list[float], transfers: float) -> Graph:
    """The graph with each op's work, and all transfers, so many times as large."""
    ops = [Op(i, i, work=float(graph.work[v]) * factors[v], work_cpu=0.0) for v, i in enumerate(graph.op_ids)]
    tensors = [
        Tensor(
            graph.op_ids[graph.tensor_producer[t]],
            tuple(graph.op_ids[v] for v in graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]),
            1.0,
            time=float(graph.tensor_bytes[t]) * transfers,
        )
        for t in range(graph.tensor_count)
    ]  # fmt: skip
    return Graph.build("scaled", ops, tensors, time_unit="s")


def chips() -> st.SearchStrategy[Problem]:
    """Modules with the triangle rule, which loose passes leave out."""
    return problems(target=st.integers(2, 4).map(McmPackage), graph=graphs(most=6), objective="chip-latency")


def even_pools() -> st.SearchStrategy[Problem]:
    """Pools of which chains of rows say all."""
    ready = graphs(most=6, training=False, supported=True)
    target = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda counts: DevicePool(*counts))
    return problems(target=target, graph=ready, constraints=False, objective="max-load")


@settings(max_examples=60)
@given(
    st.one_of(stage_problems(most=4, graph=LARGER), uneven_stages(most=4, graph=LARGER)),
    st.sampled_from([0.999999, 1.000001, 1.1, 2.0]),
    st.booleans(),
)
def test_a_pass_finds_a_chain_exactly_where_there_is_one(problem: Problem, factor: float, take: bool) -> None:
    """One pass at any bound, with and without idle units taken out, against CP-SAT's optimum."""
    best = run(CHAIN, problem).objective
    search = quiet(problem)
    reduced = relaxations(problem, parts(problem))[0](take)
    if reduced.units.blocked >= 0:
        return
    lattice = enumerate_ideals(reduced.units, 100_000, search)
    assert lattice is not None
    engine = Chains(lattice, search)
    whole = engine.solve(math.inf, search)
    assert (whole is None) == (best is None)
    if best is None or best == 0.0:
        return
    found = engine.solve(best * factor, search)
    assert (found is not None) == (factor > 1)
    if found is not None:
        assert found.value < best * factor
        plan = reduced.expand(found.device_of, found.place)
        assert not problem.evaluator.violations(plan)
        assert problem.evaluator.objective(plan) == pytest.approx(found.value, rel=1e-12)


@settings(max_examples=100)
@given(
    st.one_of(stage_problems(most=4, graph=LARGER), uneven_stages(most=4, graph=LARGER)),
    st.sampled_from([0.9, 0.97, 1.000001, 1.05]),
    st.sampled_from([0.02, 0.1, 0.5]),
)
def test_a_loose_pass_misses_no_chain_and_gives_away_no_more_than_it_may(
    problem: Problem, factor: float, slack: float
) -> None:
    best = run(CHAIN, problem).objective
    search = quiet(problem)
    reduced = relaxations(problem, parts(problem))[0](True)
    if not best or reduced.units.blocked >= 0:
        return
    lattice = enumerate_ideals(reduced.units, 100_000, search)
    assert lattice is not None
    found = Chains(lattice, search).solve(best * factor, search, best * slack)
    assert found is not None or factor < 1
    if found is not None:
        cost = problem.evaluator.objective(reduced.expand(found.device_of, found.place))
        assert cost < best * (factor + slack) * (1 + 1e-12)


@settings(max_examples=60)
@given(st.one_of(stage_problems(most=4, graph=graphs(most=6)), uneven_stages(), chips(), even_pools()))
def test_loose_passes_first_change_nothing_in_the_end(problem: Problem) -> None:
    """As on graphs with many ideals: every bound on the way holds, the last is the optimum."""
    name = "dp" if isinstance(problem.target, DevicePool) else "chain-dp"
    if bound_method(name).refusal(problem) is not None:
        return
    usual = run_bound(bound_method(name), problem).bounds
    with pytest.MonkeyPatch.context() as patch:
        for module in ("planner.methods.ideals.rows", "planner.machines.pool.ideals.solver"):
            patch.setattr(f"{module}.MANY_IDEALS", 0)
        patch.setattr("planner.methods.ideals.descent.PATIENCE", -1.0)
        early = run_bound(bound_method(name), problem).bounds
    last, others = problem.strongest_bound(early), problem.strongest_bound(usual)
    assert (last is None) == (others is None)
    if last is not None and others is not None:
        assert last.value == pytest.approx(others.value, rel=1e-8)
        assert all(bound.value <= others.value * (1 + 1e-8) for bound in early)


@settings(max_examples=25)
@given(st.one_of(stage_problems(most=3, graph=MIDDLING), uneven_stages(most=5, graph=MIDDLING)))
def test_cp_sat_agrees(problem: Problem) -> None:
    mine, other = run(CHAIN, problem), run(planner("mtpp-cp-sat"), problem, options={"split": 0.0})
    assert (mine.objective is None) == (other.objective is None)
    if mine.objective is not None:
        assert other.objective == pytest.approx(mine.objective, rel=1e-6)


@settings(max_examples=40)
@given(graphs(least=4, most=12, training=False), st.integers(1, 5))
def test_a_pool_of_accelerators_is_the_same_problem(graph: Graph, k: int) -> None:
    ones = [1.0] * graph.n
    graph = scaled(graph, ones, 1.0)
    row = run(CHAIN, Problem(graph, Pipeline(k)))
    pool = run(planner("ideals-dp"), Problem(graph, DevicePool(k, 0, communication="sum"), "max-load"))
    assert row.objective == pytest.approx(pool.objective, rel=1e-9, abs=1e-12)
    assert row.status == "optimal"


@settings(max_examples=30)
@given(edge_problems(objective="stage-time", least=4, most=9))
def test_the_fastest_edge_tpus_with_links_of_their_own_agree(problem: Problem) -> None:
    target = replace(problem.target, shared_link=False, scratch=False)  # type: ignore[type-var]
    here = run(CHAIN, Problem(problem.graph, target, "stage-time", problem.constraints))
    there = run(
        planner("edge-tpu-fastest"), Problem(problem.graph, target, "inference-time", problem.constraints)
    )
    assert (here.objective is None) == (there.objective is None)
    if here.objective is not None:
        assert here.objective == pytest.approx(there.objective, rel=1e-9)
        assert here.status == there.status == "optimal"


@pytest.mark.parametrize(
    ("model", "stages", "microseconds"),
    [("resnet50.json", 16, 680.053), ("densenet121.json", 4, 1068.692), ("inception_resnet_v2.json", 16, 786.193)],
)  # fmt: skip
def test_known_networks(model: str, stages: int, microseconds: float) -> None:
    problem = Problem(read_model(f"sample_models/{model}"), Pipeline(stages))
    result = run(CHAIN, problem)
    assert result.status == "optimal" and result.objective == pytest.approx(microseconds * 1e-6, rel=1e-6)


def test_a_stage_in_the_middle_may_stay_empty() -> None:
    ops = [Op(f"v{i}", f"v{i}", work=1.0, work_cpu=0.0) for i in range(3)]
    tensors = [Tensor(f"v{i}", (f"v{i + 1}",), 1.0, time=5.0) for i in range(2)]
    graph = Graph.build("row", ops, tensors, time_unit="s")
    pinned = Problem(graph, Pipeline(4), constraints=(Pin("v1", "stage 2"), Pin("v2", "stage 2")))
    result = run(CHAIN, pinned)
    assert (result.objective, result.status) == (3.0, "optimal")
    back = Problem(graph, Pipeline(4), constraints=(Pin("v1", "stage 2"), Pin("v2", "stage 0")))
    assert run(CHAIN, back).status == "infeasible"


def wide(branches: int, length: int) -> Graph:
    """Rows of ops side by side: (length + 1) ** branches ideals."""
    ops = [Op(f"{b}.{i}", f"{b}.{i}", work=1.0, work_cpu=0.0) for b in range(branches) for i in range(length)]
    tensors = [
        Tensor(f"{b}.{i}", (f"{b}.{i + 1}",), 1.0, time=0.25)
        for b in range(branches)
        for i in range(length - 1)
    ]
    return Graph.build("wide", ops, tensors, time_unit="s")


def test_too_many_ideals_are_refused_or_searched_near_one_order() -> None:
    problem = Problem(wide(6, 6), Pipeline(3))
    with pytest.raises(PlannerRefusal, match="more than 1000 ideals"):
        run_bound(PROVES, problem, options={"ideals": 1000})
    result = run(CHAIN, problem, options={"ideals": 1000})
    assert result.device_of is not None and not problem.evaluator.violations(result.device_of)
    assert "more than 1000 ideals" in result.message and result.status == "feasible"


def test_ideals_are_counted_up_to_a_limit() -> None:
    problem = Problem(wide(3, 4), Pipeline(2))
    assert count_ideals(problem, 1000, quiet(problem)) == 125
    assert count_ideals(problem, 124, quiet(problem)) is None


def test_more_tensors_across_a_border_than_there_are_bits() -> None:
    """Seventy tensors leave the first op, each for readers of its own."""
    ops = [Op(f"v{i}", f"v{i}", work=1.0, work_cpu=0.0) for i in range(71)]
    tensors = [Tensor("v0", tuple(f"v{j}" for j in range(i, 71)), 1.0, time=0.01) for i in range(1, 71)]
    tensors += [Tensor(f"v{i}", (f"v{i + 1}",), 1.0, time=0.5) for i in range(1, 70)]
    problem = Problem(Graph.build("fan", ops, tensors, time_unit="s"), Pipeline(3))
    result = run(CHAIN, problem)
    assert result.device_of is not None and "too many tensors" in result.message
    with pytest.raises(PlannerRefusal, match="too many tensors"):
        run_bound(PROVES, problem)


@settings(max_examples=40)
@given(st.one_of(stage_problems(most=3, graph=SMALL), uneven_stages(graph=SMALL)))
def test_what_is_kept_together_is_together_in_every_better_plan(problem: Problem) -> None:
    best, plan = reference.optimum(problem)
    if plan is not None:
        unit_of = cheap_to_cut(problem, forced_units(problem), best * (1 + 1e-6) + 1e-9)
        for unit in np.unique(unit_of).tolist():
            assert len(set(np.asarray(plan)[unit_of == unit].tolist())) == 1


@settings(max_examples=40)
@given(stage_problems(most=3, graph=graphs(least=3, most=8)), st.integers(0, 12))
def test_a_cancelled_search_keeps_its_best_plan(problem: Problem, looks: int) -> None:
    left = [looks]

    def flag() -> bool:
        left[0] -= 1
        return left[0] < 0

    result, best = run(CHAIN, problem, stop=Cancel(flag)), run(CHAIN, problem)
    if result.device_of is not None:
        assert not problem.evaluator.violations(result.device_of)
    for bound in result.bounds:
        assert best.objective is None or bound.value <= best.objective
