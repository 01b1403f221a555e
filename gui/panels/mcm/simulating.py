"""How the plan on the canvas would execute: a button, and what the simulation says until the plan changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gui.widgets.background_thread import Background
from gui.widgets.labels import set_role
from gui.widgets.plain import plain
from planner.machines.mcm.simulation.report import LATENCY, simulate
from planner.methods.simulation import SimulationReport
from planner.model.graph import Ints
from planner.problem.problem import Problem


class Simulating(QObject):
    """A ``button`` that simulates the plan shown, and the ``words`` of what came out, which go when the plan or the problem changes.

    Whoever shows them gives both a place.
    """

    wanted = Signal()
    """The button was pressed: whoever shows a plan calls :meth:`simulate` with it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._background = Background("simulating a package", self)
        self._shown: tuple[Problem, Ints] | None = None
        self.words = QLabel("", parent)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setContentsMargins(10, 0, 10, 0)
        set_role(self.words, "muted")
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
            told = [words if name != LATENCY else f"latency {words}" for name, words in found.rows]
            self._say(f"Simulated: {'; '.join(told)}")
        else:
            self._say(f"Not simulated: {found}")

    def _say(self, words: str) -> None:
        self.words.setText(plain(words))
        self.words.setVisible(bool(words))
        self.button.setEnabled(not self.busy)
