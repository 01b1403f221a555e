"""The small line of one entrant: its best plan coming down over time, and the bound that all share. Painting only."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Scales:
    """Seconds and values as places in a rectangle; what lies outside is drawn along its edge."""

    rect: QRectF
    end: float
    low: float
    high: float

    def x(self, seconds: float) -> float:
        """Pixels from the left of the widget."""
        return self.rect.left() + self.rect.width() * min(max(seconds / self.end, 0.0), 1.0)

    def y(self, value: float) -> float:
        """Pixels from the top of the widget: small values are low."""
        share = (value - self.low) / (self.high - self.low)
        return self.rect.bottom() - self.rect.height() * min(max(share, 0.0), 1.0)

    def seconds(self, x: float) -> float:
        """The time at a place."""
        return self.end * min(max((x - self.rect.left()) / max(1.0, self.rect.width()), 0.0), 1.0)


def value_at(points: Points, seconds: float) -> float | None:
    """The value of a step line at a time; None before its first step."""
    place = bisect.bisect_right([at for at, _ in points], seconds) - 1
    return points[place][1] if place >= 0 else None


def step_path(points: Points, scales: Scales) -> QPainterPath:
    """The step line through the points, drawn on to the end; empty without points."""
    path = QPainterPath()
    for i, (seconds, value) in enumerate(points):
        x, y = scales.x(seconds), scales.y(value)
        if i == 0:
            path.moveTo(x, y)
        else:
            path.lineTo(x, path.currentPosition().y())
            path.lineTo(x, y)
    if points:
        path.lineTo(scales.rect.right(), path.currentPosition().y())
    return path


def paint_sparkline(
    painter: QPainter, scales: Scales, points: Points, bound: Points, colour: str, bound_colour: str, track: str,
    marked: float | None = None,
) -> None:  # fmt: skip
    """The ground line, the shared bound (dashed), the entrant's line with a dot at its last step, and the time ``marked``."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(track), 1))
    base = round(scales.rect.bottom()) + 1.5
    painter.drawLine(QPointF(scales.rect.left(), base), QPointF(scales.rect.right(), base))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if bound:
        painter.setPen(QPen(QColor(bound_colour), 1, Qt.PenStyle.DashLine))
        painter.drawPath(step_path(bound, scales))
    if points:
        painter.setPen(
            QPen(
                QColor(colour), 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin
            )
        )
        painter.drawPath(step_path(points, scales))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawEllipse(QPointF(scales.x(points[-1][0]), scales.y(points[-1][1])), 2.4, 2.4)
    if marked is not None:
        x = scales.x(marked)
        painter.setPen(QPen(QColor(bound_colour if not points else colour), 1))
        painter.drawLine(QPointF(x, scales.rect.top()), QPointF(x, base))
        value = value_at(points, marked)
        if value is not None:
            painter.setBrush(QColor(colour))
            painter.drawEllipse(QPointF(x, scales.y(value)), 3.0, 3.0)
    painter.restore()
