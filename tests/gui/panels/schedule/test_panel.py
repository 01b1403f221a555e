"""The schedule dock: what it shows, and what mouse and keyboard do with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.graph.tooltip import HoverCard
from gui.document.plan.document import Document
from gui.look.numbers import one_time
from gui.look.page import PRESETS, Page
from gui.look.theme import DARK, LIGHT, contrast, device_colours, font, ink_on
from gui.panels.schedule import picture
from gui.panels.schedule.chart import ScheduleChart
from gui.panels.schedule.layout import (
    AXIS,
    CALM_ROW,
    CLOSER_TICKS,
    LANE,
    MOST_ROW,
    PAD,
    RULER,
    TICK,
    ChartLayout,
    comfortable,
    device_rows,
    letters,
)
from gui.panels.schedule.painter import TOOTH, bar_colour, paint_schedule
from gui.panels.schedule.panel import SchedulePanel, in_practice, shorter, summary
from gui.panels.schedule.picture import draw_schedule
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.reports.schedule.parts import WORK
from planner.reports.schedule.schedule import Schedule, schedule
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown

LEFT = Qt.MouseButton.LeftButton


def training() -> Graph:
    ops = [Op(f"f{i}", f"f{i}", work=2.0, work_cpu=9.0) for i in range(4)]
    ops += [Op(f"b{i}", f"b{i}", work=3.0, work_cpu=9.0, backward=True) for i in range(4)]
    pairs = [("f0", "f1"), ("f1", "f2"), ("f2", "f3"), ("f3", "b3"), ("b3", "b2"), ("b2", "b1"), ("b1", "b0")]
    return Graph.build("training", ops, [Tensor(a, (b,), 1.0, 0.5) for a, b in pairs], time_unit=None)


def of(document: Document) -> SchedulePanel:
    return SchedulePanel(document, LIGHT)


def layout(panel: SchedulePanel) -> ChartLayout:
    found = panel.chart.layout_of
    assert found is not None
    return found


def middle(panel: SchedulePanel, bar: int) -> QPoint:
    x, y, w, h = layout(panel).boxes(np.array([bar]))[0].tolist()
    return QPoint(round(x + w / 2), round(y + h / 2))


def wheel(chart: ScheduleChart, at: QPointF, dy: int, modifiers: Qt.KeyboardModifier | None = None) -> None:
    event = QWheelEvent(
        at, chart.mapToGlobal(at), QPoint(), QPoint(0, dy), Qt.MouseButton.NoButton,
        modifiers or Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(chart, event)


def test_it_follows_the_plan_and_says_what_sets_the_pace(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 700, 220):
        s = panel.schedule
        assert s is not None
        assert s.kind == "pipelined"
        assert s.period == document.evaluation.objective
        title = document.evaluation.bottleneck
        assert document.problem is not None
        assert f"{document.problem.devices[title].title} sets the pace" in panel.words.text()
        document.move([0, 1, 2, 3], 1)
        settle()
        assert panel.schedule is not s
        assert panel.schedule is not None
        assert panel.schedule.period == document.evaluation.objective
        assert "busy" in panel.chart.accessibleDescription()
        for theme in (DARK, LIGHT):
            panel.set_theme(theme)
            settle()
            assert not panel.grab().isNull()


def test_nothing_is_computed_while_it_cannot_be_seen(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel):
        panel.hide()
        before = panel.schedule
        document.move([0], 1)
        document.select([1])
        settle()
        assert panel.schedule is before
        panel.show()
        settle()
        assert panel.schedule is not before


def test_without_a_model(qtbot: QtBot) -> None:
    panel = of(Document())
    with shown(qtbot, panel):
        assert panel.chart.isHidden()
        assert "Open a model" in panel.words.text()


def test_kinds_and_samples(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(training(), target=DevicePool(2, 0))
    document.set_assignment(np.array([0, 0, 1, 1, 0, 0, 1, 1]), "edit", "halves")
    panel = of(document)
    with shown(qtbot, panel, 800, 240):
        assert [panel.kind.itemData(i) for i in range(panel.kind.count())] == [
            "pipedream",
            "gpipe",
            "latency",
        ]
        panel.kind.setCurrentIndex(1)
        panel.kind.activated.emit(1)
        settle()
        assert panel.schedule is not None
        assert [span.name for span in panel.schedule.spans] == ["forward", "backward"]
        assert "a batch of 8 takes" in panel.words.text()
        panel.samples.setValue(3)
        settle()
        assert panel.schedule.samples == 3
        panel.kind.setCurrentIndex(2)
        panel.kind.activated.emit(2)
        settle()
        assert "critical path: Accelerator 0, Accelerator 1" in panel.words.text()
        assert not panel.grab().isNull()
        # Another graph has its own kinds.
        document.open_graph(chain_graph(), target=Pipeline(3))
        settle()
        assert panel.kind.currentData() == "pipelined"


def test_virtual_devices_get_rows_of_their_own(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(2, 0, contiguous=False))
    document.set_assignment(np.arange(12, dtype=np.int32) % 2, "edit", "alternating")
    panel = of(document)
    with shown(qtbot, panel, 700, 200):
        assert panel.virtual.isVisible()
        assert len(layout(panel).rows) == 2
        panel.virtual.setChecked(True)
        settle()
        rows = layout(panel).rows
        assert panel.schedule is not None
        assert len(rows) == len(panel.schedule.piece_device) > 2
        assert rows[0].title == "Accelerator 0 a"
        assert "virtual devices" in panel.words.text()
        # More rows than fit: the names' column scrolls, and so does the keyboard.
        assert layout(panel).scrolled == 0
        wheel(panel.chart, QPointF(20, 60), -480)
        assert layout(panel).scrolled > 0
        QTest.keyClick(panel.chart, Qt.Key.Key_Right)
        assert layout(panel).scrolled == 0
        assert not panel.grab().isNull()
        document.set_assignment(np.arange(12, dtype=np.int32) // 6, "edit", "halves")
        settle()
        assert not panel.virtual.isVisible()


def test_a_click_selects_the_ops_of_a_bar_or_a_device(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 700, 240):
        s = panel.schedule
        assert s is not None
        bar = int(np.flatnonzero((s.device == 1) & (s.phase == 2))[0])
        QTest.mouseClick(panel.chart, LEFT, Qt.KeyboardModifier.NoModifier, middle(panel, bar))
        assert document.selection.tolist() == np.flatnonzero(document.device_of == 1).tolist()
        selected = panel.chart.marks.selected
        assert selected is not None
        assert selected.tolist() == [False, True, False]
        first = int(np.flatnonzero((s.device == 0) & (s.phase == 2))[0])
        QTest.mouseClick(panel.chart, LEFT, Qt.KeyboardModifier.ControlModifier, middle(panel, first))
        assert set(document.device_of[document.selection].tolist()) == {0, 1}
        row = round(layout(panel).row_top(2) + 5)
        QTest.mouseClick(panel.chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(40, row))
        assert set(document.device_of[document.selection].tolist()) == {2}
        QTest.mouseClick(
            panel.chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, round(RULER / 2))
        )  # no bar there
        assert not len(document.selection)


def test_zoom_pan_and_fit(qtbot: QtBot) -> None:
    panel = of(opened())
    with shown(qtbot, panel, 700, 240):
        chart, view = panel.chart, layout(panel)
        assert view.fitted
        at = view.time(400.0)
        wheel(chart, QPointF(400, 60), 240)
        assert not view.fitted
        assert view.time(400.0) == pytest.approx(at)
        left = view.left
        wheel(chart, QPointF(400, 60), -120, Qt.KeyboardModifier.ShiftModifier)
        assert view.left > left
        left = view.left
        QTest.mousePress(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, 60))
        QTest.mouseMove(chart, QPoint(430, 60))
        QTest.mouseMove(chart, QPoint(440, 60))
        QTest.mouseRelease(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(440, 60))
        assert view.left < left
        # An edit keeps the place; fitting does not.
        scale = view.scale
        panel.document.move([0], 1)
        settle()
        assert layout(panel).scale == pytest.approx(scale)
        QTest.keyClick(chart, Qt.Key.Key_Home)
        assert layout(panel).fitted
        QTest.keyClick(chart, Qt.Key.Key_Plus)
        QTest.keyClick(chart, Qt.Key.Key_PageDown)
        assert not layout(panel).fitted
        QTest.mouseDClick(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, round(RULER / 2)))
        QTest.mouseRelease(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, round(RULER / 2)))
        assert layout(panel).fitted
        chart.resize(500, 200)
        assert layout(panel).fitted


def test_the_pointer_and_the_keyboard_are_told_about_bars(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 700, 240):
        chart, s = panel.chart, panel.schedule
        assert s is not None
        bar = int(np.flatnonzero((s.device == 1) & (s.phase == 2))[2])
        QTest.mouseMove(chart, middle(panel, bar))
        assert chart.marks.hovered == bar
        assert chart._card.isVisible()
        assert "sample" in chart._card.text()
        QTest.mouseMove(chart, QPoint(5, 5))
        assert not chart._card.isVisible()
        chart.setFocus()
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left):
            QTest.keyClick(chart, key)
        cursor = chart.marks.cursor
        assert s.device[cursor] == 1
        assert "Stage 1" in chart.accessibleDescription()
        QTest.keyClick(chart, Qt.Key.Key_Return)
        assert set(document.device_of[document.selection].tolist()) == {1}
        assert not panel.grab().isNull()
        chart.clearFocus()
        assert chart.marks.cursor == -1


# ---------------------------------------------------------------------- geometry and colours
def some(samples: int = 5) -> Schedule:
    problem = Problem(chain_graph(), Pipeline(3))
    return schedule(problem, (np.arange(12) // 4).astype(np.int32), samples=samples)


@pytest.mark.parametrize("width", range(290, 900, 13))
def test_times_can_be_read_off_narrow_charts(qapp: QApplication, width: int) -> None:
    """Three ticks at least, in the steady state of slides, too; and no label reaches into the next."""
    s = some()
    view = ChartLayout(s, device_rows(s, ["Stage 0", "Stage 1", "Stage 2"]), "s", float(width), 200.0)
    view.leave_for_names(150.0)
    for zoom in (1.0, 2.5):
        view.zoom(zoom, view.gutter + 0.4 * view.plot_width)
        ticks, column = view.ticks()
        assert len(ticks) >= 3
        wide = max(QFontMetricsF(font(8.0)).horizontalAdvance(column.number(tick)) for tick in ticks)
        assert np.diff([view.x(tick) for tick in ticks]).min() > wide + 4


@given(
    st.floats(200, 3000), st.floats(60, 900), st.lists(st.floats(0.3, 4), max_size=6), st.floats(-900, 900)
)
def test_the_view_stays_on_the_schedule(width: float, height: float, zooms: list[float], dx: float) -> None:
    s = some()
    view = ChartLayout(s, device_rows(s, ["a", "b", "c"]), None, width, height)
    for factor in zooms:
        view.zoom(factor, view.gutter + 0.3 * view.plot_width)
        view.pan(dx, dx / 3)
    assert 0 <= view.left <= view.end
    assert view.time(view.gutter + view.plot_width) <= view.end * (1 + 1e-9)
    ticks, column = view.ticks()
    apart = np.diff([view.x(tick) for tick in ticks])
    assert (apart > (CLOSER_TICKS[-1] if len(ticks) < 9 else TICK) - 1e-6).all()
    words = [column.number(t) for t in ticks]
    assert len(set(words)) == len(words)
    # What is seen is found where it is drawn.
    for bar, (x, y, w, h) in zip(view.seen().tolist(), view.boxes(view.seen()).tolist(), strict=True):
        at, over = x + w / 2, y + h / 2
        inside = view.gutter <= at <= view.gutter + view.plot_width and RULER <= over < height - AXIS
        if w >= 6 and inside:
            assert view.bar_at(at, over) == bar


def test_letters() -> None:
    assert [letters(i) for i in (0, 1, 25, 26, 27, 701, 702)] == ["a", "b", "z", "aa", "ab", "zz", "aaa"]


def test_numbers_on_bars_can_be_read() -> None:
    for theme in (LIGHT, DARK):
        for colour in device_colours(12, theme):
            for odd in (False, True):
                for backward in (False, True):
                    ground = bar_colour(colour, theme, odd, backward, True)
                    assert contrast(ink_on(ground, theme), ground) >= 4.5


def test_of_a_device_all_samples_are_numbered_or_none(qapp: Any) -> None:
    s = some(24)
    seen = set()
    for width in range(160, 1600, 60):
        view = ChartLayout(s, device_rows(s, ["a", "b", "c"]), None, width, 200.0)
        scribe = Scribe(width, 200)
        paint_schedule(scribe, view, LIGHT)
        scribe.end()
        inside = QRectF(view.gutter - 1, RULER, view.plot_width + 2, view.rows_bottom - RULER)
        numbers = [text for rect, text in scribe.written if text.isdigit() and inside.contains(rect)]
        assert len(numbers) % 24 == 0
        seen.add(len(numbers) // 24)
    assert {0, 3} <= seen


class Ordered(Scribe):
    """What was painted, in order: ``lines`` that are dashed, and numbers; and the bars that have no round corners."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height)
        self.order: list[str] = []
        self.bars: list[QRectF] = []

    def drawLine(self, *_: Any) -> None:
        """Keep it."""
        if self.pen().style() == Qt.PenStyle.DashLine:
            self.order.append("line")

    def drawText(self, rect: QRectF, flags: int, text: str) -> None:  # type: ignore[override]
        """Keep it."""
        if text.isdigit() and rect.top() > RULER and rect.height() > 20:
            self.order.append("number")

    def fillRect(self, rect: QRectF, *_: Any) -> None:  # type: ignore[override]
        """Keep it."""
        self.bars.append(QRectF(rect))


def test_no_line_runs_through_a_number_and_no_bar_leaves_its_row(qapp: object) -> None:
    ops = [Op(f"o{i}", f"o{i}", work=w, work_cpu=w) for i, w in enumerate((30.0, 40.0, 1e-4))]
    graph = Graph.build("thin", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0) for i in range(2)])
    made = schedule(Problem(graph, Pipeline(3)), np.arange(3, dtype=np.int32))
    view = ChartLayout(made, device_rows(made, ["a", "b", "c"]), None, 600.0, 300.0, whole=True)
    scribe = Ordered(600, 300)
    paint_schedule(scribe, view, LIGHT)
    scribe.end()
    last_line = max(i for i, what in enumerate(scribe.order) if what == "line")
    assert last_line < scribe.order.index("number")
    inside = [bar for bar in scribe.bars if bar.top() > RULER]
    assert inside and max(bar.right() for bar in inside) <= view.gutter + view.plot_width + 1e-6


def test_a_summary_loses_its_last_parts_first() -> None:
    assert shorter("a sample every 2.00 s   Stage 1 sets the pace   96 % busy") == (
        "a sample every 2.00 s   Stage 1 sets the pace   96 % busy",
        "a sample every 2.00 s   Stage 1 sets the pace",
        "a sample every 2.00 s",
    )


def test_summary_of_nothing() -> None:
    graph = Graph.build("nothing", [Op("a", "a", work=0.0, work_cpu=0.0)], [])
    s = schedule(Problem(graph, Pipeline(1)), np.zeros(1, np.int32))
    assert summary(s, ["Stage 0"], None) == "nothing takes any time"


def edge_tpus(pushed_out: float, objective: str = "") -> Problem:
    """Two stages of 8 MiB of parameters, whose caches have so many bytes less beside the activations."""
    ops = [Op(f"n{i}", f"n{i}", param_bytes=4.0 * 2**20, params=4 * 2**20, macs=1e6) for i in range(4)]
    edges = [Tensor(f"n{i}", (f"n{i + 1}",), 2e5) for i in range(3)]
    graph = fill(Graph.build("chain", ops, edges, time_unit="s"))
    return Problem(graph, EdgeTpuPipeline(2, cache=8.0 * 2**20 + 4e5 - pushed_out), objective)


@pytest.mark.parametrize("pushed_out", [0.0, 4e3, 4e4, 4e5])
def test_summary_says_what_to_expect_in_practice(pushed_out: float) -> None:
    problem, device_of = edge_tpus(pushed_out), np.array([0, 0, 1, 1], np.int32)
    evaluation, s = problem.evaluate(device_of), schedule(problem, device_of)
    practice = in_practice(problem.target, evaluation, s, "s")
    assert bool(practice) == (pushed_out > 0)  # however little later, where figures show it
    if practice:
        interval = one_time(1 / evaluation.figures["throughput"], "s")
        why = problem.target.throughput_note(evaluation)
        assert practice == f"about {interval} in practice ({why})" and "activations push out" in why
    head = f"a sample every {one_time(s.period, 's')}"
    words = summary(s, ["Stage 0", "Stage 1"], "s", practice)
    assert words.startswith(f"{head}, {practice}" if practice else f"{head}   ")
    # The other pace is told as long as any is, the reason goes before it.
    assert all(("in practice" in text) == bool(practice) for text in shorter(words))
    assert shorter(words)[-1] == (f"{head}, {practice.split(' (')[0]}" if practice else head)


@pytest.mark.parametrize("pushed_out", [0.0, 4e5])
def test_summary_of_one_sample_says_what_it_takes_in_practice(pushed_out: float) -> None:
    problem, device_of = edge_tpus(pushed_out, "stage-time"), np.array([0, 0, 1, 1], np.int32)
    evaluation, s = problem.evaluate(device_of), schedule(problem, device_of, kind="latency")
    practice, alone = in_practice(problem.target, evaluation, s, "s"), evaluation.figures["latency"]
    told = one_time(alone, "s") != one_time(s.period, "s")
    assert practice == (f"about {one_time(alone, 's')} in practice" if told else "")
    words = summary(s, ["Stage 0", "Stage 1"], "s", practice)
    head = f"a sample takes {one_time(s.period, 's')}"
    assert words.startswith(f"{head}, {practice}   " if told else f"{head}   ")
    assert told or not pushed_out


def test_the_summary_names_the_link_where_all_stages_stream_over_it(qtbot: QtBot) -> None:
    document = opened_on_tpus("inference-time")
    panel = SchedulePanel(document, LIGHT)
    with shown(qtbot, panel, 900):
        e, s = document.evaluation, panel.schedule
        assert e.rests is not None and s is not None
        words = summary(s, ["Stage 0", "Stage 1", "Stage 2"], "s")
        assert words.startswith(
            f"a sample every {one_time(e.objective, 's')}   the shared link sets the pace   "
        )
        assert words in panel.words.text() and "in practice" not in panel.words.text()
        assert "one after another" in panel.words.toolTip()
        document.set_problem(EdgeTpuPipeline(3, cache=2 * 2**20), "stage-time")
        settle()
        assert (
            "Stage 2 sets the pace" in panel.words.text() and "in practice" in panel.words.toolTip().lower()
        )


def test_other_machines_have_one_pace() -> None:
    problem = Problem(chain_graph(12), Pipeline(2))
    device_of = (np.arange(12) // 6).astype(np.int32)
    s = schedule(problem, device_of)
    assert in_practice(problem.target, problem.evaluate(device_of), s, "s") == ""


def test_devices_without_ops_are_not_busy() -> None:
    problem = Problem(chain_graph(12), Pipeline(4))
    titles = [device.title for device in problem.devices]
    worst = summary(schedule(problem, np.zeros(12, np.int32)), titles, "s")
    assert "devices 25 % busy on average, 1 of 4 used" in worst
    half = summary(schedule(problem, (np.arange(12) // 6).astype(np.int32)), titles, "s")
    assert ", 2 of 4 used" in half and "100 %" not in half
    best = summary(schedule(problem, (np.arange(12) // 3).astype(np.int32)), titles, "s")
    assert "used" not in best


def test_an_invalid_plan_is_said_to_be_none_that_runs(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 900, 240):
        assert "not valid" not in panel.words.text()
        document.move([0], 2)
        settle()
        broken = len(document.evaluation.violations)
        assert panel.words.text().startswith(f"not valid, {broken} violation")
        assert panel.words.property("role") == "bad"
        document.undo_stack.undo()
        settle()
        assert panel.words.text().startswith("a sample every") and panel.words.property("role") == "muted"


@pytest.mark.parametrize("height", [80.0, 95.0, 112.0, 150.0, 400.0])
def test_no_row_is_cut_by_the_axis(height: float) -> None:
    problem = Problem(chain_graph(24), Pipeline(8))
    s = schedule(problem, np.arange(24, dtype=np.int32) // 3)
    layout = ChartLayout(s, device_rows(s, [d.title for d in problem.devices]), height=height)
    whole = (layout.rows_bottom - RULER) / layout.row_height
    assert whole == pytest.approx(round(whole)) and round(whole) >= 1
    assert layout.rows_bottom <= height - AXIS + 1e-9


def rows_of(devices: int, room: float) -> ChartLayout:
    """A chart of a chain on so many stages, with so much room for rows."""
    problem = Problem(chain_graph(24), Pipeline(devices))
    s = schedule(problem, (np.arange(24) * devices // 24).astype(np.int32))
    rows = device_rows(s, [device.title for device in problem.devices])
    return ChartLayout(s, rows, None, 600.0, RULER + AXIS + room)


def test_rows_shrink_before_one_of_them_is_hidden() -> None:
    layout = rows_of(8, 8 * 12.0)
    assert not layout.rows_hidden
    assert layout.row_top(7) + layout.row_height <= layout.rows_bottom + 1e-6
    crowded = rows_of(8, 8 * 9.0)
    assert crowded.rows_hidden
    _, top, _, high = crowded.thumb
    assert top == RULER and high < crowded.plot_height
    crowded.pan(0.0, -1e6)
    _, top, _, high = crowded.thumb
    assert top + high == pytest.approx(RULER + crowded.plot_height)


def test_the_wheel_scrolls_rows_that_are_hidden(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(24), target=Pipeline(20))
    panel = of(document)
    with shown(qtbot, panel):
        panel.resize(600, 200)
        settle()
        assert layout(panel).rows_hidden
        scale = layout(panel).scale
        wheel(panel.chart, QPointF(400, 60), -120)
        assert layout(panel).scrolled > 0 and layout(panel).scale == scale
        wheel(panel.chart, QPointF(400, 60), 120, Qt.KeyboardModifier.ControlModifier)
        assert layout(panel).scale > scale


def test_devices_without_ops_are_one_line_of_a_picture(qapp: Any) -> None:
    problem = Problem(chain_graph(24), Pipeline(8))
    plan = np.repeat(np.array([1, 3, 4], np.int32), 8)
    file = draw_schedule(problem, plan, PRESETS["slide"]).file(".svg").decode()
    assert "5 stages unused" in file
    assert [f"Stage {d}<" in file for d in range(8)] == [d in (1, 3, 4) for d in range(8)]
    layout = ChartLayout(
        schedule(problem, plan), device_rows(schedule(problem, plan), [str(d) for d in range(8)])[3:5]
    )
    assert set(layout.row_of_bar[layout.schedule.device == 4].tolist()) == {1}


def busy_cpu(at_once: int, height: float) -> tuple[ChartLayout, Problem]:
    """Two accelerators and a CPU that runs so many ops at once."""
    names = [f"m{i}" for i in range(at_once)]
    ops = [Op(name, name, work=2.0, work_cpu=9.0) for name in ("first", *names, "last")]
    tensors = [
        Tensor("first", tuple(names), 1.0, 0.5),
        *(Tensor(name, ("last",), 1.0, 0.5) for name in names),
    ]
    problem = Problem(Graph.build("wide", ops, tensors), DevicePool(2, 1), objective="latency")
    device_of = np.array([0, *(2 for _ in names), 1], np.int32)
    rows = device_rows(s := schedule(problem, device_of), [device.title for device in problem.devices])
    return ChartLayout(s, rows, None, 600.0, RULER + AXIS + height), problem


@pytest.mark.parametrize("at_once", [1, 2, 5, 30])
@pytest.mark.parametrize("height", [40.0, 60.0, 90.0, 300.0])
def test_what_runs_many_ops_at_once_has_the_room_of_the_others(at_once: int, height: float) -> None:
    chart, _ = busy_cpu(at_once, height)
    assert chart.rows[2].lanes == at_once
    heights, usual = chart.heights.tolist(), chart.row_height
    assert heights[0] == heights[1] >= min(usual, CALM_ROW) - 1e-9 and heights[2] >= usual - 1e-9
    assert sum(heights) <= height + 1e-9 and not chart.rows_hidden
    if heights[2] < comfortable(chart.rows[2]):
        assert sum(heights) == pytest.approx(height) and heights[0] == pytest.approx(min(usual, CALM_ROW))
    boxes = chart.boxes(np.arange(len(chart.schedule.start)))
    for bar, (x, y, w, h) in enumerate(boxes.tolist()):
        row = int(chart.row_of_bar[bar])
        assert chart.row_top(row) <= y and y + h <= chart.row_top(row) + heights[row] + 1e-9
        assert chart.row_at(y + h / 2) == row
        if w > 1 and h > 2:
            assert chart.bar_at(x + w / 2, y + h / 2, 0.0) == bar


def test_a_picture_is_as_high_as_its_lanes_need(qapp: object) -> None:
    rooms = []
    for at_once in (1, 12):
        _, problem = busy_cpu(at_once, 200.0)
        device_of = np.array([0, *(2 for _ in range(at_once)), 1], np.int32)
        drawing = draw_schedule(problem, device_of, Page(crop=True))
        rooms.append(drawing.page.room[1])
    low, high = rooms
    assert high == pytest.approx(low + 12 * LANE + 2 * PAD - MOST_ROW)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("machine", [DevicePool(2, 1), Pipeline(3)])
def test_pictures_show_every_sample_whole(
    qapp: object, monkeypatch: pytest.MonkeyPatch, machine: Any, preset: str
) -> None:
    drawn: list[ChartLayout] = []
    monkeypatch.setattr(picture, "paint_schedule", lambda painter, chart, colours: drawn.append(chart))
    draw_schedule(
        Problem(chain_graph(24), machine), np.arange(24, dtype=np.int32) // 8, PRESETS[preset]
    ).file(".svg")
    (chart,) = drawn
    assert chart.goes_on == (False, False)
    boxes = chart.boxes(np.arange(len(chart.schedule.start)))
    right = chart.gutter + chart.plot_width
    assert boxes[:, 0].min() >= chart.gutter - 1e-6
    assert (boxes[:, 0] + boxes[:, 2]).max() == pytest.approx(right), "and all of the room is used"


def test_a_schedule_that_goes_on_says_so(qapp: object) -> None:
    problem = Problem(chain_graph(24), Pipeline(3))
    s = schedule(problem, np.arange(24, dtype=np.int32) // 8)
    chart = ChartLayout(s, device_rows(s, ["a", "b", "c"]), "ms", 700.0, 200.0)

    def lines_and_numbers() -> tuple[int, list[str]]:
        painter = Lines(700, 200)
        paint_schedule(painter, chart, LIGHT)
        painter.end()
        return painter.lines, [text for _, text in painter.written if text.isdigit() and _.height() > 20]

    assert chart.goes_on == (False, False)
    lines, numbers = lines_and_numbers()
    assert lines == 0 and numbers.count("2") == 3
    # A third of the second sample is in sight on the first device.
    work = np.flatnonzero((s.device == 0) & (s.phase == WORK) & (s.sample == 1))[0]
    shown = s.start[work] + (s.finish[work] - s.start[work]) / 3
    chart.scale = chart.plot_width / float(shown)
    assert chart.goes_on == (False, True)
    assert lines_and_numbers() == (1, ["1"])
    chart.left = float(s.start[work])
    assert chart.goes_on == (True, True) and lines_and_numbers()[0] == 2
    # No bar is seen beyond the jagged line.
    image = QImage(700, 200, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    painter = QPainter(image)
    paint_schedule(painter, chart, LIGHT)
    painter.end()
    right, high = int(chart.gutter + chart.plot_width), chart.rows_bottom - RULER
    tooth = high / max(1, round(high / TOOTH))
    inwards = np.arange(RULER + tooth / 2, chart.rows_bottom, tooth).astype(int).tolist()
    assert {image.pixelColor(right - 1, y).name() for y in inwards} == {QColor(LIGHT.panel).name()}


class Lines(Scribe):
    """Counts jagged lines, too."""

    lines = 0

    def drawPolyline(self, *_: Any) -> None:
        """One more."""
        self.lines += 1


def test_what_a_bar_is_stands_off_the_bar(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(QWidget())
    dock = QDockWidget()
    dock.setWidget(panel)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.resize(900, 700)
    window.show()
    qtbot.waitExposed(window)
    panel.refresh_now()
    chart, s = panel.chart, panel.schedule
    assert s is not None and chart.height() < 250
    for bar in range(0, len(s.start), 3):
        x, y, w, h = layout(panel).boxes(np.array([bar]))[0].tolist()
        if w < 1:
            continue
        QTest.mouseMove(chart, middle(panel, bar))
        card = chart._card
        over = QRect(chart.mapTo(window, QPoint(round(x), round(y))), QSize(round(w), round(h)))
        assert chart.marks.hovered == bar and card.isVisible()
        assert not card.geometry().intersects(over) and window.rect().contains(card.geometry())
    dock.hide()
    assert not chart._card.isVisible()
    chart.setParent(None)
    chart.deleteLater()
    qtbot.waitUntil(lambda: not window.findChildren(HoverCard))


def test_a_critical_path_is_said_in_the_order_of_time() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(3)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=0.5) for i in range(2)]
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), DevicePool(2, 1), "latency")
    s = schedule(problem, np.array([2, 0, 1], np.int32), kind="latency", samples=1)
    said = summary(s, [device.title for device in problem.devices], "s")
    assert "critical path: CPU 0, Accelerator 0, Accelerator 1 (underlined)" in said
