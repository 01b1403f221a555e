"""Layouts of large graphs on a thread."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.layout_worker import AT_ONCE_UP_TO, LayoutWorker
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op, Tensor
from tests.gui.canvas.graph.conftest import MakeHand

LARGE = AT_ONCE_UP_TO + 1


@pytest.fixture
def worker(qtbot):
    worker = LayoutWorker()
    yield worker
    worker.close()


def test_few_items_are_laid_out_at_once(worker: LayoutWorker) -> None:
    threads: list[object] = []
    worker.request(AT_ONCE_UP_TO, threading.current_thread, threads.append)
    assert threads == [threading.main_thread()]
    assert not worker.busy


def test_many_items_are_laid_out_elsewhere_and_delivered_here(worker: LayoutWorker, qtbot) -> None:
    made: list[object] = []
    delivered: list[object] = []
    worker.request(
        LARGE,
        threading.current_thread,
        lambda t: (made.append(t), delivered.append(threading.current_thread())),
    )
    assert worker.busy
    qtbot.waitUntil(lambda: not worker.busy, timeout=30_000)
    assert made[0] is not threading.main_thread()
    assert delivered == [threading.main_thread()]


def test_only_the_newest_of_several_is_delivered(worker: LayoutWorker, qtbot) -> None:
    gate, made, delivered = threading.Event(), [], []

    def make(i: int) -> int:
        gate.wait(5)
        made.append(i)
        return i

    for i in range(5):
        worker.request(LARGE, lambda i=i: make(i), delivered.append)
    gate.set()
    qtbot.waitUntil(lambda: not worker.busy, timeout=30_000)
    assert delivered == [4]
    assert made == [0, 4]


def test_a_small_request_outdates_a_running_one(worker: LayoutWorker, qtbot) -> None:
    gate, delivered = threading.Event(), []
    worker.request(LARGE, lambda: gate.wait(5) and "large", delivered.append)
    worker.request(3, lambda: "small", delivered.append)
    gate.set()
    qtbot.waitUntil(lambda: not worker.busy, timeout=30_000)
    QApplication.processEvents()
    assert delivered == ["small"]


def test_a_small_request_outdates_a_waiting_one(worker: LayoutWorker, qtbot) -> None:
    gate, delivered = threading.Event(), []
    worker.request(LARGE, lambda: gate.wait(5) and "first", delivered.append)
    worker.request(LARGE, lambda: "waiting", delivered.append)
    worker.request(3, lambda: "small", delivered.append)
    gate.set()
    qtbot.waitUntil(lambda: not worker.busy, timeout=30_000)
    assert delivered == ["small"]


def test_a_failed_layout_is_reported_and_leaves_the_worker_usable(worker: LayoutWorker, qtbot) -> None:
    delivered: list[object] = []

    def fail() -> object:
        raise RuntimeError("no room")

    with qtbot.captureExceptions() as caught:
        worker.request(LARGE, fail, delivered.append)
        qtbot.waitUntil(lambda: not worker.busy, timeout=30_000)
    assert [str(c[1]) for c in caught] == ["no room"]
    worker.request(LARGE, lambda: "next", delivered.append)
    qtbot.waitUntil(lambda: not worker.busy, timeout=30_000)
    assert delivered == ["next"]


def test_closing_waits_and_drops_the_result(qtbot) -> None:
    worker, delivered = LayoutWorker(), []
    worker.request(LARGE, lambda: 1, delivered.append)
    worker.request(LARGE, lambda: 2, delivered.append)
    worker.close()
    assert not worker.busy
    QApplication.processEvents()
    assert delivered == []


def long_chain(n: int) -> Graph:
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=1.0) for i in range(n)]
    return Graph.build("long", ops, [Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=0.0) for i in range(n - 1)])


def test_a_large_graph_on_the_canvas(make_hand: MakeHand) -> None:
    hand = make_hand(long_chain(LARGE), Pipeline(3))
    scene = hand.view.scene
    assert scene is not None
    assert scene.items.count == LARGE
    # The view changes again and again while layouts are being made: the last word holds.
    for view in ("lanes", "flow", "lanes"):
        hand.view.set_view(view)
    hand.document.set_assignment(np.zeros(LARGE, np.int32), "edit", "all on one")
    hand.settle()
    assert hand.view.scene is not None
    assert hand.view.scene.view == "lanes"
    assert len(hand.view.scene.layout.lanes) == 3
    assert np.array_equal(hand.view.scene.device, hand.document.device_of)
    lane = hand.view.lane_rect(0)
    assert all(lane.contains(hand.view.op_rect(v).center()) for v in range(0, LARGE, 97))


def test_closing_the_canvas_during_a_layout_leaves_no_thread(make_hand: MakeHand) -> None:
    hand = make_hand(long_chain(LARGE), Pipeline(3))
    hand.view.set_view("lanes")
    assert hand.view.busy
    hand.view.close_canvas()
    assert not [t for t in threading.enumerate() if t.name == "layout"]
