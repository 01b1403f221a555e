"""The legend of a picture of a plan: each device with its mark, its number on cards, its name and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.headers import HeaderData
from gui.canvas.graph.palette import CanvasPalette
from gui.look.fonts import font, metrics
from gui.look.glyphs import paint_glyph
from gui.look.theme import ink_on

LINE, MARGIN, APART, TYPE = 22.0, 16.0, 22.0, 12
"""Height of a line, room beside the lines and between entries, and the size of words, in units."""
MARK, SWATCH, BESIDE = 14.0, 18.0, 5.0
"""Room for the mark and for the number on its ground, and beside a word."""
BOTTLENECK = "bottleneck"


@dataclass(frozen=True)
class Entry:
    """One device: its number, what it is called, what it costs, whether it sets the pace, and how wide all that is."""

    device: int
    name: str
    cost: str
    slowest: bool
    width: float


@dataclass(frozen=True)
class Legend:
    """The entries line by line."""

    lines: tuple[tuple[Entry, ...], ...] = ()

    @property
    def height(self) -> float:
        """Of all lines, with room around them; 0 for none."""
        return LINE * len(self.lines) + 10.0 if self.lines else 0.0


NO_LEGEND = Legend()


def legend_of(data: HeaderData, ops: list[int], width: float) -> Legend:
    """The legend of the devices that have ops (``ops``: how many, per device), in lines of ``width`` units, aligned in columns."""
    entries = []
    for d in (d for d, count in enumerate(ops) if count):
        slowest = d == data.bottleneck
        words = [data.titles[d], data.column.text(float(data.pace[d])), *([BOTTLENECK] if slowest else [])]
        wide = sum(metrics(TYPE, i > 0).horizontalAdvance(word) + BESIDE for i, word in enumerate(words))
        entries.append(Entry(d, words[0], words[1], slowest, MARK + SWATCH + wide))
    if not entries:
        return NO_LEGEND
    column = max(entry.width for entry in entries) + APART
    many = max(1, int((width - 2 * MARGIN + APART) // column))
    return Legend(tuple(tuple(entries[i : i + many]) for i in range(0, len(entries), many)))


def paint_legend(painter: QPainter, legend: Legend, palette: CanvasPalette, top: float) -> None:
    """All lines from ``top`` on."""
    theme, middle = palette.theme, int(Qt.AlignmentFlag.AlignVCenter)
    column = max(entry.width for line in legend.lines for entry in line) + APART
    for row, line in enumerate(legend.lines):
        for place, entry in enumerate(line):
            x, y = MARGIN + place * column, top + 5.0 + row * LINE
            colour = palette.devices[entry.device]
            paint_glyph(painter, colour, x + MARK / 2 - 1, y + LINE / 2, 10.0)
            x += MARK
            box = QRectF(x, y + 4, SWATCH - 2, LINE - 8)
            painter.fillRect(box, QColor(colour.accent))
            painter.setFont(font(10, True))
            painter.setPen(QColor(ink_on(colour.accent, theme)))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), str(entry.device))
            x += SWATCH + BESIDE - 2
            tone = theme.warning if entry.slowest else theme.text
            words = [
                (entry.name, False),
                (entry.cost, True),
                *([(BOTTLENECK, True)] if entry.slowest else []),
            ]
            for word, bold in words:
                painter.setFont(font(TYPE, bold))
                painter.setPen(QColor(tone))
                wide = metrics(TYPE, bold).horizontalAdvance(word)
                painter.drawText(QRectF(x, y, wide + 2, LINE), middle, word)
                x += wide + BESIDE
