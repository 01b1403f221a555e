"""A race as it is painted for a room: the best plan and its gap in large letters, and a bar for each entrant from the bound on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.look.glyphs import paint_glyph
from gui.look.numbers import gap_text, seconds_text
from gui.look.theme import Theme, device_colours
from gui.look.writing import LEFT, RIGHT, write
from gui.present.captions import flowed, letters, measure, target_words
from gui.tools.search.race.course import Course
from gui.tools.search.race.facts import BoardFacts, RowFacts
from gui.tools.search.race.leaderboard_rows import whole_parts
from gui.tools.search.race.words import gap_digits, goal_words, headline, sentences, towards
from gui.widgets.bars import paint_track
from planner.problem.bound import gap, within

WIDTH, HEIGHT = 1280.0, 800.0
"""The frame whose sizes of letters all others follow in proportion."""
MARGIN = 40.0
ROWS, FOOT = 236.0, 92.0
"""Where the rows begin, and what is below them."""
HIGHEST, LEAST_NOTED = 96.0, 46.0
"""Height of a row at most, and the least that has a second line."""
STAR = "\N{BLACK STAR}"


def unit_of(size: tuple[int, int], scale: float = 1.0) -> float:
    """The size of one pixel of 1280 x 800 in a frame of ``size`` (width, height)."""
    return min(size[0] / WIDTH, size[1] / HEIGHT) * scale


@dataclass(frozen=True)
class Field:
    """Where the rows are: top of the first and height of each, and where the bars begin and end, in pixels."""

    top: float
    row: float
    left: float
    right: float

    def y(self, place: int) -> float:
        """The top of the row at a place."""
        return self.top + place * self.row


def field_of(size: tuple[int, int], count: int, unit: float) -> Field:
    """All of ``count`` rows have room in a frame of ``size``."""
    room = size[1] - (ROWS + FOOT) * unit
    row = min(HIGHEST * unit, room / max(count, 1))
    return Field(ROWS * unit, row, MARGIN * unit + 0.33 * size[0], size[0] - MARGIN * unit - 0.23 * size[0])


def bar_of(row: RowFacts, facts: BoardFacts) -> float | None:
    """How long an entrant's bar is, 0..1: how far its best plan is above the bound (above 0 without one), of the farthest of all.

    None without a plan.
    """
    base, values = floor_of(facts), [r.value for r in facts.rows if r.rank and math.isfinite(r.value)]
    if not row.rank or not math.isfinite(row.value):
        return None
    farthest = max(value - base for value in values)
    if farthest <= 0.0 or (
        facts.bound and within(row.value, base)
    ):  # what differs by rounding reaches the bound
        return 0.0
    return (row.value - base) / farthest


def floor_of(facts: BoardFacts) -> float:
    """Where bars begin: at the strongest bound, or at 0."""
    return facts.bound[-1][1] if facts.bound else 0.0


def paint_race(
    painter: QPainter, size: tuple[int, int], course: Course | None, facts: BoardFacts | None, theme: Theme, unit: float,
    tops: Mapping[int, float], hint: str,
) -> None:  # fmt: skip
    """All of the frame. ``tops`` are the places (pixels) of entrants that are on their way, ``hint`` what keys do."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0, 0, *size), QColor(theme.canvas))
    wide, foot = (
        size[0] - 2 * MARGIN * unit,
        QRectF(MARGIN * unit, size[1] - 34 * unit, size[0] - 2 * MARGIN * unit, 26 * unit),
    )
    write(painter, foot, LEFT, hint, letters(15 * unit), theme.muted)
    if course is None or facts is None:
        words = QRectF(MARGIN * unit, 0.4 * size[1], wide, 60 * unit)
        write(painter, words, LEFT, "No race yet", letters(44 * unit, True), theme.text)
        return
    _paint_head(painter, QRectF(MARGIN * unit, 22 * unit, wide, 200 * unit), course, theme, unit)
    field = field_of(size, len(facts.rows), unit)
    for place, row in enumerate(facts.rows):
        top = tops.get(row.index, field.y(place))
        _paint_row(painter, size, field, top, row, facts, theme, unit)
    _paint_floor(painter, field, size[0] - MARGIN * unit, facts, theme, unit)
    pixels = 19 * unit
    for i, line in enumerate(flowed(sentences(course), round(pixels), False, wide)[:2]):
        rect = QRectF(MARGIN * unit, size[1] - (FOOT - 6 - 26 * i) * unit, wide, 26 * unit)
        write(painter, rect, LEFT, line, letters(pixels), theme.text)


def _paint_head(painter: QPainter, rect: QRectF, course: Course, theme: Theme, unit: float) -> None:
    """Of what, for how long; the best plan and its gap; the way to what was asked for."""
    line = QRectF(rect.left(), rect.top(), rect.width(), 28 * unit)
    name = f"{course.problem.name}   {target_words(course.problem)}"
    write(painter, line, LEFT, name, letters(19 * unit), theme.muted)
    limit = course.goal.time_limit
    clock = seconds_text(course.seconds)
    clock = f"{clock} of {limit:g} s" if limit and course.alive else clock
    write(painter, line, RIGHT, clock, letters(22 * unit, True), theme.text)
    value, proven = headline(course)
    big = QRectF(rect.left(), line.bottom() + 4 * unit, rect.width(), 78 * unit)
    used = write(
        painter, big, LEFT, value, letters(64 * unit, True), theme.text if course.components else theme.muted
    )
    beside = QRectF(
        rect.left() + used + 28 * unit,
        big.top() + 10 * unit,
        rect.width() - used - 28 * unit,
        big.height() - 10 * unit,
    )
    pixels = 34 * unit
    while pixels > 16 * unit and measure(round(pixels), True).horizontalAdvance(proven) > beside.width():
        pixels -= unit
    write(
        painter, beside, RIGHT, proven, letters(pixels, True), theme.good if course.gap == 0.0 else theme.text
    )
    done = course.gap is not None and course.gap <= (course.goal.gap or 0.0)
    track = QRectF(rect.left(), big.bottom() + 6 * unit, rect.width(), 12 * unit)
    paint_track(painter, track, theme, 6 * unit)
    share = towards(course.gap, course.goal.gap)
    if share > 0.0:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.good if done else theme.accent))
        painter.drawRoundedRect(
            QRectF(track.left(), track.top(), max(12 * unit, share * track.width()), track.height()),
            6 * unit,
            6 * unit,
        )
    under = QRectF(rect.left(), track.bottom() + 4 * unit, rect.width(), 24 * unit)
    leader = "" if course.leader is None else f"{course.by} {'leads' if course.alive else 'won'}"
    write(painter, under, LEFT, leader, letters(19 * unit, True), theme.text)
    write(painter, under, RIGHT, goal_words(course), letters(16 * unit), theme.muted)


def _paint_floor(
    painter: QPainter, field: Field, wide: float, facts: BoardFacts, theme: Theme, unit: float
) -> None:
    """The line at which bars begin, through all rows; above it, as far as ``wide``, what it stands for and what bars do."""
    bottom = field.y(len(facts.rows))
    words = f"bound {facts.column.text(floor_of(facts))}" if facts.bound else "0"
    length = "gap to the bound" if facts.bound else facts.heading.partition(",")[0]
    painter.setPen(
        QPen(QColor(theme.good if facts.bound else theme.border), 2.0 * unit, Qt.PenStyle.DashLine)
    )
    painter.drawLine(QPointF(field.left, field.top - 2 * unit), QPointF(field.left, bottom))
    above = QRectF(field.left - 4 * unit, field.top - 26 * unit, wide - field.left, 22 * unit)
    used = write(
        painter, above, LEFT, words, letters(16 * unit, True), theme.good if facts.bound else theme.muted
    )
    key = above.adjusted(used + 16 * unit, 0, 0, 0)
    write(painter, key, LEFT, f"bars: {length}, shorter is better", letters(16 * unit), theme.muted)


def _paint_row(
    painter: QPainter, size: tuple[int, int], field: Field, top: float, row: RowFacts, facts: BoardFacts, theme: Theme,
    unit: float,
) -> None:  # fmt: skip
    """Rank, mark and name, what it does; its bar from the bound on; its best value and how far that is from the bound."""
    colour = device_colours(len(facts.rows), theme)[row.index]
    idle = row.bad or (not row.running and not row.number)
    ink = theme.muted if idle else theme.text
    noted = field.row >= LEAST_NOTED * unit
    pixels = min(30 * unit, 0.46 * field.row if noted else 0.7 * field.row)
    line = QRectF(0, top, size[0], 0.6 * field.row if noted else field.row)
    left = MARGIN * unit
    if row.leads:
        ground = QColor(theme.selection)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(
            QRectF(left - 12 * unit, top, size[0] - 2 * left + 24 * unit, field.row - 3 * unit),
            8 * unit,
            8 * unit,
        )
    rank = STAR if row.winner else str(row.rank) if row.rank else ""
    write(
        painter,
        QRectF(left, line.top(), 30 * unit, line.height()),
        LEFT,
        rank,
        letters(pixels, True),
        theme.good if row.winner else theme.muted,
    )
    paint_glyph(
        painter, colour, left + 48 * unit, line.center().y(), 0.8 * pixels, theme.faint if idle else ""
    )
    name = QRectF(left + 70 * unit, line.top(), field.left - left - 84 * unit, line.height())
    write(painter, name, LEFT, row.title, letters(pixels, row.leads), ink)
    if noted:
        under = QRectF(name.left(), line.bottom() - 2 * unit, name.width(), 0.34 * field.row)
        small = letters(min(20 * unit, 0.26 * field.row))
        write(
            painter,
            under,
            LEFT,
            whole_parts(row.notes, small, under.width()),
            small,
            theme.bad if row.bad else theme.muted,
        )
    share = bar_of(row, facts)
    if share:
        high = min(0.5 * field.row, 30 * unit)
        bar = QRectF(
            field.left,
            top + (field.row - 3 * unit - high) / 2,
            max(3 * unit, share * (field.right - field.left)),
            high,
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour.accent if row.running or row.leads else colour.soft))
        painter.drawRoundedRect(bar, 3 * unit, 3 * unit)
    right = QRectF(
        field.right + 10 * unit, line.top(), size[0] - left - field.right - 10 * unit, line.height()
    )
    words = f"{row.number} {facts.column.suffix}".strip() if row.number else ""
    write(painter, right, RIGHT, words, letters(pixels, True), theme.good if row.is_bound else ink)
    words = gap_to(row, facts)
    if noted and words:
        under = QRectF(right.left(), line.bottom() - 2 * unit, right.width(), 0.34 * field.row)
        write(painter, under, RIGHT, words, letters(min(20 * unit, 0.26 * field.row)), theme.muted)


def gap_to(row: RowFacts, facts: BoardFacts) -> str:
    """How far an entrant's best plan may be from an optimal one, in words that differ where gaps do; empty where nothing is proven or it
    has no plan."""
    gaps = [_gap(one, facts) for one in facts.rows]
    own = _gap(row, facts)
    digits = gap_digits([one for one in gaps if one])
    if own == 0.0:
        return gap_text(own) if facts.alone else "bound met"
    return "" if own is None else f"gap {gap_text(own, digits)}"


def _gap(row: RowFacts, facts: BoardFacts) -> float | None:
    if not row.rank or not facts.bound or not math.isfinite(row.value) or row.value <= 0.0:
        return None
    return gap(row.value, floor_of(facts))
