"""The convergence plot: the incumbent from above, the bound from below, over the time a job has run.

Each step of the bound says which method proved it; of steps that come too soon after one another only the later has words.
Imported when the plot is first seen, as pyqtgraph is slow to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont, QFontMetricsF
from PySide6.QtWidgets import QWidget

from gui.look.axes import style_axes
from gui.look.numbers import IOS, Column, gap_text
from gui.look.theme import Theme, font
from gui.tools.search.convergence_lines import Line, crossed, crosses_step, highest, marks, value_at
from gui.tools.search.race.course import Course
from gui.tools.search.race.lines import RunnerLines
from gui.words.methods import method_words
from planner.problem.bound import Bound, gap

if TYPE_CHECKING:
    from gui.background.job import Job

LABEL_HEIGHT = 14.0
LABEL_ROOM, CLEAR = 24.0, 2.0
"""Pixels that a label takes above or below its line, and of these between the two, so that its ground hides nothing of the line."""
BEFORE = 8.0
"""Pixels between a step and words that end before it."""
LEAST_PLOT = 5.0
"""Pixels that are left for the lines between the words, however low the plot is."""
LEAST_GAP = 34.0
"""Pixels between the two lines from which there is room for the gap between them."""


class UnitAxis(pg.AxisItem):  # type: ignore[misc]
    """Every tick says what it counts."""

    def __init__(self, side: str, unit: str = "") -> None:
        super().__init__(side)
        self.unit = unit

    def set_unit(self, unit: str) -> None:
        """Count something else."""
        if unit != self.unit:
            self.unit = unit
            self.picture = None
            self.update()

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """The numbers with the unit; counts are long enough without one."""
        if self.unit == IOS:
            return [f"{value:,.0f}" for value in values]
        return [f"{text} {self.unit}".rstrip() for text in super().tickStrings(values, scale, spacing)]


class ConvergencePlot(pg.PlotWidget):  # type: ignore[misc]
    """Two step lines, the area between them, words at their steps, and the lines of a race's runners."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        axes = {"left": UnitAxis("left"), "bottom": UnitAxis("bottom", "s")}
        super().__init__(parent, background=None, axisItems=axes)
        self.theme = theme
        self.curves: dict[str, Any] = {}
        self.marks: list[Any] = []
        """Labels at the steps of the bound, reused."""
        self.runners = RunnerLines(self)
        self.setAccessibleName("Objective and bound over time")
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.getViewBox().setMouseEnabled(False, False)
        item.layout.setContentsMargins(4, 4, 14, 2)
        between = pg.FillBetweenItem(pg.PlotCurveItem(), pg.PlotCurveItem())
        item.addItem(between)
        self.curves["between"] = between
        for name in ("incumbent", "bound"):
            self.curves[name] = item.plot([], [])
        for name, anchor in (("incumbent label", (1, 1)), ("gap label", (1, 0.5))):
            self.curves[name] = self._label(anchor)
        self.set_theme(theme)

    def _label(self, anchor: tuple[float, float]) -> Any:
        # On a ground of its own: a line that passes behind words must not strike them out.
        label = pg.TextItem("", anchor=anchor, fill=pg.mkBrush(self.theme.panel))
        label.setZValue(2)
        self.getPlotItem().addItem(label)
        label.hide()
        return label

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = t = theme
        style_axes(self, t, 64)
        for name, colour in (("incumbent", t.accent), ("bound", t.good)):
            self.curves[name].setPen(pg.mkPen(colour, width=2))
        for name, colour in (("incumbent label", t.accent), ("gap label", t.muted)):
            self.curves[name].setColor(QColor(colour))
            self.curves[name].setFont(_label_font())
        for label in self.marks:
            label.setColor(QColor(t.good))
        for label in (*self.marks, self.curves["incumbent label"], self.curves["gap label"]):
            label.fill = pg.mkBrush(t.panel)
        soft = QColor(t.good)
        soft.setAlpha(28)
        self.curves["between"].setBrush(pg.mkBrush(soft))

    def draw_runners(self, job: Job | Course, place: int, end: float, column: Column) -> list[float]:
        """The lines of a race's runners; returns values that should be seen besides the best plan and the bound."""
        if not isinstance(job, Course):
            self.runners.hide()
            return []
        self.runners.draw(job, place, end, column.scale, self.theme)
        return [value / column.scale for value in self.runners.values(job, place)]

    def draw_lines(
        self,
        ux: np.ndarray,
        uy: np.ndarray,
        lx: np.ndarray,
        ly: np.ndarray,
        end: float,
        column: Column,
        others: list[float],
    ) -> None:
        """Draw both step lines (``ux``, ``uy``: the incumbent; ``lx``, ``ly``: the bound); ``others`` should be seen as well."""
        item = self.getPlotItem()
        self.curves["incumbent"].setData(ux, uy)
        self.curves["bound"].setData(lx, ly)
        between = self.curves["between"]
        between.setVisible(bool(len(ux) and len(lx)))
        if len(ux) and len(lx):
            # The area starts where both exist; both edges are given on the same corners.
            begin = max(ux[0], lx[0])
            x = np.unique(np.concatenate([ux[ux >= begin], lx[lx >= begin], [begin]]))
            x = np.repeat(x, 2)[1:]
            upper, lower = value_at(ux, uy, x), value_at(lx, ly, x)
            between.setCurves(pg.PlotCurveItem(x, upper), pg.PlotCurveItem(x, lower))
        values = np.concatenate([uy, ly, others])
        if len(values):
            low, high = float(values.min()), float(values.max())
            # Words stand above the upper and below the lower line, however low the plot is.
            room = max(LEAST_PLOT, item.getViewBox().height() - 2 * LABEL_ROOM)
            share = max(0.25, LABEL_ROOM / room)
            pad = share * (high - low) if high > low else 0.05 * abs(high) or 1.0
            item.setYRange(low - pad, high + pad, padding=0)
        item.setXRange(0, end, padding=0)
        item.getAxis("left").set_unit(column.suffix)

    def label_lines(
        self,
        proofs: list[tuple[float, Bound]],
        by: str,
        upper: np.ndarray,
        lower_x: np.ndarray,
        lower: np.ndarray,
        end: float,
        column: Column,
        crowded: bool,
    ) -> None:
        """Who found the plan, who proved the bound at each of its steps, and how far they are from each other."""
        measure = QFontMetricsF(_label_font()).horizontalAdvance
        box = self.getPlotItem().getViewBox()
        label = self.curves["incumbent label"]
        label.setVisible(bool(len(upper)))
        if len(upper):
            label.setText(f"{by} {column.text(float(upper[-1]))}")
        found = marks(
            proofs, end, box.width(), lambda b: f"{method_words(b.method)} ≥ {column.text(b.value)}",
            lambda w: measure(w) + 12,
        )  # fmt: skip
        while len(self.marks) < len(found):
            mark = self._label((0, 0))
            mark.setFont(_label_font())
            mark.setColor(QColor(self.theme.good))
            self.marks.append(mark)
        between = self.curves["gap label"]
        low, high = box.viewRange()[1]
        both = bool(len(upper) and len(lower))
        apart = (
            (float(upper[-1]) - float(lower[-1])) / column.scale * box.height() / (high - low)
            if both
            else 0.0
        )
        # Above the best plan of a race are the lines of its runners: words go below it, where there is room.
        below = crowded and apart >= 2 * LEAST_GAP
        pixel = (high - low) / max(1.0, box.height())
        if below:
            label.setAnchor((1, 0))
            label.setPos(end, float(upper[-1]) / column.scale - CLEAR * pixel)
        elif len(upper):
            label.setAnchor((1, 1))
            label.setPos(*self._beside_lines(measure(label.toPlainText()) + 12, end, pixel))
        apart -= LABEL_HEIGHT if below else 0.0
        for i, item in enumerate(self.marks):
            item.setVisible(i < len(found))
            if i < len(found):
                mark, is_last = found[i], i == len(found) - 1
                crosses = is_last and crosses_step(lower_x, end, box.width(), measure(mark.words) + 12)
                # Below its line; where the step up to it is in the way, above it if there is room, else before it.
                above = crosses and apart >= LEAST_GAP
                before = crosses and not above
                item.setText(mark.words)
                item.setAnchor((1 if is_last else 0, 1 if above else 0))
                away = (CLEAR if above else -CLEAR) * pixel
                item.setPos(float(lower_x[-2]) if before else mark.seconds, mark.value / column.scale + away)
                if above:
                    apart -= LABEL_HEIGHT
        between.setVisible(apart >= LEAST_GAP)
        if apart >= LEAST_GAP:
            between.setText(f"gap {gap_text(gap(float(upper[-1]), float(lower[-1])))}")
            between.setPos(end, (float(upper[-1]) + float(lower[-1])) / 2 / column.scale)

    def _beside_lines(self, room: float, end: float, pixel: float) -> tuple[float, float]:
        """Where words ``room`` pixels wide end (seconds) and stand on (a value, of which ``pixel`` is one pixel): on the best plan at the end of
        its line, if no line runs through them, or just above those that do; else before its last step, or above all lines there."""
        box = self.getPlotItem().getViewBox()
        x, y = self.curves["incumbent"].getData()
        lines: list[Line] = [(x, y), self.curves["bound"].getData(), *self.runners.shown]
        lines = [line for line in lines if line[0] is not None and len(line[0])]
        second = end / max(1.0, box.width())
        best, step = float(y[-1]), float(x[-2]) if len(x) > 2 else 0.0
        over = highest(lines, end - room * second, end)
        raised = [over] if over + LABEL_ROOM * pixel <= box.viewRange()[1][1] else []
        near = [level for level in raised if level - best <= LABEL_HEIGHT * pixel]
        tried = [
            (end, best),
            *((end, level) for level in near),
            (step - BEFORE * second, best),
            *((end, level) for level in raised),
        ]
        for right, level in tried:
            left, low = right - room * second, level + CLEAR * pixel
            if left >= 0.0 and not crossed(lines, left, right, low, low + (LABEL_ROOM - CLEAR) * pixel):
                return right, low
        return end, best + CLEAR * pixel


def _label_font() -> QFont:
    return font(8.0, weight=QFont.Weight.Bold)
