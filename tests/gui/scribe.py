"""A painter that remembers what it wrote."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter


class Scribe(QPainter):
    """``written``: (rectangle, text) of every ``drawText``, on an image of its own. Call :meth:`end` when done."""

    def __init__(self, width: int, height: int) -> None:
        self._image = QImage(width, height, QImage.Format.Format_ARGB32)
        super().__init__(self._image)
        self.written: list[tuple[QRectF, str]] = []

    def drawText(self, rect: QRectF, flags: int, text: str) -> None:  # type: ignore[override]
        """Keep it instead."""
        self.written.append((QRectF(rect), text))
