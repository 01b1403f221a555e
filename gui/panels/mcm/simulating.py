"""How the plan on the canvas would execute: a button, and what the simulation says until the plan changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gui.look.glyphs import glyph_path
from gui.look.theme import Theme
from gui.widgets.background_thread import Background
from gui.widgets.labels import set_role
from gui.widgets.offering import offer
from gui.widgets.plain import plain
from planner.loading import Named, load
from planner.methods.simulation import SimulationReport
from planner.model.graph import Ints
from planner.problem.problem import Problem

SIMULATE = "planner.machines.mcm.simulation.report:simulate"
in_short = Named("planner.machines.mcm.simulation.report:in_short")

MARGIN = 10
MARK = 13.0
"""Pixels of the sign before a warning."""


class Words(QLabel):
    """Sentences in the colour of quiet ones, or a warning with its sign before them."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("", parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self._theme = theme
        self.say("")

    def say(self, words: str, warning: bool = False) -> None:
        """Show sentences, nothing where there are none."""
        self.setText(plain(words))
        self.setVisible(bool(words))
        set_role(self, "warning" if warning else "muted")
        self.setContentsMargins(MARGIN + (int(MARK) + 6 if warning else 0), 0, MARGIN, 0)

    @property
    def warns(self) -> bool:
        """Whether what is said is a warning."""
        return bool(self.property("role") == "warning")

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The sign beside the first line."""
        super().paintEvent(event)
        if not self.warns:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Text stands in the middle of what height there is.
        above = max(0, self.height() - self.heightForWidth(self.width())) / 2
        painter.translate(MARGIN + MARK / 2, above + self.fontMetrics().height() / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.warning))
        painter.drawPath(QTransform.fromScale(MARK, MARK).map(glyph_path(2)))
        pen = QPen(QColor(self._theme.panel), 1.6)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawLine(QPointF(0.0, -0.2 * MARK), QPointF(0.0, 0.1 * MARK))
        painter.drawPoint(QPointF(0.0, 0.29 * MARK))
        painter.end()


class Simulating(QObject):
    """A ``button`` that simulates the plan shown, and the ``words`` of what came out, which go when the plan or the problem changes.

    Whoever shows them gives both a place.
    """

    wanted = Signal()
    """The button was pressed: whoever shows a plan calls :meth:`simulate` with it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._background = Background("simulating a package", self)
        self._shown: tuple[Problem, Ints] | None = None
        self.words = Words(theme, parent)
        self.button = QPushButton("Simulate", parent)
        self.button.setToolTip(
            "How the plan executes, inference after inference: shared links, full buffers, allocated memory"
        )
        self.button.clicked.connect(self.wanted)
        self._say("")

    @property
    def busy(self) -> bool:
        """Whether a simulation is still to end."""
        return self._background.busy

    def simulate(self, problem: Problem, device_of: Ints) -> None:
        """Simulate a plan (int32[n]) beside the window, and say what came out."""
        shown = (problem, device_of.copy())
        self._shown = shown
        simulate = load(SIMULATE)  # here: two threads that import beside a window may wait for each other

        def work(stopped: Callable[[], bool]) -> SimulationReport:
            return simulate(*shown, {})

        self._background.run(work, self._deliver)
        self._say("Simulating\N{HORIZONTAL ELLIPSIS}")

    def keep_to(self, problem: Problem | None, device_of: Ints) -> None:
        """Forget what was said of another plan than this one (int32[n])."""
        if self._shown is None:
            return
        of, plan = self._shown
        if problem is not of or not np.array_equal(plan, device_of):
            self._shown = None
            self._background.cancel()
            self._say("")

    def end_threads(self) -> None:
        """Wait until nothing runs any more."""
        self._background.close()

    def _deliver(self, found: object) -> None:
        if isinstance(found, SimulationReport):
            also = f". {found.advice}" if found.advice else ""
            self._say(f"Simulated: {in_short(found)}{also}", warning=not found.runs)
        else:
            self._say(f"Not simulated: {found}")

    def _say(self, words: str, warning: bool = False) -> None:
        self.words.say(words, warning)
        offer(self.button, "the plan is being simulated" if self.busy else "")
