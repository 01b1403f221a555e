"""What the parts of a device's bar are, and what outlines of cards mean: a line of marks and words, in panels and in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.theme import Theme, font, mix
from gui.look.writing import LEFT, write
from gui.widgets.bars import Part, activations_colour, activations_seen, paint_line, paint_parts, paint_track
from planner.model.graph import Floats

TYPE = 8.0
SWATCH, BESIDE, APART, CLOSE, SIDE = 14.0, 4.0, 14.0, 5.0, 12.0
"""Pixels of a mark, from it to its word, from there to the next mark (in little room at least the second), and beside the line."""
HEIGHT = 18.0
"""Pixels that the line is high."""
PALE = 0.4
"""How much of the mark of work the pale mark has."""
WHERE = {
    "transfers": "pale, at the ends",
    "work": "full colour",
    "parameters": "full colour",
    "streaming": "hatched",
    "activations": "grey, at the line",
    "cache": "the line",
}
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
    "parameters": KeyEntry(
        "parameters", "those that its memory holds; the whole bar is on one scale for all devices"
    ),
    "streaming": KeyEntry("streaming", "parameters that its memory does not hold, fetched for every sample"),
    "activations": KeyEntry(
        "activations",
        "what ops read and write needs room in the cache, too: parameters that it pushes out are streamed",
    ),
    "cache": KeyEntry("cache", "what its memory holds of parameters: those beyond it are streamed"),
}
PARTS, PARAMETERS, CACHE = ("transfers", "work", "streaming"), "parameters", "cache"
"""The kinds of parts that bars of times have, and what bars of memory are of and the line across them."""
MOVED, SPLIT = "moved", "group on several devices"
"""What outlined cards are, where plans are compared, and those with parts in the colours of several devices."""


def kinds_of_parts(receive: Floats, streaming: Floats, send: Floats) -> tuple[str, ...]:
    """Which of :data:`PARTS` bars of these costs have; none where every bar is of work alone."""
    some = {
        "transfers": bool(np.any(receive > 0) or np.any(send > 0)),
        "streaming": bool(np.any(streaming > 0)),
    }
    if not any(some.values()):
        return ()
    return tuple(kind for kind in PARTS if some.get(kind, True))


def with_loads(
    kinds: Sequence[str],
    memory: Floats,
    budget: Floats,
    pushed: Sequence[float] = (),
    needs: Sequence[float] = (),
) -> tuple[str, ...]:
    """``kinds`` and those of bars of ``memory`` (float64[k]) around caches of ``budget`` (float64[k], infinite or 0: none): what they are of, the
    line, what is hatched, beyond it or ``pushed`` out, and what activations ``need`` (bytes of ``needs``)."""
    cached = np.isfinite(budget) & (budget > 0)
    found = {
        *kinds,
        *((PARAMETERS, CACHE) if cached.any() else ()),
        *(("streaming",) if (memory > budget)[cached].any() or np.any(np.asarray(pushed) > 0) else ()),
        *(
            ("activations",)
            if len(needs) and activations_seen(memory, budget, np.asarray(needs)).any()
            else ()
        ),
    }
    return tuple(kind for kind in ENTRIES if kind in found)


def shade_of(kind: str, theme: Theme) -> Part:
    """A part of a bar that stands for all of its kind, whatever the device's colour."""
    colour = {
        "transfers": mix(theme.panel, theme.muted, PALE),
        "work": theme.muted,
        PARAMETERS: theme.muted,
        "streaming": theme.warning,
        "activations": activations_colour(theme),
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


def key_lines(kinds: Sequence[str], face: QFont, width: float) -> list[tuple[str, ...]]:
    """``kinds`` in as few lines of ``width`` pixels as they have room in, close to one another."""
    lines: list[tuple[str, ...]] = []
    for kind in kinds:
        longer = (*lines[-1], kind) if lines else (kind,)
        if lines and key_width(longer, face) - (len(longer) - 1) * (APART - CLOSE) <= width + 1:
            lines[-1] = longer
        else:
            lines.append((kind,))
    return lines


def paint_key(painter: QPainter, rect: QRectF, kinds: Sequence[str], theme: Theme, face: QFont) -> None:
    """The line at the left of ``rect``, in the middle of its height, closer where there is little room; of what has none even so only the
    beginning. ``kinds`` are those of :data:`ENTRIES`, :data:`MOVED` and :data:`SPLIT`."""
    x = rect.left()
    apart = key_gap(kinds, face, rect.width())
    for kind in kinds:
        word = _word(kind)
        wide = QFontMetricsF(face).horizontalAdvance(word)
        if x + SWATCH + BESIDE + wide > rect.right() + 1:
            return
        mark = QRectF(x, rect.center().y() - 3.0, SWATCH, 6.0)
        paint_mark(painter, mark, kind, theme)
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


def paint_mark(painter: QPainter, mark: QRectF, kind: str, theme: Theme) -> None:
    """The mark of one kind of those that :func:`paint_key` knows."""
    if kind == MOVED:
        painter.setPen(QPen(QColor(theme.text), 1.5))
        painter.setBrush(QColor(mix(theme.panel, theme.muted, PALE)))
        painter.drawRoundedRect(mark.adjusted(0.75, -1.0, -0.75, 1.0), 2.0, 2.0)
    elif kind == SPLIT:
        two = [Part(0.6, theme.muted, False), Part(0.4, mix(theme.panel, theme.muted, PALE), False)]
        paint_parts(painter, mark, two, 1.0, 0.0)
    elif kind == CACHE:
        paint_track(painter, QRectF(mark.left(), mark.top(), 0.7 * mark.width(), mark.height()), theme, 2.0)
        paint_line(painter, mark.left() + 0.7 * mark.width(), mark, theme)
    else:
        paint_parts(painter, mark, [shade_of(kind, theme)], 1.0, 0.0)


def key_sentences(kinds: Sequence[str]) -> str:
    """The same in lines of words, for tool tips and for those who cannot see the marks."""
    return "\n".join(
        f"{ENTRIES[kind].word.capitalize()} ({WHERE[kind]}): {ENTRIES[kind].help}" for kind in kinds
    )


class BarKey(QWidget):
    """The line as a widget, or two where one has no room for all; it is there only while bars have more than one kind of part."""

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
        self._fit()
        self.update()

    @property
    def lines(self) -> list[tuple[str, ...]]:
        """What stands in each line. What the plain part of bars of memory is takes no line of its own: the tool tip says it."""
        room = self.width() - 2 * SIDE
        lines = key_lines(self.kinds, font(TYPE), room)
        fewer = key_lines(tuple(kind for kind in self.kinds if kind != PARAMETERS), font(TYPE), room)
        return fewer if len(fewer) < len(lines) else lines

    def _fit(self) -> None:
        """As high as its lines."""
        self.setFixedHeight(int(HEIGHT) * max(1, len(self.lines)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is narrow takes more lines."""
        self._fit()
        super().resizeEvent(event)

    def sizeHint(self) -> QSize:
        """As wide as all of it in one line."""
        return QSize(int(key_width(self.kinds, font(TYPE)) + 2 * SIDE), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Its lines."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for i, kinds in enumerate(self.lines):
            line = QRectF(SIDE, i * HEIGHT, self.width() - 2 * SIDE, HEIGHT)
            paint_key(painter, line, kinds, self._theme, font(TYPE))
