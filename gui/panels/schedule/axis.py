"""The time axis of charts below one another, which share it."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.panels.schedule.layout import AXIS, ChartLayout
from gui.panels.schedule.painter import paint_axis


class TimeAxis(QWidget):
    """The times, once, below all charts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.layout_of: ChartLayout | None = None
        self.setFixedHeight(int(AXIS))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ticks of the chart above."""
        if self.layout_of is not None:
            paint_axis(QPainter(self), self.layout_of, self.theme, 0.0)
