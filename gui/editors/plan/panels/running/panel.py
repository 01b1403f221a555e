"""The dock of a plan's run: the measured schedule under the predicted one on one time axis, and a table beside them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QSplitter, QVBoxLayout, QWidget

from gui.editors.plan.panels.running.choices import RunChoices
from gui.editors.plan.panels.running.table import RunModel
from gui.editors.plan.panels.running.words import told
from gui.look.numbers import plural
from gui.look.theme import Theme, font
from gui.panels.base import Panel
from gui.panels.schedule.axis import TimeAxis
from gui.panels.schedule.chart import ScheduleChart
from gui.panels.schedule.layout import LEAST_ROW, RULER, ChartLayout, Row
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.offering import offer
from gui.widgets.tables import row_table
from planner.reports.schedule.schedule import MOST_SAMPLES, Schedule, schedule
from planner.runs.measuring.timed import all_runnable
from planner.runs.running.cores import cores_text
from planner.runs.running.order import on_equal_cores
from planner.runs.running.timeline import measured_schedule

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.runs.running.order import Split
    from planner.runs.running.result import PlanRun

NO_AXIS = 2.0
"""Height of the strip below the rows of a chart: the times are written once, below both."""


class RunChart(ScheduleChart):
    """One of the two schedules; both reach as far as the longer one."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.until = 0.0
        self.setAccessibleName(name)

    def minimumSizeHint(self) -> QSize:
        """Two rows."""
        return QSize(200, int(RULER + NO_AXIS + 2 * LEAST_ROW))

    def new_layout(self, schedule: Schedule, rows: list[Row], unit: str | None) -> ChartLayout:
        """On the shared axis."""
        return ChartLayout(
            schedule, rows, unit, float(self.width()), float(self.height()), until=self.until, axis=NO_AXIS
        )


class RunPanel(Panel):
    """Shows one run, of a plan that may have changed since, which is said."""

    id: ClassVar[str] = "run"
    title: ClassVar[str] = "Run"

    run_requested = Signal()
    cancel_requested = Signal()
    again_requested = Signal()

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.split: Split | None = None
        self.run: PlanRun | None = None
        self._progress = ""
        self._began = 0.0
        self._clock = QTimer(self, interval=1000)
        """Shows that time goes on while a run is under way."""
        self._clock.timeout.connect(self._say_words)
        self.words = ElidedLabel("", self)
        set_role(self.words, "muted")
        self.figures = ElidedLabel("", self)
        self.figures.setContentsMargins(10, 0, 10, 0)
        self.button = QPushButton("Run This Plan", self)
        self.button.clicked.connect(self._run_or_cancel)
        self.again = QPushButton("Plan Again From What Was Measured", self)
        self.again.setToolTip(
            "Scale the times of each stage's ops to what it took, and start the chosen planner: one undo step"
        )
        self.again.clicked.connect(self.again_requested)
        self.choices = RunChoices(self)
        self.predicted = RunChart("Predicted schedule", theme, self)
        self.measured = RunChart("Measured schedule", theme, self)
        self.axis = TimeAxis(theme, self)
        self.model = RunModel(self)
        self.table = row_table(self.model, "What each stage took", self, 22)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for part in (self.table, self.table.horizontalHeader()):
            part.setFont(font(8.5))
        self.table.setIconSize(QSize(12, 12))
        self.middle = QSplitter(Qt.Orientation.Horizontal, self)
        self.middle.addWidget(self._charts())
        self.middle.addWidget(self.table)
        self.middle.setStretchFactor(0, 1)
        self.middle.setChildrenCollapsible(False)
        self._moved = False
        """Whether somebody moved the border between charts and table."""
        self.middle.splitterMoved.connect(self._border_moved)
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(8)
        top.addWidget(self.words, 1)
        top.addWidget(self.choices)
        top.addWidget(self.again)
        top.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(self.figures)
        column.addWidget(self.middle, 1)
        document.model_changed.connect(self.forget)
        for signal in (document.problem_changed, document.decision_changed):
            signal.connect(self.request_refresh)
        document.selection_changed.connect(self._selection_changed)

    def _charts(self) -> QWidget:
        charts = QWidget(self)
        column = QVBoxLayout(charts)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for title, chart, other in (
            ("predicted", self.predicted, self.measured),
            ("measured", self.measured, self.predicted),
        ):
            label = ElidedLabel(title, charts)
            label.setFont(font(8.5, bold=True))
            label.setContentsMargins(12, 1, 10, 0)
            column.addWidget(label)
            column.addWidget(chart, 1)
            chart.ops_chosen.connect(self.document.select)
            chart.view_changed.connect(lambda chart=chart, other=other: self._follow(chart, other))
        column.addWidget(self.axis)
        return charts

    def sizeHint(self) -> QSize:
        """Two schedules of a handful of devices."""
        return QSize(720, 240)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(260, 150)

    # ------------------------------------------------------------------ what is shown
    def show_run(self, split: Split, run: PlanRun) -> None:
        """Show what was measured of a plan."""
        self.split, self.run = split, run
        self.show_progress("")

    def show_progress(self, text: str) -> None:
        """A run is under way, and how far it is; empty: none is. Behind it stands for how many seconds it has been."""
        if text and not self._progress:
            self._began = time.monotonic()
            self._clock.start()
        elif not text:
            self._clock.stop()
        self._progress = text
        self.request_refresh()

    def _border_moved(self) -> None:
        self._moved = True

    def forget(self) -> None:
        """Another model is open: nothing of it was run."""
        self.split = self.run = None
        self.request_refresh()

    @property
    def can_run(self) -> bool:
        """Whether the open models can be run here."""
        return self.document.problem is not None and all_runnable(self.document.paths)

    @property
    def current(self) -> bool:
        """Whether what was run is the plan on the canvas, with the times that are in use."""
        document, split = self.document, self.split
        return (
            split is not None
            and self._measured_here()
            and np.array_equal(document.device_of, split.device_of)
        )

    def refresh(self) -> None:
        """Words, charts and table as they are now."""
        split, run = self.split, self.run
        running = bool(self._progress)
        self.button.setText("Cancel" if running else "Run This Plan")
        runs = running or self.can_run
        offer(self.button, "" if runs else "open an ONNX or TFLite file: plans of these can be run here")
        self.choices.setVisible(self.can_run)
        self.choices.setEnabled(not running)
        self.choices.offer_providers(
            self.can_run and all(path.suffix.lower() == ".onnx" for path in self.document.paths)
        )
        self.middle.setVisible(run is not None)
        self.again.setVisible(run is not None)
        offer(
            self.again,
            "a plan is being run"
            if running
            else ""
            if self._measured_here()
            else "what was run is of another problem: run this plan first",
        )
        self._say_words()
        self.figures.setVisible(run is not None)
        if run is not None:
            self.figures.setText(told(run))
            self.figures.set_tip("\n".join(run.notes))
        self.model.show_run(split, None if run is None else run.plan, self.theme)
        if split is None or run is None:
            return
        measured = measured_schedule(split, run.plan)
        predicted = schedule(
            split.problem, split.device_of, kind="pipelined", samples=min(measured.samples, MOST_SAMPLES)
        )
        titles = [device.title for device in split.problem.devices]
        short = [device.name for device in split.problem.devices]
        until = max(measured.end, predicted.end) if split.problem.graph.time_unit == "s" else 0.0
        for chart, made in ((self.predicted, predicted), (self.measured, measured)):
            chart.until = until
            chart.show_schedule(made, titles, split.problem.graph.time_unit, False, False, short)
            chart.show_selection(self.document.selection)
        self._follow(self.measured, self.predicted)
        self._share_room()

    def _share_room(self) -> None:
        """The table has what it needs, and some more than half of the room at most, until somebody moves the border."""
        wanted = self.table.horizontalHeader().length() + 4
        if not self._moved:
            room = self.middle.width()
            given = min(wanted, room * 11 // 20)
            self.middle.setSizes([room - given, given])

    def _measured_here(self) -> bool:
        """Whether the times of the run are about the problem that is open, as it is."""
        document, split = self.document, self.split
        problem = document.problem
        return split is not None and problem is not None and on_equal_cores(problem) == split.problem

    def _say_words(self) -> None:
        self.words.setText(self._words())

    def _words(self) -> str:
        if self._progress:
            seconds = int(time.monotonic() - self._began)
            return f"{self._progress}  ·  {seconds} s" if seconds else self._progress
        if self.run is None:
            if self.document.problem is None:
                return "Open a model to run its plan."
            if not self.can_run:
                return "Plans of ONNX and TFLite files can be run here."
            return "The plan's stages run on cores of this computer, one process each, in turn with the unsplit model."
        where = f"cores {cores_text(self.run.about['cores'])} of {self.run.about['machine']}, {plural(self.run.samples, 'sample')}"
        return where if self.current else f"of an earlier plan or with other times; {where}"

    def _run_or_cancel(self) -> None:
        (self.cancel_requested if self._progress else self.run_requested).emit()

    def _selection_changed(self) -> None:
        if not self.isVisible() or self.waiting:
            self.request_refresh()
            return
        if self.run is not None:
            for chart in (self.predicted, self.measured):
                chart.show_selection(self.document.selection)

    def _follow(self, leader: RunChart, other: RunChart) -> None:
        """The other chart and the axis look where ``leader`` does."""
        layout = leader.layout_of
        if layout is not None:
            other.look(layout.left, layout.scale, layout.scrolled)
            self.axis.layout_of = layout
            self.axis.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.axis.theme = theme
        for chart in (self.predicted, self.measured):
            chart.set_theme(theme)
        super().set_theme(theme)
