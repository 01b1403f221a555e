"""The line that explains the colours of a network's picture."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.network.colours import STEPS, ink_of
from gui.look.theme import Theme
from gui.look.writing import LEFT, face

HEIGHT = 22
_RAMP = 84.0
_SIZE = 8.0
MARKS = ("in fast memory", "unwritten", "used later")
"""What the colours of neurons and of connections that are not used yet say."""


class Legend(QWidget):
    """First use to last use, and what the marks of neurons say, as much as fits."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(
            "Colours: blue connections are used first, orange ones last, grey ones later on"
        )

    def sizeHint(self) -> QSize:
        """All of it."""
        return QSize(520, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Nothing: what is chosen beside it comes first."""
        return QSize(0, HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """From the right."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_legend(painter, QRectF(self.rect()), self.theme)


def _time_width() -> float:
    measure = QFontMetricsF(face(8.5))
    return measure.horizontalAdvance("first use") + measure.horizontalAdvance("last use") + _RAMP + 14


def legend_width() -> float:
    """What all of the legend takes."""
    measure = QFontMetricsF(face(8.5))
    return _time_width() + sum(_SIZE + 5 + measure.horizontalAdvance(words) + 14 for words in MARKS)


def legend_lines(width: float) -> int:
    """How many lines the legend takes in so much room: one, or two where that has no room for all of it."""
    return 1 if legend_width() <= width else 2


def paint_legend(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """The colours of time at the right end of ``rect``, the marks before them while they fit; above them where there are two lines."""
    if rect.height() >= 2 * HEIGHT:
        ramp = rect.adjusted(0, rect.height() / 2, 0, 0)
        _ramp(painter, ramp.adjusted(ramp.width() - _time_width(), 0, 0, 0), theme)
        _marks(painter, rect.adjusted(0, 0, 14, -rect.height() / 2), rect.right() + 14, theme)
        return
    if rect.width() < _time_width():
        return
    x = rect.right() - _time_width()
    _ramp(painter, QRectF(x, rect.top(), _time_width(), rect.height()), theme)
    _marks(painter, rect, x, theme)


def _marks(painter: QPainter, rect: QRectF, x: float, theme: Theme) -> None:
    """What the colours of neurons, and of connections that are used later, say: left of ``x``, as many as ``rect`` has room for."""
    ink, measure = ink_of(theme), QFontMetricsF(face(8.5))
    for i, (colour, words) in enumerate(zip((ink.clean, ink.dirty, ink.future), MARKS, strict=True)):
        wide = _SIZE + 5 + measure.horizontalAdvance(words) + 14
        if x - wide < rect.left():
            return
        x -= wide
        box = QRectF(x, rect.center().y() - _SIZE / 2, _SIZE, _SIZE)
        painter.setPen(QPen(QColor(theme.text), 1.2) if i == 1 else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        if i < 2:
            painter.drawEllipse(box)
        else:
            painter.drawRect(box)
        painter.setFont(face(8.5))
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(x + _SIZE + 5, rect.top(), wide, rect.height()), LEFT, words)


def _ramp(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    ink, measure = ink_of(theme), QFontMetricsF(face(8.5))
    painter.setFont(face(8.5))
    painter.setPen(QColor(theme.muted))
    painter.drawText(rect, LEFT, "first use")
    x = rect.left() + measure.horizontalAdvance("first use") + 6
    bar = QRectF(x, rect.center().y() - 5, _RAMP, 10)
    painter.drawText(QRectF(bar.right() + 6, rect.top(), rect.width(), rect.height()), LEFT, "last use")
    gradient = QLinearGradient(QPointF(bar.left(), 0), QPointF(bar.right(), 0))
    for step in range(0, STEPS, 15):
        gradient.setColorAt(step / (STEPS - 1), QColor(ink.time[step]))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawRoundedRect(bar, 2, 2)
