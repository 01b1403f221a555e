"""Selecting what a rectangle touches."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt

from gui.canvas.graph.gestures.base import Gesture


def selection_mode(modifiers: Qt.KeyboardModifier) -> str:
    """Shift adds, Ctrl toggles, otherwise the selection is replaced."""
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return "add"
    if modifiers & Qt.KeyboardModifier.ControlModifier:
        return "toggle"
    return "replace"


class RubberBand(Gesture):
    """Draws a rectangle; the ops it touches become the selection on release."""

    cursor = Qt.CursorShape.CrossCursor

    @property
    def rect(self) -> QRectF:
        """The rectangle in logical pixels."""
        return QRectF(self.start, self.position).normalized()

    def moved(self, before: QPointF, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Show the rectangle."""
        self.view.show_band(self.rect)

    def finish(self, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Select."""
        self.view.show_band(None)
        ops = self.view.ops_in(self.rect)
        self.view.document.select(ops, selection_mode(modifiers))

    def cancel(self, reason: str) -> None:
        """Leave the selection as it was."""
        self.view.show_band(None)
