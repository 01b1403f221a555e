"""The legend of a picture of a plan: each device with its mark, its number on cards, its name and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

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
MOST_LINES = 8
"""Of more lines of a legend the names are left out."""


@dataclass(frozen=True)
class Entry:
    """One device: its number, what it is called, what it costs, what it is called where it is the worst, how wide all that is, and in which column."""

    device: int
    name: str
    cost: str
    worst: str
    width: float
    column: int = 0


@dataclass(frozen=True)
class Legend:
    """The entries line by line, in columns ``apart`` units from one another."""

    lines: tuple[tuple[Entry, ...], ...] = ()
    apart: float = 0.0

    @property
    def height(self) -> float:
        """Of all lines, with room around them; 0 for none."""
        return LINE * len(self.lines) + 10.0 if self.lines else 0.0


NO_LEGEND = Legend()


def legend_of(data: HeaderData, ops: list[int], width: float) -> Legend:
    """The legend of the devices that have ops (``ops``: how many, per device), in lines of ``width`` units, aligned in columns.

    Where that takes many lines the number of a device stands for its name, but for the bottleneck's.
    """
    devices = [d for d, count in enumerate(ops) if count]
    found = _placed([_entry(data, d, True) for d in devices], width)
    if len(found.lines) > MOST_LINES:
        found = _placed([_entry(data, d, d == data.bottleneck) for d in devices], width)
    return found


def _entry(data: HeaderData, device: int, named: bool) -> Entry:
    name, cost = data.titles[device] if named else "", data.column.text(float(data.pace[device]))
    slowest = device == data.bottleneck
    words = [(name, False), (cost, True), (data.worst if slowest else "", True)]
    wide = sum(metrics(TYPE, bold).horizontalAdvance(word) + BESIDE for word, bold in words if word)
    return Entry(device, name, cost, data.worst if slowest else "", MARK + SWATCH + wide)


def _placed(entries: list[Entry], width: float) -> Legend:
    """Entries in columns as wide as most of them need; that of the bottleneck may take several."""
    if not entries:
        return NO_LEGEND
    apart = max([e.width for e in entries if not e.worst] or [entries[0].width]) + APART
    many = max(1, int((width - 2 * MARGIN + APART) // apart))
    lines: list[list[Entry]] = [[]]
    column = 0
    for entry in entries:
        spans = min(many, ceil((entry.width + APART) / apart))
        if column + spans > many:
            lines.append([])
            column = 0
        lines[-1].append(replace(entry, column=column))
        column += spans
    return Legend(tuple(tuple(line) for line in lines), apart)


def paint_legend(painter: QPainter, legend: Legend, palette: CanvasPalette, top: float) -> None:
    """All lines from ``top`` on."""
    theme, middle = palette.theme, int(Qt.AlignmentFlag.AlignVCenter)
    for row, line in enumerate(legend.lines):
        for entry in line:
            x, y = MARGIN + entry.column * legend.apart, top + 5.0 + row * LINE
            colour = palette.devices[entry.device]
            paint_glyph(painter, colour, x + MARK / 2 - 1, y + LINE / 2, 10.0)
            x += MARK
            box = QRectF(x, y + 4, SWATCH - 2, LINE - 8)
            painter.fillRect(box, QColor(colour.accent))
            painter.setFont(font(10, True))
            painter.setPen(QColor(ink_on(colour.accent, theme)))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), palette.code(entry.device))
            x += SWATCH + BESIDE - 2
            tone = theme.warning if entry.worst else theme.text
            words = [
                (entry.name, False),
                (entry.cost, True),
                (entry.worst, True),
            ]
            for word, bold in (said for said in words if said[0]):
                painter.setFont(font(TYPE, bold))
                painter.setPen(QColor(tone))
                wide = metrics(TYPE, bold).horizontalAdvance(word)
                painter.drawText(QRectF(x, y, wide + 2, LINE), middle, word)
                x += wide + BESIDE
