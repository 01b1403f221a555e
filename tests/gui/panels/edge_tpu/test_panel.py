"""How many TPUs: the columns and their words, walking and taking over, and what is shown when there is nothing to show."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.background.stage_counting import StageCounting, key_of
from gui.document.plan.document import Document
from gui.look.theme import DARK, LIGHT, Theme, device_colours
from gui.panels.edge_tpu.memory_bars import MemoryBars, bar_boxes, full_scale, height_of
from gui.panels.edge_tpu.painter import (
    GUTTER,
    STREAMED,
    WIDEST_BAR,
    Column,
    CountsChart,
    Figure,
    Geometry,
    least_width,
    paint_counts,
)
from gui.panels.edge_tpu.panel import StageCountsPanel
from gui.panels.edge_tpu.words import best_words, chart_of, gain_text, row_names, stages_word, summary
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.runs.stage_counts import Found, StageCount, counts_around, evaluated
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe
from tests.gui.stage_models import even, found_for, network, tpu_problem
from tests.gui.window_parts import settle, shown

COUNTS = counts_around(1)


class Uncounted(Pipeline):
    """A machine of which nobody asks how many devices it has."""

    counted = None


class StillCounting(StageCounting):
    """Knows what it is told, plans nothing."""

    def start(self) -> None:
        """Not in these tests."""

    def know(self, results: dict[int, StageCount], problem: Problem) -> None:
        self._known[key_of(problem)] = results
        self.changed.emit()


@pytest.fixture
def tpus(qtbot: QtBot) -> Generator[tuple[StageCountsPanel, Document]]:
    document = Document()
    document.open_graph(network(), target=tpu_problem().target)
    document.set_assignment(even(12, 3), "edit", "even")
    document.undo_stack.clear()
    counting = StillCounting(document)
    assert document.problem is not None
    counting.know(
        {count: found_for(document.problem, count, count != 7) for count in COUNTS}, document.problem
    )
    panel = StageCountsPanel(document, counting, LIGHT)
    with shown(qtbot, panel, 900, 240):
        yield panel, document
    document.deleteLater()


# ---------------------------------------------------------------------- words
def test_the_summary_says_how_many_suffice_and_what_one_more_brings() -> None:
    problem = tpu_problem()
    results = {count: found_for(problem, count) for count in COUNTS}
    gain = results[5].throughput / results[4].throughput - 1
    said = summary(results, problem)
    first = "Plan for inference time to make these plans faster; with these plans"  # a headline may be cut off at its end
    assert said.startswith(
        f"{first} 4 TPUs hold all parameters on chip, but stream 754 B that activations push out; one more brings {gain_text(gain)}"
    )
    few = {count: results[count] for count in (1, 2)}
    assert summary(few, problem).startswith(
        "With these plans 2 TPUs still leave 1.6 KiB of parameters off chip"
    )
    assert "; with these plans 1 TPU holds all parameters" in summary(
        {1: found_for(tpu_problem(3), 1)}, tpu_problem(3)
    )


def test_the_summary_names_the_count_beyond_which_little_is_gained() -> None:
    problem = Problem(tpu_problem().graph, tpu_problem().target, "stage-time")
    rates = {1: 19.9, 2: 26.1, 3: 53.4, 4: 56.4, 5: 91.2, 6: 72.3, 7: 88.8, 8: 97.9}

    def told(rates: dict[int, float], fits: int = 3, proven: bool = True, pushed: float = 0.0) -> str:
        kept = SimpleNamespace(details={"dram": np.zeros(1), "pushed": np.full(1, pushed)})
        found = {
            count: SimpleNamespace(
                count=count,
                throughput=rate,
                off_chip=0.0 if count >= fits else 1.0,
                evaluation=kept,
                proven=proven,
            )
            for count, rate in rates.items()
        }
        return summary(found, problem)  # type: ignore[arg-type]

    assert told(rates) == (
        "With these plans 3 TPUs hold all parameters on chip; 5 bring 71 % more throughput; 8 TPUs are fastest: 97.9 inferences/s, 7 % more than 5; more were not tried."
    )
    assert "; 8 TPUs are the fastest found: 97.9 inferences/s" in told(rates, proven=False)
    assert told({3: 50.0, 4: 60.0, 5: 61.0}) == (
        "With these plans 3 TPUs hold all parameters on chip; one more brings 20 % more throughput; 5 TPUs are fastest: 61.0 inferences/s, 2 % more than 4; more were not tried."
    )
    assert (
        told({3: 50.0, 4: 60.0})
        == "With these plans 3 TPUs hold all parameters on chip; one more brings 20 % more throughput."
    )
    assert told({3: 50.0, 4: 60.0}, pushed=3891.0).startswith(
        "With these plans 3 TPUs hold all parameters on chip, but stream 3.8 KiB that activations push out; "
    )
    # That the first count that holds everything is the fastest as well is no reason to say nothing of it.
    assert (
        told({6: 79.0, 7: 82.2, 8: 125.0}, 8)
        == "With these plans 8 TPUs hold all parameters on chip; 125 inferences/s, 52 % more throughput than 7."
    )


def test_impossible_counts_say_why_and_the_best_so_far_is_named() -> None:
    problem = tpu_problem()
    refused = Found(
        2, "", None, (), None, 0.0, "the ops need 600 B, the 2 devices hold 400 B together; 9 do already"
    )
    results = {2: evaluated(problem, refused), 3: found_for(problem, 3), 4: found_for(problem, 4)}
    chart = chart_of(results, (2, 3, 4, 5), (5,), problem, [2], 3)
    assert chart.columns[0].title == "≤ 2" and chart.columns[3].words == "planning…"
    assert chart.columns[0].words == "the ops need 600 B, the 2 devices hold 400 B together"
    assert best_words(results, problem).startswith("best so far 4 TPUs, ")
    assert best_words({2: results[2]}, problem) == "no valid plan so far"


def test_the_summary_of_a_pipeline_names_the_fastest() -> None:
    problem = Problem(chain_graph(12), Pipeline(3))
    results = {c: evaluated(problem, Found(c, "slice", even(12, c), (), None, 0.1)) for c in (1, 2, 3)}
    assert summary(results, problem) == "3 stages are the fastest found; more were not tried."
    assert row_names(problem) == {
        "bottleneck": "bottleneck",
        "throughput": "throughput",
        "latency": "latency",
    }
    chart = chart_of(results, COUNTS, (4, 5), problem)
    assert [column.words for column in chart.columns][3:] == ["planning…", "waiting", *["not planned"] * 3]
    assert chart.line_words == ""


def test_a_reason_is_said_where_there_is_no_plan() -> None:
    problem = tpu_problem()
    none = {
        c: evaluated(problem, Found(c, "", None, (), None, 0.0, "no <valid> plan exists")) for c in COUNTS
    }
    assert summary(none, problem) == "No <valid> plan exists"
    chart = chart_of(none, COUNTS, (), problem)
    assert chart.columns[0].words == "no plan"
    assert chart.columns[0].tip == "no &lt;valid&gt; plan exists"
    assert summary({}, problem) == ""


def test_words_for_gains() -> None:
    assert [gain_text(g) for g in (0.12, 0.001, -0.3, float("nan"))] == [
        "12 % more throughput", "no more throughput", "30 % less throughput", "no more throughput",
    ]  # fmt: skip
    assert [stages_word(tpu_problem(), c) for c in (1, 2)] == ["1 TPU", "2 TPUs"]


def test_columns_hold_every_component_and_what_is_proven() -> None:
    problem = tpu_problem(count=4)
    chart = chart_of({3: found_for(problem, 3), 7: found_for(problem, 7, False)}, (3, 4, 7), (), problem)
    assert chart.rows == (
        "max memory", "off-chip (DRAM)", "max communication", "throughput", "latency", "against balanced",
    )  # fmt: skip
    three, four, seven = chart.columns
    assert three.proven
    assert [figure.text for figure in three.figures[:2]] == ["1.2 KiB", "600 B"]
    assert [figure.proven for figure in three.figures] == [True, True, True, False, False, False]
    assert three.figures[1].tone == "slow"
    assert not seven.proven
    assert [figure.proven for figure in seven.figures[:3]] == [True, False, False]
    assert seven.figures[1].text == "none"
    assert four.bars is None
    assert "proven" in three.tip
    assert chart.current == 4


# ---------------------------------------------------------------------- bars
def test_bars_share_one_scale_and_are_cut_far_above_the_cache() -> None:
    low, high = MemoryBars((4.0, 9.0), 10.0), MemoryBars((60.0,), 10.0, (70.0,))
    assert full_scale([low]) == pytest.approx(11.5)
    assert full_scale([low, high]) == pytest.approx(18.0)
    assert full_scale([MemoryBars((3.0, 5.0), np.inf)]) == pytest.approx(5.2)
    assert full_scale([]) == 1.0


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_painting_covers_every_state(qtbot: QtBot, theme: Theme) -> None:
    problem = tpu_problem()
    results = {count: found_for(problem, count, count < 6) for count in (1, 2, 3, 5, 8)}
    chart = chart_of(results, COUNTS, (4, 6), problem)
    geometry = Geometry(chart, 800.0, 220.0)
    image = QImage(800, 220, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_counts(painter, geometry, theme, 1, 2)
    painter.end()
    box = geometry.bars(geometry.boxes[2])
    boxes = bar_boxes(box, 3, 32.0)
    assert boxes[0].left() >= box.left()
    assert boxes[-1].right() <= box.right()
    assert height_of(0.0, 10.0, box) == box.bottom()
    # Beneath the cache line the first bar has the colour of its stage.
    seen = image.pixelColor(int(boxes[0].center().x()), int(box.bottom()) - 3)
    assert seen == QColor(device_colours(3, theme)[0].accent)
    rows = [geometry.row(geometry.boxes[0], i) for i in range(len(chart.rows))]
    assert all(a.bottom() <= b.top() + 0.01 for a, b in pairwise(rows))
    assert rows[-1].bottom() <= geometry.boxes[0].bottom()


def test_an_empty_chart_has_no_columns() -> None:
    from gui.panels.edge_tpu.painter import CountsChart

    geometry = Geometry(CountsChart(), 300.0, 200.0)
    assert geometry.boxes == []
    assert geometry.column_at(10, 10) == -1


# ---------------------------------------------------------------------- the panel
def test_a_click_takes_stages_and_plan_over_in_one_step(
    qtbot: QtBot, tpus: tuple[StageCountsPanel, Document]
) -> None:
    panel, document = tpus
    before = document.device_of.copy()
    box = panel.chart.geometry_now.boxes[5]
    qtbot.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert document.problem is not None
    assert len(document.problem.devices) == 6
    assert document.device_of.tolist() == even(12, 6).tolist()
    assert document.undo_stack.count() == 1
    assert document.active is not None
    assert document.active.planner == "edge-tpu-ilp"
    assert document.active.name == "Edge TPU, exact, 6 stages"
    assert document.gap == 0.0, "what was proven came along"
    settle()
    assert panel.chart.chart.current == 6
    document.undo_stack.undo()
    assert len(document.problem.devices) == 3
    assert document.device_of.tolist() == before.tolist()
    document.undo_stack.redo()
    assert document.device_of.tolist() == even(12, 6).tolist()


def test_keys_walk_and_take_over(qtbot: QtBot, tpus: tuple[StageCountsPanel, Document]) -> None:
    panel, document = tpus
    chart = panel.chart
    chart.setFocus()
    settle()
    assert "3 TPUs" in chart.accessibleDescription()
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.accessibleDescription().startswith(
        "4 TPUs, max memory 0.9 KiB, proven, off-chip (DRAM) none"
    )
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert chart.accessibleDescription().startswith("1 TPU,")
    qtbot.keyClick(chart, Qt.Key.Key_End)
    qtbot.keyClick(chart, "5")
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert document.problem is not None
    assert len(document.problem.devices) == 5
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert document.undo_stack.count() == 1, "what is there already is no step"


def test_pointing_explains(qtbot: QtBot, tpus: tuple[StageCountsPanel, Document]) -> None:
    panel, _ = tpus
    chart = panel.chart
    place = chart.geometry_now.boxes[6].center().toPoint()
    qtbot.mouseMove(chart, place)
    for at, seen in ((place, True), (QPoint(3, 3), False)):
        event = QHelpEvent(QHelpEvent.Type.ToolTip, at, chart.mapToGlobal(at))
        QApplication.sendEvent(chart, event)
        assert chart._card.isVisible() == seen
    assert "not proven" in chart.chart.columns[6].tip
    qtbot.mouseMove(chart, QPoint(3, 3))


def test_other_targets_get_a_sentence(qtbot: QtBot) -> None:
    document = Document()
    counting = StillCounting(document)
    panel = StageCountsPanel(document, counting, LIGHT)
    with shown(qtbot, panel, 700, 220):
        assert panel.words.text() == "Open a model to see how many stages it needs."
        document.open_graph(chain_graph(12), target=DevicePool(2, 1))
        settle()
        assert panel.button.isVisible() and panel.words.text() == "No count of accelerators is planned yet."
        document.set_problem(Uncounted(2))
        settle()
        assert panel.words.text() == "The devices of a pipeline are not counted."
        assert not panel.button.isVisible()
        document.set_problem(Pipeline(count=2))
        settle()
        assert panel.button.text() == "Plan All"
        panel.set_theme(DARK)
        panel.take_over(2)
        assert document.undo_stack.count() == 1, "nothing is known of two stages"
    document.deleteLater()


def test_plan_all_and_stop(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=Pipeline(count=2))
    counting = StageCounting(document)
    panel = StageCountsPanel(document, counting, LIGHT)
    with shown(qtbot, panel, 700, 220):
        assert counting.running, "it plans while it can be seen"
        assert panel.button.text() == "Stop"
        assert panel.words.text().startswith("Planning 1 of 8")
        panel.button.click()
        settle()
        assert not counting.running
        assert panel.button.text() == "Plan All"
        assert not panel.words.text().startswith("Planning")
        panel.button.click()
        assert counting.running
        panel.hide()
        assert not counting.running
    counting.close()
    document.deleteLater()


def test_names_of_rows_stay_while_counts_are_scrolled(
    qtbot: QtBot, tpus: tuple[StageCountsPanel, Document]
) -> None:
    panel, _ = tpus
    chart, bar = panel.chart, panel._area.horizontalScrollBar()
    panel.resize(500, 260)
    settle()
    before = panel._area.viewport().grab(QRect(0, 0, int(GUTTER) - 2, 180)).toImage()
    bar.setValue(bar.maximum())
    settle()
    assert bar.maximum() > 0
    assert panel._area.viewport().grab(QRect(0, 0, int(GUTTER) - 2, 180)).toImage() == before
    assert chart.geometry_now.column_at(bar.value() + 20.0, 40.0) == -1, (
        "names lie over the counts below them"
    )
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert bar.value() == 0
    qtbot.keyClick(chart, Qt.Key.Key_End)
    box = chart.geometry_now.boxes[-1]
    assert bar.value() + GUTTER <= box.left() and box.right() <= bar.value() + panel._area.viewport().width()


def test_all_eight_counts_are_seen_in_a_window_of_1280_pixels(qapp: object) -> None:
    """Beside its side panels a window has 770 pixels for them."""
    figures = (Figure("114.56 ms", proven=True), Figure("12.39 MiB", "slow"), Figure("×1.29", "good"))
    columns = tuple(Column(count, f"{count} TPUs", MemoryBars((1.0,), 2.0), figures) for count in COUNTS)
    chart = CountsChart(columns, ("max memory", "off-chip (DRAM)", "against balanced"))
    assert least_width(chart) <= 761  # in a window 1280 wide, beside a scroll bar for its height
    plain = replace(
        chart, columns=tuple(replace(c, figures=(replace(figures[0], proven=False),)) for c in columns)
    )
    assert least_width(plain) < least_width(chart)


def test_eleven_counts_of_chips_are_seen_in_a_window_of_1280_pixels(qapp: object) -> None:
    """With numbers as titles and what is counted beside them; the names of rows take no more room than they need."""
    figures = (Figure("1.20 ms"), Figure("835 /s"), Figure("3.67 ms"))
    counts = (*COUNTS, 16, 32, 36)
    columns = tuple(Column(count, f"{count} chips", MemoryBars((1.0,), np.inf), figures) for count in counts)
    chart = CountsChart(columns, ("chip latency", "throughput", "latency"), counted="chips")
    assert least_width(chart) <= 761
    narrow, wide = Geometry(chart, 761.0, 180.0), Geometry(chart, 1200.0, 180.0)
    assert narrow.brief and not wide.brief and narrow.boxes[-1].right() <= 761
    for geometry, named in ((narrow, "36"), (wide, "36 chips")):
        scribe = Scribe(1200, 200)
        paint_counts(scribe, geometry, LIGHT)
        scribe.end()
        written = [words for _, words in scribe.written]
        assert named in written and ("chips" in written) == geometry.brief


def test_names_of_rows_say_what_they_are_about(tpus: tuple[StageCountsPanel, Document]) -> None:
    panel, _ = tpus
    chart = panel.chart
    assert len(chart.chart.row_tips) == len(chart.chart.rows)
    for i, name in enumerate(chart.chart.rows):
        row = chart.geometry_now.row(chart.geometry_now.boxes[0], i)
        at = QPoint(30, round(row.center().y()))
        QApplication.sendEvent(chart, QHelpEvent(QHelpEvent.Type.ToolTip, at, chart.mapToGlobal(at)))
        assert chart._card.isVisible() and chart._card.text() == chart.chart.row_tips[i]
        if name == "against balanced":
            assert "parameter-balanced cut of the Edge TPU" in chart._card.text().replace("<br>", " ")
    chart._hover(-1)
    assert not chart._card.isVisible()
    at = QPoint(30, 4)
    QApplication.sendEvent(chart, QHelpEvent(QHelpEvent.Type.ToolTip, at, chart.mapToGlobal(at)))
    assert not chart._card.isVisible()


def test_chips_and_accelerators_are_compared_by_what_counts_for_them(qapp: object) -> None:
    graph = replace(chain_graph(12), time_unit="s")
    problem = Problem(graph, McmPackage(36))
    results = {
        c: evaluated(problem, Found(c, "auto", even(12, used), (), None, 0.1))
        for c, used in ((1, 1), (2, 2), (3, 3), (8, 3), (16, 3))
    }
    said = summary(results, problem)
    assert said.startswith("3 chips are the fastest found: ") and said.endswith("; more bring nothing.")
    found = evaluated(problem, Found(36, "auto", even(12, 10), (), None, 0.1))
    more = summary({**results, 36: found}, problem)
    assert more.startswith("36 chips, 10 of them used, are the fastest found: "), "26 have nothing to do"
    assert more.endswith("; more were not tried.")
    chart = chart_of(results, (1, 2, 3, 8, 16, 36), (36,), problem)
    assert [column.title for column in chart.columns][-2:] == ["16 chips", "36 chips"]
    assert chart.current == 36 and chart.columns[-1].words == "planning…"
    one = replace(problem, objective="latency")
    results = {c: evaluated(one, Found(c, "auto", even(12, c), (), None, 0.1)) for c in (1, 2)}
    assert summary(results, one).startswith("1 chip has the least latency found: ")
    assert summary(results, one).endswith("; more bring nothing.")
    assert list(row_names(one)) == ["latency", "throughput"], "one row of them"
    assert chart_of(results, (1, 2), (), one).columns[0].figures


def test_a_device_has_one_colour_and_a_name_whatever_the_count(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=DevicePool(2, 1))
    problem = document.open_problem
    results = {c: evaluated(problem, Found(c, "auto", even(12, c), (), None, 0.1)) for c in (1, 2, 4)}
    chart = chart_of(results, (1, 2, 4), (), problem)
    places = [column.bars.places for column in chart.columns if column.bars is not None]
    assert places == [(0, 2), (0, 1, 2), (0, 1, 3, 4, 2)], "the CPU keeps that of the canvas"
    counting = StillCounting(document)
    counting.know(results, problem)
    panel = StageCountsPanel(document, counting, LIGHT)
    with shown(qtbot, panel, 900, 240):
        view, geometry = panel.chart, panel.chart.geometry_now
        last = [column.count for column in view.chart.columns].index(4)
        rect = geometry.bars(geometry.boxes[last])
        cpu = bar_boxes(rect, 5, WIDEST_BAR)[4]
        at = QPoint(round(cpu.center().x()), round(rect.center().y()))
        QApplication.sendEvent(view, QHelpEvent(QHelpEvent.Type.ToolTip, at, view.mapToGlobal(at)))
        assert view._card.text().startswith("<b>CPU 0</b>: ") and "Click to take it over" in view._card.text()
    counting.close()
    document.deleteLater()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("count", "streams"), [(2, True), (8, False)])
def test_the_line_and_what_is_hatched_above_it_are_explained(count: int, streams: bool) -> None:
    problem = tpu_problem()
    chart = chart_of({count: found_for(problem, count)}, (count,), (), problem)
    assert chart.streams == streams
    for high in (150.0, 400.0):
        scribe = Scribe(500, 400)
        geometry = Geometry(chart, 500.0, high)
        paint_counts(scribe, geometry, LIGHT)
        scribe.end()
        places = {words: box for box, words in scribe.written if box.right() <= GUTTER}
        assert any(words.startswith("cache ") for words in places)
        told = [box for words, box in places.items() if words in STREAMED]
        assert len(told) == streams
        assert all(not box.intersects(other) for box in told for other in places.values() if other is not box)
