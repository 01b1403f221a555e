"""The exact dynamic program over ideals: brute force on small problems, published optima on real ones."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.formats.graphs import device_placement
from planner.machines.pool.bounds.dp import Dp
from planner.machines.pool.ideals.clusters import Clusters
from planner.machines.pool.ideals.groups import Proximity
from planner.machines.pool.ideals.rows import Rows, served
from planner.machines.pool.ideals.search import Coverer
from planner.machines.pool.ideals.states import pool_states
from planner.machines.pool.ideals.table import Table
from planner.machines.pool.planners.dpl import Dpl
from planner.machines.pool.planners.ideals_dp import IdealsDp
from planner.machines.pool.target import DevicePool
from planner.methods.ideals.lattice import enumerate_ideals
from planner.methods.ideals.potentials import potentials
from planner.methods.ideals.relaxations import one_order, parts, relaxations
from planner.model.graph import Graph, Op, Tensor
from planner.problem.grouping import kept_together
from planner.problem.problem import Problem
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Never
from tests.conftest import PLAIN_KERNELS
from tests.planner import reference
from tests.planner.strategies import graphs, hierarchies, pools, problems
from tests.shared_files import SHARED, shared

contiguous_pools = pools(most=3, contiguous=True)
small_pools = pools(most=2, contiguous=True).map(lambda pool: replace(pool, bandwidth=1.0))


def check_exact(problem: Problem, ideals: int = 10_000) -> None:
    """No bound above the optimum, no plan below it; equal where one order serves both parts."""
    best, _ = reference.optimum(problem)
    result = run(IdealsDp(), problem, options={"ideals": ideals})
    bounds = [*result.bounds, *run_bound(Dp(), problem).bounds]
    for bound in bounds:
        assert bound.value <= best * (1 + 1e-9) + 1e-9
        assert bound.assumes <= problem.assumptions
    if result.device_of is not None:
        assert result.objective is not None
        assert not reference.broken(problem, result.device_of.tolist())
        assert result.objective >= best - 1e-9
    if one_order(parts(problem)) and ideals > 1:
        if math.isinf(best):
            assert result.status == "infeasible"
        else:
            assert result.objective == pytest.approx(best, abs=1e-9)
            # The default bandwidth makes some transfers so short that they drown in the rounding of sums of work.
            assert best < 1e-6 or result.status == "optimal"
            assert best < 1e-6 or max(b.value for b in bounds) == pytest.approx(best)


@settings(max_examples=40)
@given(problems(target=contiguous_pools, graph=graphs(most=5, training=False)))
def test_inference_equals_brute_force(problem: Problem) -> None:
    check_exact(problem)


@settings(max_examples=40)
@given(problems(target=contiguous_pools, graph=graphs(most=5, training=True)))
def test_training_equals_brute_force_or_says_what_is_proven(problem: Problem) -> None:
    check_exact(problem)


@settings(max_examples=40)
@given(
    problems(
        target=contiguous_pools.map(
            lambda pool: replace(pool, replication=True, bandwidth=pool.bandwidth or 1.0)
        ),
        graph=graphs(most=4, training=False),
        objective="max-load",
    )
)
def test_replicated_stages_equal_brute_force(problem: Problem) -> None:
    check_exact(problem)


@settings(max_examples=30)
@given(
    problems(
        target=st.builds(
            DevicePool,
            accelerators=st.just(4),
            cpus=st.integers(0, 1),
            bandwidth=st.sampled_from([1.0, 4.0]),
            communication=st.sampled_from(["sum", "overlap", "duplex"]),
            replication=st.just(True),
            clusters=st.sampled_from([1, 2]),
            cluster_speed=st.sampled_from([2.0, 4.0]),
        ),
        graph=graphs(most=4, training=False),
        objective="max-load",
    )
)
def test_replicated_stages_in_clusters_are_valid_and_bounds_hold(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    result = run(IdealsDp(), problem)
    if result.device_of is not None:
        assert not reference.broken(problem, result.device_of.tolist())
        assert result.objective == pytest.approx(reference.objective(problem, result.device_of.tolist()))
    bound = problem.strongest_bound(result.bounds)
    assert bound is None or bound.value <= best * (1 + 1e-9) or math.isinf(best)
    assert result.status != "optimal" or result.objective == pytest.approx(best)


def quiet(problem: Problem) -> Search:
    return Search(problem, Never(), Callbacks(), 0, {})


@settings(max_examples=40)
@given(
    problems(
        target=pools(most=4, contiguous=True).map(lambda pool: replace(pool, communication="sum")),
        graph=graphs(least=6, most=14),
        objective="max-load",
    ),
    st.sampled_from([0.999999, 1.000001, 1.05, 1.3]),
    st.booleans(),
)
def test_the_shortcuts_lose_nothing(problem: Problem, factor: float, take: bool) -> None:
    """Far ends, hubs and pruned starts against the table that walks every pair."""
    search = quiet(problem)
    for whole in relaxations(problem, parts(problem)):
        units = whole(take).units
        lattice = enumerate_ideals(units, 3000, search)
        if lattice is None or units.blocked >= 0:
            continue
        costs, states = potentials(lattice, search), pool_states(units)
        best = Table(lattice, costs, states, search).solve(math.inf, search)
        found = Coverer(lattice, costs, states, search).solve(math.inf, search)
        assert (best is None) == (found is None)
        if best is None:
            continue
        found = Coverer(lattice, costs, states, search).solve(best.value * factor, search)
        assert (found is not None) == (factor > 1 and best.value > 0)
        if found is not None:
            assert found.value < best.value * factor
            plan = found.device_of[units.unit_of]
            if units.count == whole(False).full.count:
                assert problem.evaluator.objective(plan) == pytest.approx(found.value, abs=1e-9)


@settings(max_examples=150)
@given(
    problems(
        target=pools(most=4, contiguous=True).map(
            lambda pool: replace(pool, communication="sum", memory=math.inf)
        ),
        graph=graphs(least=4, most=14, supported=True),
        objective="max-load",
        constraints=False,
    ),
    st.sampled_from([0.8, 0.999999, 1.000001, 1.05, 1.3]),
    st.booleans(),
)
def test_rows_with_cpus_find_what_the_other_program_finds(
    problem: Problem, factor: float, take: bool
) -> None:
    """Training as well, and several CPUs; against the program that walks from each ideal to the larger ones."""
    search = quiet(problem)
    for whole in relaxations(problem, parts(problem)):
        units = whole(take).units
        lattice = enumerate_ideals(units, 3000, search)
        states = pool_states(units)
        if lattice is None or not served(units, states, lattice.count):
            continue
        best = Coverer(lattice, potentials(lattice, search), states, search).solve(math.inf, search)
        rows = Rows(lattice, states, search)
        found = rows.solve(math.inf, search)
        assert (best is None) == (found is None)
        if best is None:
            continue
        best = least_chain(Coverer(lattice, potentials(lattice, search), states, search), best.value, search)
        found = rows.solve(best * factor, search)
        assert (found is not None) == (factor > 1 and best > 0)
        if found is not None:
            assert found.value < best * factor
            if units.count == whole(False).full.count:
                assert problem.evaluator.objective(found.device_of[units.unit_of]) == pytest.approx(
                    found.value, abs=1e-9
                )


def test_a_cpu_goes_on_from_chains_without_it() -> None:
    """One of two ops on the accelerator, the other on the CPU: the row's value is the accelerator's load, the larger."""
    ops = [Op(f"o{i}", "op", work=0.75, work_cpu=0.5) for i in range(2)]
    problem = Problem(Graph.build("pair", ops, []), DevicePool(1, 1))
    search = quiet(problem)
    units = relaxations(problem, parts(problem))[0](False).units
    lattice = enumerate_ideals(units, 100, search)
    assert lattice is not None
    found = Rows(lattice, pool_states(units), search).solve(0.8, search)
    assert found is not None and found.value == 0.75


def least_chain(engine: Coverer, value: float, search: Search) -> float:
    """What the best chain costs."""
    while (found := engine.solve(value * (1 - 1e-9), search)) is not None:
        value = found.value
    return value


@settings(max_examples=40)
@given(problems(target=contiguous_pools, graph=graphs(most=5, supported=True), constraints=False))
def test_many_ideals_change_nothing(problem: Problem) -> None:
    """Where few count as many, brute force agrees all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planner.machines.pool.ideals.solver.MANY_IDEALS", 1)
        check_exact(problem)


@settings(max_examples=40)
@given(graphs(most=7))
def test_ideals_are_all_closed_sets_and_their_sums_are_right(graph: Graph) -> None:
    problem = Problem(graph, DevicePool(2, 1))
    search = quiet(problem)
    units = relaxations(problem, parts(problem))[0](False).units
    lattice = enumerate_ideals(units, 10_000, search)
    assert lattice is not None
    edges = list(zip(units.src.tolist(), units.dst.tolist(), strict=True))
    closed = {
        frozenset(chosen)
        for size in range(units.count + 1)
        for chosen in itertools.combinations(range(units.count), size)
        if all(u in chosen for u, v in edges if v in chosen)
    }
    members = [frozenset(np.flatnonzero(lattice.members(i)).tolist()) for i in range(lattice.count)]
    assert len(members) == len(closed) and set(members) == closed
    assert members[0] == frozenset() and members[-1] == frozenset(range(units.count))
    for i in range(lattice.count):
        span = slice(lattice.ptr[i], lattice.ptr[i + 1])
        assert (np.diff(lattice.unit[span]) > 0).all()
        above = {members[j] - members[i] for j in lattice.upper[span]}
        assert above == {frozenset([u]) for u in lattice.unit[span].tolist()}
        assert len(above) == sum(members[i] | {u} in closed for u in set(range(units.count)) - members[i])
    costs = potentials(lattice, search)
    touch = costs.touches
    sets = [
        frozenset(touch.tensor_unit[touch.tensor_ptr[t] : touch.tensor_ptr[t + 1]].tolist())
        for t in range(len(touch.time))
    ]
    for i, inside in enumerate(members):
        cut = [t for t, s in enumerate(sets) if s & inside and s - inside]
        assert sorted(costs.border[costs.border_ptr[i] : costs.border_ptr[i + 1]].tolist()) == cut
        assert costs.cut[i] == pytest.approx(sum(touch.time[t] for t in cut))
        assert costs.work[i, 0] == pytest.approx(sum(units.work[0, u].sum() for u in inside))
        assert costs.memory[i] == pytest.approx(sum(units.memory[u] for u in inside))


@settings(max_examples=40)
@given(problems(target=contiguous_pools, graph=graphs(least=4, most=10)), st.integers(2, 30))
def test_too_many_ideals_leave_a_valid_plan_and_no_false_proof(problem: Problem, ideals: int) -> None:
    few = run(IdealsDp(), problem, options={"ideals": ideals})
    full = run(IdealsDp(), problem)
    if few.device_of is not None:
        assert not problem.evaluator.violations(few.device_of)
    if full.objective is not None and full.status == "optimal" and few.bounds:
        assert max(b.value for b in few.bounds) <= full.objective * (1 + 1e-9)
    dpl = run(Dpl(), problem, options={"orders": 1})
    if dpl.objective is not None:
        assert few.objective is not None and few.objective <= dpl.objective * (1 + 1e-9)


@settings(max_examples=40)
@given(problems(target=contiguous_pools, graph=graphs(least=3, most=9)), st.integers(0, 12))
def test_a_cancelled_search_keeps_its_best_plan(problem: Problem, looks: int) -> None:
    left = [looks]

    def flag() -> bool:
        left[0] -= 1
        return left[0] < 0

    result = run(IdealsDp(), problem, stop=Cancel(flag))
    if result.device_of is not None:
        assert not problem.evaluator.violations(result.device_of)
    best = run(IdealsDp(), problem)
    for bound in result.bounds:
        assert best.objective is None or bound.value <= best.objective * (1 + 1e-9)


def test_idle_sources_do_not_multiply_the_ideals() -> None:
    ops = [Op(f"s{i}", f"s{i}", work=0.0, work_cpu=0.0) for i in range(12)]
    ops += [Op(f"v{i}", f"v{i}", work=1.0, work_cpu=9.0) for i in range(12)]
    tensors = [Tensor(f"s{i}", (f"v{i}",), 8.0, 0.5) for i in range(12)]
    tensors += [Tensor(f"v{i}", (f"v{i + 1}",), 8.0, 0.25) for i in range(11)]
    graph = Graph.build("idle", ops, tensors)
    problem = Problem(graph, DevicePool(3, 1))
    reduced = relaxations(problem, parts(problem))[0](True)
    lattice = enumerate_ideals(reduced.units, 1000, quiet(problem))
    assert lattice is not None and lattice.count == 13
    # Three segments of four, the middle one with a transfer at either end, or three, four and five and a CPU idle.
    result = run(IdealsDp(), problem)
    assert (result.objective, result.status) == (4.5, "optimal")


def test_a_memory_cap_that_idle_units_alone_break_is_honoured() -> None:
    ops = [
        Op("a", "a", work=2.0, work_cpu=50.0, memory=1.0),
        Op("b", "b", work=2.0, work_cpu=50.0, memory=1.0),
    ]
    ops += [Op(f"z{i}", f"z{i}", work=0.0, work_cpu=0.0, memory=3.0) for i in range(2)]
    graph = Graph.build("capped", ops, [Tensor("a", ("b", "z0", "z1"), 8.0, 1.0)])
    problem = Problem(graph, DevicePool(2, 1, memory=7.0))
    best, _ = reference.optimum(problem)
    result = run(IdealsDp(), problem)
    assert (result.objective, result.status) == (best, "optimal")


ROWS = [
    line.split("\t")
    for line in (SHARED / "oracles/device_placement_throughput.tsv").read_text().splitlines()
    if "/" in line and not line.startswith("#")
] if (SHARED / "oracles/device_placement_throughput.tsv").exists() else []  # fmt: skip


@pytest.mark.skipif(PLAIN_KERNELS, reason="kernels that run as plain Python take minutes here")
@pytest.mark.parametrize("workload, optimum", [(row[0], float(row[3])) for row in ROWS])
def test_published_optima(workload: str, optimum: float) -> None:
    problem = published(workload)
    result = run(IdealsDp(), problem)
    assert result.objective == pytest.approx(optimum, abs=0.01)
    assert result.objective is not None and result.device_of is not None
    assert result.bounds[-1].value > result.objective * (1 - 1e-4)
    assert problem.evaluate(result.device_of).valid


@pytest.mark.skipif(PLAIN_KERNELS, reason="kernels that run as plain Python take minutes here")
@pytest.mark.parametrize(
    "workload, optimum",
    [("OperatorGraphs/bert_l-12_inference", 159.43), ("OperatorGraphs/bert_L-12_training", 465.41)],
)
def test_published_optima_at_layer_granularity(workload: str, optimum: float) -> None:
    problem = published(workload)
    layers = kept_together(problem.graph, "layer")
    result = run(IdealsDp(), problem.with_constraints(layers))
    assert result.objective == pytest.approx(optimum, abs=0.01)


def published(workload: str) -> Problem:
    graph = device_placement.read(shared(f"workloads/device-placement/throughput/{workload}.json"))
    machine = dict(graph.deployment)
    return Problem(
        graph, DevicePool(int(machine["accelerators"]), int(machine["cpus"]), memory=machine["memory"])
    )


clustered_pools = st.builds(
    lambda made, cpus, speed, communication, memory: DevicePool(
        made[0],
        min(cpus, 4 - made[0]),
        bandwidth=1.0,
        memory=memory,
        clusters=made[1],
        cluster_speed=speed,
        communication=communication,
    ),
    st.sampled_from([(2, 1), (2, 2), (4, 2), (3, 1), (3, 3), (1, 1)]),
    st.integers(0, 2),
    st.sampled_from([2.0, 4.0, 1.0]),
    st.sampled_from(["sum", "overlap", "duplex"]),
    st.sampled_from([math.inf, 12.0]),
)


@settings(max_examples=40)
@given(problems(target=clustered_pools, graph=graphs(least=2, most=4), objective="max-load"))
def test_clusters_equal_brute_force(problem: Problem) -> None:
    check_exact(problem)


@st.composite
def pools_in_levels(draw: st.DrawFn) -> DevicePool:
    """A pool whose accelerators form a hierarchy."""
    accelerators = draw(st.integers(2, 4))
    return DevicePool(
        accelerators,
        draw(st.integers(0, min(2, 4 - accelerators))),
        bandwidth=1.0,
        memory=draw(st.sampled_from([math.inf, 12.0])),
        hierarchy=draw(hierarchies(accelerators)),
        communication=draw(st.sampled_from(["sum", "overlap", "duplex"])),
    )


@settings(max_examples=60)
@given(problems(target=pools_in_levels(), graph=graphs(least=2, most=4), objective="max-load"))
def test_hierarchies_equal_brute_force_at_one_level_and_are_bounded_at_several(problem: Problem) -> None:
    """Levels one by one leave the others out, so that what they prove together may be less than the best plan."""
    levels = problem.evaluator.clusters
    if len(levels) < 2:
        check_exact(problem)
        return
    best, _ = reference.optimum(problem)
    result = run(IdealsDp(), problem)
    assert all(bound.value <= best * (1 + 1e-9) + 1e-12 for bound in result.bounds)
    if result.objective is not None:
        assert result.objective >= best * (1 - 1e-9)
        assert result.status != "optimal" or result.objective == pytest.approx(best)


@settings(max_examples=40)
@given(
    problems(
        target=st.one_of(clustered_pools, pools_in_levels().filter(lambda pool: len(pool.slot_levels) < 2)),
        graph=graphs(least=3, most=4, training=False),
        objective="max-load",
    ),
    st.booleans(),
)
def test_pairs_of_ideals_equal_brute_force(problem: Problem, take: bool) -> None:
    """The search over pairs itself, also where a relaxation would have been enough."""
    best, _ = reference.optimum(problem)
    search = quiet(problem)
    units = relaxations(problem, parts(problem))[0](take).units
    lattice = enumerate_ideals(units, 1000, search)
    assert lattice is not None
    capped = math.isfinite(problem.target.memory)  # type: ignore[attr-defined]
    if (take and capped) or not problem.target.accelerators or units.blocked >= 0:  # type: ignore[attr-defined]
        return
    near = Proximity.of(problem.evaluator, problem.evaluator.cluster)
    assert near.outside == 1.0
    engine = Clusters(lattice, potentials(lattice, search), near, 10**9, search)
    if math.isinf(best):
        assert engine.solve(math.inf, search) is None
        return
    found = engine.solve(best * (1 + 1e-6) + 1e-6, search)
    assert found is not None and found.value == pytest.approx(best, abs=2e-6)
    assert engine.solve(best * (1 - 1e-6), search) is None
    if not take:
        plan = found.device_of[units.unit_of]
        assert problem.evaluator.objective(plan) == pytest.approx(found.value, abs=1e-9)
        assert not reference.broken(problem, plan.tolist())


def test_clusters_beyond_the_limit_are_bounded_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("FEW_PAIRS", "MOST_PAIRS"):
        monkeypatch.setattr(f"planner.machines.pool.ideals.solver.{limit}", 1)
    notes: list[str] = []
    monkeypatch.setattr(Search, "progress", lambda self, fraction, text="": notes.append(text))
    ops = [Op(f"v{i}", f"v{i}", work=1.0, work_cpu=99.0) for i in range(8)]
    tensors = [Tensor(f"v{i}", (f"v{i + 1}",), 1.0, 1.0) for i in range(7)]
    problem = Problem(Graph.build("path", ops, tensors), DevicePool(4, 0, clusters=2, cluster_speed=4.0))
    result = run(IdealsDp(), problem)
    monkeypatch.undo()
    exact = run(IdealsDp(), problem)
    assert any("pairs of ideals" in note for note in notes)
    assert result.status == "feasible" and exact.status == "optimal"
    assert exact.objective is not None and result.objective is not None
    assert result.bounds[-1].value <= exact.objective <= result.objective


def test_forward_units_that_many_layers_need_are_not_left_out() -> None:
    """A mask feeds every layer; its ops have no backward ops, yet each accelerator with a layer pays the mask."""
    layers = range(4)
    ops = [Op("mask", "mask", work=0.0, work_cpu=0.0)]
    ops += [Op(f"f{i}", f"f{i}", work=2.0, work_cpu=99.0, colour_class=i) for i in layers]
    ops += [Op("top", "top", work=0.0, work_cpu=0.0, colour_class=9)]
    ops += [Op("bottom", "bottom", work=0.0, work_cpu=0.0, backward=True, colour_class=9)]
    ops += [Op(f"b{i}", f"b{i}", work=2.0, work_cpu=99.0, backward=True, colour_class=i) for i in layers]
    tensors = [Tensor("mask", tuple(f"f{i}" for i in layers), 1.0, 0.5)]
    tensors += [Tensor(f"f{i}", (f"f{i + 1}",), 1.0, 1.0) for i in (0, 2)]
    tensors += [Tensor("f3", ("top",), 1.0, 0.0), Tensor("bottom", ("b3",), 1.0, 0.0)]
    tensors += [Tensor(f"b{i + 1}", (f"b{i}",), 1.0, 1.0) for i in range(3)]
    problem = Problem(Graph.build("masked", ops, tensors), DevicePool(2, 0))
    assert not one_order(parts(problem))
    result = run(IdealsDp(), problem)
    # Two layers of four, a gradient and the mask.
    assert (result.objective, result.status) == (9.5, "optimal")


@st.composite
def mostly_matched(draw: st.DrawFn) -> Graph:
    """Training graphs with layers that share a device with their backward ops, and forward ops that have none."""
    size = draw(st.integers(2, 3))
    loose = draw(st.integers(1, 2))
    quarters = st.integers(0, 12).map(lambda q: q / 4)
    ops = [Op(f"m{i}", f"m{i}", work=draw(quarters), work_cpu=draw(quarters)) for i in range(loose)]
    for part, backward in (("f", False), ("b", True)):
        ops += [
            Op(
                f"{part}{i}",
                f"{part}{i}",
                work=draw(quarters),
                work_cpu=draw(quarters),
                memory=draw(quarters),
                backward=backward,
                colour_class=i,
            )
            for i in range(size)
        ]
    forward = [*(f"m{i}" for i in range(loose)), *(f"f{i}" for i in range(size))]
    tensors = []
    for place, producer in enumerate(forward[:-1]):
        for _ in range(draw(st.integers(0, 2))):
            consumers = draw(st.sets(st.sampled_from(forward[place + 1 :]), min_size=1, max_size=3))
            tensors.append(Tensor(producer, tuple(sorted(consumers)), draw(quarters), None))
    for i in range(1, size):
        consumers = draw(st.sets(st.sampled_from([f"b{j}" for j in range(i)]), max_size=2))
        tensors.append(Tensor(f"b{i}", tuple(sorted(consumers)), draw(quarters), None))
        if draw(st.booleans()):
            tensors.append(Tensor(f"f{i}", (f"b{i}",), draw(quarters), None))
    return Graph.build("training", ops, tensors)


@settings(max_examples=40)
@given(problems(target=small_pools, graph=mostly_matched(), objective="max-load"))
def test_no_bound_above_the_optimum_where_forward_units_are_unmatched(problem: Problem) -> None:
    check_exact(problem)
