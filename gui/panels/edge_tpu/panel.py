"""The dock that answers "how many TPUs do I need?", or stages, chips, accelerators: the problem planned for several counts, side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui.background.stage_counting import StageCounting
from gui.document.values import Message
from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.panels.edge_tpu.chart import CountsView
from gui.panels.edge_tpu.words import best_words, chart_of, summary
from gui.widgets.labels import ElidedLabel, capital
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.plan.document import Document

TIP = (
    "Bars: parameters of each stage around the cache line; what is hatched is off chip. Marks: the"
    " parameter-balanced cut of the Edge TPU compiler. A click takes a count over, arrows and Enter do too."
)


class StageCountsPanel(Panel):
    """Plans while it can be seen; a click or Enter on a count takes its stages and plan over: one undo step."""

    id: ClassVar[str] = "counts"
    title: ClassVar[str] = "How Many Stages?"

    def __init__(
        self, document: Document, counting: StageCounting, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(document, theme, parent)
        self.counting = counting
        self._held = False
        """Whether the user stopped the search for the present problem."""
        self.words = ElidedLabel("", self, lines=2)
        self.button = QPushButton("", self)
        self.button.clicked.connect(self._start_or_stop)
        self.chart = CountsView(theme)
        self.words.setFont(self.chart.summary_font)
        self.chart.chosen.connect(self.take_over)
        self.chart.setObjectName("scrolled")  # the ground of a panel, see the style sheet
        self.chart.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self.chart)
        self._area.horizontalScrollBar().valueChanged.connect(self.chart.scroll_to)
        self.chart.walked.connect(self._bring_into_sight)
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(10)
        top.addWidget(self.words, 1)
        top.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(self._area, 1)
        counting.changed.connect(self.request_refresh)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self._problem_changed)
        for signal in (
            document.plans_changed,
            document.readouts_changed,
        ):  # the best plan of the list is one of the columns
            signal.connect(self.request_refresh)

    def sizeHint(self) -> QSize:
        """Room for bars and figures."""
        return QSize(720, 236)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(200, 120)

    # ------------------------------------------------------------------ running
    def _problem_changed(self) -> None:
        self._held = False
        self.request_refresh()

    def _start_or_stop(self) -> None:
        self._held = self.counting.running
        if self._held:
            self.counting.stop()
        else:
            self.counting.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: what is being planned ends, what is known stays."""
        super().hideEvent(event)
        self.counting.stop()

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Show what is known, and begin to plan what is not."""
        problem = self.document.problem
        counted = None if problem is None else problem.target.counted
        staged = counted is not None
        if staged and not self._held:
            self.counting.start()
        running = self.counting.running
        self.button.setVisible(staged and (running or not (self.counting.complete or self.counting.looking)))
        self.button.setText("Stop" if running else "Plan All")
        self.button.setAccessibleName("Stop planning other counts" if running else "Plan every count")
        self._area.setVisible(staged)
        if problem is None or counted is None:
            words = (
                "Open a model to see how many stages it needs."
                if problem is None
                else f"The devices of {problem.target.in_words} are not counted."
            )
            self.words.setText(self.document.nothing(words) if problem is None else words)
            return
        results, counts = self.counting.results, self.counting.counts
        self.chart.setAccessibleName(f"Plans by number of {counted.many}")
        possible = self.counting.possible
        waiting, impossible = self.counting.waiting, [count for count in counts if count in possible.refused]
        self.chart.show_chart(chart_of(results, counts, waiting, problem, impossible, possible.least))
        limited = bool(np.isfinite(problem.evaluator.budget).all())
        self.words.set_tip(
            TIP
            if limited
            else f"Bars: the time of each {problem.target.words.one}. A click takes a count over"
        )
        tried = len(counts) - len(impossible)
        done = tried - len(self.counting.left)
        if running:
            doing = f"Planning {tried - len(waiting) + 1} of {tried} counts of {counted.many} …"
            self.words.setText(f"{doing} {capital(best_words(results, problem))}.")
        elif self.counting.looking:
            self.words.setText(f"Looking how many {counted.many} there must be at least …")
        elif self._held and not self.counting.complete:
            self.words.setText(f"Stopped: {done} of {tried} planned; {best_words(results, problem)}.")
        else:
            said = (
                summary(results, problem) if done or not tried else ""
            )  # one's own plan alone compares nothing
            self.words.setText(said or f"No count of {counted.many} is planned yet.")

    def _bring_into_sight(self, box: QRectF) -> None:
        """Scroll to a column, which is to lie beside the names of the rows."""
        bar = self._area.horizontalScrollBar()
        right = math.ceil(box.right()) - self._area.viewport().width()
        bar.setValue(min(max(bar.value(), right), int(box.left() - self.chart.geometry_now.gutter)))

    def take_over(self, count: int) -> None:
        """Let this many with the plan found for them take the place of what is on the canvas: one undo step."""
        if (entry := self.counting.listed(count)) is not None:
            self.document.apply_plan(entry)
            return
        one = self.counting.results.get(count)
        if one is None or one.problem is None or one.found.device_of is None:
            return
        try:
            self.document.take_over(
                one.problem, one.found.device_of, one.found.planner, one.found.seconds, one.found.bounds
            )
        except StageboardError as error:
            self.document.message.emit(Message("error", str(error)))

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.chart.set_theme(theme)
        super().set_theme(theme)
