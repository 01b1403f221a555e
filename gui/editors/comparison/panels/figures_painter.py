"""Paints the table of figures into a picture."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.editors.comparison.panels.figures_words import Cell, Table
from gui.look.theme import Theme, font
from gui.look.writing import ENDS, LEFT, RIGHT, write

ROW, HEAD = 22.0, 20.0
GAP = 26.0
"""Pixels between two columns."""


def tone_colour(tone: str, theme: Theme) -> str:
    """The colour of a tone of a cell."""
    return {"good": theme.good, "bad": theme.bad, "muted": theme.muted}.get(tone, theme.text)


def table_height(table: Table) -> float:
    """Pixels that a table takes."""
    return HEAD + ROW * len(table.rows)


def paint_table(painter: QPainter, box: QRectF, table: Table, theme: Theme) -> None:
    """The table at the top left of ``box``; the first column gives way where there is little room."""
    plain, bold, head = font(9.0), font(9.0, bold=True), font(8.0)
    measure, heads = QFontMetricsF(bold), QFontMetricsF(head)
    widths = [
        max([heads.horizontalAdvance(title), *(measure.horizontalAdvance(row[c].text) for row in table.rows)])
        + 2
        for c, title in enumerate(table.titles)
    ]
    over = sum(widths) + GAP * (len(widths) - 1) - box.width()
    if over > 0:
        widths[0] = max(60.0, widths[0] - over)
    x = box.left()
    for c, (title, width) in enumerate(zip(table.titles, widths, strict=True)):
        flags = RIGHT if table.right(c) else LEFT
        painter.setFont(head)
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(x, box.top(), width, HEAD), flags, title)
        for r, row in enumerate(table.rows):
            cell: Cell = row[c]
            face = bold if cell.strong else plain
            line = QRectF(x, box.top() + HEAD + r * ROW, width, ROW)
            write(painter, line, flags, cell.text, face, tone_colour(cell.tone, theme), ENDS)
        x += width + GAP
    painter.setPen(QPen(QColor(theme.border), 1))
    y = box.top() + HEAD
    painter.drawLine(QPointF(box.left(), y), QPointF(min(box.right(), x - GAP), y))
