"""A row of big figures that never hides: what the strips of all editors share."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.widgets.bars import GapBar
from gui.widgets.readout import Readout

HEIGHT = 66
WHOLE_FROM = 1000
"""Pixels of a row from which words around figures are not cut."""


UNLIMITED = (1 << 24) - 1
"""What Qt takes for no limit of a width."""


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
        self._held = False
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
        document.problem_changed.connect(self._of_another_problem)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What a figure is called is whole unless the window is narrow, where figures alone need the room."""
        super().resizeEvent(event)
        for readout in self._readouts:
            readout.keep_whole(event.size().width() >= WHOLE_FROM)
        self._share_room()

    def event(self, event: QEvent) -> bool:
        """What is shown asks for other room."""
        known = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._share_room()
        return known

    def refresh_now(self) -> None:
        """New figures have their room at once: one painted in that of others before would be cut."""
        super().refresh_now()
        for readout in self._readouts:
            readout.lay_out()
        self._share_room()
        self.row.activate()

    def _of_another_problem(self) -> None:
        """At once: figures of what was planned before are not to stand beside the new number of devices while others are busy."""
        if self.isVisible():
            self.refresh_now()

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
        self._held = held
        for readout in self._readouts:
            readout.hold_width(held)

    def _forget_widths(self) -> None:
        for readout in self._readouts:
            readout.forget_width()

    def _share_room(self) -> None:
        """Where there is too little room, as few figures as need be are narrower: a layout would take some from all, so that many of them
        said something shorter for a few pixels. First those that keep room for what they showed before."""
        if self._held:
            return
        shown = [readout for readout in self._readouts if readout.isVisibleTo(self)]
        widths = {readout: readout.sizeHint().width() for readout in shown}
        lacking = self._needed(widths) - self.width()
        forms = {readout: readout.forms() for readout in shown} if lacking > 0 else {}
        narrowed = set[Readout]()
        while lacking > 0:
            steps = {
                readout: (widths[readout] - wide, wide < all_of_it)
                for readout, (all_of_it, *_) in forms.items()
                if (wide := next((wide for wide in forms[readout] if wide < widths[readout]), 0))
            }
            if not steps:
                break
            readout = min(steps, key=lambda one: _regret(*steps[one], lacking))
            lacking -= steps[readout][0]
            widths[readout] -= steps[readout][0]
            narrowed.add(readout)
        for readout in self._readouts:
            most = widths[readout] if readout in narrowed and lacking <= 0 else UNLIMITED
            if readout.maximumWidth() != most:
                readout.setMaximumWidth(most)

    def _needed(self, widths: dict[Readout, int]) -> int:
        """The width that the row takes with readouts so wide, and the bar of the gap as narrow as it gets."""
        margins, needed, count = self.row.contentsMargins(), 0, 0
        for i in range(self.row.count()):
            item = self.row.itemAt(i)
            widget = None if item is None else item.widget()
            if widget is None or not widget.isVisibleTo(self):
                continue
            count += 1
            if isinstance(widget, Readout):
                needed += widths[widget]
            else:
                needed += (widget.minimumSize() if widget is self.gap_bar else widget.sizeHint()).width()
        return needed + margins.left() + margins.right() + max(0, count - 1) * self.row.spacing()


def _regret(saved: int, shorter: bool, lacking: int) -> tuple[bool, bool, int]:
    """By what a step that saves so many pixels is chosen: what says nothing shorter first, then what saves enough alone and little more."""
    return shorter, saved < lacking, saved if saved >= lacking else -saved
