"""A row of big figures that never hides: what the strips of all editors share."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.widgets.bars import GapBar
from gui.widgets.readout import Readout

HEIGHT = 66
WHOLE_FROM = 1000
"""Pixels of a row from which words around figures are not cut."""


class Readouts(Panel):
    """Big figures in one line, with the bar of the gap among them. Subclasses name all of them in ``_readouts``."""

    id: ClassVar[str] = "readouts"
    title: ClassVar[str] = "Readouts"

    keyboard_left = Signal()
    """A button that has the keyboard goes away."""

    _readouts: tuple[Readout, ...]

    def __init__(self, document: Any, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.setObjectName("readouts")
        self.setFixedHeight(HEIGHT)
        self.bound = Readout(theme, "Best proven lower bound")
        self.gap = Readout(theme, "Gap")
        self.gap_bar = GapBar(theme)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(16, 0, 16, 0)
        self.row.setSpacing(28)
        document.model_changed.connect(self._forget_widths)
        for signal in (
            document.model_changed, document.problem_changed, document.decision_changed, document.readouts_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What a figure is called is whole unless the window is narrow, where figures alone need the room."""
        super().resizeEvent(event)
        for readout in self._readouts:
            readout.keep_whole(event.size().width() >= WHOLE_FROM)

    def refresh_now(self) -> None:
        """New figures have their room at once: one painted in that of others before would be cut."""
        super().refresh_now()
        for readout in self._readouts:
            readout.lay_out()
        self.row.activate()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        for readout in self._readouts:
            readout.set_theme(theme)
        self.gap_bar.set_theme(theme)
        super().set_theme(theme)

    def _show_button(self, button: QPushButton, shown: bool) -> None:
        if not shown and button.hasFocus():
            self.keyboard_left.emit()
        button.setVisible(shown)

    def _hold_widths(self, held: bool) -> None:
        """What passes moves no figure: one lets go once it shows again what stays."""
        for readout in self._readouts:
            readout.hold_width(held)

    def _forget_widths(self) -> None:
        for readout in self._readouts:
            readout.forget_width()
