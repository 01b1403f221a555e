"""The head of two plans on one canvas: their names and figures at the ends of the slider, in as many lines as they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.look.theme import Theme, font
from gui.look.writing import ENDS, LEFT, RIGHT, words_of, write
from gui.panels.comparison.names import plan_title
from gui.panels.comparison.words import BETWEEN, pair_items
from planner.reports.comparison import Comparison

HEAD = 50.0
"""Pixels that it is high with one line of names and one of figures."""
TRACKS = (0.2, 0.12)
"""Shares of the width that the slider may take: less where figures need fewer lines then."""
KNOB, INSET = 8.0, 16.0
"""Radius of the knob, and what words keep from the sides."""
NAME, FIGURE = 18.0, 16.0
"""Pixels of each further line."""
MOST_NAMES, LEAST_FIGURES, SHARE, LOW = 3, 2, 0.25, 150.0
"""Lines that a name takes at most, those that figures may have at least unless the picture is lower than ``LOW``, and the share of its
height that they may let the head take."""


@dataclass(frozen=True)
class OverlayHead:
    """Lines of ``names`` and ``figures`` of plans A and B, each in ``room`` pixels."""

    names: tuple[tuple[str, ...], tuple[str, ...]]
    figures: tuple[tuple[str, ...], tuple[str, ...]]
    room: float
    track: float = TRACKS[0]
    """The share of the width that the slider takes."""

    @property
    def height(self) -> float:
        """Pixels of all lines."""
        return self._below_names + HEAD + FIGURE * (max(map(len, self.figures)) - 1)

    def says_more(self, other: OverlayHead) -> bool:
        """Whether it says at least as much in fewer lines of figures, in no more of names."""
        words = [sum(len(" ".join(lines).split()) for lines in each.figures) for each in (self, other)]
        lines = [max(map(len, each.figures)) for each in (self, other)]
        return words[0] >= words[1] and lines[0] < lines[1]

    @property
    def _below_names(self) -> float:
        """What further lines of names move the figures down by."""
        return NAME * (max(map(len, self.names)) - 1)

    def paint(
        self, painter: QPainter, box: QRectF, theme: Theme, slider: QRectF | None, share: float | None
    ) -> None:
        """All lines, the ``slider`` (its line, no height; None: no slider) between them and a knob at ``share`` of it (None: no knob)."""
        for plan, left, flag in ((0, INSET, LEFT), (1, box.width() - INSET - self.room, RIGHT)):
            for i, line in enumerate(self.names[plan]):
                place = QRectF(left, 5 + NAME * i, self.room, 20)
                write(painter, place, flag, line, font(11.0, bold=True), theme.text, ENDS)
            for i, line in enumerate(self.figures[plan]):
                place = QRectF(left, 26 + self._below_names + FIGURE * i, self.room, 18)
                write(painter, place, flag, line, font(8.5), theme.muted)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if slider is not None:
            y, x0, x1 = slider.top(), slider.left(), slider.right()
            painter.setPen(QPen(QColor(theme.border), 3.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(x0, y), QPointF(x1, y))
            if share is not None:
                painter.setPen(QPen(QColor(theme.panel), 1.5))
                painter.setBrush(QColor(theme.accent))
                painter.drawEllipse(QPointF(x0 + share * (x1 - x0), y), KNOB, KNOB)
        painter.setPen(QPen(QColor(theme.border), 1.0))
        painter.drawLine(QPointF(0, box.bottom() - 0.5), QPointF(box.right(), box.bottom() - 0.5))


def overlay_head(comparison: Comparison, width: float, height: float) -> OverlayHead:
    """The head of a picture so wide and high: names in lines of whole words; of both plans the same figures, whole, less of them
    where they would take too much of the height."""
    usual, short = (_head(comparison, width, height, track) for track in TRACKS)
    return short if short.says_more(usual) else usual


def _head(comparison: Comparison, width: float, height: float, track: float) -> OverlayHead:
    """The head around a slider that takes this share of the width."""
    room = (1.0 - track) / 2 * width - INSET - 1.5 * KNOB
    bold, small = QFontMetricsF(font(11.0, bold=True)), QFontMetricsF(font(8.5))
    first, second = (_names(plan_title(comparison, plan), bold, room) for plan in (0, 1))
    left = SHARE * height - HEAD - NAME * (max(len(first), len(second)) - 1)
    most = max(1 if height < LOW else LEAST_FIGURES, 1 + int(left // FIGURE))
    for items in pair_items(comparison):
        told = [_lines([both[plan] for both in items], small, room) for plan in (0, 1)]
        if all(len(lines) <= most and _widest(lines, small) <= room for lines in told):
            break
    return OverlayHead((first, second), (told[0], told[1]), room, track)


def _widest(lines: Sequence[str], measure: QFontMetricsF) -> float:
    return max(map(measure.horizontalAdvance, lines), default=0.0)


def _names(name: str, measure: QFontMetricsF, room: float) -> tuple[str, ...]:
    """A name in lines of whole words, what is left of a very long one in the last."""
    lines = _broken(name, measure, room)
    return (*lines[: MOST_NAMES - 1], *filter(None, [" ".join(lines[MOST_NAMES - 1 :])]))


def _broken(words: str, measure: QFontMetricsF, room: float) -> list[str]:
    """Words in lines, broken between them and never inside a figure."""
    lines = [""]
    for word in words_of(words):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and measure.horizontalAdvance(longer) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _lines(items: Sequence[tuple[str, str]], measure: QFontMetricsF, room: float) -> tuple[str, ...]:
    """Items, each with what stands before it in a line, in as few lines as hold them in their order; one too long is broken between words."""
    lines: list[str] = []
    for before, words in items:
        if not words:
            continue
        if lines and measure.horizontalAdvance(lines[-1] + before + words) <= room:
            lines[-1] += before + words
            continue
        if lines and before != BETWEEN:
            lines[-1] += before.rstrip()
        lines += _broken(words, measure, room)
    return tuple(lines)
