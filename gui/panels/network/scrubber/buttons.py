"""The buttons that play an order and step through it, their signs drawn so that they follow the theme."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QToolButton, QWidget

from gui.look.theme import Theme


class StepButton(QToolButton):
    """A button with a sign (play, pause, connection, event, block, end), mirrored where it leads back."""

    def __init__(self, theme: Theme, sign: str, back: bool, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.sign, self.back = theme, sign, back
        self.setFixedSize(QSize(28, 26))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_name(name)

    def set_name(self, name: str) -> None:
        """What the button does, for the tool tip and for a screen reader."""
        self.setToolTip(name)
        self.setAccessibleName(name)

    def set_sign(self, sign: str) -> None:
        """Another sign."""
        self.sign = sign
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The button of the style, then the sign."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(QRectF(self.rect()).center())
        if self.back:
            painter.scale(-1.0, 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.text if self.isEnabled() else self.theme.faint))
        if self.sign == "pause":
            painter.drawRect(QRectF(-5, -6, 3.5, 12))
            painter.drawRect(QRectF(1.5, -6, 3.5, 12))
        elif self.sign == "play":
            _triangle(painter, -4.5, 6.5, 10.5)
        elif self.sign == "connection":
            _triangle(painter, -3.0, 4.5, 7.0)
        elif self.sign == "event":
            _triangle(painter, -6.5, 4.5, 7.0)
            painter.drawEllipse(QPointF(4.5, 0), 2.6, 2.6)
        elif self.sign == "block":
            _triangle(painter, -7.0, 4.5, 7.0)
            painter.drawRect(QRectF(2.0, -4.5, 5.0, 9.0))
        else:
            _triangle(painter, -6.0, 5.0, 8.0)
            painter.drawRect(QRectF(3.5, -5.0, 2.2, 10.0))


def _triangle(painter: QPainter, left: float, half: float, length: float) -> None:
    """A triangle that points forwards."""
    painter.drawPolygon(QPolygonF([QPointF(left, -half), QPointF(left + length, 0), QPointF(left, half)]))
