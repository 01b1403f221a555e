"""Jobs in real processes: several at once, killed, stopped, and none left when the window closes."""

from __future__ import annotations

import os
import signal

import pytest
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from planner.runs.messages import Order

pytestmark = pytest.mark.usefixtures("qapp")


def endless(document: Document) -> Order:
    """An order that ends only when it is told to."""
    assert document.problem is not None
    return Order("slice-random", document.problem, options={"orders": 10_000_000})


def test_two_real_planners_and_a_bound_at_once(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    real.warm_up()
    orders = [
        Order("slice", document.problem),
        Order("slice-random", document.problem, iterations=5),
        Order("simple", document.problem, is_bound=True),
    ]
    started = [real.start(order) for order in orders]
    qtbot.waitUntil(lambda: not real.running, timeout=60_000)
    assert [job.state for job in started] == ["done"] * 3
    assert started[0].entry is not None
    assert started[0].entry.valid
    assert document.evaluation.objective <= min(job.objective or 1e9 for job in started[:2]) + 1e-9
    assert document.evaluation.valid


def test_a_killed_process_keeps_its_best(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    job = real.start(endless(document))
    qtbot.waitUntil(lambda: job.objective is not None, timeout=60_000)
    pid = real._workers[job]._process.pid
    assert pid is not None
    with qtbot.waitSignal(document.message, timeout=10_000):
        os.kill(pid, signal.SIGKILL)
    assert job.state == "failed"
    assert "kept" in job.text
    assert job.entry in document.plans


def test_closing_ends_every_process(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    real.warm_up()
    first = real.start(endless(document))
    qtbot.waitUntil(lambda: first.objective is not None, timeout=60_000)
    late = real.start(endless(document))  # its process still starts
    real.cancel(first)
    real.close()
    assert [job.state for job in (first, late)] == ["cancelled", "cancelled"]
    assert first.entry in document.plans  # the guards see to it that no process is left


def test_cancelling_a_real_planner_keeps_its_best(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    job = real.start(endless(document))
    real.cancel(job)  # before it can have read its order
    qtbot.waitUntil(lambda: not job.alive, timeout=60_000)
    assert job.state == "cancelled"
