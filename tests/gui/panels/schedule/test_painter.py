"""How a chart is painted: numbers on bars, dashed lines behind them, and a jagged edge where the schedule goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from gui.look.theme import DARK, LIGHT, contrast, device_colours, ink_on
from gui.panels.schedule.layout import RULER, ChartLayout, device_rows
from gui.panels.schedule.painter import TOOTH, bar_colour, paint_schedule
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.reports.schedule.parts import WORK
from planner.reports.schedule.schedule import schedule
from tests.gui.models import chain_graph
from tests.gui.panels.schedule.charts import some
from tests.gui.scribe import Scribe


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


class Lines(Scribe):
    """Counts jagged lines, too."""

    lines = 0

    def drawPolyline(self, *_: Any) -> None:
        """One more."""
        self.lines += 1


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
