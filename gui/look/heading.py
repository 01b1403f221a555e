"""The heading of a picture: a title and a quiet line below it, in as many lines as the page is narrow."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from gui.look.theme import Theme
from gui.look.writing import ENDS, LEFT, UNIT_SPACE, write

MOST_LINES = 4
"""Lines that a title or what stands below it takes at most."""
NO_BREAK = "\N{NO-BREAK SPACE}"
_PIECES = re.compile(rf"(?:[^\s,]|,(?=\d)|{UNIT_SPACE}|{NO_BREAK}|(?<=\d) (?=[^\W\d]))*(?:,|\s+|$)")
"""What is not broken: 1,930 is one piece, and so are 2.16 ms and 3 chips."""
_FACTS = re.compile(r".+?(?:\s{3,}|$)")
"""What stands apart from what is beside it, by three spaces."""


def lines_of(words: str, letters: QFont, width: float, most: int = MOST_LINES) -> tuple[str, ...]:
    """``words`` in as few lines of ``width`` as they take, ``most`` at most, of much the same length; what is left is in the last.

    Lines end between facts, which three spaces part, where that takes no more lines; else after spaces and commas.
    """
    return (words,) if width <= 0 else _lines(words, _Face(letters.key(), letters), width, most)


@dataclass(frozen=True)
class _Face:
    """Letters by what tells them from others."""

    key: str
    letters: QFont = field(compare=False)


@lru_cache(maxsize=4_096)
def _lines(words: str, face: _Face, width: float, most: int) -> tuple[str, ...]:
    """Labels ask for the same again whenever they are painted or looked at."""
    measure = QFontMetricsF(face.letters)

    def wide(line: str) -> float:
        return measure.horizontalAdvance(line.rstrip())

    found = _filled(_PIECES.findall(words), wide, width + 1, most)
    if len(found) == 1 or wide(found[-1]) > width + 1:
        return found
    for parts in (_FACTS, _PIECES):
        even = _balanced(parts.findall(words), wide, width + 1, len(found))
        if even:
            return even
    return found


def _filled(pieces: list[str], wide: Callable[[str], float], room: float, most: int) -> tuple[str, ...]:
    """Each line as full as it gets, the last with all that is left."""
    found: list[str] = []
    line = ""
    for piece in pieces:
        if line and len(found) + 1 < most and wide(line + piece) > room:
            found.append(line.rstrip())
            line = ""
        line += piece
    return (*found, line.rstrip())


def _balanced(pieces: list[str], wide: Callable[[str], float], room: float, count: int) -> tuple[str, ...]:
    """At most ``count`` lines of which the longest is as short as it can be; none where it would be longer than ``room``."""
    found: tuple[str, ...] = ()
    while True:
        lines = _filled(pieces, wide, room, len(pieces) + 1)
        longest = max(map(wide, lines))
        if len(lines) > count or longest > room:
            return found
        found, room = lines, longest - 0.5


@dataclass(frozen=True)
class Heading:
    """The lines of the ``title`` and of the ``words`` below, the letters of both, and how high one line is of each (units)."""

    title: tuple[str, ...]
    words: tuple[str, ...]
    large: QFont
    small: QFont
    line: float
    step: float
    top: float

    @property
    def height(self) -> float:
        """Of all lines and what is around them."""
        return self.top + self.line * len(self.title) + self.step * len(self.words) + 6.0

    def paint(self, painter: QPainter, left: float, width: float, theme: Theme) -> float:
        """All lines from ``left`` on; returns how wide the first is."""
        y, used = self.top, 0.0
        for i, text in enumerate(self.title):
            place = QRectF(left, y, width, self.line)
            wide = write(painter, place, LEFT, text, self.large, theme.text, ENDS)
            used, y = wide if i == 0 else used, y + self.line
        for text in self.words:
            write(painter, QRectF(left, y, width, self.step), LEFT, text, self.small, theme.muted)
            y += self.step
        return used


def heading_of(
    title: str, words: str, width: float, large: QFont, small: QFont, top: float = 6.0, most: int = MOST_LINES
) -> Heading:
    """The heading for a page that has room for lines of ``width`` units; no line is lower than its letters."""
    line, step = (max(least, QFontMetricsF(face).height()) for face, least in ((large, 24.0), (small, 18.0)))
    return Heading(lines_of(title, large, width, most), lines_of(words, small, width, most), large, small, line, step, top)  # fmt: skip
