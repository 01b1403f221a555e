"""What the parts of a device's bar are, and what outlines of cards mean: a line of marks and words, in panels and in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.theme import Theme, font, mix
from gui.look.writing import LEFT, write
from gui.widgets.bars import Part, paint_parts
from planner.model.graph import Floats

TYPE = 8.0
SWATCH, BESIDE, APART, CLOSE, SIDE = 14.0, 4.0, 14.0, 5.0, 12.0
"""Pixels of a mark, from it to its word, from there to the next mark (in little room at least the second), and beside the line."""
HEIGHT = 18.0
"""Pixels that the line is high."""
PALE = 0.4
"""How much of the mark of work the pale mark has."""
WHERE = {"transfers": "pale, at the ends", "work": "full colour", "streaming": "hatched"}
"""How each part is told from the others, in words."""


PART_LOOKS = {
    "receive": " (pale, at the left)", "work": " (full colour)", "streaming": " (hatched)", "send": " (pale, at the right)",
}  # fmt: skip
"""How each part of the bar looks, for the tool tip that lists them."""


@dataclass(frozen=True)
class KeyEntry:
    """One kind of part: what it is, in a word and in a sentence."""

    word: str
    help: str


ENTRIES = {
    "transfers": KeyEntry("transfers", "what the device receives (at the left) and sends (at the right)"),
    "work": KeyEntry("work", "the ops that the device runs"),
    "streaming": KeyEntry("streaming", "parameters that its memory does not hold, fetched for every sample"),
}
MOVED = "moved"
"""What outlined cards are, where plans are compared."""


def kinds_of_parts(receive: Floats, streaming: Floats, send: Floats) -> tuple[str, ...]:
    """Which kinds of parts bars of these costs have, in the order of :data:`ENTRIES`; none where every bar is of work alone."""
    some = {
        "transfers": bool(np.any(receive > 0) or np.any(send > 0)),
        "streaming": bool(np.any(streaming > 0)),
    }
    if not any(some.values()):
        return ()
    return tuple(kind for kind in ENTRIES if some.get(kind, True))


def shade_of(kind: str, theme: Theme) -> Part:
    """A part of a bar that stands for all of its kind, whatever the device's colour."""
    colour = {
        "transfers": mix(theme.panel, theme.muted, PALE),
        "work": theme.muted,
        "streaming": theme.warning,
    }[kind]
    return Part(1.0, colour, kind == "streaming")


def _word(kind: str) -> str:
    return ENTRIES[kind].word if kind in ENTRIES else kind


def key_width(kinds: Sequence[str], face: QFont) -> float:
    """Pixels that the line takes in letters of ``face``."""
    words = sum(QFontMetricsF(face).horizontalAdvance(_word(kind)) for kind in kinds)
    return words + len(kinds) * (SWATCH + BESIDE) + max(0, len(kinds) - 1) * APART


def key_gap(kinds: Sequence[str], face: QFont, width: float) -> float:
    """Pixels from a word to the next mark, with which the line fits into ``width`` if it can."""
    lacking = key_width(kinds, face) - width
    return max(CLOSE, APART - max(0.0, lacking) / max(1, len(kinds) - 1))


def paint_key(painter: QPainter, rect: QRectF, kinds: Sequence[str], theme: Theme, face: QFont) -> None:
    """The line at the left of ``rect``, in the middle of its height, closer where there is little room; of what has none even so only the
    beginning. ``kinds`` are those of :data:`ENTRIES`, and :data:`MOVED`."""
    x = rect.left()
    apart = key_gap(kinds, face, rect.width())
    for kind in kinds:
        word = _word(kind)
        wide = QFontMetricsF(face).horizontalAdvance(word)
        if x + SWATCH + BESIDE + wide > rect.right() + 1:
            return
        mark = QRectF(x, rect.center().y() - 3.0, SWATCH, 6.0)
        if kind == MOVED:
            painter.setPen(QPen(QColor(theme.text), 1.5))
            painter.setBrush(QColor(mix(theme.panel, theme.muted, PALE)))
            painter.drawRoundedRect(mark.adjusted(0.75, -1.0, -0.75, 1.0), 2.0, 2.0)
        else:
            paint_parts(painter, mark, [shade_of(kind, theme)], 1.0, 0.0)
        x += SWATCH + BESIDE
        write(
            painter,
            QRectF(x, rect.top(), wide + 2, rect.height()),
            LEFT,
            word,
            face,
            theme.muted,
        )
        x += wide + apart


def key_sentences(kinds: Sequence[str]) -> str:
    """The same in lines of words, for tool tips and for those who cannot see the marks."""
    return "\n".join(
        f"{ENTRIES[kind].word.capitalize()} ({WHERE[kind]}): {ENTRIES[kind].help}" for kind in kinds
    )


class BarKey(QWidget):
    """The line as a widget, which is there only while bars have more than one kind of part."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.kinds: tuple[str, ...] = ()
        self.setFixedHeight(int(HEIGHT))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_kinds(self, kinds: tuple[str, ...], theme: Theme) -> None:
        """Say what these kinds of parts are."""
        if (kinds, theme) == (self.kinds, self._theme):
            return
        self.kinds, self._theme = kinds, theme
        said = key_sentences(kinds)
        self.setToolTip(said)
        self.setAccessibleName(f"Parts of the bars: {', '.join(kinds)}")
        self.setAccessibleDescription(said)
        self.setVisible(bool(kinds))
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the line is."""
        return QSize(int(key_width(self.kinds, font(TYPE)) + 2 * SIDE), int(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The line."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_key(
            painter, QRectF(self.rect()).adjusted(SIDE, 0, -SIDE, 0), self.kinds, self._theme, font(TYPE)
        )
