"""What the halves of cards and the bars of lanes stand for where two plans lie on one canvas: a line of marks and words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.palette import CanvasPalette
from gui.look.theme import font
from gui.look.writing import LEFT, write
from gui.panels.comparison.overlay import Overlaid
from gui.widgets.bar_key import ENTRIES, paint_mark

KEY = 20.0
"""Pixels that a line is high."""
MARK, HIGH, BESIDE, APART = 22.0, 9.0, 5.0, 20.0
"""Width and height of a mark, and pixels from it to its words and between entries."""

MOVED, SAME, BARS, SCALE = "moved", "same", "bars", "whole"
"""What marks stand for beside the parts of bars."""
LETTERED = 3
"""Rows of headers from which on the letters of plans stand beside their bars."""
THIN = 3.0
"""How high each of two bars below one another is in their mark."""


def card_key(letters: tuple[str, str]) -> list[str]:
    """What is said of cards in two colours and of cards in one."""
    first, second = letters
    return [f"moved: left half {first}, right half {second}", "one colour: same device in both"]


def card_key_height(letters: tuple[str, str], width: float) -> float:
    """Pixels that :func:`card_key` takes in a box so wide: a line, or one for each entry."""
    measure = QFontMetricsF(font(8.5))
    wide = [MARK + BESIDE + measure.horizontalAdvance(words) + 1.0 for words in card_key(letters)]
    return KEY if sum(wide) + APART <= width + 1.0 else KEY * len(wide)


def _entries(
    letters: tuple[str, str], headers: HeaderData | None, rows: int, named: str = ""
) -> list[tuple[str, str]]:
    """What each mark stands for (empty: words without one), and its words; ``rows``: of ``headers``, ``named``: what is called by two
    names."""
    moved, same = card_key(letters)
    found = [(MOVED, moved), (SAME, same)]
    barred = headers is not None and rows > 1
    if barred and rows < LETTERED:
        found.append((BARS, f"upper bar {letters[0]}, lower bar {letters[1]}"))
    if headers is not None and barred and headers.scale_words:
        found.append((SCALE, f"whole bar: {headers.scale_words}"))
    if named:
        found.append(("", f"{named}: its name in {letters[0]} | in {letters[1]}"))
    if headers is not None and barred:
        found += [(kind, ENTRIES[kind].word) for kind in headers.kinds]
    return found


def key_words(over: Overlaid, rows: int) -> list[str]:
    """What is said of cards in two colours, of cards in one, of bars where headers of lanes have ``rows`` enough, and of names of both plans."""
    return [words for _, words in _entries(over.letters, over.headers[0], rows, over.paired_name)]


def _placed(entries: Sequence[tuple[str, str]], width: float) -> list[tuple[float, int, float]]:
    """Where each entry begins, in which line, and how wide its words are, in so many pixels."""
    measure, x, line = QFontMetricsF(font(8.5)), 0.0, 0
    found = []
    for kind, words in entries:
        wide = measure.horizontalAdvance(words) + 1.0
        whole = wide + (MARK + BESIDE if kind else 0.0)
        if x and x + whole > width + 1.0:
            x, line = 0.0, line + 1
        found.append((x, line, wide))
        x += whole + APART
    return found


def key_height(letters: tuple[str, str], headers: HeaderData, width: float) -> float:
    """Pixels that the key of lanes with bars takes at most in a box so wide."""
    return KEY * (1 + _placed(_entries(letters, headers, LETTERED - 1), width)[-1][1])


def moved_pair(over: Overlaid) -> tuple[int, int] | None:
    """The rows from which and to which all ops go that are elsewhere in the second plan; None where these are not the same for
    all, or nothing moves."""
    first, second = over.first.op_device, over.second.op_device
    ways = np.unique(np.stack([first, second], axis=1)[first != second], axis=0)
    return (int(ways[0, 0]), int(ways[0, 1])) if len(ways) == 1 else None


def paint_split_key(
    painter: QPainter, box: QRectF, over: Overlaid, palette: CanvasPalette, rows: int
) -> None:
    """Lines at the left of ``box``, as many entries as it has room for."""
    face, devices, theme = font(8.5), palette.devices, palette.theme
    one, pair = devices[0], moved_pair(over)
    halves = {
        MOVED: (theme.text, theme.muted) if pair is None else (devices[pair[0]].accent, devices[pair[1]].accent), SAME: (one.soft, one.soft), SCALE: (one.accent, one.band),
    }  # fmt: skip
    entries = _entries(over.letters, over.headers[0], rows, over.paired_name)
    for (kind, words), (x, line, wide) in zip(entries, _placed(entries, box.width()), strict=True):
        left, y = box.left() + x, box.top() + line * KEY
        if y + KEY > box.bottom() + 1.0 or left + (MARK + BESIDE if kind else 0.0) + wide > box.right() + 1.0:
            return
        mark = QRectF(left, y + (KEY - HIGH) / 2, MARK, HIGH)
        if kind in halves:
            for half, colour in enumerate(halves[kind]):
                painter.fillRect(QRectF(left + half * MARK / 2, mark.top(), MARK / 2, HIGH), QColor(colour))
        elif kind == BARS:
            for bar in (mark.top(), mark.bottom() - THIN):
                painter.fillRect(QRectF(left, bar, MARK, THIN), QColor(theme.muted))
        elif kind:
            paint_mark(painter, mark.adjusted(0.0, 1.5, 0.0, -1.5), kind, theme)
        left += MARK + BESIDE if kind else 0.0
        write(painter, QRectF(left, y, wide, KEY), LEFT, words, face, theme.muted)
