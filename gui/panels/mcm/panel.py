"""The package dock: a multi-chip module as a chain of chips, and the memory of one of them while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui.canvas.graph.tooltip import HoverCard
from gui.look.theme import Theme, device_colours
from gui.panels.base import Panel
from gui.panels.mcm.memory import MemoryView
from gui.panels.mcm.memory_painter import chip_memory
from gui.panels.mcm.simulating import Simulating
from gui.panels.mcm.state import is_package, package_of
from gui.panels.mcm.view import PackageView
from gui.panels.mcm.words import summary
from gui.widgets.labels import set_role

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.model.graph import Ints

BESIDE_FROM = 1.9
"""From this many times as wide as high on, the memory of a chip stands beside the chain instead of below."""


class PackagePanel(Panel):
    """Chips and lanes select each other: a click selects a chip's ops, and chips that hold selected ops are outlined."""

    id: ClassVar[str] = "package"
    title: ClassVar[str] = "Package"

    device_shown = Signal(int)
    """A chip was chosen: its lane and its page may be shown."""
    op_shown = Signal(int)
    """An op was chosen in the memory of a chip."""
    menu_requested = Signal(int, QPoint)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self._chip = -1
        """The chip whose memory is shown; -1: the fullest one."""
        self.words = QLabel("", self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setContentsMargins(10, 0, 10, 0)
        set_role(self.words, "muted")
        self.simulating = Simulating(theme, self)
        self.simulating.wanted.connect(self.simulate)
        card = HoverCard(self)
        self.view = PackageView(theme, card, self)
        self.memory = MemoryView(theme, card, self)
        self.view.chosen.connect(self._choose)
        self.view.move_requested.connect(self._move_here)
        self.view.menu_requested.connect(self.menu_requested)
        self.memory.op_chosen.connect(self._choose_op)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._parts.setSpacing(0)
        self._parts.addWidget(self.view, 5)
        self._parts.addWidget(self.memory, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(2)
        top = QHBoxLayout()
        top.setContentsMargins(0, 4, 10, 0)
        top.addWidget(self.words, 1)
        top.addWidget(self.simulating.button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        column.addWidget(self.simulating.words)
        column.addLayout(self._parts, 1)
        document.model_changed.connect(self._another)
        document.problem_changed.connect(self._another)
        for signal in (
            document.decision_changed, document.readouts_changed, document.selection_changed,
            document.preview_changed, document.pointed_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)

    def sizeHint(self) -> QSize:
        """36 chips and the memory of one."""
        return QSize(420, 300)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(200, 150)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is wide shows the two side by side."""
        wide = self.width() > BESIDE_FROM * self.height()
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._parts.direction() != direction:
            self._parts.setDirection(direction)
        super().resizeEvent(event)

    # ------------------------------------------------------------------ for the canvas
    def device_at(self, position: QPoint) -> int:
        """The chip under a global position, -1 if none."""
        place = self.view.mapFromGlobal(position)
        if not self.view.isVisible() or not self.view.rect().contains(place):
            return -1
        return self.view.arrangement.chip_at(place.x(), place.y())

    # ------------------------------------------------------------------ contents
    def _another(self) -> None:
        self._chip = -1
        self.request_refresh()

    def refresh(self) -> None:
        """Show the plan as it is now."""
        document, problem = self.document, self.document.problem
        shown = is_package(problem)
        self.view.setVisible(shown)
        self.memory.setVisible(shown)
        self.simulating.button.setVisible(shown)
        self.simulating.keep_to(problem if shown else None, document.device_of)
        if problem is None or not shown:
            what = "Open a model" if problem is None else "Choose a multi-chip module as the target"
            words = f"{what} to see its chips."
            self.words.setText(document.nothing(words) if problem is None else words)
            return
        device_of, evaluation = document.device_of, document.evaluation
        package = package_of(
            problem, device_of, evaluation, selection=document.selection, preview=document.preview,
            pointed=document.pointed,
        )  # fmt: skip
        on = np.unique(device_of[document.selection])
        if len(on) == 1:
            self._chip = int(on[0])
        chip = self._chip if 0 <= self._chip < len(package.chips) else int(np.argmax(evaluation.memory))
        self.words.setText(summary(package, evaluation))
        self.view.show_package(package, chip)
        colour = device_colours(len(package.chips), self.theme)[chip]
        self.memory.show_memory(chip_memory(problem, device_of, chip), colour, document.selection)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.simulating.words.set_theme(theme)
        self.view.set_theme(theme)
        self.memory.set_theme(theme)
        super().set_theme(theme)

    # ------------------------------------------------------------------ actions
    def simulate(self) -> None:
        """Simulate how the plan shown executes."""
        problem = self.document.problem
        if problem is not None and is_package(problem):
            self.simulating.simulate(problem, self.document.device_of)

    def end_threads(self) -> None:
        """The window goes."""
        self.simulating.end_threads()

    def _ops_of(self, chip: int) -> Ints:
        return np.flatnonzero(self.document.device_of == chip).astype(np.int32)

    def _choose(self, chip: int, mode: str) -> None:
        """Select the ops of a chip, or nothing where the ground was clicked."""
        self.document.select(self._ops_of(chip), mode)
        if chip >= 0:
            self._chip = chip
            self.request_refresh()
            self.device_shown.emit(chip)

    def _move_here(self, chip: int) -> None:
        if chip >= 0 and len(self.document.selection):
            self.document.move(self.document.selection, chip)

    def _choose_op(self, op: int, mode: str) -> None:
        self.document.select([op], mode)
        self.op_shown.emit(op)
