"""Dragging the picture."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt

from gui.canvas.graph.gestures.base import Gesture


class Pan(Gesture):
    """Moves the picture with the pointer."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def moved(self, before: QPointF, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Follow the pointer."""
        step = self.position - before
        self.view.pan_by(step.x(), step.y())

    def finish(self, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Nothing is left to do."""
