"""The pieces of a split and the schedule of one sample, against slow simulations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.evaluation.pieces import pieces
from planner.machines.pool.latency.evaluation import schedule
from planner.model.graph import Graph, Ints, Op, Tensor
from tests.planner.strategies import graphs

pytestmark = pytest.mark.coverage


@st.composite
def splits(draw: st.DrawFn) -> tuple[Graph, Ints, np.ndarray, Ints]:
    """A graph, a device for each op, which devices are accelerators, and the accelerator that each slot belongs to."""
    graph = draw(graphs(least=1, most=10))
    accelerators = draw(st.integers(1, 3))
    slots = draw(st.integers(1, 2))
    k = accelerators * slots + 1
    device_of = np.array(draw(st.lists(st.integers(0, k - 1), min_size=graph.n, max_size=graph.n)), np.int32)
    if draw(st.booleans()):  # along a topological order, so that many splits are contiguous
        device_of[graph.topological_order] = np.sort(device_of)
    pays = np.arange(k) < k - 1
    owner = np.append(np.arange(accelerators * slots) // slots * slots, k - 1).astype(np.int32)
    return graph, device_of, pays, owner


def cut(graph: Graph, device_of: Ints, pays: np.ndarray, owner: Ints):  # type: ignore[no-untyped-def]
    return pieces(device_of, graph.backward.astype(np.int8), *graph.succs, *graph.preds, pays, owner)


def slot_turn(device: int, part: int, k: int) -> int:
    return device if part == 0 else 2 * k - 1 - device


def contiguous(graph: Graph, device_of: Ints, pays: np.ndarray, owner: Ints) -> bool:
    """Whether devices (by part), CPU ops one by one, and the turns of the slots can be put in one order."""
    k = len(pays)
    node = [(int(d), int(graph.backward[v])) if pays[d] else v for v, d in enumerate(device_of)]
    edges = {
        (node[u], node[v])
        for u, v in zip(*(a.tolist() for a in graph.edges), strict=True)
        if node[u] != node[v]
    }
    groups = [x for x in set(node) if isinstance(x, tuple)]
    edges |= {
        (a, b)
        for a in groups
        for b in groups
        if owner[a[0]] == owner[b[0]] and slot_turn(*a, k) < slot_turn(*b, k)
    }
    left = set(node)
    while left:
        sources = {x for x in left if not any(b == x and a in left for a, b in edges)}
        if not sources:
            return False
        left -= sources
    return True


def simulated(graph: Graph, device_of: Ints, pays: np.ndarray, owner: Ints, piece_of: Ints):  # type: ignore[no-untyped-def]
    """Event by event: (start, finish) of each piece, from the words of the paper."""
    count = int(piece_of.max()) + 1
    ops = [set(np.flatnonzero(piece_of == a).tolist()) for a in range(count)]
    device = [int(device_of[min(s)]) for s in ops]
    tensors = [
        (
            int(graph.tensor_producer[i]),
            set(graph.consumer_idx[graph.consumer_ptr[i] : graph.consumer_ptr[i + 1]].tolist()),
        )
        for i in range(graph.tensor_count)
    ]
    time = np.nan_to_num(graph.tensor_time, nan=2.0)
    ended: dict[int, float] = {}
    began: dict[int, float] = {}
    while len(ended) < count:
        for a in range(count):
            if a in ended:
                continue
            needed = {int(piece_of[p]) for p, c in tensors if p not in ops[a] and c & ops[a]}
            if pays[device[a]]:
                needed |= {b for b in range(a) if pays[device[b]] and owner[device[b]] == owner[device[a]]}
            if not needed <= ended.keys():
                continue
            began[a] = max((ended[b] for b in needed), default=0.0)
            if pays[device[a]]:
                spent = sum(graph.work[v] for v in ops[a])
                spent += sum(time[i] for i, (p, c) in enumerate(tensors) if p not in ops[a] and c & ops[a])
                spent += sum(time[i] for i, (p, c) in enumerate(tensors) if p in ops[a] and c - ops[a])
            else:
                spent = sum(graph.work_cpu[v] for v in ops[a])
            ended[a] = began[a] + spent
            break
        else:
            raise AssertionError("no piece can start")
    return began, ended


def run(graph: Graph, device_of: Ints, pays: np.ndarray, owner: Ints):  # type: ignore[no-untyped-def]
    piece_of, piece_device, _, _ = cut(graph, device_of, pays, owner)
    time = np.nan_to_num(graph.tensor_time, nan=2.0)
    return schedule(
        piece_of, piece_device, device_of, np.stack([graph.work, graph.work_cpu]), (~pays).astype(np.int32),
        graph.tensor_producer, time, time, graph.consumer_ptr, graph.consumer_idx,
        *graph.preds, pays, owner,
    )  # fmt: skip


@given(splits())
@settings(max_examples=200)
def test_pieces_are_ordered_and_whole_where_they_can_be(split) -> None:  # type: ignore[no-untyped-def]
    graph, device_of, pays, owner = split
    piece_of, piece_device, piece_part, cuts = cut(*split)
    assert sorted(set(piece_of.tolist())) == list(range(len(piece_device)))
    assert np.array_equal(piece_device[piece_of], device_of)
    assert np.array_equal(piece_part[piece_of], graph.backward)
    src, dst = graph.edges
    assert (piece_of[src] <= piece_of[dst]).all()
    on_cpu = ~pays[device_of]
    assert len(np.unique(piece_of[on_cpu])) == on_cpu.sum()
    keys = {(int(d), int(b)) for d, b in zip(device_of, graph.backward, strict=True) if pays[d]}
    assert len(keys) <= len(piece_device) - on_cpu.sum() <= len(keys) + cuts
    assert (cuts == 0) == contiguous(graph, device_of, pays, owner)
    if cuts == 0:
        for accelerator in set(owner[pays].tolist()):
            own = np.flatnonzero(pays[piece_device] & (owner[piece_device] == accelerator))
            turns = [slot_turn(int(piece_device[a]), int(piece_part[a]), len(pays)) for a in own]
            assert turns == sorted(turns)


@given(splits())
@settings(max_examples=200)
def test_schedule_equals_a_slow_simulation(split) -> None:  # type: ignore[no-untyped-def]
    graph, device_of, pays, owner = split
    piece_of, *_ = cut(*split)
    start, finish, begin, receive, busy, send, end, latency = run(*split)
    began, ended = simulated(graph, device_of, pays, owner, piece_of)
    assert np.allclose(begin, [began[a] for a in range(len(begin))])
    assert np.allclose(end, [ended[a] for a in range(len(end))])
    assert np.allclose(start, begin[piece_of])
    assert np.allclose(finish, end[piece_of])
    assert np.allclose(end - begin, receive + busy + send)
    assert np.isclose(latency, max(ended.values()))


def chain(*backward: bool) -> Graph:
    ops = [
        Op(str(i), str(i), work=1.0, work_cpu=10.0, memory=1.0, backward=b) for i, b in enumerate(backward)
    ]
    tensors = [Tensor(str(i), (str(i + 1),), 0.0, 0.5) for i in range(len(ops) - 1)]
    return Graph.build("chain", ops, tensors)


def test_only_what_is_on_a_cycle_is_cut() -> None:
    graph = chain(*[False] * 6)
    device_of = np.array([2, 0, 1, 0, 1, 3], np.int32)
    pays, owner = np.ones(4, bool), np.arange(4, dtype=np.int32)
    piece_of, _, _, cuts = cut(graph, device_of, pays, owner)
    assert cuts == 2
    assert piece_of.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_sink_that_waits_for_a_cycle_stays_whole() -> None:
    names = ["a", "b", "c", "d", "e"]
    ops = [Op(x, x, work=1.0, work_cpu=1.0, memory=0.0) for x in names]
    tensors = [Tensor("a", ("b",), 0.0, 1.0), Tensor("b", ("c",), 0.0, 1.0), Tensor("c", ("e",), 0.0, 1.0)]
    graph = Graph.build("g", ops, tensors)
    # Device 0 holds the ready op d and e, which waits for the cycle between devices 1 and 2.
    device_of = np.array([1, 2, 1, 0, 0], np.int32)
    piece_of, _, _, cuts = cut(graph, device_of, np.ones(3, bool), np.arange(3, dtype=np.int32))
    assert cuts == 1
    assert piece_of[3] == piece_of[4]


def test_a_slot_that_waits_for_a_cycle_keeps_its_turn() -> None:
    graph = chain(*[False] * 5)
    device_of = np.array([2, 3, 2, 0, 1], np.int32)
    owner = np.array([0, 0, 2, 3], np.int32)
    piece_of, _, _, cuts = cut(graph, device_of, np.ones(4, bool), owner)
    assert cuts == 1
    assert piece_of.tolist() == [0, 1, 2, 3, 4]


def test_training_runs_forward_then_backward_on_one_accelerator() -> None:
    graph = chain(False, False, True, True)
    device_of = np.array([0, 1, 1, 0], np.int32)
    *_, end, latency = run(graph, device_of, np.ones(2, bool), np.arange(2, dtype=np.int32))
    assert end.tolist() == [1.5, 3.5, 5.5, 7.0]
    assert latency == 7.0


def test_slots_of_one_accelerator_take_turns() -> None:
    ops = [Op(x, x, work=1.0, work_cpu=5.0, memory=0.0) for x in "ab"]
    graph = Graph.build("two", ops, [])
    apart = run(graph, np.array([0, 1], np.int32), np.ones(2, bool), np.arange(2, dtype=np.int32))
    in_turn = run(graph, np.array([0, 1], np.int32), np.ones(2, bool), np.zeros(2, np.int32))
    assert apart[-1] == 1.0
    assert in_turn[-1] == 2.0
    backward = run(graph, np.array([1, 0], np.int32), np.ones(2, bool), np.zeros(2, np.int32))
    assert backward[2].tolist() == [0.0, 1.0]


def test_cpu_ops_run_one_by_one_on_any_number_of_cores() -> None:
    ops = [Op(x, x, work=1.0, work_cpu=5.0, memory=0.0) for x in "abc"]
    graph = Graph.build("three", ops, [Tensor("a", ("c",), 0.0, 9.0)])
    start, *_, latency = run(
        graph, np.array([1, 1, 1], np.int32), np.arange(2) < 1, np.arange(2, dtype=np.int32)
    )
    assert start.tolist() == [0.0, 0.0, 5.0]
    assert latency == 10.0


def test_an_empty_graph_takes_no_time() -> None:
    nothing = np.empty(0, np.int32)
    ptr = np.zeros(1, np.int32)
    pays, owner = np.ones(1, bool), np.zeros(1, np.int32)
    piece_of, piece_device, _, cuts = pieces(
        nothing, np.empty(0, np.int8), ptr, nothing, ptr, nothing, pays, owner
    )
    work = np.zeros((1, 0))
    result = schedule(
        piece_of, piece_device, nothing, work, np.zeros(1, np.int32), nothing, np.zeros(0), np.zeros(0), ptr, nothing, ptr, nothing,
        pays, owner,
    )  # fmt: skip
    assert cuts == 0
    assert result[-1] == 0.0
