"""Which colour and shape is which device, in lines below the canvases of a picture where neither lanes nor a table say so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.look.glyphs import paint_glyph
from gui.look.theme import Theme, font, numbered_colours
from gui.look.writing import LEFT, write
from gui.panels.comparison.names import numbered, short_title
from planner.reports.comparison import Comparison

LINE, AROUND, GLYPH, BESIDE, APART = 16.0, 6.0, 9.0, 5.0, 14.0
"""Height of a line, room above and below all, the size of a mark, and pixels between it and its name and between entries."""
MOST_LINES = 2
"""Where names take more lines numbers stand for them."""


@dataclass(frozen=True)
class Legend:
    """Entries (row of the comparison, name) in columns as wide as ``step``, ``columns`` of them."""

    entries: tuple[tuple[int, str], ...]
    columns: int
    step: float

    @property
    def lines(self) -> int:
        """How many lines they take."""
        return -(-len(self.entries) // self.columns)

    @property
    def height(self) -> float:
        """Pixels of all lines, with room around them."""
        return LINE * self.lines + 2 * AROUND

    def paint(self, painter: QPainter, box: QRectF, numbers: tuple[int, ...], theme: Theme) -> None:
        """All entries; ``numbers`` are those of the comparison's rows."""
        colours, face = numbered_colours(numbers, theme), font(8.5)
        for place, (row, name) in enumerate(self.entries):
            line, column = divmod(place, self.columns)
            x, y = box.left() + column * self.step, box.top() + AROUND + line * LINE
            paint_glyph(painter, colours[row], x + GLYPH / 2, y + LINE / 2, GLYPH)
            write(painter, QRectF(x + GLYPH + BESIDE, y, self.step, LINE), LEFT, name, face, theme.text)


def legend_of(comparison: Comparison, width: float) -> Legend:
    """The devices that have ops in some plan: by title, by short name where titles take too many lines, else by number."""
    used = np.unique(np.concatenate([np.asarray(places) for places in comparison.places])).tolist()
    measure = QFontMetricsF(font(8.5))
    names = (
        [comparison.row_title(row, every=True) for row in used],
        [short_title(comparison, row, every=True) for row in used],
        [numbered(comparison, row, every=True) for row in used],
    )
    for words in names:
        step = GLYPH + BESIDE + APART + max(map(measure.horizontalAdvance, words), default=0.0)
        columns = max(1, int((width + APART) // step))
        legend = Legend(tuple(zip(used, words, strict=True)), columns, step)
        if legend.lines <= MOST_LINES:
            break
    return legend
