"""Nested cuts against brute force: never above the optimum, at it where the tree ends, and soon near it on wide graphs."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from planner.errors import PlannerRefusal
from planner.machines.catalogue import bound_method, unasked_bounds
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.several.bounds.nested_cuts import NestedCuts
from planner.methods.nested_cuts.kernels import best_prices, charge, reachable, too_much
from planner.methods.nested_cuts.network import network_of, row_of
from planner.methods.units import chain
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.search.run import run_bound
from planner.search.search import Shared
from planner.search.stop import IterationLimit
from tests.planner import reference
from tests.planner.strategies import graphs, pools, problems, stage_problems

METHOD = NestedCuts()
small = st.one_of(
    problems(target=pools(most=3, contiguous=True), graph=graphs(most=6), objective="max-load"),
    stage_problems(most=4, graph=graphs(most=6)),
)


def proven(problem: Problem, **options: object) -> float:
    """The strongest bound, 0 where there is none."""
    bound = problem.strongest_bound(run_bound(METHOD, problem, options=options).bounds)
    return 0.0 if bound is None else bound.value


def below(bound: float, best: float) -> bool:
    return bound <= best * (1 + 1e-9)


@settings(max_examples=250)
@given(small, st.integers(0, 8))
def test_no_valid_plan_is_below_the_bound(problem: Problem, nodes: int) -> None:
    """At the root, after some parts, and at the end: with pins, ops without cost, ties, training and streaming."""
    if METHOD.refusal(problem) is not None:
        return
    best, _ = reference.optimum(problem)
    assert below(proven(problem, nodes=nodes), best)
    assert below(proven(problem), best)


@settings(max_examples=60)
@given(small)
def test_a_plan_that_was_heard_of_takes_nothing_away(problem: Problem) -> None:
    """What is looked at is only what may be better than it."""
    best, plan = reference.optimum(problem)
    if plan is None or METHOD.refusal(problem) is not None:
        return
    decision = np.array(plan, np.int32)
    told = [Shared(decision, tuple(problem.evaluator.components(decision)))]
    result = run_bound(METHOD, problem, news=lambda: [told.pop()] if told else [])
    bound = problem.strongest_bound(result.bounds)
    assert bound is None or below(bound.value, best)


COSTS = (0.0, 1e-12, 1.0, 1.0, 3.0, 1e15)


@settings(max_examples=120)
@given(st.data())
def test_extreme_costs_side_by_side(data: st.DataObject) -> None:
    cost = st.sampled_from(COSTS)
    n = data.draw(st.integers(2, 6))
    ops = [
        Op(f"o{i}", f"o{i}", work=data.draw(cost), work_cpu=data.draw(cost), param_bytes=1.0)
        for i in range(n)
    ]
    tensors = [
        Tensor(f"o{i}", tuple(f"o{j}" for j in sorted(readers)), 1.0, data.draw(cost))
        for i in range(n - 1)
        if (readers := data.draw(st.sets(st.integers(i + 1, n - 1), max_size=3)))
    ]
    target = data.draw(st.sampled_from([DevicePool(2, 1), DevicePool(1, 2), Pipeline(3), McmPackage(3)]))
    graph = Graph.build("extreme", ops, tensors)
    pins = (Pin("o0", target.devices(graph)[1].name),) if data.draw(st.booleans()) else ()
    problem = Problem(graph, target, constraints=pins)
    best = min(
        (
            problem.evaluator.objective(plan)
            for places in product(range(3), repeat=n)
            if not problem.evaluator.violations(plan := np.array(places, np.int32))
        ),
        default=math.inf,
    )
    assert below(proven(problem), best)


def row(works: list[float], times: list[float], cpu: float = 1e3) -> Graph:
    """Ops in a row with tensors of these times between them."""
    ops = [Op(f"o{i}", f"o{i}", work=work, work_cpu=cpu) for i, work in enumerate(works)]
    return Graph.build(
        "row", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time) for i, time in enumerate(times)]
    )


def test_what_lies_between_counts() -> None:
    """Three devices pay for both borders: the middle one receives and sends. The two-superblock bound sees one of them at a time."""
    problem = Problem(row([4.0] * 3, [3.0, 3.0]), Pipeline(3))
    assert reference.optimum(problem)[0] == 10.0
    assert proven(problem) == pytest.approx(10.0, rel=1e-3)


def test_a_cpu_may_stand_anywhere_and_pays_no_transfers() -> None:
    graph = row([5.0, 5.0, 5.0, 5.0], [1.0, 1.0, 1.0], cpu=4.0)
    problem = Problem(graph, DevicePool(2, 1))
    best, _ = reference.optimum(problem)
    assert proven(problem) == pytest.approx(best, rel=1e-3)


def wide(branches: int = 9, length: int = 9) -> Graph:
    """Chains side by side: more than a million ideals; work and tensors differ."""
    rng = np.random.default_rng(3)
    ops = [Op("in", "in", work=1.0, work_cpu=1.0), Op("out", "out", work=1.0, work_cpu=1.0)]
    tensors = []
    for b in range(branches):
        names = [f"{b}.{i}" for i in range(length)]
        ops += [Op(x, x, work=float(rng.integers(2, 9)), work_cpu=float(rng.integers(2, 40))) for x in names]
        tensors += [
            Tensor(u, (v,), 1.0, float(rng.integers(1, 5)))
            for u, v in zip(names, [*names[1:], "out"], strict=True)
        ]
    tensors.append(Tensor("in", tuple(f"{b}.0" for b in range(branches)), 1.0, 2.0))
    return Graph.build("wide", ops, tensors)


@pytest.mark.parametrize("target", [DevicePool(3, 1), Pipeline(4)])
def test_wide_graphs_are_bounded_unasked_where_ideals_are_too_many(
    target: DevicePool | Pipeline,
) -> None:
    problem = Problem(wide(), target)
    assert "nested-cuts" in [method.name for method in unasked_bounds(problem)]
    with pytest.raises(PlannerRefusal, match="more than 1000 ideals"):
        run_bound(bound_method("chain-dp"), Problem(wide(), Pipeline(4)), options={"ideals": 1000})
    simple = max(bound.value for bound in run_bound(bound_method("simple"), problem).bounds)
    assert proven(problem, nodes=20) > 1.02 * simple


def test_the_course_is_counted_in_parts() -> None:
    problem = Problem(wide(6, 6), DevicePool(3, 1))
    first, again = (
        [bound.value for bound in run_bound(METHOD, problem, IterationLimit(12)).bounds] for _ in range(2)
    )
    assert first and first == again
    assert proven(problem, nodes=30) >= proven(problem, nodes=5)


def test_what_it_does_not_serve_is_said() -> None:
    graph = row([1.0] * 12, [1.0] * 11)
    assert "contiguous=false" in str(METHOD.refusal(Problem(graph, DevicePool(2, 1, contiguous=False))))
    assert "up to 8 devices" in str(METHOD.refusal(Problem(graph, Pipeline(9))))
    assert "up to 8 devices" in str(METHOD.refusal(Problem(graph, DevicePool(4, 4))))
    overlapping = Problem(graph, DevicePool(2, 1, communication="overlap"))
    assert "add work and transfers" in str(METHOD.refusal(overlapping))
    assert METHOD.refusal(Problem(graph, DevicePool(2, 1))) is None


def test_a_bound_leaves_out_what_it_did_not_use() -> None:
    problem = Problem(row([4.0] * 3, [3.0, 3.0]), DevicePool(2, 1, memory=100.0))
    assumed = run_bound(METHOD, problem).bounds[-1].assumes
    assert not any(token.startswith("rule:memory") for token in assumed)
    assert "rule:contiguous" in assumed


# ---------------------------------------------------------------------------------------------------------- kernels
@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 5))
def test_prices_are_those_of_the_linear_program(seed: int, chains: int, devices: int) -> None:
    paid = np.random.default_rng(seed).integers(0, 9, (chains, devices)).astype(float)
    price = np.empty(devices)
    value = best_prices(paid, price)
    assert price.sum() == pytest.approx(1.0) and (price >= 0).all()
    costs = np.append(np.zeros(devices), -1.0)
    result = linprog(
        costs, A_ub=np.hstack([-paid, np.ones((chains, 1))]), b_ub=np.zeros(chains),
        A_eq=np.append(np.ones(devices), 0.0)[None], b_eq=[1.0], bounds=[(0, 1)] * devices + [(None, None)],
    )  # fmt: skip
    assert value == pytest.approx(-result.fun, abs=1e-6)


@settings(max_examples=60)
@given(problems(target=pools(most=4, contiguous=True), graph=graphs(least=2, training=False)), st.data())
def test_charges_add_up_to_no_more_than_the_first_and_the_last_pay(
    problem: Problem, data: st.DataObject
) -> None:
    """For every window of the units and every place of the first and the last that touch a tensor."""
    units, devices = chain(problem), 4
    m = units.count
    reach = np.zeros((m, m), bool)
    reachable(*units.succs, reach)
    pays = np.array(data.draw(st.lists(st.booleans(), min_size=devices, max_size=devices)))
    made = row_of(
        units,
        np.ones((devices, m)),
        np.zeros(devices),
        pays,
        units.tensor_time,
        2 * units.send_time,
        math.inf,
    )
    network = network_of(units, made, reach)
    low = np.array(data.draw(st.lists(st.integers(0, 3), min_size=m, max_size=m)), np.int8)
    high = np.maximum(low, np.array(data.draw(st.lists(st.integers(0, 3), min_size=m, max_size=m)), np.int8))
    rate = np.where(pays, np.array([0.1, 0.4, 0.2, 0.3]), 0.0)
    cap = np.zeros(len(network.head), np.int64)
    charge(low, high, rate, made, network, cap)
    for t in range(len(made.receive)):
        touching = made.touch_unit[made.touch_ptr[t] : made.touch_ptr[t + 1]]
        charged = cap[network.tensor_arc[:, t]]
        first = (low[touching].min(), high[touching].min())
        last = (low[touching].max(), high[touching].max())
        for p in range(first[0], first[1] + 1):
            for q in range(max(p + 1, last[0]), last[1] + 1):
                paid = (rate[p] * made.send[t] + rate[q] * made.receive[t]) * made.scale
                assert charged[p:q].sum() <= paid * (1 + 1e-12) + 1.0


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 2), st.integers(0, 2))
def test_what_does_not_fit_is_told_by_units_divided_at_will(seed: int, paying: int, others: int) -> None:
    rng = np.random.default_rng(seed)
    m = 6
    way = np.triu(rng.random((m, m)) < 0.4, 1)
    fast, slow = rng.integers(0, 5, (2, m)).astype(float)
    ratio = np.divide(slow, fast, out=np.full(m, np.inf), where=fast > 0)
    found = np.empty(m, bool)
    most = float(rng.integers(1, 8))
    too_much(way, fast, slow, np.argsort(ratio, kind="stable"), paying, others, most, found)
    for v in range(m):
        inside = way[v] | (np.arange(m) == v)
        if paying == 0 or others == 0:
            taken, room = (fast, paying * most) if paying else (slow, others * most)
            assert found[v] == (taken[inside].sum() > room)
            continue
        result = linprog(
            np.zeros(m),
            A_ub=np.array([np.where(inside, -fast, 0.0), np.where(inside, slow, 0.0)]),
            b_ub=[paying * most - fast[inside].sum(), others * most],
            bounds=[(0, 1)] * m,
        )
        assert found[v] == (result.status == 2)
