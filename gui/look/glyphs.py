"""The small shapes that mark devices beside their names, for those who cannot tell two hues apart."""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap, QPolygonF, QTransform

from gui.look.theme import GLYPHS, DeviceColour

GLYPH_SIZE = 8.0
"""Logical pixels."""

_HALF = 0.5
_ARM = 0.19
"""Half the thickness of the crosses' arms."""


def _polygon(*points: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    path.closeSubpath()
    return path


def _plus() -> QPainterPath:
    a, b = _ARM, _HALF
    return _polygon(
        (-a, -b), (a, -b), (a, -a), (b, -a), (b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a), (-b, -a), (-a, -a)
    )  # fmt: skip


@cache
def glyph_path(glyph: int) -> QPainterPath:
    """The outline of glyph 0..8 around the origin, about one unit wide and high, all of a similar weight."""
    if not 0 <= glyph < GLYPHS:
        raise ValueError(f"there is no glyph {glyph}; choose 0 to {GLYPHS - 1}")
    h, side = _HALF, 0.44
    disc = QPainterPath()
    disc.addEllipse(QPointF(0, 0), h, h)
    if glyph == 0:
        return disc
    if glyph == 6:
        hole = QPainterPath()
        hole.addEllipse(QPointF(0, 0), 0.24, 0.24)
        return disc.subtracted(hole)
    if glyph == 7:
        return QTransform().rotate(45).map(_plus())
    return {
        1: lambda: _polygon((-side, -side), (side, -side), (side, side), (-side, side)),
        2: lambda: _polygon((0, -h), (h, 0.42), (-h, 0.42)),
        3: lambda: _polygon((0, -h * 1.1), (h * 1.1, 0), (0, h * 1.1), (-h * 1.1, 0)),
        4: _plus,
        5: lambda: _polygon((0, h), (h, -0.42), (-h, -0.42)),
        8: lambda: _polygon((-h, -h), (h, -h), (-h, h), (h, h)),
    }[glyph]()


def paint_glyph(
    painter: QPainter, colour: DeviceColour, x: float, y: float, size: float = GLYPH_SIZE, fill: str = ""
) -> None:
    """The device's glyph around (x, y), ``size`` wide, in its accent (or in ``fill``: greyed out)."""
    place = QTransform(size, 0.0, 0.0, size, x, y)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    # The thin edge keeps pale accents legible on their own band.
    painter.setPen(
        QPen(QColor(fill or colour.ink), size / 10, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin)
    )  # fmt: skip
    painter.setBrush(QColor(fill or colour.accent))
    painter.drawPath(place.map(glyph_path(colour.glyph)))
    painter.restore()


@lru_cache(maxsize=256)
def glyph_icon(colour: DeviceColour) -> QIcon:
    """A device's glyph in its colour, for lists."""
    pixmap = QPixmap(32, 32)
    pixmap.fill(QColor(0, 0, 0, 0))
    painter = QPainter(pixmap)
    paint_glyph(painter, colour, 16, 16, 26)
    painter.end()
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)  # not tinted by the selection
    return icon
