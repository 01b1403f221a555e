"""The schedule of a plan as a picture file, drawn like the dock's chart."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.look.drawn import Drawing, fill_ground
from gui.look.page import SHEET, Page
from gui.look.theme import font
from gui.look.writing import LEFT, write
from gui.panels.schedule.layout import AXIS, MOST_ROW, RULER, ChartLayout, device_rows
from gui.panels.schedule.painter import paint_schedule
from gui.panels.schedule.panel import summary
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import KINDS, schedule

TITLE_HEIGHT, MARGIN = 54.0, 12.0
MOST_GROWN = 2.5
"""How many times as large as usual things are at most where a page has room to spare."""


def draw_schedule(problem: Problem, device_of: Ints, page: Page = SHEET, title: str = "") -> Drawing:
    """The schedule that suits the objective.

    Rows are as high as they need to be. Where the page has room to spare it ends below them, if it is to be cropped; else all is
    larger, and stands in the middle.
    """
    s = schedule(problem, device_of)
    titles = [device.title for device in problem.devices]
    broken = len(problem.evaluate(device_of).violations)
    unit, colours = problem.graph.time_unit, page.theme
    rows = device_rows(s, titles)
    high = TITLE_HEIGHT + RULER + MOST_ROW * len(rows) + AXIS + MARGIN
    page = page.as_high_as(high)
    head = title or problem.graph.name
    words = f"{KINDS[s.kind]}   {summary(s, titles, unit, broken=broken)}"
    heading, line = font(11.0, bold=True), font(9.0)
    said = max(QFontMetricsF(face).horizontalAdvance(text) for face, text in ((heading, head), (line, words)))
    most = min(MOST_GROWN, page.room[0] / (said + 4 * MARGIN))  # nothing that is said is cut
    grown = max(1.0, min(most, page.room[1] / high))
    width, height = page.room[0] / grown, page.room[1] / grown
    layout = ChartLayout(s, rows, unit, width - 2 * MARGIN, min(high, height) - TITLE_HEIGHT - MARGIN)

    def paint(painter: QPainter, _: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(page.scale * grown, page.scale * grown)
        painter.translate(0, max(0.0, (height - high) / 2))
        for y, tall, text, face, colour in (
            (8.0, 22.0, head, heading, colours.text),
            (30.0, 18.0, words, line, colours.muted),
        ):
            room = QRectF(MARGIN + 4, y, width - 2 * MARGIN - 8, tall)
            write(painter, room, LEFT, text, face, colour)
        painter.translate(MARGIN, TITLE_HEIGHT)
        paint_schedule(painter, layout, colours)

    return Drawing(page, head, paint)
