"""The convergence plot: the incumbent from above, the bound from below, over the time a job has run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from gui.panels.base import Panel
from gui.theme import Theme, font
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.numbers import TimeColumn, gap_text, time_column

if TYPE_CHECKING:
    from gui.document import Document
    from gui.jobs import Job, Jobs

REDRAW = 100
"""Milliseconds between two redraws of a running job."""
LEAST_SECONDS = 0.05


def steps(
    trace: list[tuple[float, float | None, float | None]], which: int, end: float
) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the step line of one column of a job's trace (1 = objective, 2 = bound), drawn on to ``end``.

    Returns x and y (float64[m]); empty where nothing finite was reported.
    """
    x: list[float] = []
    y: list[float] = []
    for row in trace:
        seconds, value = row[0], row[which]
        if value is None or not math.isfinite(value):  # type: ignore[arg-type]
            continue
        if y and value == y[-1]:
            continue
        if y:
            x.append(float(seconds))
            y.append(y[-1])
        x.append(float(seconds))
        y.append(float(value))  # type: ignore[arg-type]
    if y:
        x.append(max(end, x[-1]))
        y.append(y[-1])
    return np.array(x), np.array(y)


class ConvergencePanel(Panel):
    """One job at a time: the one chosen, else the latest. pyqtgraph is imported when the panel is first seen."""

    id: ClassVar[str] = "convergence"
    title: ClassVar[str] = "Convergence"

    def __init__(self, document: Document, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.jobs = jobs
        self.chooser = QComboBox(self)
        self.chooser.setAccessibleName("Job to show")
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.chooser.currentIndexChanged.connect(self.request_refresh)
        self.words = ElidedLabel("", self)
        set_role(self.words, "muted")
        self.plot: Any = None
        self._curves: dict[str, Any] = {}
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.addWidget(self.chooser)
        top.addWidget(self.words, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 4)
        self._column.setSpacing(2)
        self._column.addLayout(top)
        self._column.addStretch(1)
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(REDRAW)
        self._redraw.timeout.connect(self.request_refresh)
        jobs.jobs_changed.connect(self._jobs_changed)
        jobs.job_changed.connect(self._job_changed)
        document.graph_changed.connect(self.request_refresh)
        self._jobs_changed()

    def sizeHint(self) -> QSize:
        """High enough to read a slope."""
        return QSize(480, 190)

    def minimumSizeHint(self) -> QSize:
        """Less is no plot."""
        return QSize(200, 140)

    # ------------------------------------------------------------------ which job
    def job(self) -> Job | None:
        """The job that is shown."""
        wanted = self.chooser.currentData()
        return next((job for job in self.jobs.jobs if job.id == wanted), None)

    def _jobs_changed(self) -> None:
        latest = self.jobs.jobs[-1].id if self.jobs.jobs else None
        known = {self.chooser.itemData(i) for i in range(self.chooser.count())}
        fresh = latest is not None and latest not in known
        keep = latest if fresh or self.job() is None else self.chooser.currentData()
        self.chooser.blockSignals(True)
        self.chooser.clear()
        for job in reversed(self.jobs.jobs):
            self.chooser.addItem(f"{job.title} ({job.id.removeprefix('job ')})", job.id)
        self.chooser.setCurrentIndex(max(0, self.chooser.findData(keep)) if self.jobs.jobs else -1)
        self.chooser.blockSignals(False)
        self.chooser.setVisible(bool(self.jobs.jobs))
        self.request_refresh()

    def _job_changed(self, job: Job) -> None:
        if job is self.job() and not self._redraw.isActive():
            self._redraw.start()

    # ------------------------------------------------------------------ drawing
    def _make_plot(self) -> None:
        import pyqtgraph as pg

        self.plot = pg.PlotWidget(self, background=None)
        self.plot.setAccessibleName("Objective and bound over time")
        item = self.plot.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.getViewBox().setMouseEnabled(False, False)
        item.layout.setContentsMargins(4, 4, 14, 2)
        self._column.takeAt(self._column.count() - 1)
        self._column.addWidget(self.plot, 1)
        between = pg.FillBetweenItem(pg.PlotCurveItem(), pg.PlotCurveItem())
        item.addItem(between)
        self._curves["between"] = between
        for name in ("incumbent", "bound"):
            self._curves[name] = item.plot([], [])
            label = pg.TextItem(name, anchor=(1, 1 if name == "incumbent" else 0))
            item.addItem(label)
            label.hide()
            self._curves[f"{name} label"] = label
        self._paint_plot()

    def _paint_plot(self) -> None:
        import pyqtgraph as pg

        t = self.theme
        self.plot.setBackground(t.panel)
        item = self.plot.getPlotItem()
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setPen(pg.mkPen(t.border))
            axis.setTextPen(pg.mkPen(t.muted))
            axis.setStyle(tickFont=font(8.0), tickLength=-4, autoExpandTextSpace=False)
            axis.enableAutoSIPrefix(False)
        item.getAxis("left").setWidth(64)
        for name, colour in (("incumbent", t.accent), ("bound", t.good)):
            self._curves[name].setPen(pg.mkPen(colour, width=2))
            label = self._curves[f"{name} label"]
            label.setColor(QColor(colour))
            label.setFont(font(8.0, weight=QFont.Weight.Bold))
        soft = QColor(t.good)
        soft.setAlpha(28)
        self._curves["between"].setBrush(pg.mkBrush(soft))

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        if self.plot is not None:
            self._paint_plot()
        self.request_refresh()

    def refresh(self) -> None:
        """Draw the chosen job's trace."""
        job = self.job()
        if job is None:
            self.words.setText("Start a planner to see its best plan come down and its bound come up.")
            if self.plot is not None:
                self.plot.hide()
            return
        if self.plot is None:
            self._make_plot()
        self.plot.show()
        end = max(job.seconds, LEAST_SECONDS, *(row[0] for row in job.trace), LEAST_SECONDS)
        known = job.order.problem.strongest_bound(list(job.order.bounds))
        start = [(0.0, None, known.value)] if known is not None else []
        upper_x, upper_y = steps(job.trace, 1, end)
        lower_x, lower_y = steps([*start, *job.trace], 2, end)
        unit = job.problem.graph.time_unit
        column = time_column([*upper_y.tolist(), *lower_y.tolist()], unit)
        self._draw(upper_x, upper_y / column.scale, lower_x, lower_y / column.scale, end, column)
        self._say(job, column)

    def _draw(
        self, ux: np.ndarray, uy: np.ndarray, lx: np.ndarray, ly: np.ndarray, end: float, column: TimeColumn
    ) -> None:
        import pyqtgraph as pg

        item = self.plot.getPlotItem()
        self._curves["incumbent"].setData(ux, uy)
        self._curves["bound"].setData(lx, ly)
        between = self._curves["between"]
        between.setVisible(bool(len(ux) and len(lx)))
        if len(ux) and len(lx):
            # The area starts where both exist; both edges are given on the same corners.
            begin = max(ux[0], lx[0])
            x = np.unique(np.concatenate([ux[ux >= begin], lx[lx >= begin], [begin]]))
            x = np.repeat(x, 2)[1:]
            upper, lower = _at(ux, uy, x), _at(lx, ly, x)
            between.setCurves(pg.PlotCurveItem(x, upper), pg.PlotCurveItem(x, lower))
        values = np.concatenate([uy, ly])
        if len(values):
            low, high = float(values.min()), float(values.max())
            pad = 0.25 * (high - low) if high > low else 0.05 * abs(high) or 1.0
            item.setYRange(low - pad, high + pad, padding=0)
        item.setXRange(0, end, padding=0)
        for name, ys in (("incumbent", uy), ("bound", ly)):
            label = self._curves[f"{name} label"]
            label.setVisible(bool(len(ys)))
            if len(ys):
                label.setPos(end, float(ys[-1]))
        item.getAxis("left").setLabel(column.suffix or None)
        item.getAxis("left").showLabel(False)

    def _say(self, job: Job, column: TimeColumn) -> None:
        parts = []
        if job.objective is not None:
            parts.append(f"plan {column.text(job.objective)}")
        if job.bound is not None and math.isfinite(job.bound):
            parts.append(f"bound {column.text(job.bound)}")
        if job.gap is not None:
            parts.append(f"gap {gap_text(job.gap)}" if job.gap > 0 else "optimal")
        unit = f"objective in {column.suffix}, " if column.suffix else ""
        self.words.setText("   ".join(parts) + (f"   ({unit}time in s)" if parts else "no plan yet"))


def _at(x: np.ndarray, y: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Values of a step line at ``where``; at a corner given twice, the value before it first, then the one after."""
    right = np.searchsorted(x, where, side="right") - 1
    left = np.searchsorted(x, where, side="left")
    first = np.concatenate([[True], where[1:] != where[:-1]])
    twice = np.concatenate([where[1:] == where[:-1], [False]])
    index = np.where(first & twice, np.minimum(left, len(x) - 1), np.clip(right, 0, len(x) - 1))
    return y[index]
