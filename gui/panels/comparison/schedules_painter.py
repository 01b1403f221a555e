"""What a shared time axis adds to the picture of a schedule: a line and a flag at each plan's time of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.look.theme import DeviceColour, Theme, font, numbered_colours
from gui.look.writing import CENTRE
from gui.panels.comparison.names import short_title
from gui.panels.comparison.schedules_layout import STRIP, Schedules, flag_places
from gui.panels.schedule.layout import RULER, ChartLayout
from gui.panels.schedule.painter import names_width
from planner.reports.comparison import Comparison

FLAG = 16.0
"""Pixels that a flag is wide."""


def row_colours(comparison: Comparison, plan: int, theme: Theme) -> tuple[DeviceColour, ...]:
    """The colours of a plan's own devices: those of their rows."""
    colours = numbered_colours(comparison.numbers, theme)
    return tuple(colours[row] for row in comparison.row_of[plan].tolist())


MOST_NAMES = 0.4
"""The share of a chart that names may take."""


def name_rows(comparison: Comparison, plan: int, layout: ChartLayout) -> None:
    """Call the rows of a plan's chart what has room, whole, in the charts of all plans: titles, else short names, else what each
    plan itself calls its devices. Charts on one axis begin at one place."""
    plans = range(len(comparison.plans))
    rows = [comparison.row_of[i].tolist() for i in plans]
    choices = (
        [[comparison.row_title(row) for row in rows[i]] for i in plans],
        [[short_title(comparison, row) for row in rows[i]] for i in plans],
        [[comparison.device_title(row, i) for row in rows[i]] for i in plans],
        [[comparison.device_name(row, i) for row in rows[i]] for i in plans],
    )
    fits = (
        found
        for found in choices
        if names_width([title for own in found for title in own]) <= MOST_NAMES * layout.width
    )
    titles = next(fits, choices[-1])
    layout.rows = [replace(row, title=titles[plan][row.device], short="") for row in layout.rows]
    layout.leave_for_names(min(names_width([title for own in titles for title in own]), 0.5 * layout.width))


def paint_periods(
    painter: QPainter,
    layout: ChartLayout,
    letters: Sequence[str],
    made: Schedules,
    own: int,
    theme: Theme,
    since: float = 0.0,
) -> None:
    """Lines at the times of a sample of all plans in the chart of plan ``own``, whose line is solid; flags say whose they are, and words
    beside them, where there is room, what it is.

    Times are counted from ``since``."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    left, right = layout.gutter, layout.gutter + layout.plot_width
    bottom, periods = layout.rows_bottom, made.periods()
    wanted = [layout.x(since + period) for period in periods]
    for plan, x in sorted(enumerate(wanted), key=lambda entry: entry[0] == own):
        if periods[plan] > 0 and left <= x <= right + 1:
            style = Qt.PenStyle.SolidLine if plan == own else Qt.PenStyle.DotLine
            painter.setPen(
                QPen(QColor(theme.accent if plan == own else theme.muted), 2.0 if plan == own else 1.2, style)
            )
            painter.drawLine(QPointF(x, RULER - 3), QPointF(x, bottom + 2))
    end = 0.0
    for plan, x in flag_places(wanted, own, FLAG + 2):
        if periods[plan] <= 0 or not left <= wanted[plan] <= right + 1:
            continue
        end = max(end, x + FLAG / 2)
        box = QRectF(x - FLAG / 2, bottom + 1.5, FLAG, STRIP - 3)
        painter.setPen(QPen(QColor(theme.accent if plan == own else theme.border), 1))
        painter.setBrush(QColor(theme.accent if plan == own else theme.panel))
        painter.drawRoundedRect(box, 3, 3)
        painter.setFont(font(7.5, bold=True))
        painter.setPen(QColor(theme.accent_text if plan == own else theme.muted))
        painter.drawText(box, CENTRE, letters[plan])
    words, letter = made.period_words, font(8.0)
    place = QRectF(end + 5, bottom + 1.5, QFontMetricsF(letter).horizontalAdvance(words) + 2, STRIP - 3)
    if end and place.right() <= right:
        painter.setFont(letter)
        painter.setPen(QColor(theme.muted))
        painter.drawText(place, CENTRE, words)
