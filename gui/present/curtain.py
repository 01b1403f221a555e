"""The ground behind a talk with the speaker's window on a single screen: it hides the window that the talk was started from."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme


class Curtain(QWidget):
    """A plain ground over a whole screen, below the windows of the talk. ``pressed``: it may have come before them."""

    pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        flags = Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowDoesNotAcceptFocus
        super().__init__(parent, Qt.WindowType.Window | flags)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._colour = theme.canvas

    def draw(self, room: QRect) -> None:
        """Cover ``room``."""
        self.setGeometry(room)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing but the ground."""
        QPainter(self).fillRect(self.rect(), QColor(self._colour))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click brings a window to the front on most systems."""
        self.pressed.emit()
