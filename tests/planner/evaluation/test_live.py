"""Live evaluation: after any edits it equals full evaluation, and what it foretells is what happens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.evaluator import Evaluator, Live
from planner.problem.problem import Pin, Problem, Together
from planner.problem.target import Target
from tests.planner import reference
from tests.planner.strategies import graphs, pipelines, placements, problems

pytestmark = pytest.mark.coverage


def agree(live: Live) -> None:
    """Everything kept incrementally equals what a fresh evaluation finds."""
    fresh = live.evaluator.problem.live(live.device_of)
    assert live.objective == pytest.approx(fresh.objective)
    assert live.used == pytest.approx(fresh.used, abs=1e-9)
    if live.evaluator.problem.objective != "latency":
        for name in ("receive", "busy", "send", "held", "occupied"):
            assert getattr(live, name) == pytest.approx(getattr(fresh, name), abs=1e-9)
        assert (live.counts == fresh.counts).all()
        assert (live.quotient == fresh.quotient).all()
    assert live.cyclic_devices() == fresh.cyclic_devices()
    assert live.violations == fresh.violations


def some_ops(problem: Problem) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, problem.graph.n - 1), min_size=1, max_size=4, unique=True)


@given(st.data())
def test_incremental_equals_full_after_any_moves_and_undos(data: st.DataObject) -> None:
    problem = data.draw(problems(options=True, alike=False))
    live = problem.live(data.draw(placements(problem)))
    devices = st.integers(0, len(problem.devices) - 1)
    past = [live.device_of.copy()]
    for _ in range(data.draw(st.integers(1, 6))):
        if len(past) > 1 and data.draw(st.booleans()):
            live.undo()
            past.pop()
        else:
            ops = data.draw(some_ops(problem))
            if data.draw(st.booleans()):
                live.apply(ops, data.draw(devices))
            else:
                live.apply(ops, data.draw(st.lists(devices, min_size=len(ops), max_size=len(ops))))
            past.append(live.device_of.copy())
        assert (live.device_of == past[-1]).all()
        agree(live)
        assert live.evaluation.objective == pytest.approx(live.objective)


@given(st.data())
def test_delta_is_what_the_move_gives_on_every_device(data: st.DataObject) -> None:
    problem = data.draw(problems(options=True, alike=False))
    live = problem.live(data.draw(placements(problem)))
    ops = data.draw(some_ops(problem))
    before = live.device_of.copy()
    delta = live.delta(ops)
    assert (live.device_of == before).all()
    agree(live)
    for d in range(len(problem.devices)):
        after = before.copy()
        after[ops] = d
        evaluation = problem.evaluate(after)
        assert delta.objective[d] == pytest.approx(evaluation.objective)
        assert delta.cost[d] == pytest.approx(evaluation.cost)
        assert delta.memory[d] == pytest.approx(evaluation.memory)


def test_delta_of_many_ops_on_a_large_graph_looks_tensors_up_both_ways() -> None:
    """More tensors than four times those touched: the sparse look-up; fewer: the dense one."""
    n = 60
    ops = [Op(str(i), str(i), work=1.0, work_cpu=2.0) for i in range(n)]
    tensors = [Tensor(str(i), (str(i + 1), str(min(n - 1, i + 5))), 4.0) for i in range(n - 1)]
    problem = Problem(Graph.build("line", ops, tensors), DevicePool(3, 1, bandwidth=1.0))
    live = problem.live(np.arange(n) // 15)
    for count in (1, 3, 50):
        chosen = np.arange(count)
        for d in range(4):
            after = live.device_of.copy()
            after[chosen] = d
            assert live.delta(chosen).objective[d] == pytest.approx(problem.evaluate(after).objective)


@given(st.data())
def test_check_agrees_with_full_evaluation(data: st.DataObject) -> None:
    """What ``check`` promises, rule by rule.

    Legal: after the move the moved ops break no order, support, pin or together rule, their device is not overfull,
    and no more devices wait for each other than before. From a valid assignment: legal exactly when the
    assignment after the move is valid.
    """
    problem = data.draw(problems(options=True, alike=False))
    live = problem.live(data.draw(placements(problem)))
    ops = data.draw(some_ops(problem))
    check = live.check(ops)
    moved = set(ops)
    contiguous = getattr(problem.target, "contiguous", False)
    for d in range(len(problem.devices)):
        after = live.device_of.copy()
        after[ops] = d
        violations = problem.evaluator.violations(after)
        touched = {
            v.kind
            for v in violations
            if moved & set(v.ops) and v.kind in {"order", "support", "pin", "together"}
        }
        if any(v.kind == "memory" and d in v.devices for v in violations):
            touched.add("memory")
        if contiguous and problem.live(after).cyclic_devices() > live.cyclic_devices():
            touched.add("contiguous")
        assert check.legal[d] == (not touched), (touched, check.codes)
        if not live.violations:
            assert check.legal[d] == (not violations)
            assert bool(check.violations(d)) == (not check.legal[d])


def test_check_keeps_to_what_the_move_itself_breaks() -> None:
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abc"]
    graph = Graph.build("line", ops, [Tensor("a", ("b",), 1.0), Tensor("b", ("c",), 1.0)])
    live = Problem(graph, Pipeline(3)).live([2, 1, 2])
    assert len(live.violations) == 1
    check = live.check([2])
    assert check.legal.tolist() == [False, True, True]
    assert check.violations(0)[0].sentence.startswith("b sends back")
    assert check.violations(0) is check.violations(0)


@settings(max_examples=60)
@given(st.data())
def test_taking_neighbours_along_restores_the_order(data: st.DataObject) -> None:
    """On a pipeline, whatever the closure moves keeps the order where it was kept before."""
    problem = data.draw(problems(target=pipelines(), constraints=False))
    order = [int(d) for d in np.sort(data.draw(placements(problem)))]
    start = np.empty(problem.graph.n, np.int32)
    start[problem.graph.topological_order] = order
    live = problem.live(start)
    assert not live.violations
    ops = data.draw(some_ops(problem))
    for d in range(len(problem.devices)):
        taken = live.closure(ops, d)
        assert set(ops) <= set(taken.tolist())
        assert live.check(taken).legal[d]
        after = live.device_of.copy()
        after[taken] = d
        assert not problem.evaluator.violations(after)
        if live.check(ops).legal[d]:
            assert taken.tolist() == sorted(ops)


def test_closure_takes_the_smallest_set_and_colocated_mates() -> None:
    ops = [Op(str(i), str(i), work=1.0, work_cpu=1.0) for i in range(6)]
    graph = Graph.build("line", ops, [Tensor(str(i), (str(i + 1),), 1.0) for i in range(4)])
    live = Problem(graph, Pipeline(3)).live([0, 0, 1, 1, 2, 2])
    assert live.closure([3], 0).tolist() == [2, 3]
    assert live.closure([0], 2).tolist() == [0, 1, 2, 3]
    assert live.closure([3], 1).tolist() == [3]
    live = Problem(graph, Pipeline(3), constraints=(Together(("2", "5")),)).live([0, 0, 1, 1, 2, 1])
    assert live.closure([3], 0).tolist() == [2, 3, 5]


def test_closure_on_a_pool_follows_the_order_of_the_devices() -> None:
    ops = [Op(str(i), str(i), work=1.0, work_cpu=1.0) for i in range(4)]
    graph = Graph.build("line", ops, [Tensor(str(i), (str(i + 1),), 1.0) for i in range(3)])
    live = Problem(graph, DevicePool(3, 0)).live([2, 0, 0, 1])
    assert live.closure([2], 2).tolist() == [1, 2]
    assert live.check(live.closure([2], 2)).legal[2]
    free = Problem(graph, DevicePool(3, 0, contiguous=False)).live([2, 0, 0, 1])
    assert free.closure([2], 2).tolist() == [2]


def test_closure_where_devices_already_wait_for_each_other() -> None:
    ops = [Op(i, i, work=1.0, work_cpu=1.0) for i in "abcd"]
    graph = Graph.build("abcd", ops, [Tensor("a", ("b",), 1.0), Tensor("c", ("d",), 1.0)])
    live = Problem(graph, DevicePool(2, 0)).live([0, 1, 1, 0])
    assert 0 in live.closure([0], 1).tolist()


def brute_moves(problem: Problem, live: Live) -> list[float]:
    """Objectives of every improving move of one group that leaves no more wrong than before."""
    found = []
    now = live.objective
    for g in range(problem.groups.count):
        ops = problem.groups.ops(g)
        legal = live.check(ops).legal
        for d in range(len(problem.devices)):
            after = live.device_of.copy()
            after[ops] = d
            value = reference.objective(problem, after.tolist())
            if value < now * (1 - 1e-9) and legal[d]:
                found.append(value)
    return sorted(found)


@settings(max_examples=200)
@given(st.data())
def test_best_moves_are_the_best_of_all_single_moves(data: st.DataObject) -> None:
    problem = data.draw(problems(graph=graphs(least=2), options=True))
    live = problem.live(data.draw(placements(problem)))
    expected = brute_moves(problem, live)
    moves = live.best_moves(limit=1000)
    assert [m.objective for m in moves] == pytest.approx(expected)
    assert [m.gain for m in moves] == pytest.approx([live.objective - m.objective for m in moves])
    assert [m.objective for m in live.best_moves(limit=2)] == pytest.approx(expected[:2])
    agree(live)


def test_a_producer_or_a_consumer_may_come_to_the_bottleneck() -> None:
    """b, pinned, pays for what a sends it and for what it sends c; either may move to b's device instead."""
    ops = [Op(i, i, work=w, work_cpu=w) for i, w in (("a", 1.0), ("b", 2.0), ("c", 1.0))]
    tensors = [Tensor("a", ("b",), 1.0, 4.0), Tensor("b", ("c",), 1.0, 4.0)]
    pool = Problem(Graph.build("line", ops, tensors), DevicePool(3, 0), constraints=(Pin("b", "acc 1"),))
    moves = pool.live([0, 1, 2]).best_moves()
    assert [(m.ops, m.device, m.objective) for m in moves] == [((0,), 1, 7.0), ((2,), 1, 7.0)]


def test_best_moves_may_be_asked_for_illegal_ones_too() -> None:
    ops = [Op("a", "a", work=4.0, work_cpu=4.0), Op("b", "b", work=3.0, work_cpu=3.0)]
    graph = Graph.build("pair", ops, [Tensor("a", ("b",), 0.0)])
    live = Problem(graph, Pipeline(2), constraints=(Pin("b", "stage 0"), Pin("a", "stage 0"))).live([0, 0])
    assert live.best_moves() == []
    assert [(m.ops, m.device, m.objective) for m in live.best_moves(legal_only=False)] == [
        ((0,), 1, 4.0),
        ((1,), 1, 4.0),
    ]


def test_a_schedule_follows_moves() -> None:
    ops = [Op(i, i, work=w, work_cpu=2 * w) for i, w in (("a", 1.0), ("b", 2.0), ("c", 1.0))]
    graph = Graph.build("line", ops, [Tensor("a", ("b",), 1.0, 4.0), Tensor("b", ("c",), 1.0, 4.0)])
    live = Problem(graph, DevicePool(2, 1), "latency").live([0, 0, 0])
    for op, device in ((2, 1), (1, 1), (0, 2)):
        live.apply([op], device)
        agree(live)
    live.undo()
    agree(live)


def test_edits_are_checked_and_resummed() -> None:
    ops = [Op(str(i), str(i), work=0.1, work_cpu=0.3) for i in range(5)]
    problem = Problem(
        Graph.build("five", ops, [Tensor("0", ("1", "2"), 0.7)]), DevicePool(2, 1, bandwidth=3.0)
    )
    live = problem.live([0] * 5)
    with pytest.raises(ValueError, match="devices are numbered 0 to 2"):
        live.apply([0], 3)
    with pytest.raises(IndexError):
        live.undo()
    live.RESYNC_EVERY = 4
    for i in range(11):
        live.apply([i % 5], i % 3)
    assert live._moves < 4
    agree(live)
    live.apply([], 0)
    agree(live)


@pytest.mark.parametrize("target", [Pipeline(3), DevicePool(2, 1), EdgeTpuPipeline(3), McmPackage(4)])
def test_an_assignment_that_was_just_taken_on_is_evaluated_from_the_same_sums(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    ops = [Op(f"op{i}", f"op{i}", param_bytes=10.0 * i, work=1.0 + i % 4, work_cpu=8.0) for i in range(9)]
    graph = Graph.build("chain", ops, [Tensor(f"op{i}", (f"op{i + 1}",), 4.0 + i) for i in range(8)])
    problem, other = (Problem(graph, target) for _ in range(2))
    summed = 0
    raw = type(problem.evaluator).raw

    def counted(evaluator: Evaluator, device_of: np.ndarray) -> tuple[np.ndarray, ...]:
        nonlocal summed
        summed += evaluator is problem.evaluator
        return raw(evaluator, device_of)

    monkeypatch.setattr(type(problem.evaluator), "raw", counted)
    device_of = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2], np.int32)
    live = problem.live(device_of)
    for moved in ([], [2], [6, 4]):
        if moved:
            live.apply(moved, 2)
        found, wanted = live.evaluation, other.evaluate(live.device_of)
        assert summed == 1 + len(moved)
        for name in ("receive", "work", "streaming", "send", "cost", "memory", "pace", "replicas", "serves"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
        assert found.components == wanted.components and found.violations == wanted.violations
