"""The scale of a heat map: its colours with what they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.heat.heat import Heat
from gui.canvas.graph.heat.ramps import ramp
from gui.look.fonts import font, metrics
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.canvas.graph.scene import Scene

WIDTH, HEIGHT, MARGIN = 316.0, 48.0, 12.0
"""Size of the scale with its words, and its distance from the edges, in units."""
_INSET, _BAR, _TYPE = 10.0, 9.0, 11
_NONE = 92.0
"""Room for what a card without a place is, beside the bar."""


def legend_height(scene: Scene | None) -> float:
    """How much of a canvas's foot the scale takes, in units; 0 where there is none."""
    return 0.0 if scene is None or scene.heat is None else HEIGHT + MARGIN


def paint_heat_legend(painter: QPainter, heat: Heat, theme: Theme, left: float, top: float) -> None:
    """The scale in a box of :data:`WIDTH` by :data:`HEIGHT` units at ``left``, ``top``: title, bar, what stands at its places."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(QRectF(left + 0.5, top + 0.5, WIDTH - 1, HEIGHT - 1), 5, 5)
    colours = ramp(theme, heat.both_ways).colours
    words, middle = font(_TYPE, False), int(Qt.AlignmentFlag.AlignVCenter)
    painter.setFont(words)
    painter.setPen(QColor(theme.text))
    painter.drawText(QRectF(left + _INSET, top + 3, WIDTH - 2 * _INSET, 15), middle, heat.title)
    bar = QRectF(left + _INSET, top + 20, WIDTH - 2 * _INSET - _NONE, _BAR)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    step = bar.width() / (len(colours) - 1)
    for i, colour in enumerate(colours[:-1]):
        painter.fillRect(QRectF(bar.left() + i * step, bar.top(), step + 1.0, bar.height()), QColor(colour))
    painter.setPen(QColor(theme.muted))
    for place, text in heat.ticks:
        wide = metrics(_TYPE, False).horizontalAdvance(text) + 2
        x = bar.left() + place * bar.width()
        at = min(max(x - wide / 2, bar.left()), bar.right() - wide)
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + 2))
        painter.drawText(QRectF(at, bar.bottom() + 2, wide, 14), middle, text)
    swatch = QRectF(bar.right() + 12, bar.top(), 12, _BAR)
    painter.setBrush(QColor(colours[-1]))
    painter.drawRect(swatch)
    painter.drawText(QRectF(swatch.left() - 4, bar.bottom() + 2, _NONE - 6, 14), middle, heat.none)
    painter.restore()
