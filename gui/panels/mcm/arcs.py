"""The paths of a broken triangle over the chips of a package."""

from __future__ import annotations

import math
from itertools import pairwise

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from gui.look.theme import Theme
from gui.panels.mcm.layout import PackageLayout
from gui.panels.mcm.state import RulePath


def paint_rule_path(painter: QPainter, layout: PackageLayout, path: RulePath, theme: Theme) -> None:
    """The direct dependency as one thick arc, the indirect path as double arcs from chip to chip."""
    for a, b in pairwise(path.indirect):
        _arc(painter, layout, a, b, theme.warning, theme, 0.16, double=True)
    _arc(painter, layout, *path.direct, theme.bad, theme, 0.3, double=False)


def _arc(
    painter: QPainter, layout: PackageLayout, a: int, b: int, colour: str, theme: Theme, lift: float, *, double: bool
) -> None:  # fmt: skip
    # The indirect way lies deeper, so that the two do not cover each other between neighbours.
    depth = 0.55 * layout.boxes[a].height() if double else 2.0
    start = QPointF(layout.boxes[a].center().x(), layout.boxes[a].top() + depth)
    end = QPointF(layout.boxes[b].center().x(), layout.boxes[b].top() + depth)
    across = end - start
    length = math.hypot(across.x(), across.y()) or 1.0
    rise = min(max(lift * length, 10.0), 34.0)
    middle = (start + end) / 2 + QPointF(across.y(), -across.x()) / length * (
        rise if across.x() >= 0 else -rise
    )
    middle.setY(max(middle.y(), 2.0))
    path = QPainterPath(start)
    path.quadTo(middle, end)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    wide = 5.0 if double else 3.4
    for pen, width in ((theme.panel, wide + 3.0), (colour, wide), *([(theme.panel, 1.8)] if double else [])):
        painter.setPen(QPen(QColor(pen), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPath(path)
    way = end - middle
    long = math.hypot(way.x(), way.y()) or 1.0
    ux, uy, size = way.x() / long, way.y() / long, 5.0
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(QPolygonF([
        QPointF(end.x() + 3 * ux, end.y() + 3 * uy),
        QPointF(end.x() - 1.8 * size * ux - size * uy, end.y() - 1.8 * size * uy + size * ux),
        QPointF(end.x() - 1.8 * size * ux + size * uy, end.y() - 1.8 * size * uy - size * ux),
    ]))  # fmt: skip
