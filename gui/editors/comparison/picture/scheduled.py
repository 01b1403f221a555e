"""The schedules of compared plans under one another, as one picture."""

from __future__ import annotations

from PySide6.QtGui import QPainter

from gui.editors.comparison.picture.head import head_of, title_of
from gui.look.drawn import Drawing, fill_ground
from gui.look.page import Page
from gui.panels.comparison.schedules_layout import STRIP
from gui.panels.schedule.layout import AXIS, LEAST_ROW, MOST_ROW, RULER
from gui.present.comparison.schedules import LINE as WORDS
from gui.present.comparison.schedules import MARGIN, SchedulesShot
from gui.present.comparison.shot import LETTERS, paint_parts
from planner.errors import StageboardError
from planner.reports.comparison import Comparison

SCHEDULES = {"schedules": "Schedules"}


def draw_schedules(comparison: Comparison, page: Page, title: str = "", kind: str = "") -> Drawing:
    """A line of words and a chart for each plan, all on one axis of time, as in a keyframe of a story; of ``kind`` (empty: the first that all
    have). A ``title`` of one's own stands above them, else :func:`title_of`. Raises :class:`StageboardError` where a plan has no schedule.
    """
    rows = max(len(plan.problem.devices) for plan in comparison.plans)
    wide = page.room[0]
    shot = SchedulesShot(comparison, page.room, 1.0 / LETTERS, page.theme, kind)
    if shot.why_not:
        raise StageboardError(shot.why_not)
    head = head_of(comparison, wide - 2 * MARGIN, title=title, more=shot.notes(wide - 2 * MARGIN))
    if shot.lowest_row(page.room[1] - head.height) < LEAST_ROW:  # no numbers on bars as low as that
        head = head_of(
            comparison, wide - 2 * MARGIN, title=title, more=shot.notes(wide - 2 * MARGIN, numbered=False)
        )
    each = WORDS + RULER + STRIP + MOST_ROW * rows
    page = page.as_high_as(head.height + each * len(comparison.plans) + AXIS + 2 * MARGIN)
    shot.room = (wide, page.room[1] - head.height)

    def paint(painter: QPainter, _: bool) -> None:
        fill_ground(painter, page, page.theme.panel)
        painter.scale(page.scale, page.scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head.paint(painter, MARGIN, wide - 2 * MARGIN, page.theme)
        painter.translate(0, head.height)
        paint_parts(painter, shot.parts())

    return Drawing(page, title or title_of(comparison), paint)
