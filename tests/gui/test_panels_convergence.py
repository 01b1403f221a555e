"""The convergence plot draws the steps that a job reported."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from gui.methods import method_words
from gui.panels.convergence import ConvergencePanel
from gui.panels.convergence_lines import Mark, crosses_step, marks, steps, value_at
from gui.theme import DARK, LIGHT
from planner.bound import Bound
from planner.worker import Order
from tests.gui.test_panels_planners import PlainJobs
from tests.gui.window_parts import opened, settle, shown

Trace = list[tuple[float, float | None, float | None]]


def test_steps() -> None:
    trace: Trace = [(0.5, 10.0, None), (1.0, 10.0, 4.0), (2.0, 8.0, 4.0), (3.0, 8.0, float("inf"))]
    x, y = steps(trace, 1, 5.0)
    assert x.tolist() == [0.5, 2.0, 2.0, 5.0]
    assert y.tolist() == [10.0, 10.0, 8.0, 8.0]
    x, y = steps(trace, 2, 5.0)
    assert x.tolist() == [1.0, 5.0]
    assert y.tolist() == [4.0, 4.0]
    assert len(steps([], 1, 1.0)[0]) == 0
    # A bound from elsewhere is clocked by the window, a little later than the search's own clock.
    x, y = steps([(0.5, None, 4.0), (0.4, None, 5.0)], 2, 0.6)
    assert x.tolist() == [0.5, 0.5, 0.5, 0.6]


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 5).map(float)), min_size=1, max_size=8))
def test_step_lines_hold_what_was_reported(reported: list[tuple[float, float]]) -> None:
    trace: Trace = [(s, v, None) for s, v in sorted(reported)]
    x, y = steps(trace, 1, 11.0)
    assert (np.diff(x) >= 0).all()
    assert x[-1] == 11.0
    assert y[-1] == trace[-1][1]
    # Between two reports the line is where the last one left it.
    for i, (seconds, value, _) in enumerate(trace):
        until = trace[i + 1][0] if i + 1 < len(trace) else 11.0
        if until > seconds:
            assert value_at(x, y, np.array([(seconds + until) / 2]))[0] == value


def test_the_latest_job_is_drawn(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 200):
        assert panel.plot is None
        assert "Start a planner" in panel.words.text()
        assert document.problem is not None
        first = jobs.start(Order("slice", document.problem), "Slice")
        first.trace += [(0.1, 60.0, 10.0), (0.4, 50.0, 12.0)]
        for seconds, value, method in ((0.0, 10.0, "simple"), (0.4, 12.0, "two-superblock")):
            first.learn(seconds, document.problem.bound("bottleneck", value, method, frozenset()))
        first.objective = 50.0
        jobs.job_changed.emit(first)
        qtbot.waitUntil(lambda: panel.plot is not None and "50.00" in panel.words.text(), timeout=30_000)
        assert panel._curves["incumbent"].getData()[1][-1] == 50.0
        assert panel._curves["bound"].getData()[1][-1] == 12.0
        assert "gap 76.0 %" in panel.words.text()
        assert "proven by two superblocks" in panel.words.text()
        assert panel._curves["incumbent label"].toPlainText() == "Slice 50.00"
        assert panel._curves["gap label"].toPlainText() == "gap 76.0 %"
        told = [mark.toPlainText() for mark in panel._marks if mark.isVisible()]
        assert told == ["simple 10.00", "two superblocks 12.00"]
        second = jobs.start(Order("slice", document.problem), "Slice again")
        assert panel.job() is second
        panel.chooser.setCurrentIndex(1)
        assert panel.job() is first
        panel.set_theme(DARK)
        settle()
        first.state, first.ended_after = "done", time.monotonic() - first.began
        jobs.forget(first)
        settle()
        assert panel.job() is second
        assert not panel.grab().isNull()


def test_words_at_the_steps_of_the_bound() -> None:
    def proofs(*rows: tuple[float, float, str]) -> list[tuple[float, Bound]]:
        return [(seconds, Bound("bottleneck", value, method, "")) for seconds, value, method in rows]

    def words(given: list[tuple[float, Bound]]) -> list[Mark]:
        return marks(given, 10.0, 100.0, lambda b: f"{b.method} {b.value:.0f}", lambda w: 6.0 * len(w))

    assert words([]) == []
    # The last words stand at the end; the first step's have room, those of the second would run into the end's.
    found = words(proofs((0.0, 1.0, "a"), (5.0, 2.0, "b"), (9.0, 3.0, "c"), (9.5, float("inf"), "d")))
    assert found == [Mark(0.0, 1.0, "a 1"), Mark(5.0, 2.0, "b 2"), Mark(10.0, 3.0, "c 3")]
    found = words(proofs((0.0, 1.0, "a"), (7.0, 2.0, "b"), (9.0, 3.0, "c")))
    assert [mark.words for mark in found] == ["a 1", "c 3"]


def test_words_that_would_cross_a_step() -> None:
    x, _ = steps([(0.0, None, 1.0), (8.0, None, 2.0)], 2, 10.0)
    assert crosses_step(x, 10.0, 100.0, 30.0)
    assert not crosses_step(x, 10.0, 100.0, 10.0)
    assert not crosses_step(np.array([0.0, 10.0]), 10.0, 100.0, 90.0)
    assert not crosses_step(np.array([]), 10.0, 100.0, 90.0)


def test_methods_are_called_as_in_the_list() -> None:
    assert method_words("simple") == "simple"
    assert method_words("dp") == method_words("ideals-dp") == "ideals DP"
    assert method_words("of another version") == "of another version"


def test_ticks_say_what_they_count(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 200):
        assert document.problem is not None
        jobs.start(Order("slice", document.problem), "Slice")
        qtbot.waitUntil(lambda: panel.plot is not None, timeout=30_000)
        item = panel.plot.getPlotItem()
        assert item.getAxis("bottom").tickStrings([1.0, 2.0], 1.0, 1.0) == ["1 s", "2 s"]
        item.getAxis("left").set_unit("µs")
        assert item.getAxis("left").tickStrings([10.0], 1.0, 10.0) == ["10 µs"]


def test_a_bound_method_is_drawn_against_the_plan_on_the_canvas(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 200):
        assert document.problem is not None
        job = jobs.start(Order("simple", document.problem, is_bound=True), "Simple")
        job.learn(0.0, document.problem.bound("bottleneck", 10.0, "simple", frozenset()))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: "proven by simple" in panel.words.text(), timeout=30_000)
        objective = document.evaluation.objective
        assert panel._curves["incumbent"].getData()[1].tolist() == [objective, objective]
        assert "on the canvas" in panel.words.text()
        # Broken rules: there is no plan to compare with.
        document.move([0], 2)
        settle()
        assert "plan" not in panel.words.text()
