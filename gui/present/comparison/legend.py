"""Which colour and shape is which device, in lines above canvases that have no lanes."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.look.glyphs import paint_glyph
from gui.look.theme import Theme, font, numbered_colours
from gui.look.writing import LEFT, write
from gui.panels.comparison.names import numbered, short_title
from planner.reports.comparison import Comparison

HIGH, LINE = 24.0, 20.0
"""Pixels of one line, and of each further one."""
GLYPH, BESIDE, GAP, INSET = 9.0, 6.0, 20.0, 16.0
"""The size of a mark, and pixels from it to its name, between entries, and at both sides."""
MOST_LINES = 3
"""Where names take more lines shorter ones stand for them."""


@dataclass(frozen=True)
class DevicesLegend:
    """All devices in order: ``lines`` of row of the comparison, name, and where its mark begins."""

    lines: tuple[tuple[tuple[int, str, float], ...], ...]

    @property
    def height(self) -> float:
        """Pixels of all lines."""
        return HIGH + LINE * (len(self.lines) - 1)

    def paint(self, painter: QPainter, box: QRectF, numbers: tuple[int, ...], theme: Theme) -> None:
        """All entries; ``numbers`` are those of the comparison's rows."""
        painter.fillRect(box, QColor(theme.panel))
        colours, face = numbered_colours(numbers, theme), font(9.0)
        measure = QFontMetricsF(face)
        for number, line in enumerate(self.lines):
            top = box.top() + LINE * number
            for row, name, x in line:
                paint_glyph(painter, colours[row], box.left() + x + GLYPH / 2, top + HIGH / 2, GLYPH)
                wide = measure.horizontalAdvance(name) + 1.0
                place = QRectF(box.left() + x + GLYPH + BESIDE, top, wide, HIGH)
                write(painter, place, LEFT, name, face, theme.text)


def devices_legend(comparison: Comparison, width: float) -> DevicesLegend:
    """Every device by all the names that plans have for it, by short ones or numbers where those take too many lines."""
    rows = range(len(comparison.rows))
    choices = (
        [comparison.row_title(row, every=True) for row in rows],
        [short_title(comparison, row, every=True) for row in rows],
        [numbered(comparison, row, every=True) for row in rows],
    )
    for names in choices:
        legend = _in_lines(names, width)
        if len(legend.lines) <= MOST_LINES:
            break
    return legend


def _in_lines(names: list[str], width: float) -> DevicesLegend:
    measure = QFontMetricsF(font(9.0))
    lines: list[list[tuple[int, str, float]]] = [[]]
    x = INSET
    for row, name in enumerate(names):
        wide = GLYPH + BESIDE + measure.horizontalAdvance(name) + 1.0
        if lines[-1] and x + wide > width - INSET / 2:
            lines.append([])
            x = INSET
        lines[-1].append((row, name, x))
        x += wide + GAP
    return DevicesLegend(tuple(map(tuple, lines)))
