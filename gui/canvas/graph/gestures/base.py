"""The life of a gesture."""

from __future__ import annotations

from abc import ABC, abstractmethod

from PySide6.QtCore import QPoint, QPointF, Qt

from gui.canvas.graph.pointed_scene import PointedScene


class Gesture(ABC):
    """Begins with a press, follows the pointer, ends with :meth:`finish` or :meth:`cancel`.

    Positions are in the widget's logical pixels; ``global_pos`` is on the screen.
    """

    cursor: Qt.CursorShape = Qt.CursorShape.ArrowCursor

    def __init__(self, view: PointedScene, start: QPointF) -> None:
        self.view = view
        self.start = start
        self.position = start

    def update(self, position: QPointF, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """The pointer moved."""
        before, self.position = self.position, position
        self.moved(before, global_pos, modifiers)

    @abstractmethod
    def moved(self, before: QPointF, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """React to the pointer, which was at ``before``."""

    @abstractmethod
    def finish(self, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """The button was released."""

    def cancel(self, reason: str) -> None:  # noqa: B027  many gestures have nothing to undo
        """Undo what the gesture showed: escape, lost focus, or the document changed under it."""
