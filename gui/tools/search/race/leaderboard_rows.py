"""How a row of the leaderboard is painted: two or three lines where there is little width, one line of columns where there is much."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.look.glyphs import paint_glyph
from gui.look.numbers import DASH, seconds_text
from gui.look.theme import Theme, device_colours, font
from gui.look.writing import LEFT, RIGHT, write
from gui.tools.search.race.leaderboard_model import ROW
from gui.tools.search.race.sparkline import Scales, paint_sparkline, value_at
from gui.widgets.rows import paint_row_ground

if TYPE_CHECKING:
    from gui.tools.search.race.facts import BoardFacts, RowFacts

Index = QModelIndex | QPersistentModelIndex
WIDE_FROM = 620
"""Width in pixels from which a row is one line of columns."""
TALL, SHORT, FLAT = 52, 37, 30
"""Heights of a row: three lines, two where not all rows have room for three, one line of columns."""
MARGIN, NUMBER, WHEN = 8, 88, 52
STAR = "\N{BLACK STAR}"


class Board(Protocol):
    """The list whose rows are painted."""

    theme: Theme

    @property
    def facts(self) -> BoardFacts | None:
        """What is shown."""

    @property
    def is_wide(self) -> bool:
        """Whether a row is one line of columns."""

    @property
    def row_height(self) -> int:
        """Pixels that a row takes."""

    def viewport(self) -> QWidget:
        """Where the rows are."""

    def marked(self, entrant: int) -> float | None:
        """The moment of an entrant's line that is pointed at."""


@dataclass(frozen=True)
class Places:
    """Where the parts of a row are."""

    rank: QRect
    glyph: tuple[float, float]
    title: QRect
    number: QRect
    line: QRect
    when: QRect
    notes: QRect


def places(rect: QRect) -> Places:
    """The parts of a row that takes ``rect``."""
    left, right, top = rect.left() + MARGIN, rect.right() - MARGIN, rect.top()
    if rect.width() < WIDE_FROM:
        text = left + 36
        if rect.height() < TALL:
            half = (right - text) * 2 // 5
            return Places(
                QRect(left, top + 3, 16, 16), (left + 25.0, top + 11.5),
                QRect(text, top + 3, right - text, 16), QRect(right - NUMBER, top + 3, NUMBER, 16),
                QRect(text, top + 22, half, 10), QRect(right, top + 19, 0, 15),
                QRect(text + half + 8, top + 19, right - text - half - 8, 15),
            )  # fmt: skip
        return Places(
            QRect(left, top + 3, 16, 16), (left + 25.0, top + 11.5),
            QRect(text, top + 3, right - text, 16), QRect(right - NUMBER, top + 3, NUMBER, 16),
            QRect(text, top + 21, right - text - WHEN, 11), QRect(right - WHEN, top + 19, WHEN, 15),
            QRect(text, top + 34, right - text, 15),
        )  # fmt: skip
    title = min(210, max(120, rect.width() // 5))
    x, middle = left + 36, top + rect.height() // 2
    notes = max(150, rect.width() * 3 // 10)
    number = x + title + 4
    line = number + NUMBER + 12
    when = right - notes - 8 - WHEN
    return Places(
        QRect(left, middle - 9, 16, 18), (left + 25.0, float(middle)), QRect(x, middle - 9, title, 18),
        QRect(number, middle - 9, NUMBER, 18), QRect(line, middle - 8, when - line - 4, 15),
        QRect(when, middle - 9, WHEN, 18), QRect(right - notes, middle - 9, notes, 18),
    )  # fmt: skip


class LeaderboardHead(QWidget):
    """What the columns below hold, above them wherever they are."""

    def __init__(self, owner: Board, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owner = owner
        self.setFixedHeight(20)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A word per column."""
        facts, t = self._owner.facts, self._owner.theme
        if facts is None:
            return
        painter = QPainter(self)
        at = places(QRect(0, 0, self._owner.viewport().width(), self.height()))
        small = font(8.0)
        write(painter, QRectF(at.title.left(), 0, 120, self.height()), LEFT, "planner", small, t.muted)
        number = QRect(at.number.right() - 119, 0, 120, self.height())
        write(painter, QRectF(number), RIGHT, facts.heading, small, t.muted)
        if self._owner.is_wide:
            write(
                painter,
                QRectF(at.line.left(), 0, at.line.width(), self.height()),
                LEFT,
                "best so far",
                small,
                t.muted,
            )
            write(
                painter,
                QRectF(at.when.right() - 79, 0, 80, self.height()),
                RIGHT,
                "found at",
                small,
                t.muted,
            )
            write(
                painter,
                QRectF(at.notes.left(), 0, at.notes.width(), self.height()),
                LEFT,
                "how it went",
                small,
                t.muted,
            )


class LeaderboardRows(QStyledItemDelegate):
    """Paints rows for a :class:`Board`, which knows the theme, the scales and what the pointer is on."""

    def __init__(self, owner: Board, parent: QObject) -> None:
        super().__init__(parent)
        self._owner = owner

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The same for all rows."""
        return QSize(160, self._owner.row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One entrant."""
        facts = self._owner.facts
        if facts is None:
            return
        t = self._owner.theme
        rect: QRect = option.rect  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        row: RowFacts = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(rect).adjusted(3, 1, -3, -1)
        paint_row_ground(painter, ground, state, t)
        self._paint_row(painter, rect, row, facts, t)
        painter.restore()

    def _paint_row(self, painter: QPainter, rect: QRect, row: RowFacts, facts: BoardFacts, t: Theme) -> None:
        at = places(rect)
        colour = device_colours(len(facts.rows), t)[row.index]
        idle = row.bad or (not row.running and not row.number)
        ink = t.muted if idle else t.text
        strong = font(9.0, bold=row.leads)
        if row.winner:
            write(painter, QRectF(at.rank), RIGHT, STAR, font(10.0), t.good)
        else:
            rank = str(row.rank) if row.rank else "" if row.is_bound else DASH
            write(painter, QRectF(at.rank), RIGHT, rank, strong, t.muted)
        paint_glyph(painter, colour, *at.glyph, fill=t.faint if idle else "")
        tone = t.good if row.is_bound else ink
        write(painter, QRectF(at.number), RIGHT, row.number, strong, tone)
        title = QRect(at.title)
        if title.right() >= at.number.left() - 8:
            # Beside a short number there is more room for the name.
            title.setRight(at.number.right() - painter.fontMetrics().horizontalAdvance(row.number) - 8)
        write(painter, QRectF(title), LEFT, row.title, strong, ink)
        marked = self._owner.marked(row.index)
        scales = Scales(QRectF(at.line), facts.end, facts.low, facts.high)
        bound = facts.bound if row.points and not row.is_bound else ()
        line = t.good if row.is_bound else colour.accent
        paint_sparkline(painter, scales, row.points, bound, line, t.good, t.track, marked)
        when = row.when if marked is None else seconds_text(marked)
        write(painter, QRectF(at.when), RIGHT, when, font(8.0), t.muted)
        notes, shade = row.notes, t.bad if row.bad else t.muted
        if marked is not None:
            notes, shade = marked_words(row, facts, marked), t.text
        write(
            painter, QRectF(at.notes), LEFT, whole_parts(notes, font(8.0), at.notes.width()), font(8.0), shade
        )


def whole_parts(notes: str, letters: QFont, room: float) -> str:
    """As many parts of the notes as there is room for, from the first on, whole: ``proven optimal`` without ``8.8 s at work``."""
    wide, ends = QFontMetricsF(letters), [match.start() for match in re.finditer(r", | · ", notes)]
    fitting = (notes[:end] for end in (len(notes), *reversed(ends)))
    # As writing has it: widths that were measured may be rounded.
    return next(
        (part for part in fitting if wide.horizontalAdvance(part) <= room + 1),
        notes[: ends[0]] if ends else notes,
    )


def marked_words(row: RowFacts, facts: BoardFacts, seconds: float) -> str:
    """What a row and the shared bound were at a time: ``22.10 ms, bound 20.90 ms``."""
    value, bound = value_at(row.points, seconds), value_at(facts.bound, seconds)
    words = "nothing yet" if value is None else f"{'≥ ' if row.is_bound else ''}{facts.column.text(value)}"
    return words if bound is None or row.is_bound else f"{words}, bound {facts.column.text(bound)}"
