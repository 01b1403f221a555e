"""The schedule of a plan as a picture file, drawn like the dock's chart."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.look.drawn import drawn
from gui.look.theme import THEMES, font
from gui.panels.schedule.layout import ChartLayout, device_rows
from gui.panels.schedule.painter import LEFT, paint_schedule
from gui.panels.schedule.panel import summary
from planner.files import write_atomically
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import KINDS, schedule

TITLE_HEIGHT, MARGIN = 54.0, 12.0


def save_schedule(
    problem: Problem,
    device_of: Ints,
    path: str | Path,
    *,
    size: tuple[int, int] = (1600, 1000),
    theme: str = "light",
    title: str = "",
) -> None:
    """Write the schedule that suits the objective; the suffix of ``path`` (.png, .svg, .pdf) says which kind of file.

    Rows are as high as they need to be: where ``size`` (pixels) has room to spare, it stays empty below.
    """
    colours = THEMES[theme]
    s = schedule(problem, device_of)
    titles = [device.title for device in problem.devices]
    unit = problem.graph.time_unit
    layout = ChartLayout(
        s, device_rows(s, titles), unit, size[0] - 2 * MARGIN, size[1] - TITLE_HEIGHT - MARGIN
    )
    head = title or problem.graph.name
    words = f"{KINDS[s.kind]}   {summary(s, titles, unit)}"

    def paint(painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(0, 0, *size), QColor(colours.panel))
        for y, height, text, face, colour in (
            (8.0, 22.0, head, font(11.0, bold=True), colours.text),
            (30.0, 18.0, words, font(9.0), colours.muted),
        ):
            painter.setFont(face)
            painter.setPen(QColor(colour))
            room = QRectF(MARGIN + 4, y, size[0] - 2 * MARGIN - 8, height)
            painter.drawText(
                room, LEFT, QFontMetricsF(face).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            )
        painter.translate(MARGIN, TITLE_HEIGHT)
        paint_schedule(painter, layout, colours)

    write_atomically(Path(path), drawn(Path(path).suffix.lower(), size, head, paint))
