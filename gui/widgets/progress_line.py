"""A thin bar that says how far something is."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.theme import Theme


class ProgressLine(QWidget):
    """A thin bar: a share from 0 to 1, or a piece that tells how long it has run where the share is unknown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fraction: float | None = None
        self._phase = 0.0
        self._colour = theme.accent
        self.setFixedHeight(5)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_progress(self, fraction: float | None, seconds: float, colour: str, theme: Theme) -> None:
        """Show another state."""
        self._fraction, self._colour, self._theme = fraction, colour, theme
        self._phase = seconds % 2.0 / 2.0
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Track and bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(0, 0, 0, 0))
        full = QRectF(self.rect())
        painter.setBrush(QColor(self._theme.track))
        painter.drawRoundedRect(full, 2.5, 2.5)
        painter.setBrush(QColor(self._colour))
        if self._fraction is not None:
            width = full.width() * min(max(self._fraction, 0.0), 1.0)
            if width >= 1:
                painter.drawRoundedRect(QRectF(0, 0, max(width, 5), full.height()), 2.5, 2.5)
            return
        width = full.width() * 0.25
        place = 0.5 - 0.5 * math.cos(2 * math.pi * self._phase)
        painter.drawRoundedRect(QRectF((full.width() - width) * place, 0, width, full.height()), 2.5, 2.5)
