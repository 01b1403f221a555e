"""Schedules under one another: one axis, one kind, one view; rows and colours of the comparison; lines at the time of a sample."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.editors.comparison.panels.schedules import Schedules, row_colours
from gui.look.theme import DARK, LIGHT, device_colours
from gui.panels.comparison import schedules_layout
from gui.panels.comparison.rows import device_titles
from gui.panels.comparison.schedules_layout import (
    ScheduleMaker,
    common_kinds,
    flag_places,
    shared_layout,
    shared_rows,
)
from gui.panels.comparison.schedules_painter import name_rows, paint_periods
from gui.panels.schedule.layout import device_rows
from gui.panels.schedule.painter import paint_schedule
from planner.errors import StageboardError
from planner.formats import read_models
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.spec import parse_target
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from planner.reports.schedule.schedule import schedule
from tests.gui.editors.comparison.compare_parts import HAND, comparison_of, pool, state_of
from tests.gui.models import chain_graph, timed_chain
from tests.gui.scribe import Scribe
from tests.gui.window_parts import settle, shown

A = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]


def test_all_plans_are_drawn_for_as_many_samples() -> None:
    comparison = comparison_of(A, B, [0] * 12)
    maker = ScheduleMaker()
    made = maker.make(comparison, "pipelined", None)
    alone = [schedule(p.problem, p.decision.device_of, kind="pipelined").samples for p in comparison.plans]
    assert {s.samples for s in made.of} == {max(alone)}
    assert made.until == max(s.end for s in made.of)
    assert made.periods() == [pytest.approx(plan.objective) for plan in comparison.plans]
    again = maker.make(comparison, "pipelined", None)
    assert all(a is b for a, b in zip(made.of, again.of, strict=True))  # nothing is made twice
    assert {s.samples for s in maker.make(comparison, "pipelined", 3).of} == {3}


def test_schedules_of_very_many_ops_are_made_one_in_a_turn(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(*args: object, **named: object) -> object:
        made.append(1)
        return schedule(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(schedules_layout, "schedule", counted)
    comparison = comparison_of(A, B, [0] * 12)
    maker = ScheduleMaker()
    assert not maker.step(comparison, "pipelined", None) and not made, "a few ops take no time"
    monkeypatch.setattr(schedules_layout, "VERY_MANY", 11)
    steps = 0
    while maker.step(comparison, "pipelined", None):
        steps += 1
        assert len(made) == steps
    assert steps >= 3
    assert len(maker.make(comparison, "pipelined", None).of) == 3
    assert len(made) == steps, "all were there"


def test_a_panel_has_its_schedules_made_before_it_shows_them(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules_layout, "VERY_MANY", 11)
    view = Schedules(state_of(A, B), LIGHT)
    qtbot.addWidget(view)
    while view.prepare():
        assert not view.built
    kept = list(view._maker._kept)
    view.refresh_now()
    assert view.made is not None and all(any(s is one for _, _, one in kept) for s in view.made.of)
    view.samples.setValue(7)
    assert view.prepare()


def test_rows_stand_in_the_order_of_the_comparison() -> None:
    swapped = [{0: 2, 1: 0, 2: 1}[d] for d in A]
    comparison = comparison_of(A, swapped, target=pool())
    s = schedule(comparison.plans[1].problem, comparison.plans[1].decision.device_of)
    rows = shared_rows(comparison, 1, device_rows(s, ["x"] * 4))
    assert [row.device for row in rows] == [2, 0, 1]  # the CPU holds nothing in either plan
    colours = device_colours(len(comparison.rows), LIGHT)
    assert [row_colours(comparison, 1, LIGHT)[row.device] for row in rows] == list(colours[:3])


def test_plans_of_different_targets_have_the_kinds_that_both_have() -> None:
    graph = chain_graph(12)
    streamed = Problem(graph, Pipeline(count=3))
    single = Problem(graph, DevicePool(accelerators=3, cpus=1, subgraphs=2), "latency")
    plans = [problem.plan(np.array(A, np.int32), HAND, "a") for problem in (streamed, single)]
    assert common_kinds(compare(plans)) == ("latency",)
    assert common_kinds(comparison_of(A, B)) == ("pipelined", "latency")


def test_why_not_is_a_sentence(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> tuple[str, ...]:
        raise StageboardError("no kind of schedule suits every plan")

    view = Schedules(state_of(A, B), LIGHT)
    with shown(qtbot, view, 600, 240):
        assert view.charts[0].isVisible()
        monkeypatch.setattr("gui.editors.comparison.panels.schedules.common_kinds", refuse)
        view.request_refresh()
        settle()
        assert view.note.text() == "No kind of schedule suits every plan"
        assert not view.charts[0].isVisible()
        assert not view.samples.isVisible()


def test_flags_that_would_overlap_are_left_out_own_first() -> None:
    assert flag_places([100.0, 108.0, 150.0], 1, 18.0) == [(1, 108.0), (0, 90.0), (2, 150.0)]
    crowded = flag_places([100.0, 101.0, 102.0, 103.0], 3, 18.0)
    assert len(crowded) == 4 and crowded[0] == (3, 103.0), "every line has its flag"
    places = sorted(x for _, x in crowded)
    assert all(b - a >= 18.0 - 1e-6 for a, b in pairwise(places))
    assert flag_places([100.0, 140.0], 0, 18.0) == [(0, 100.0), (1, 140.0)]


def test_charts_share_the_axis_zoom_and_scroll(qtbot: QtBot) -> None:
    state = state_of(A, B)
    view = Schedules(state, LIGHT)
    with shown(qtbot, view, 900, 360):
        layouts = [chart.layout_of for chart in view.charts]
        assert len(layouts) == 2
        assert None not in layouts
        first, second = layouts
        assert first is not None and second is not None and view.made is not None
        assert first.end == second.end == view.made.until
        assert (first.left, first.scale) == (second.left, second.scale)
        view.charts[1].zoom_by(3.0)
        assert second.scale > second.fitting
        assert (first.left, first.scale) == (second.left, second.scale)
        view.charts[0].setFocus()
        QTest.keyClick(view.charts[0], Qt.Key.Key_PageUp)
        assert (first.left, first.scale) == (second.left, second.scale)
        assert view.axis.layout_of is second
        QTest.keyClick(view.charts[0], Qt.Key.Key_Home)
        assert first.fitted and second.fitted
        assert view.note.text().startswith("a sample every ") and "against A" in view.note.text()
        assert "a sample every" in view.words[1].text()


def test_the_view_follows_samples_selection_and_theme(qtbot: QtBot) -> None:
    state = state_of(A, B)
    view = Schedules(state, LIGHT)
    with shown(qtbot, view, 900, 360):
        view.samples.setValue(2)
        settle()
        assert view.made is not None
        assert [s.samples for s in view.made.of] == [2, 2]
        state.select([0])
        assert view.charts[0].marks.selected is not None
        chart = view.charts[1]
        layout = chart.layout_of
        assert layout is not None
        x, y, w, h = layout.boxes(np.array([0]))[0].tolist()
        at = QPointF(x + w / 2, y + h / 2).toPoint()
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at)
        assert set(state.selection.tolist()) <= set(np.flatnonzero(np.array(B) == 0).tolist())
        assert len(state.selection)
        view.kind.setCurrentIndex(view.kind.findData("latency"))
        view.kind.activated.emit(view.kind.currentIndex())
        settle()
        assert view.made.kind == "latency"
        view.set_theme(DARK)
        settle()
        assert all(chart.theme is DARK for chart in view.charts)
        state.document.remove_plan(state.document.plans[-1])
        settle()
        assert not view.axis.isVisible()
        assert view.note.text()


def test_each_chart_flags_its_own_time_of_a_sample(qapp: object) -> None:
    comparison = comparison_of(A, B)
    made = ScheduleMaker().make(comparison, "pipelined", 2)
    from gui.panels.comparison.schedules_layout import shared_layout

    s = made.of[1]
    rows = shared_rows(comparison, 1, device_rows(s, ["x"] * 3))
    layout = shared_layout(s, rows, None, 700.0, 160.0, made)
    scribe = Scribe(700, 160)
    paint_periods(scribe, layout, ["A", "B"], made, 1, LIGHT)
    scribe.end()
    flags = {text: rect.center().x() for rect, text in scribe.written}
    assert flags["B"] == pytest.approx(layout.x(s.period))
    assert flags["a sample later"] > max(flags["A"], flags["B"])


def test_plans_on_one_axis_are_told_in_one_unit(qtbot: QtBot) -> None:
    """A sample every 0.60 ms beside one every 1.80 ms, as the axis has it, never 600 µs."""
    state = state_of([0] * 6, [0, 0, 1, 1, 2, 2], target=Pipeline(3), graph=timed_chain(6, 3e-4))
    view = Schedules(state, LIGHT)
    with shown(qtbot, view, 900, 360):
        first, second = (words.text() for words in view.words)
        assert "a sample every 1.80 ms" in first and "a sample every 0.60 ms" in second
        assert "µs" not in first + second + view.note.toolTip()
        layouts = [chart.layout_of for chart in view.charts]
        assert all(layout is not None and layout.ticks()[1].suffix == "ms" for layout in layouts)
        assert dict(view.charts[1].bar_words(0)[1:])["takes"].endswith("ms")


def test_streaming_is_told_beside_every_chart() -> None:
    """The room of the names has two lines: one above the rows, one beside the flags."""
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target("edge-tpu:3", graph))
    places = [np.minimum(np.arange(graph.n) // cut, 2).astype(np.int32) for cut in (60, 80)]
    comparison = compare([problem.plan(place, Provenance("hand"), str(place[60])) for place in places])
    made = ScheduleMaker().make(comparison, "pipelined", None)
    for i in range(2):
        rows = shared_rows(comparison, i, device_rows(made.of[i], device_titles(comparison, i)))
        layout = shared_layout(made.of[i], rows, "s", 900.0, 120.0, made)
        name_rows(comparison, i, layout)
        painter = Scribe(900, 120)
        paint_schedule(painter, layout, LIGHT, colours=row_colours(comparison, i, LIGHT))
        painter.end()
        words = [word for _, word in painter.written]
        assert "transfer" in words and "streaming" in words
