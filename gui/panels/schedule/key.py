"""What the low bars of a schedule are, said above the names of its rows."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.look.theme import Theme, font
from gui.look.writing import LEFT, write
from gui.panels.schedule.layout import AXIS, RULER, ChartLayout
from planner.reports.schedule.parts import RECEIVE, SEND, STREAM, SYNC
from planner.reports.schedule.schedule import Schedule

LEFT_EDGE, SWATCH, GAP, APART = 9.0, 10.0, 4.0, 10.0
"""Where marks begin, the width of a mark, from it to its word, and from there to the next mark."""


def entries_of(schedule: Schedule, theme: Theme) -> list[tuple[str, str]]:
    """A word and a colour for each kind of bar that is no work."""
    kinds = (
        ("transfer", theme.muted, (RECEIVE, SEND)),
        ("streaming", theme.bad, (STREAM,)),
        ("sync", theme.bad, (SYNC,)),
    )
    seen = set(np.unique(schedule.phase).tolist())
    return [(word, colour) for word, colour, phases in kinds if seen & set(phases)]


def paint_key(painter: QPainter, layout: ChartLayout, theme: Theme) -> None:
    """As many entries as the room of the names has above the rows and below them, beside the unit of time."""
    face = font(8.0)
    strips = [(0.0, layout.gutter - 6.0)]
    if layout.axis >= AXIS:
        unit = QFontMetricsF(font(8.0)).horizontalAdvance("ms") + 14.0
        strips.append((layout.rows_bottom + (AXIS - RULER) / 2, layout.gutter - 6.0 - unit))
    x = LEFT_EDGE
    for word, colour in entries_of(layout.schedule, theme):
        wide = QFontMetricsF(face).horizontalAdvance(word)
        while strips and x + SWATCH + GAP + wide > strips[0][1]:
            strips.pop(0)
            x = LEFT_EDGE
        if not strips:
            return
        top = strips[0][0]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(x, top + RULER / 2 - 3, SWATCH, 6), 2, 2)
        x += SWATCH + GAP
        write(painter, QRectF(x, top, wide + 2, RULER), LEFT, word, face, theme.muted)
        x += wide + APART
