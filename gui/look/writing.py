"""Lines of words on a painter: letters, how they are aligned, and what is shown of them where there is little room."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui.look.theme import font

LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
CENTRE = int(Qt.AlignmentFlag.AlignCenter)
BEGINNING, ENDS = Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideMiddle
"""What is kept of words that are cut."""
CUT = "\N{HORIZONTAL ELLIPSIS}"
"""Stands where they were."""


_UNIT = r"(?:[nmµ]?s|[KMGTP]?i?B|%|I/Os)(?!\w)"
UNIT_SPACE = rf"(?<=\d) (?={_UNIT})"
"""The space between a number and its unit, where no line is broken: a pattern for regular expressions."""
_SPACE = re.compile(rf"(?<!\d) | (?!{_UNIT})")


def words_of(text: str) -> list[str]:
    """What stands between the spaces of a text at which a line may be broken: ``2.16 ms`` is one word."""
    return _SPACE.split(text)


def kept_together(text: str) -> str:
    """The same text, as long, with a no-break space between each number and its unit."""
    return re.sub(UNIT_SPACE, "\N{NO-BREAK SPACE}", text)


@lru_cache(maxsize=64)
def face(size: float, bold: bool = False) -> QFont:
    """The interface font, made once per size (points)."""
    return font(size, bold=bold)


def elided(words: str, letters: QFont, width: float, keep: Qt.TextElideMode = BEGINNING) -> str:
    """As much of a line as fits into ``width`` pixels."""
    return QFontMetricsF(letters).elidedText(words, keep, max(0.0, width))


def write(
    painter: QPainter, rect: QRectF, align: int, words: str, letters: QFont, colour: str,
    keep: Qt.TextElideMode = BEGINNING,
) -> float:  # fmt: skip
    """One line, as much of it as fits into ``rect``; returns its width."""
    # Widths that were measured may be rounded: a line that needs all of its room has it.
    shown = elided(words, letters, rect.width() + 1, keep)
    painter.setFont(letters)
    painter.setPen(QColor(colour))
    painter.drawText(rect, align, shown)
    return QFontMetricsF(letters).horizontalAdvance(shown)
