"""Lower bounds: never above a valid plan, and used only where what they assumed holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.evaluation.simple_bounds import fractional_share
from planner.machines.catalogue import bound_methods
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.several.bounds.simple import Simple
from planner.model.graph import Graph, Op, Tensor
from planner.problem.bound import Bound, better, gap, strongest
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run_bound
from tests.planner import reference
from tests.planner.strategies import graphs, pipelines, placements, pools, problems, unequal

pytestmark = pytest.mark.coverage

PROGRAMS = {"bottleneck", "bottleneck-guess", "exact", "ip"}
"""Methods that start a solver for each problem; tests/planner/machines have their own tests, with fewer examples."""


@settings(max_examples=80)
@given(problems(target=st.one_of(pipelines(most=3), pools(most=3)), graph=graphs(most=5)))
def test_no_bound_is_above_the_optimum(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    for method in bound_methods().values():
        if method.name in PROGRAMS or method.refusal(problem) is not None:
            continue
        for bound in run_bound(method, problem).bounds:
            assert bound.value <= best + 1e-9


@settings(max_examples=100)
@given(st.data())
def test_no_bound_is_above_any_valid_plan(data: st.DataObject) -> None:
    problem = data.draw(problems())
    device_of = data.draw(placements(problem))
    if reference.broken(problem, device_of):
        device_of = [0] * problem.graph.n
    if not reference.broken(problem, device_of):
        result = run_bound(Simple(), problem)
        assert result.bounds[-1].value <= reference.objective(problem, device_of) + 1e-9


@settings(max_examples=80)
@given(st.data())
def test_a_fractional_share_is_below_every_whole_assignment(data: st.DataObject) -> None:
    k, pieces = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 5))
    class_of = np.array(data.draw(st.lists(st.integers(0, 1), min_size=k, max_size=k)))
    per_class = np.array(
        data.draw(
            st.lists(st.lists(st.integers(0, 9), min_size=pieces, max_size=pieces), min_size=2, max_size=2)
        ),
        float,
    ).reshape(2, pieces)
    work = per_class[class_of]
    allowed = np.array(
        data.draw(
            st.lists(st.lists(st.booleans(), min_size=pieces, max_size=pieces), min_size=k, max_size=k)
        ),
        bool,
    ).reshape(k, pieces)
    work = np.where(allowed, work, np.inf)
    if pieces == 0 or not np.isfinite(work).any(axis=0).all():
        return
    places = np.array(np.meshgrid(*[np.arange(k)] * pieces)).reshape(pieces, -1)
    loads = np.zeros((k, places.shape[1]))
    for p in range(pieces):
        loads[places[p], np.arange(places.shape[1])] += work[places[p], p]
    assert fractional_share(work, class_of) <= loads.max(axis=0).min() + 1e-9


@pytest.mark.parametrize("alone", [0, 1])
def test_what_one_kind_alone_can_do_may_be_more_than_all_the_rest(alone: int) -> None:
    work = np.ones((2, 2))
    work[alone, 0], work[1 - alone, 0] = 5.0, np.inf
    assert fractional_share(work, np.array([0, 1])) == 5.0


def line(*work: float) -> Graph:
    return Graph.build("line", [Op(f"o{i}", f"o{i}", work=w, work_cpu=4 * w) for i, w in enumerate(work)], [])


def test_the_simple_bound_by_hand() -> None:
    assert run_bound(Simple(), Problem(line(1, 2, 3), Pipeline(2))).bounds[0].value == 3.0
    assert run_bound(Simple(), Problem(line(2, 2, 2, 2), Pipeline(2))).bounds[0].value == 4.0
    # One unit of work takes 1/1 on the accelerator and 4/1 on the CPU: 10 units balance at 8.
    assert run_bound(Simple(), Problem(line(*[1.0] * 10), DevicePool(1, 1))).bounds[0].value == pytest.approx(
        8.0
    )
    together = Problem(line(1, 2, 3), Pipeline(3), constraints=(Together(("o1", "o2")),))
    assert run_bound(Simple(), together).bounds[0].value == 5.0
    pins = tuple(Pin(f"o{i}", "stage 0") for i in range(3))
    assert run_bound(Simple(), Problem(line(1, 2, 3), Pipeline(3), constraints=pins)).bounds[0].value == 6.0


def test_the_simple_bound_counts_what_memory_does_not_hold() -> None:
    """Streaming a byte takes 1: the largest op streams what exceeds a stage, and all of them what exceeds all stages."""

    def value(k: int, *held: float, **target: Any) -> float:
        ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, param_bytes=b) for i, b in enumerate(held)]
        graph = Graph.build("heavy", ops, [])
        return run_bound(Simple(), Problem(graph, Pipeline(k, bandwidth=1.0, **target))).bounds[0].value

    assert value(3, 1, 9, 2, memory=4.0) == pytest.approx(1 + 5)
    assert value(3, 1, 9, 2, memory=4.0, reserve=1.0) == pytest.approx(1 + 6)
    assert value(1, 1, 9, 2, memory=5.0) == pytest.approx(3 + 7)
    # On the larger of two stages the op streams 1. Together they hold 9 of 12 bytes, and share 3 of work and 3 of streaming.
    assert value(2, 1, 9, 2, memory=(1.0, 8.0)) == pytest.approx(3.0)
    # Nothing is streamed on the third stage, which shares the work with the others as well as that goes.
    assert value(3, 1, 9, 2, memory=(1.0, 1.0, math.inf)) == pytest.approx(1.2)
    # Of three kinds of stages the best prices are met nearly, from below.
    share = (3 + 12 - 0.875) / 3
    assert 0.99 * share < value(3, 4, 4, 4, memory=(0.5, 0.25, 0.125)) <= share


@settings(max_examples=80)
@given(problems(target=unequal(pipelines(most=3)), graph=graphs(most=5), alike=False))
def test_no_simple_bound_is_above_the_optimum_of_unequal_stages(problem: Problem) -> None:
    best, _ = reference.optimum(problem)
    for bound in run_bound(Simple(), problem).bounds:
        assert bound.value <= best + 1e-9


@pytest.mark.parametrize("communication", ["sum", "overlap"])
def test_the_simple_bound_on_copies_by_hand(communication: str) -> None:
    """Two copies halve the work of the large op; without weights there is nothing to keep the same on both."""
    pool = DevicePool(2, 0, replication=True, bandwidth=1.0, communication=communication)
    assert run_bound(Simple(), Problem(line(6, 2), pool)).bounds[0].value == 4.0
    assert run_bound(Simple(), Problem(line(6), pool)).bounds[0].value == 3.0


def test_a_sample_takes_as_long_as_the_longest_path() -> None:
    ops = [Op(i, i, work=w, work_cpu=4 * w) for i, w in (("a", 1.0), ("b", 2.0), ("c", 5.0), ("d", 1.0))]
    graph = Graph.build("path", ops, [Tensor("a", ("b", "d"), 1.0), Tensor("b", ("d",), 1.0)])
    bound = run_bound(Simple(), Problem(graph, DevicePool(3, 0), "latency")).bounds[0]
    assert bound.value == 5.0
    pinned = Problem(graph, DevicePool(1, 1), "latency", (Pin("b", "cpu 0"),))
    assert run_bound(Simple(), pinned).bounds[0].value == 10.0


def test_what_cannot_be_placed_is_proven_infeasible() -> None:
    graph = Graph.build("one", [Op("a", "a", work=1.0, work_cpu=1.0, supported=False)], [])
    result = run_bound(Simple(), Problem(graph, DevicePool(2, 0)))
    assert result.bounds[0].value == math.inf
    assert result.status == "infeasible"


def test_a_bound_is_used_where_what_it_assumed_holds() -> None:
    free = Problem(line(1, 2, 3), Pipeline(3))
    pinned = free.with_constraints((Pin("o0", "stage 0"), Pin("o2", "stage 0")))
    weak = run_bound(Simple(), free).bounds[0]
    strong = run_bound(Simple(), pinned).bounds[0]
    assert (weak.value, strong.value) == (3.0, 4.0)
    assert free.strongest_bound([weak, strong]) == weak
    assert pinned.strongest_bound([weak, strong]) == strong
    assert pinned.strongest_bound([weak]) == weak
    more = pinned.with_constraints((*pinned.constraints, Together(("o1", "o2"))))
    assert more.strongest_bound([weak, strong]) == strong
    assert Problem(line(1, 2, 3), Pipeline(2)).strongest_bound([weak, strong]) is None
    assert Problem(line(1, 2, 4), Pipeline(3)).strongest_bound([weak, strong]) is None
    relaxed = Problem(line(1, 2, 3), DevicePool(2, 1, contiguous=False))
    strict = Problem(line(1, 2, 3), DevicePool(2, 1, contiguous=True, memory=1e9))
    assert strict.strongest_bound([run_bound(Simple(), relaxed).bounds[0]]) is not None
    assert (
        Problem(line(1, 2, 3), DevicePool(2, 1, communication="overlap")).strongest_bound(
            [run_bound(Simple(), relaxed).bounds[0]]
        )
        is None
    )


def test_plans_are_compared_by_one_component_after_the_other() -> None:
    assert better((1.0,), None)
    assert better((1.0, 2.0), (1.0, 3.0))
    assert not better((2.0, 1.0), (1.0, 3.0))
    assert not better((1.0, 2.0), (1.0 + 1e-13, 2.0))


def test_gap_and_strongest() -> None:
    assert gap(10.0, None) is None
    assert gap(10.0, 8.0) == pytest.approx(0.2)
    assert gap(10.0, 10.0 * (1 - 1e-12)) == 0.0
    assert gap(0.0, 0.0) == 0.0
    bounds = [Bound("a", v, "m", "r", frozenset(t)) for v, t in ((1.0, ()), (3.0, ("x",)), (2.0, ("y",)))]
    assert strongest(bounds, "a", "r", frozenset({"y", "z"})) == bounds[2]
    assert strongest(bounds, "b", "r", frozenset({"y"})) is None
