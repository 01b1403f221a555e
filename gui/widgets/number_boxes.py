"""Boxes for numbers: the wheel turns the one that is being written in, and scrolls past the others."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QWidget


class _TurnedInFocus:
    """Mixed into a box: Qt's own take the wheel of whoever scrolls the panel that they stand in."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only with the keyboard in it."""
        if self.hasFocus():  # type: ignore[attr-defined]
            super().wheelEvent(event)  # type: ignore[misc]
        else:
            event.ignore()


class WholeNumberBox(_TurnedInFocus, QSpinBox):
    """A box for a whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


class NumberBox(_TurnedInFocus, QDoubleSpinBox):
    """A box for a number with a fraction."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
