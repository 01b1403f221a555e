"""The legend of a picture of a plan: each device with its mark, its number on cards, its name and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from math import ceil

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.palette import CanvasPalette
from gui.look.fonts import font, metrics
from gui.look.glyphs import paint_glyph
from gui.look.theme import ink_on
from planner.problem.worst import plain_word

LINE, MARGIN, APART, TYPE = 22.0, 16.0, 22.0, 12
"""Height of a line, room beside the lines and between entries, and the size of words, in units."""
MARK, SWATCH, BESIDE = 14.0, 18.0, 5.0
"""Room for the mark and for the number on its ground, and beside a word."""
MOST_SHARE, LEAST_HEIGHT = 0.25, 100.0
"""A legend that takes more than this share of its page, and is higher than so many units, says less."""
CLOSE = 10.0
"""Room between entries that say no more than their number."""
LEAST = "least"
"""What the device is called that costs least, where only that and the bottleneck are named."""


@dataclass(frozen=True)
class Entry:
    """One device: its number, what it is called and costs, a word about it where it is the worst or costs least, how wide all that is,
    whether it is the worst, and where it begins (units)."""

    device: int
    name: str
    cost: str
    end: str
    width: float
    worst: bool = False
    left: float = 0.0


@dataclass(frozen=True)
class Legend:
    """The entries line by line; ``marked``: with the marks, colours and numbers that cards have."""

    lines: tuple[tuple[Entry, ...], ...] = ()
    marked: bool = True

    @property
    def height(self) -> float:
        """Of all lines, with room around them; 0 for none."""
        return LINE * len(self.lines) + 10.0 if self.lines else 0.0


NO_LEGEND = Legend()


def legend_of(data: HeaderData, ops: list[int], room: tuple[float, float], marked: bool = True) -> Legend:
    """The legend of the devices that have ops (``ops``: how many, per device), in columns over a page of ``room`` (width, height) units.

    Where that takes much of the page the number of a device stands for its name, but for the bottleneck's; where that still does, numbers
    stand alone, and the bottleneck and the device that costs least say their names and costs. Where cards have other colours than those
    of their devices nothing is ``marked``, and a device without a name is none.
    """
    devices = [d for d, count in enumerate(ops) if count]
    if not marked:
        return _unmarked(data, devices, room)
    most = max(LEAST_HEIGHT, MOST_SHARE * room[1])
    for named in (True, False):
        found = _placed([_entry(data, d, named or d == data.bottleneck) for d in devices], room[0])
        if found.height <= most:
            return found
    least = min(devices, key=lambda d: float(data.pace[d]))
    entries = [
        _entry(data, d, True, LEAST) if d in (least, data.bottleneck) else _numbered(d) for d in devices
    ]
    return _placed(entries, room[0], CLOSE)


def _unmarked(data: HeaderData, devices: list[int], room: tuple[float, float]) -> Legend:
    """Names and costs alone: of all, or of the bottleneck and the device that costs least."""
    least = min(devices, key=lambda d: float(data.pace[d]), default=-1)
    for shown in (devices, [d for d in devices if d in (least, data.bottleneck)]):
        entries = [_entry(data, d, True, LEAST if shown is not devices and d == least else "") for d in shown]
        entries = [replace(entry, width=entry.width - MARK - SWATCH) for entry in entries]
        found = replace(_placed(entries, room[0]), marked=False)
        if found.height <= max(LEAST_HEIGHT, MOST_SHARE * room[1]):
            break
    return found


def _entry(data: HeaderData, device: int, named: bool, end: str = "") -> Entry:
    name, cost = data.titles[device] if named else "", data.column.text(float(data.pace[device]))
    end = plain_word(data.worst) if device == data.bottleneck else end
    words = [(name, False), (cost, True), (end, True)]
    wide = sum(metrics(TYPE, bold).horizontalAdvance(word) + BESIDE for word, bold in words if word)
    return Entry(device, name, cost, end, MARK + SWATCH + wide, device == data.bottleneck)


def _numbered(device: int) -> Entry:
    return Entry(device, "", "", "", MARK + SWATCH)


def _placed(entries: list[Entry], width: float, between: float = APART) -> Legend:
    """Entries in columns as wide as most of them need, of which those that say more may take several; one after another where that
    takes no second line."""
    if not entries:
        return NO_LEGEND
    spare = width - 2 * MARGIN - sum(entry.width for entry in entries) + BESIDE
    if spare >= (CLOSE - BESIDE) * (len(entries) - 1):
        apart = min(between, spare / max(1, len(entries) - 1))
        lefts = accumulate((entry.width + apart for entry in entries), initial=MARGIN)
        return Legend(
            (tuple(replace(entry, left=left) for entry, left in zip(entries, lefts, strict=False)),)
        )
    apart = max([e.width for e in entries if not e.end] or [entries[0].width]) + between
    most = max(1, int((width - 2 * MARGIN + between) // apart))
    lines = _in_columns(entries, most, apart, between)
    for many in range(most - 1, 0, -1):  # no line is nearly empty below others with gaps
        fewer = _in_columns(entries, many, apart, between)
        if len(fewer) > len(lines):
            break
        lines = fewer
    return Legend(tuple(tuple(line) for line in lines))


def _in_columns(entries: list[Entry], many: int, apart: float, between: float) -> list[list[Entry]]:
    """Entries in lines of so ``many`` columns that are ``apart``."""
    lines: list[list[Entry]] = [[]]
    column = 0
    for entry in entries:
        spans = min(many, ceil((entry.width + between) / apart))
        if column + spans > many:
            lines.append([])
            column = 0
        lines[-1].append(replace(entry, left=MARGIN + column * apart))
        column += spans
    return lines


def paint_legend(
    painter: QPainter, legend: Legend, palette: CanvasPalette, top: float, numbered: bool = True
) -> None:
    """All lines from ``top`` on; where cards are not ``numbered`` a number stands beside no name, which nobody would look for."""
    theme, middle = palette.theme, int(Qt.AlignmentFlag.AlignVCenter)
    for row, line in enumerate(legend.lines):
        for entry in line:
            x, y = entry.left, top + 5.0 + row * LINE
            if legend.marked:
                _paint_mark(painter, entry.device, palette, x, y, numbered or not entry.name)
                x += MARK + SWATCH + BESIDE - 2
            tone = theme.warning if entry.worst else theme.text
            words = [
                (entry.name, False),
                (entry.cost, True),
                (entry.end, True),
            ]
            for word, bold in (said for said in words if said[0]):
                painter.setFont(font(TYPE, bold))
                painter.setPen(QColor(tone))
                wide = metrics(TYPE, bold).horizontalAdvance(word)
                painter.drawText(QRectF(x, y, wide + 2, LINE), middle, word)
                x += wide + BESIDE


def _paint_mark(
    painter: QPainter, device: int, palette: CanvasPalette, x: float, y: float, numbered: bool
) -> None:
    """The shape of a device and its colour, which its number stands on."""
    colour = palette.devices[device]
    paint_glyph(painter, colour, x + MARK / 2 - 1, y + LINE / 2, 10.0)
    box = QRectF(x + MARK, y + 4, SWATCH - 2, LINE - 8)
    painter.fillRect(box, QColor(colour.accent))
    if not numbered:
        return
    painter.setFont(font(10, True))
    painter.setPen(QColor(ink_on(colour.accent, palette.theme)))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), palette.code(device))
