"""The dragged card where the pointer has left the canvas, over the panels on which ops can be dropped."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.overlay import CARD_FROM_POINTER, CARD_SIZE, paint_card
from gui.look.theme import Theme

EDGE = 2
"""Pixels around the card for its dashed line."""


class Ghost(QWidget):
    """A card with ``label``, ``kind`` and the colour ``accent`` of its device, on a window; the mouse does not see it."""

    def __init__(self, window: QWidget, label: str, kind: str, accent: str, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self._label, self._kind, self._accent, self._theme = label, kind, accent, theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(CARD_SIZE.toSize() + QSize(2 * EDGE, 2 * EDGE))
        self.show()
        self.raise_()

    def follow(self, pointer: QPointF) -> None:
        """Stand beside the pointer, a position on the window, and inside the window."""
        at = (pointer + CARD_FROM_POINTER).toPoint() - QPoint(EDGE, EDGE)
        room = self._window.size() - self.size()
        self.move(max(0, min(at.x(), room.width())), max(0, min(at.y(), room.height())))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The card."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        box = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        paint_card(painter, box, self._label, self._kind, self._accent, self._theme)
