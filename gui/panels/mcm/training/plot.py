"""The curve of a training run: throughput over greedy's after so many samples, in training and on validation.

Imported when it is first seen, as pyqtgraph is slow to import.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QWidget

from gui.look.axes import style_axes
from gui.look.theme import Theme
from gui.panels.mcm.training.words import FIGURES, colour_of, point_words
from planner.machines.mcm.learning.training import Point

LEFT = 40
"""Pixels of the numbers beside the curve."""
LEAST_SPAN = 0.1
"""What the axis spans at least: curves that hardly move look so."""


class SamplesAxis(pg.AxisItem):  # type: ignore[misc]
    """Whole numbers in groups of three digits."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """``5,000``."""
        return [f"{value:,.0f}" for value in values]


class TrainingPlot(pg.PlotWidget):  # type: ignore[misc]
    """A line for each figure of :data:`FIGURES`, and where the weights that are kept come from."""

    pointed = Signal(int)
    """The pointer is over this checkpoint, or (-1) no longer over any."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, background=None, axisItems={"bottom": SamplesAxis("bottom")})
        self.theme = theme
        self._samples = np.zeros(0)
        self.setAccessibleName("Throughput over greedy's after so many samples")
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.getViewBox().setMouseEnabled(False, False)
        item.layout.setContentsMargins(4, 4, 18, 2)
        self.even = pg.InfiniteLine(1.0, angle=0)
        self.kept = pg.InfiniteLine(0.0, angle=90)
        for line in (self.even, self.kept):
            item.addItem(line)
        self.curves: dict[str, Any] = {name: item.plot([], [], antialias=True) for name in FIGURES}
        self.here = pg.ScatterPlotItem(size=7, pen=None)
        self.here.setZValue(3)
        item.addItem(self.here)
        self.setMouseTracking(True)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        style_axes(self, theme, LEFT)
        for name, curve in self.curves.items():
            colour = colour_of(name, theme)
            curve.setPen(pg.mkPen(colour, width=1.5 if name == "reward" else 2))
            curve.setSymbolBrush(pg.mkBrush(colour))
            curve.setSymbolPen(None)
        dashed = Qt.PenStyle.DashLine
        self.even.setPen(pg.mkPen(theme.border, width=1))
        self.kept.setPen(pg.mkPen(theme.muted, width=1, style=dashed))
        self.here.setBrush(pg.mkBrush(QColor(theme.text)))

    def show_curve(self, curve: Sequence[Point], total: int, best: Point | None) -> None:
        """Draw the checkpoints so far, of a run of ``total`` samples."""
        item = self.getPlotItem()
        self._samples = np.array([point.samples for point in curve], float)
        values = []
        for name, line in self.curves.items():
            heights = np.array([getattr(point, name) for point in curve], float)
            # A single checkpoint is no line: it is seen as a dot.
            line.setSymbol("o" if len(curve) == 1 else None)
            line.setSymbolSize(6)
            line.setData(self._samples, heights)
            values.append(heights)
        self.kept.setVisible(best is not None)
        if best is not None:
            self.kept.setValue(best.samples)
        heights = np.concatenate([*values, [1.0]])
        low, high = float(heights.min()), float(heights.max())
        pad = max(0.06 * (high - low), (LEAST_SPAN - (high - low)) / 2)
        item.setYRange(low - pad, high + pad, padding=0)
        item.setXRange(0, 1.02 * max(total, 1), padding=0)
        self.here.setData([], [])
        self.setAccessibleDescription(point_words(curve[-1]) if curve else "no checkpoint yet")

    def point_at(self, checkpoint: int, curve: Sequence[Point]) -> None:
        """Mark the values of a checkpoint; none for -1."""
        points = [curve[checkpoint]] if 0 <= checkpoint < len(curve) else []
        self.here.setData(
            [point.samples for point in points for _ in FIGURES],
            [getattr(point, name) for point in points for name in FIGURES],
        )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The nearest checkpoint is pointed at."""
        super().mouseMoveEvent(event)
        place, box = self.mapToScene(event.position().toPoint()), self.getPlotItem().getViewBox()
        if not len(self._samples) or not box.sceneBoundingRect().contains(place):
            self.pointed.emit(-1)
            return
        x = box.mapSceneToView(place).x()
        self.pointed.emit(int(np.abs(self._samples - x).argmin()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        super().leaveEvent(event)
        self.pointed.emit(-1)
