"""The convergence plot draws the steps that a job reported."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from gui.look.theme import DARK, LIGHT
from gui.tools.search.convergence import ConvergencePanel
from gui.tools.search.convergence_lines import (
    Mark,
    crossed,
    crosses_step,
    highest,
    marks,
    proofs_of,
    steps,
    value_at,
)
from gui.words.methods import method_words
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.bound import Bound
from planner.runs.messages import Order
from tests.gui.tools.search.test_planners import PlainJobs
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown


def test_steps() -> None:
    x, y = steps([(0.5, 10.0), (1.0, 10.0), (2.0, 8.0), (3.0, float("inf"))], 5.0)
    assert x.tolist() == [0.5, 2.0, 2.0, 5.0]
    assert y.tolist() == [10.0, 10.0, 8.0, 8.0]
    x, y = steps([(1.0, 4.0), (2.0, 4.0)], 5.0)
    assert x.tolist() == [1.0, 5.0]
    assert y.tolist() == [4.0, 4.0]
    assert len(steps([], 1.0)[0]) == 0
    # A bound from elsewhere is clocked by the window, a little later than the search's own clock.
    x, y = steps([(0.5, 4.0), (0.4, 5.0)], 0.6)
    assert x.tolist() == [0.5, 0.5, 0.5, 0.6]


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 5).map(float)), min_size=1, max_size=8))
def test_step_lines_hold_what_was_reported(reported: list[tuple[float, float]]) -> None:
    rows = sorted(reported)
    x, y = steps(rows, 11.0)
    assert (np.diff(x) >= 0).all()
    assert x[-1] == 11.0
    assert y[-1] == rows[-1][1]
    # Between two reports the line is where the last one left it.
    for i, (seconds, value) in enumerate(rows):
        until = rows[i + 1][0] if i + 1 < len(rows) else 11.0
        if until > seconds:
            assert value_at(x, y, np.array([(seconds + until) / 2]))[0] == value


def test_bounds_of_one_component_that_speak_of_the_plan() -> None:
    def bound(component: str, value: float, *given: tuple[str, float]) -> Bound:
        return Bound(component, value, "test", "", given=given)

    low, high = bound("a", 1.0), bound("a", 3.0)
    among, others = bound("b", 5.0, ("a", 3.0)), bound("b", 9.0, ("a", 2.0))
    proofs = [(0.1, low), (0.2, among), (0.3, high), (0.4, others), (0.5, bound("a", 2.0))]
    assert proofs_of(proofs, "a", {}) == [(0.1, low), (0.3, high)]
    assert proofs_of(proofs, "b", {"a": 3.0, "b": 6.0}) == [(0.2, among)]
    assert proofs_of(proofs, "b", {"a": 2.0, "b": 9.0}) == [(0.2, among), (0.4, others)]
    assert proofs_of(proofs, "b", {}) == []


def test_the_latest_job_is_drawn(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 200):
        assert panel.plot is None
        assert "Start a planner" in panel.words.text()
        assert document.problem is not None
        first = jobs.start(Order("slice", document.problem), "Slice")
        first.found(0.1, (60.0,))
        first.found(0.4, (50.0,))
        for seconds, value, method in ((0.0, 10.0, "simple"), (0.4, 12.0, "two-superblock")):
            first.learn(seconds, document.problem.bound("bottleneck", value, method, frozenset()))
        jobs.job_changed.emit(first)
        qtbot.waitUntil(lambda: panel.plot is not None and "50.00" in panel.words.text(), timeout=30_000)
        assert panel.plot.curves["incumbent"].getData()[1][-1] == 50.0
        assert panel.plot.curves["bound"].getData()[1][-1] == 12.0
        assert "gap ≤ 76.0 %" in panel.words.text()
        assert "proven by two superblocks" in panel.words.text()
        assert panel.plot.curves["incumbent label"].toPlainText() == "Slice 50.00"
        assert panel.plot.curves["gap label"].toPlainText() == "gap ≤ 76.0 %"
        told = [mark.toPlainText() for mark in panel.plot.marks if mark.isVisible()]
        assert told == ["load of all devices ≥ 10.00", "two superblocks ≥ 12.00"]  # bounds, not plans
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


@pytest.mark.parametrize("height", [75, 90, 150])
def test_words_above_the_line_are_not_cut_however_low_the_plot_is(qtbot: QtBot, height: int) -> None:
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 400):
        assert document.problem is not None
        job = jobs.start(Order("slice", document.problem), "Slice")
        job.found(0.1, (50.0,))
        for seconds, value in ((0.0, 40.0), (0.4, 50.0)):
            job.learn(seconds, document.problem.bound("bottleneck", value, "simple", frozenset()))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: panel.plot is not None and "50.00" in panel.words.text(), timeout=30_000)
        settle()
        assert panel.plot is not None
        panel.plot.setFixedHeight(height)  # as where the line above it takes two lines
        settle()
        settle()
        label, box = panel.plot.curves["incumbent label"], panel.plot.getPlotItem().getViewBox()
        top = label.mapRectToScene(label.boundingRect()).top()
        assert top >= box.sceneBoundingRect().top() - 1


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
    x, _ = steps([(0.0, 1.0), (8.0, 2.0)], 10.0)
    assert crosses_step(x, 10.0, 100.0, 30.0)
    assert not crosses_step(x, 10.0, 100.0, 10.0)
    assert not crosses_step(np.array([0.0, 10.0]), 10.0, 100.0, 90.0)
    assert not crosses_step(np.array([]), 10.0, 100.0, 90.0)


def test_boxes_that_lines_run_through() -> None:
    lines = [steps([(1.0, 8.0), (6.0, 3.0)], 10.0), steps([(2.0, 5.0)], 10.0)]
    assert highest(lines, 0.0, 0.5) == float("-inf")
    assert (highest(lines, 0.0, 3.0), highest(lines, 7.0, 9.0), highest(lines, 5.0, 7.0)) == (8.0, 5.0, 8.0)
    assert crossed(lines, 7.0, 9.0, 4.0, 6.0) and not crossed(lines, 7.0, 9.0, 5.0, 9.0)
    assert crossed(lines, 5.0, 7.0, 6.0, 7.0), "the step itself"
    assert not crossed(lines, 3.0, 5.0, 3.0, 5.0)


@pytest.mark.parametrize("last", [5.0, 9.5, 10.0])
def test_the_name_of_the_best_plan_hides_no_step(qtbot: QtBot, last: float) -> None:
    """The last step down is what one looks for, above all where the proof ends the search at once."""
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 240):
        assert document.problem is not None
        job = jobs.start(Order("slice", document.problem), "Slice")
        job.found(1.0, (60.0,))
        job.found(last, (50.0,))
        job.learn(10.0, document.problem.bound("bottleneck", 50.0, "simple", frozenset()))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: panel.plot is not None and "50.00" in panel.words.text(), timeout=30_000)
        settle()
        settle()
        assert panel.plot is not None
        label, box = panel.plot.curves["incumbent label"], panel.plot.getPlotItem().getViewBox()
        taken = label.mapRectToScene(label.boundingRect())
        x, y = panel.plot.curves["incumbent"].getData()
        corners = [box.mapViewToScene(QPointF(*corner)) for corner in zip(x, y, strict=True)]
        assert label.isVisible() and len(corners) == 4
        for a, b in pairwise(corners):
            assert not taken.adjusted(1, 1, -1, -1).intersects(
                QRectF(a, b).normalized().adjusted(0, 0, 0.1, 0.1)
            )
        assert box.sceneBoundingRect().adjusted(-1, -1, 1, 1).contains(taken)


def test_the_plot_is_in_the_unit_of_what_was_found(qtbot: QtBot) -> None:
    """As the header has it: 0.88 MiB would have fewer digits."""
    document, jobs = opened_on_tpus(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 700, 220):
        assert document.problem is not None
        kib = 1024.0
        job = jobs.start(Order("edge-tpu-ilp", document.problem), "ILP")
        job.found(0.1, (1300 * kib, 0.0, 0.0))
        job.found(0.2, (900 * kib, 0.0, 0.0))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: panel.plot is not None and "900.0 KiB" in panel.words.text(), timeout=30_000)
        assert panel.plot is not None and panel.plot.getPlotItem().getAxis("left").unit == "KiB"
        assert panel.plot.curves["incumbent label"].toPlainText().endswith("900.0 KiB")


def test_methods_are_called_as_in_the_list() -> None:
    assert method_words("simple") == "load of all devices"
    assert method_words("dp") == method_words("ideals-dp") == "ideals DP"
    assert method_words("of another version") == "of another version"
    assert method_words("brkga") == "BRKGA"
    assert method_words("edge-tpu-ilp").startswith("Edge TPU")


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
        qtbot.waitUntil(lambda: "proven by load of all devices" in panel.words.text(), timeout=30_000)
        objective = document.evaluation.objective
        assert panel.plot.curves["incumbent"].getData()[1].tolist() == [objective, objective]
        assert "on the canvas" in panel.words.text()
        # Broken rules: there is no plan to compare with.
        document.move([0], 2)
        settle()
        assert "plan" not in panel.words.text()


def test_the_component_that_is_worked_on_is_drawn(qtbot: QtBot) -> None:
    document, jobs = opened_on_tpus(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 700, 220):
        problem = document.problem
        assert problem is not None
        mib = 2.0**20
        job = jobs.start(Order("edge-tpu-ilp", problem), "ILP")
        job.found(0.1, (4 * mib, 2 * mib, 240 * 1024.0))
        job.learn(0.1, problem.bound("max-memory", 2 * mib, "simple", frozenset()))
        job.found(0.2, (3 * mib, mib, 240 * 1024.0))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: panel.plot is not None and "3.00 MiB" in panel.words.text(), timeout=30_000)
        assert panel.part.isVisible()
        assert panel.part.currentData() == "max-memory"
        assert "gap ≤ 33.4 %" in panel.words.text()
        assert panel.plot.getPlotItem().getAxis("left").unit == "MiB"
        job.learn(0.3, problem.bound("max-memory", 3 * mib, "simple", frozenset()))
        job.learn(0.4, problem.bound("dram", mib, "simple", frozenset(), given=(("max-memory", 3 * mib),)))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: panel.part.currentData() == "max-communication", timeout=5_000)
        assert panel.plot.getPlotItem().getAxis("left").unit == "KiB"
        # What is chosen stays, whatever is worked on.
        panel.part.setCurrentIndex(1)
        panel.part.activated.emit(1)
        settle()
        assert "1.00 MiB" in panel.words.text()
        assert panel.words.text().startswith("proven")
        assert panel.plot.curves["bound"].getData()[1][-1] == 1.0
        given = (("max-memory", 3 * mib), ("dram", mib))
        job.learn(0.5, problem.bound("max-communication", 240 * 1024.0, "simple", frozenset(), given=given))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: panel.words.text().startswith("optimal"), timeout=5_000)
        assert panel.part.currentData() == "dram"
        other = jobs.start(Order("edge-tpu-ilp", problem), "ILP again")
        settle()
        assert panel.job() is other
        assert panel.part.currentData() == "max-memory"
        assert not panel.grab().isNull()


def test_one_number_needs_no_choice_of_component(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 200):
        assert document.problem is not None
        jobs.start(Order("slice", document.problem), "Slice")
        qtbot.waitUntil(lambda: panel.plot is not None, timeout=30_000)
        assert not panel.part.isVisible()


def test_a_run_of_the_problem_before_says_so(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = ConvergencePanel(document, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 600, 200):
        problem = document.problem
        assert problem is not None
        job = jobs.start(Order("simple", problem, is_bound=True), "Simple")
        job.learn(0.0, problem.bound("bottleneck", 10.0, "simple", frozenset()))
        jobs.job_changed.emit(job)
        qtbot.waitUntil(lambda: "proven by load of all devices" in panel.words.text(), timeout=30_000)
        assert "before" not in panel.words.text()
        document.pin([0])
        settle()
        assert panel.words.text().startswith("of the problem before: its pins changed since")
        assert isinstance(problem.target, Pipeline)
        document.set_problem(replace(problem.target, reserve=1.0))
        settle()
        assert panel.words.text().startswith("of the problem before: its reserve changed since")
        document.set_problem(DevicePool(2, 1))
        settle()
        assert panel.words.text().startswith("of the problem before: its machine changed since")
