"""The schedule of a plan as a picture file, drawn like the dock's chart."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import Heading, heading_of
from gui.look.numbers import plural
from gui.look.page import SHEET, Page
from gui.look.theme import font
from gui.look.writing import LEFT, write
from gui.panels.schedule.key import key_height, leave_for_key
from gui.panels.schedule.layout import AXIS, MOST_ROW, RULER, ChartLayout, comfortable, device_rows
from gui.panels.schedule.painter import NAMES_LEFT, names_room, paint_schedule
from gui.panels.schedule.panel import in_practice, summary
from planner.evaluation.times_source import times_mark
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import KINDS, schedule

MARGIN = 12.0
MOST_GROWN = 2.5
"""How many times as large as usual things are at most where a page has room to spare."""
HIGHEST_ROW = 110.0
"""How high rows are at most on such a page."""
FOLDED, UNUSED = 2, 18.0
"""So many devices without ops at least are one line below the rows, and how high that is."""


def draw_schedule(problem: Problem, device_of: Ints, page: Page = SHEET, title: str = "") -> Drawing:
    """The schedule that suits the objective.

    Where the page has room to spare it ends below the rows, if it is to be cropped; else all is larger, then the rows higher. All rows
    are drawn: where they are low, some carry their names.
    """
    s = schedule(problem, device_of)
    titles = [device.title for device in problem.devices]
    evaluation = problem.evaluate(device_of)
    broken = len(evaluation.violations)
    unit, colours = problem.graph.time_unit, page.theme
    practice = in_practice(problem.target, evaluation, s, unit)
    rows, unused = device_rows(s, titles), ""
    used = [row for row in rows if row.device in s.piece_device]
    if used and len(rows) - len(used) >= FOLDED:
        called = problem.target.words
        unused = f"{plural(len(rows) - len(used), called.one, called.many)} unused"
        rows = used
    strip = UNUSED if unused else 0.0
    head = title or problem.graph.name
    words = f"{KINDS[s.kind]}   {summary(s, titles, unit, practice, broken)}"
    if mark := times_mark(problem):
        words += f"   times {mark}"
    heading = _heading(head, words, page.room[0])
    bars = sum(max(MOST_ROW, comfortable(row)) for row in rows)
    high = heading.height + RULER + bars + AXIS + key_height(s, page.room[0] - 2 * MARGIN) + strip + MARGIN
    page = page.as_high_as(high)
    said = max(
        QFontMetricsF(heading.large).horizontalAdvance(head),
        QFontMetricsF(heading.small).horizontalAdvance(words),
    )
    most = min(MOST_GROWN, page.room[0] / (said + 4 * MARGIN))  # the heading stays in as few lines
    grown = max(1.0, min(most, page.room[1] / high))
    width, height = page.room[0] / grown, page.room[1] / grown
    high = min(height, high + (HIGHEST_ROW - MOST_ROW) * len(rows)) if not page.crop else min(high, height)
    layout = ChartLayout(
        s,
        rows,
        unit,
        width - 2 * MARGIN,
        high - heading.height - strip - MARGIN,
        highest=HIGHEST_ROW,
        whole=True,
    )
    layout.leave_for_names(min(names_room(layout), 0.4 * width))
    leave_for_key(layout)

    def paint(painter: QPainter, _: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(page.scale * grown, page.scale * grown)
        painter.translate(0, max(0.0, (height - high) / 2))
        heading.paint(painter, MARGIN + 4, width - 2 * MARGIN - 8, colours)
        painter.translate(MARGIN, heading.height)
        paint_schedule(painter, layout, colours)
        below = QRectF(NAMES_LEFT, layout.rows_bottom + AXIS + layout.foot, width - 2 * MARGIN, strip)
        write(painter, below, LEFT, unused, font(8.5), colours.muted)

    return Drawing(page, head, paint)


def _heading(title: str, words: str, width: float) -> Heading:
    return heading_of(title, words, width - 2 * MARGIN - 8, font(11.0, bold=True), font(9.0))
