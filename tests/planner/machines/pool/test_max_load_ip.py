"""max-load-ip and the bound method ip: against brute force, by every solver, and the paper's table."""

from __future__ import annotations

import math
import time
from itertools import islice

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.machines.pool.bounds.ip import Ip
from planner.machines.pool.max_load.model import build, canonical, symmetry_order, values_of
from planner.machines.pool.max_load.multilevel import Multilevel, coarsened, majority, units_of
from planner.machines.pool.max_load.pigeonhole import pigeonhole
from planner.machines.pool.max_load.prices import price_bounds, work_bounds
from planner.machines.pool.max_load.share import Share
from planner.machines.pool.max_load.solving import cost_scale
from planner.machines.pool.planners.max_load_ip import MaxLoadIp
from planner.machines.pool.target import DevicePool
from planner.methods.annealing import Annealing
from planner.methods.units import forced_units
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.search.run import run, run_bound
from planner.search.stop import Cancel, TimeLimit
from tests.planner import reference
from tests.planner.strategies import graphs, placements, pools, problems
from tests.shared_files import shared

small = problems(target=pools(most=3), graph=graphs(most=5), objective=None).filter(
    lambda p: p.objective in {"max-load", "gpipe"}
)
one_worker = {"workers": 1, "rounds": 1}
quick = settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def check(problem: Problem, options: dict[str, object], slack: float = 1e-9) -> None:
    """The planner finds the optimum and says no bound above it."""
    best, _ = reference.optimum(problem)
    result = run(MaxLoadIp(), problem, options=options)
    if math.isinf(best):
        assert result.status == "infeasible"
        return
    assert result.device_of is not None
    assert not reference.broken(problem, result.device_of.tolist())
    assert result.objective == pytest.approx(best, abs=1e-9)
    for bound in result.bounds:
        assert bound.value <= best * (1 + slack) + 1e-9
        assert bound.assumes <= problem.assumptions


@quick
@given(small)
def test_cp_sat_equals_brute_force_and_proves_it(problem: Problem) -> None:
    check(problem, one_worker)
    result = run(MaxLoadIp(), problem, options=one_worker)
    assert result.status in {"optimal", "infeasible"}  # all costs are quarters: integers are exact


@settings(parent=quick, max_examples=8)
@given(small)
def test_the_solver_alone_equals_brute_force(problem: Problem) -> None:
    check(problem, {"workers": 1, "rounds": 0})


@pytest.mark.parametrize("solver", ["scip", "highs"])
def test_mip_solvers_equal_brute_force(solver: str) -> None:
    @settings(parent=quick, max_examples=3)
    @given(small)
    def compare(problem: Problem) -> None:
        check(problem, {"solver": solver, "rounds": 0})

    compare()


@settings(parent=quick, max_examples=10)
@given(small)
def test_the_bound_method_reaches_the_optimum(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    result = run_bound(Ip(), problem, options={"workers": 1})
    assert result.device_of is None
    assert max(b.value for b in result.bounds) == pytest.approx(best, abs=1e-9)


@settings(max_examples=60)
@given(st.data())
def test_every_valid_plan_keeps_the_rows_at_its_own_cost(data: st.DataObject) -> None:
    problem = data.draw(small)
    device_of = np.array(data.draw(placements(problem)), np.int32)
    if reference.broken(problem, device_of.tolist()):
        return
    units = units_of(problem, forced_units(problem))
    place = np.zeros(units.count, np.int32)
    place[units.unit_of] = device_of
    order = None if "rule:contiguous" in problem.assumptions else symmetry_order(units)
    place = canonical(problem, units, place, order)
    program = build(problem, units)
    values = values_of(program, problem, place)
    for row in program.rows:
        assert sum(c * values[i] for i, c in row.terms.items()) <= row.side + 1e-9
    assert all(sum(values[c] for c in group) == 1 for group in program.exactly)
    cost = reference.objective(problem, device_of.tolist())
    assert values[: program.maxima].sum() == pytest.approx(cost)
    scale = cost_scale(program, cost)
    for row in program.rows:
        if row.kind == "cost":
            costs = scale.down(np.array(list(row.terms.values())))
            assert all(c <= x * scale.factor + 1e-6 for c, x in zip(costs, row.terms.values(), strict=True))


# ---------------------------------------------------------------------------------------------------------- heuristic
@settings(max_examples=40)
@given(st.data())
def test_annealing_keeps_the_rules_and_its_books(data: st.DataObject) -> None:
    problem = data.draw(small)
    device_of = np.array(data.draw(placements(problem)), np.int32)
    if reference.broken(problem, device_of.tolist()):
        return
    units = units_of(problem, forced_units(problem))
    place = np.zeros(units.count, np.int32)
    place[units.unit_of] = device_of
    annealing = Annealing(units, data.draw(st.integers(0, 2**40)))
    annealing.begin(place)
    before = annealing.objective
    annealing.step(0.5, 0.01, 8.0, 300)
    assert not reference.broken(problem, annealing.device_of[units.unit_of].tolist())
    assert not reference.broken(problem, annealing.best_of[units.unit_of].tolist())
    best = reference.objective(problem, annealing.best_of[units.unit_of].tolist())
    assert best == pytest.approx(annealing.best) and annealing.best <= before


def long_graph(n: int = 60) -> Graph:
    rng = np.random.default_rng(5)
    ops = [Op(f"o{i}", f"o{i}", work=float(rng.integers(1, 9)), work_cpu=40.0, memory=1.0) for i in range(n)]
    tensors = [
        Tensor(
            f"o{i}",
            tuple({f"o{min(n - 1, i + int(j))}" for j in rng.integers(1, 6, 2)}),
            1.0,
            float(rng.integers(0, 4)),
        )
        for i in range(n - 1)
    ]
    return Graph.build("long", ops, tensors)


def test_coarsening_halves_the_units_and_keeps_what_is_allowed() -> None:
    problem = Problem(
        long_graph(), DevicePool(3, 1, contiguous=False), constraints=(Pin("o3", "acc 1"), Pin("o4", "acc 2"))
    )
    units = units_of(problem, forced_units(problem))
    labels = coarsened(units, 20, np.random.default_rng(1))
    assert 20 <= labels.max() + 1 <= 30
    assert labels[units.unit_of[3]] != labels[units.unit_of[4]]
    place = majority(units, labels, np.zeros(units.count, np.int32))
    assert place[labels[units.unit_of[3]]] == 1 and place[labels[units.unit_of[4]]] == 2


def test_rounds_are_repeatable() -> None:
    problem = Problem(long_graph(), DevicePool(3, 1, contiguous=False, memory=25.0))
    units = units_of(problem, forced_units(problem))
    found = []
    for _ in range(2):
        multilevel = Multilevel(problem, units, 7)
        for _ in multilevel.round(6, 2000):
            pass
        assert multilevel.best is not None
        assert not problem.evaluate(multilevel.best[units.unit_of]).violations
        found.append(multilevel.objective)
    assert found[0] == found[1]


def test_counting_bounds_equal_blocks() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0 + i / 100, work_cpu=90.0) for i in range(7)]
    problem = Problem(Graph.build("blocks", ops, []), DevicePool(3, 1, contiguous=False))
    units = units_of(problem, forced_units(problem))
    assert pigeonhole(units, 5.0) == pytest.approx(1.0 + 1.01 + 1.02)  # three of seven on one of three
    assert pigeonhole(units, math.inf) == 0.0  # a CPU might take them all
    assert pigeonhole(units, 2.0) == 2.0


@settings(max_examples=60)
@given(small)
def test_counting_is_never_above_the_optimum(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    units = units_of(problem, forced_units(problem))
    for objective in (best, best * 1.5 + 1.0, math.inf):
        assert pigeonhole(units, objective) <= best + 1e-9


# ---------------------------------------------------------------------------------------------------------- shares
def shares(problem: Problem, objective: float) -> list[float]:
    """The bounds by an equal share of the work, and of other prices."""
    units = units_of(problem, forced_units(problem))
    share = Share(units)
    by_work = list(islice(work_bounds(share, objective), 2_000))
    return by_work + list(islice(price_bounds(share, objective, max(by_work, default=0.0)), 2_000))


@settings(max_examples=150)
@given(small)
def test_shares_are_never_above_the_optimum_and_rise(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    for objective in (best, best * 1.5 + 1.0, math.inf):
        found = shares(problem, objective)
        assert found == sorted(found)
        assert all(value <= best + 1e-9 for value in found)


def test_shares_of_what_costs_nothing_are_free() -> None:
    graph = Graph.build("free", [Op("op", "op", work=0.0, work_cpu=0.0)], [])
    problem = Problem(graph, DevicePool(1, 1, contiguous=False), "max-load")
    share = Share(units_of(problem, forced_units(problem)))
    share.set_prices(np.ones(1), 1.0)
    share.need = 1.0
    assert list(share.bounds(10, 1e9))[-1] == 0.0


@settings(max_examples=60)
@given(small)
def test_the_cheapest_share_is_the_cheapest_of_all_sets(problem: Problem) -> None:
    """Against going through all sets of units, with more and less work asked for."""
    units = units_of(problem, forced_units(problem))
    share = Share(units)
    if not share.serves or not share.able.all():
        return
    rng = np.random.default_rng(units.count)
    sets = [np.array([k >> i & 1 for i in range(units.count)], bool) for k in range(1 << units.count)]
    for _ in range(5):
        share.set_prices(rng.integers(0, 5, units.count).astype(float), 1.0)
        costs = [share.cost(chosen) for chosen in sets if share.price[chosen].sum() >= share.need]
        if share.need > 0.0:
            assert list(share.bounds(10_000, 1e9))[-1] == pytest.approx(min(costs))


def test_a_share_pays_what_it_cuts() -> None:
    """Three equal ops in a row on two accelerators: one of them has two ops, and cuts the cheaper tensor."""
    ops = [Op(f"o{i}", f"o{i}", work=2.0, work_cpu=1e9) for i in range(3)]
    tensors = [Tensor("o0", ("o1",), 1.0, 1.0), Tensor("o1", ("o2",), 1.0, 0.5)]
    problem = Problem(Graph.build("row", ops, tensors), DevicePool(2, 0, contiguous=False))
    assert shares(problem, math.inf)[-1] == pytest.approx(4.5)
    assert run(MaxLoadIp(), problem, options={**one_worker, "solver": "none"}).status == "optimal"


# ---------------------------------------------------------------------------------------------------------- manners
@pytest.mark.parametrize("contiguous", [True, False])
@pytest.mark.parametrize(
    "options", [{"rounds": 10_000}, {"rounds": 0, "workers": 2}, {"rounds": 0, "solver": "scip"}]
)
def test_a_cancel_leaves_the_best_plan(options: dict[str, object], contiguous: bool) -> None:
    problem = Problem(long_graph(), DevicePool(4, 1, contiguous=contiguous))
    began = time.monotonic()
    result = run(MaxLoadIp(), problem, Cancel(lambda: time.monotonic() - began > 0.5), options=options)
    assert result.device_of is not None
    assert result.stop_reason in {"cancelled", "finished"}
    assert result.bounds


def test_a_given_plan_is_not_lost() -> None:
    problem = Problem(long_graph(), DevicePool(3, 1, contiguous=False))
    start = np.zeros(60, np.int32)
    result = run(MaxLoadIp(), problem, TimeLimit(0.0), options={"rounds": 0}, starts=[start])
    assert result.objective is not None and result.objective <= problem.evaluator.objective(start)


def test_what_the_program_does_not_express_is_refused() -> None:
    graph = long_graph(8)
    for target in (
        DevicePool(2, 0, replication=True, bandwidth=1.0),
        DevicePool(4, 0, clusters=2, cluster_speed=2.0),
    ):
        problem = Problem(graph, target)
        with pytest.raises(PlannerRefusal, match="no model of"):
            run(MaxLoadIp(), problem)
        with pytest.raises(PlannerRefusal, match="no model of"):
            run_bound(Ip(), problem)


def test_a_cap_just_missed_is_proven_to_be_missed() -> None:
    graph = Graph.build("one", [Op("a", "a", work=0.0, work_cpu=0.0, memory=6.25)], [])
    problem = Problem(graph, DevicePool(1, 0, contiguous=False, memory=6.0))
    assert run(MaxLoadIp(), problem, options={"workers": 1}).status == "infeasible"


def test_an_unreachable_memory_cap_is_not_assumed() -> None:
    problem = Problem(long_graph(12), DevicePool(2, 0, contiguous=False, memory=1e9))
    result = run_bound(Ip(), problem, options={"workers": 1})
    strongest = max(result.bounds, key=lambda b: b.value)
    assert not any(token.startswith("rule:memory") for token in strongest.assumes)


@pytest.mark.parametrize(
    ("workload", "paper"),
    [("OperatorGraphs/bert_l-3_inference", 21.91), ("LayerGraphs/bert24_inference", 17.71)],
)
def test_the_papers_plans_are_found(workload: str, paper: float) -> None:
    from planner.formats import read_graph
    from planner.machines.spec import parse_target

    graph = read_graph(shared(f"workloads/device-placement/throughput/{workload}.json"))
    problem = Problem(graph, parse_target("pool,contiguous=false", graph))
    result = run(MaxLoadIp(), problem, options={"rounds": 1, "solver": "none"}, seed=1)
    assert result.objective is not None and result.objective <= paper * 1.02
