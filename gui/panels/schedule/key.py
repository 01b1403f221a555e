"""What the bars of a schedule are, and why those of work are dark and light, said below its axis; in the room of the names of its rows
where charts are low or have no axis of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.look.theme import LIGHT, Theme, font, mix
from gui.look.writing import LEFT, write
from gui.panels.schedule.layout import AXIS, LEAST_ROW, RULER, ChartLayout, piece_letter
from gui.widgets.bars import HATCH
from planner.reports.schedule.parts import RECEIVE, SEND, STREAM, SYNC
from planner.reports.schedule.schedule import Schedule

LEFT_EDGE, SWATCH, GAP, APART = 9.0, 10.0, 4.0, 10.0
"""Where marks begin, the width of a mark, from it to its word, and from there to the next mark."""
KEY = 16.0
"""Height of a line below the axis."""
BESIDE_FLAGS = 14.0
"""Pixels that flags of compared plans, which stand below the rows where there is no axis, may take of the room of the names."""
IN_TURN = ("samples in turn", "samples")
WORKING, TRANSFER = "work", "transfer"
PIECES = ("1b: sample 1, piece b", "1b: piece b", "b: piece")
"""What letters behind the number of a sample are, where devices have several pieces."""
PALE, THIN, USUAL, TALL = 0.6, 4.0, 6.0, 10.0
"""How much of its colour the mark of transfers has, as their bars are paler than work, and how high it, others and that of work are."""
LIGHTER = 0.5
"""How much of its colour the lighter half of that mark has."""


@dataclass(frozen=True)
class Entry:
    """What a mark stands for, in ever fewer words, and its colours, one beside the other; without any it has no mark."""

    words: tuple[str, ...]
    colours: tuple[str, ...]
    hatched: bool = False
    """Whether the bars are, so that they do not depend on colour alone."""


def entries_of(schedule: Schedule, theme: Theme) -> list[Entry]:
    """One for work where there are other kinds of bars, one for each of these, and one for the tints of samples that follow one another."""
    kinds = (
        (TRANSFER, mix(theme.panel, theme.muted, PALE), (RECEIVE, SEND), False),
        ("streaming", theme.slow, (STREAM,), True),
        ("sync", theme.slow, (SYNC,), True),
    )
    seen = set(np.unique(schedule.phase).tolist())
    found = [
        Entry((word,), (colour,), hatched) for word, colour, phases, hatched in kinds if seen & set(phases)
    ]
    if found:
        found.insert(0, Entry((WORKING,), (theme.muted,)))
    if schedule.samples > 1:
        found.append(Entry(IN_TURN, (theme.muted, mix(theme.panel, theme.muted, LIGHTER))))
    if any(piece_letter(schedule, piece) for piece in range(len(schedule.piece_device))):
        found.append(Entry(PIECES, ()))
    return found


def key_height(schedule: Schedule, width: float) -> float:
    """How high all that bars are is below the axis of a chart of ``width`` pixels."""
    return KEY * len(_lines(entries_of(schedule, LIGHT), width - LEFT_EDGE))


def leave_for_key(layout: ChartLayout) -> None:
    """Leave room below the axis of a chart for all that its bars are, in one line if that is as wide, unless rows would be hidden for it."""
    foot = key_height(layout.schedule, layout.width)
    fits = RULER + layout.axis + foot + LEAST_ROW * len(layout.rows) <= layout.height
    layout.leave_for_key(foot if layout.axis >= AXIS and (layout.whole or fits) else 0.0)


def paint_key(painter: QPainter, layout: ChartLayout, theme: Theme) -> None:
    """All entries below the axis; where no room is left there, beside the names."""
    entries = entries_of(layout.schedule, theme)
    if not layout.foot:
        _paint_beside_names(painter, layout, theme, entries)
        return
    top = layout.rows_bottom + layout.axis
    for line in _lines(entries, layout.width - LEFT_EDGE):
        x = LEFT_EDGE
        for entry, word in line:
            _paint_entry(painter, entry, word, x, top, KEY, theme)
            x += _room(entry, word) + APART
        top += KEY


def _lines(entries: Sequence[Entry], width: float) -> list[list[tuple[Entry, str]]]:
    """All entries with their words, in as few lines of ``width`` as they take: one, with shorter words if need be, else more."""
    longest = max((len(entry.words) for entry in entries), default=0)
    for form in range(longest):
        line = [(entry, entry.words[min(form, len(entry.words) - 1)]) for entry in entries]
        if sum(_room(*one) + APART for one in line) - APART <= width:
            return [line]
    lines: list[list[tuple[Entry, str]]] = []
    left = 0.0
    for entry in entries:
        word = entry.words[0]
        if _room(entry, word) > left:
            lines.append([])
            left = width
        lines[-1].append((entry, word))
        left -= _room(entry, word) + APART
    return lines


def _room(entry: Entry, word: str) -> float:
    """The pixels that a mark and its word take."""
    beside = SWATCH + GAP if entry.colours else 0.0
    return beside + QFontMetricsF(font(8.0)).horizontalAdvance(word)


def _paint_beside_names(
    painter: QPainter, layout: ChartLayout, theme: Theme, entries: Sequence[Entry]
) -> None:
    """As many entries as the room of the names has above the rows and below them, beside the unit of time or the flags of plans; that of
    work, whose bars are most, only where all others have room, too."""
    strips = _strips(layout)
    placed = _placed(entries, strips)
    if len(placed) < len(entries):
        entries = [entry for entry in entries if entry.words[0] != WORKING]
        placed = _placed(entries, strips)
    for entry, (word, x, top) in zip(entries, placed, strict=False):
        _paint_entry(painter, entry, word, x, top, RULER, theme)


def _paint_entry(
    painter: QPainter, entry: Entry, word: str, x: float, top: float, line: float, theme: Theme
) -> None:
    """A mark from ``x`` on in the middle of a ``line`` (its height) below ``top``, and its word."""
    high = {TRANSFER: THIN, WORKING: TALL}.get(word, USUAL)
    mark = QRectF(x, top + line / 2 - high / 2, SWATCH, high)
    painter.setPen(Qt.PenStyle.NoPen)
    for i, colour in enumerate(entry.colours):
        part = SWATCH / len(entry.colours)
        painter.setBrush(QColor(colour))
        box = QRectF(mark.left() + i * part, mark.top(), part, mark.height())
        painter.drawRoundedRect(box, 2, 2)
        if entry.hatched:
            painter.setBrush(HATCH)
            painter.drawRoundedRect(box, 2, 2)
    beside = SWATCH + GAP if entry.colours else 0.0
    room = QRectF(x + beside, top, _room(entry, word) - beside + 2, line)
    write(painter, room, LEFT, word, font(8.0), theme.muted)


def _strips(layout: ChartLayout) -> list[tuple[float, float]]:
    """The top of each strip that entries may stand in, and where its room ends."""
    strips = [(0.0, layout.gutter - 6.0)]
    if layout.axis >= AXIS:
        unit = QFontMetricsF(font(8.0)).horizontalAdvance("ms") + 14.0
        strips.append((layout.rows_bottom + (AXIS - RULER) / 2, layout.gutter - 6.0 - unit))
    elif layout.axis > 0:
        strips.append((layout.rows_bottom + (layout.axis - RULER) / 2, layout.gutter - BESIDE_FLAGS))
    return strips


def _placed(
    entries: Sequence[Entry], strips: Sequence[tuple[float, float]]
) -> list[tuple[str, float, float]]:
    """The word of each of the first ``entries`` that have room in the ``strips``, where its mark begins and the top of its strip."""
    metrics, x, at, placed = QFontMetricsF(font(8.0)), LEFT_EDGE, 0, list[tuple[str, float, float]]()
    for entry in entries:
        beside = SWATCH + GAP if entry.colours else 0.0
        fitting = (
            (word, i)
            for i in range(at, len(strips))
            for word in entry.words
            if (x if i == at else LEFT_EDGE) + beside + metrics.horizontalAdvance(word) <= strips[i][1]
        )
        word, found = next(fitting, ("", -1))
        if found < 0:
            break
        x, at = x if found == at else LEFT_EDGE, found
        placed.append((word, x, strips[at][0]))
        x += beside + metrics.horizontalAdvance(word) + APART
    return placed
