"""Which colour and shape is which device, in a line above canvases that have no lanes."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.look.glyphs import paint_glyph
from gui.look.theme import Theme, font, numbered_colours
from gui.look.writing import LEFT, write
from planner.reports.comparison import Comparison

HIGH = 24.0
"""Pixels of the line."""
GLYPH, GAP = 9.0, 20.0


def paint_devices_line(painter: QPainter, box: QRectF, comparison: Comparison, theme: Theme) -> None:
    """The devices in order, by all the names that plans have for them; as many as there is room for, and how many more."""
    painter.fillRect(box, QColor(theme.panel))
    face = font(9.0)
    measure = QFontMetricsF(face)
    colours = numbered_colours(comparison.numbers, theme)
    x, rows = box.left() + 16.0, len(comparison.rows)
    titles = [comparison.row_title(row) for row in range(rows)]
    if sum(measure.horizontalAdvance(title) + GLYPH + 6.0 + GAP for title in titles) > box.width() - 32.0:
        titles = [comparison.row_title(row, short=True) for row in range(rows)]
    for row, title in enumerate(titles):
        wide = GLYPH + 6.0 + measure.horizontalAdvance(title) + 1.0
        left = f"and {rows - row} more"
        if x + wide + (measure.horizontalAdvance(left) + GAP if row < rows - 1 else 0.0) > box.right() - 8.0:
            write(painter, QRectF(x, box.top(), box.right() - x, box.height()), LEFT, left, face, theme.muted)
            return
        paint_glyph(painter, colours[row], x + GLYPH / 2, box.center().y(), GLYPH)
        name = QRectF(x + GLYPH + 6.0, box.top(), wide, box.height())
        write(painter, name, LEFT, title, face, theme.text)
        x += wide + GAP
