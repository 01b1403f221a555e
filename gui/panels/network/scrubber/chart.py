"""The slider over an order: where the moment is, with the I/Os of values that have come together so far behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from gui.canvas.network.colours import STEPS, ink_of
from gui.document.network.memory_history import History
from gui.look.theme import Theme, mix
from gui.look.writing import LEFT, RIGHT, face
from gui.panels.network.base import GUTTER, MARGIN

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument

HEIGHT = 62
RAMP = 5.0
_TOP = 4.0


class Timeline(QAbstractSlider):
    """A slider from 0 to W. The arrows of the keyboard, and Home and End, move it as every slider."""

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document, self.theme = document, theme
        self.history: History | None = None
        self._chart: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Connections done")
        self.setToolTip("Drag to any moment of the order")
        self.setTracking(True)
        self.setInvertedControls(True)  # Page Down goes on in time
        self.valueChanged.connect(document.set_position)

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(700, HEIGHT)

    def show_history(self, history: History | None, length: int) -> None:
        """Another order, or what happens along it is now known."""
        self.history, self._chart = history, None
        self.blockSignals(True)
        self.setRange(0, length)
        self.setPageStep(max(1, length // 20))
        self.blockSignals(False)
        self.follow()

    def follow(self) -> None:
        """Show the document's moment."""
        self.blockSignals(True)
        self.setValue(self.document.position)
        self.blockSignals(False)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme, self._chart = theme, None
        self.update()

    # ------------------------------------------------------------------ places
    @property
    def room(self) -> QRectF:
        """The chart, between whose sides the order runs."""
        return QRectF(GUTTER, _TOP, max(self.width() - GUTTER - MARGIN, 1.0), HEIGHT - _TOP - RAMP - 8.0)

    def x_of(self, moment: int) -> float:
        """Where a moment is."""
        return self.room.left() + self.room.width() * moment / max(1, self.maximum())

    def moment_at(self, x: float) -> int:
        """The moment at a place."""
        share = (x - self.room.left()) / self.room.width()
        return round(min(max(share, 0.0), 1.0) * self.maximum())

    # ------------------------------------------------------------------ painting
    def resizeEvent(self, event: QResizeEvent) -> None:
        """The chart is drawn anew."""
        self._chart = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """The chart, kept between frames; what is past in full colour; the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._chart is None:
            ratio = self.devicePixelRatioF()
            self._chart = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            self._chart.setDevicePixelRatio(ratio)
            self._chart.fill(QColor(self.theme.panel))
            inner = QPainter(self._chart)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_chart(inner)
            inner.end()
        painter.drawPixmap(0, 0, self._chart)
        x = self.x_of(self.value())
        veil = QColor(self.theme.panel)
        veil.setAlphaF(0.55)
        room = self.room
        painter.fillRect(QRectF(x, room.top(), room.right() - x, self.height() - room.top()), veil)
        if self.history is not None:
            self._paint_key(painter, room)
        painter.setPen(QPen(QColor(self.theme.text), 1.5))
        painter.drawLine(QPointF(x, room.top() - 2), QPointF(x, self.height() - 3))
        painter.setBrush(QColor(self.theme.panel))
        painter.setPen(QPen(QColor(self.theme.focus if self.hasFocus() else self.theme.text), 2.0))
        painter.drawEllipse(QPointF(x, room.bottom() + 4 + RAMP / 2), 5.0, 5.0)

    def _paint_chart(self, painter: QPainter) -> None:
        """What of the values' I/Os every order needs, what could be avoided on top, and the colours of time below."""
        theme, room, ink = self.theme, self.room, ink_of(self.theme)
        painter.fillRect(room, QColor(mix(theme.panel, theme.track, 0.5)))
        ramp = QRectF(room.left(), room.bottom() + 4, room.width(), RAMP)
        gradient = QLinearGradient(ramp.topLeft(), ramp.topRight())
        for step in range(0, STEPS, 15):
            gradient.setColorAt(step / (STEPS - 1), QColor(ink.time[step]))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(ramp, 2, 2)
        history = self.history
        if history is None:
            return
        at = np.unique(np.linspace(0, history.length, max(2, int(room.width()))).astype(np.int64))
        beyond = history.again[at] + history.spills[at]
        needed = history.trace.reads[at] - at + history.trace.writes[at] - beyond
        most = max(1, int(needed[-1] + beyond[-1]))
        x = room.left() + room.width() * at / history.length
        high = room.height() - 3.0

        def area(values: np.ndarray, below: np.ndarray, colour: str) -> None:
            top, base = room.bottom() - high * values / most, room.bottom() - high * below / most
            corners = [*zip(x, top, strict=True), *zip(x[::-1], base[::-1], strict=True)]
            painter.setBrush(QColor(colour))
            painter.drawPolygon(QPolygonF([QPointF(float(a), float(b)) for a, b in corners]))

        area(needed, np.zeros(len(at)), mix(theme.panel, theme.accent, 0.55))
        area(needed + beyond, needed, mix(theme.panel, theme.warning, 0.75))
        painter.setFont(face(8.0))
        painter.setPen(QColor(theme.muted))
        for y, value in ((room.top(), most), (room.bottom() - 14, 0)):
            painter.drawText(QRectF(0, y, GUTTER - 6, 14), RIGHT, f"{value:,}")

    def _paint_key(self, painter: QPainter, room: QRectF) -> None:
        theme = self.theme
        rect = QRectF(room.left() + 8, room.top() + 3, room.width() - 16, 14)
        painter.setFont(face(8.0))
        x = rect.left()
        for colour, words in (
            (mix(theme.panel, theme.warning, 0.75), "beyond the bound"),
            (mix(theme.panel, theme.accent, 0.55), "needed I/Os of values"),
        ):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRect(QRectF(x, rect.center().y() - 4, 8, 8))
            painter.setPen(QColor(theme.muted))
            painter.drawText(QRectF(x + 12, rect.top(), rect.width(), rect.height()), LEFT, words)
            x += 24 + painter.fontMetrics().horizontalAdvance(words)

    # ------------------------------------------------------------------ the mouse
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there; a drag goes on."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setSliderPosition(self.moment_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag."""
        if self.isSliderDown():
            self.setSliderPosition(self.moment_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stay there."""
        self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Half a percent per notch."""
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120
        self.setValue(self.value() - round(notches * max(1, self.maximum() / 200)))
        event.accept()
