"""What goes from device to device between the two plans of a keyframe, as a Sankey."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.look.theme import Theme, font
from gui.look.writing import LEFT, write
from gui.panels.comparison.sankey_painter import paint_sankey
from gui.panels.comparison.sankey_words import sankey_of
from gui.present.comparison.shot import ComparisonShot, Part
from planner.reports.comparison import Comparison

MARGIN, LINE = 20.0, 22.0
GROWN = 1.3
"""Few words have much room: they are so much larger than those of canvases."""


class SankeyShot(ComparisonShot):
    """Ribbons as wide as the number of ops that go from a device of A to one of B."""

    def __init__(
        self, comparison: Comparison, room: tuple[float, float], letters: float, theme: Theme
    ) -> None:
        super().__init__(comparison, room, GROWN * letters, theme)

    def parts(self) -> list[Part]:
        """One part: a line of words, and the ribbons."""
        width, height = self.size
        box = QRectF(MARGIN, 8.0, width - 2 * MARGIN, height - 16.0)
        sankey = sankey_of(self.comparison, (1, 0), "ops", box.height() - LINE)

        def draw(painter: QPainter, inside: QRectF) -> None:
            line = QRectF(0, 0, inside.width(), LINE)
            words = sankey.fitting_summary(QFontMetricsF(font(9.0)).horizontalAdvance, line.width())
            write(painter, line, LEFT, words, font(9.0), self.theme.muted)
            painter.translate(0, LINE)
            paint_sankey(painter, sankey, inside.width(), inside.height() - LINE, self.theme)

        return [self.part(box, draw)]

    def words(self) -> str:
        """What moves from where to where."""
        return sankey_of(self.comparison, (1, 0), "ops", self.size[1]).summary()
