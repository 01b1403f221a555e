"""Paints the table of figures into a picture."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.editors.comparison.panels.figures_words import CLAIMED, GAPS, PROVEN_HERE, RULES, Cell, Table
from gui.look.numbers import DASH
from gui.look.theme import Theme, font
from gui.look.writing import ENDS, LEFT, RIGHT, write

ROW, HEAD = 22.0, 20.0
GAP = 26.0
"""Pixels between two columns."""
FIRST = 0.4
"""The share of a narrow page that names of plans may take."""


def tone_colour(tone: str, theme: Theme) -> str:
    """The colour of a tone of a cell."""
    return {"good": theme.good, "bad": theme.bad, "muted": theme.muted}.get(tone, theme.text)


def table_height(table: Table) -> float:
    """Pixels that a table takes."""
    return HEAD + ROW * len(table.rows)


def _widths(table: Table) -> list[float]:
    """Pixels that each column wants."""
    measure, heads = QFontMetricsF(font(9.0, bold=True)), QFontMetricsF(font(8.0))
    return [
        max([heads.horizontalAdvance(title), *(measure.horizontalAdvance(row[c].text) for row in table.rows)])
        + 2
        for c, title in enumerate(table.titles)
    ]


def fits(table: Table, width: float, once: bool = True) -> bool:
    """Whether nothing of a table is cut in ``width`` pixels; not ``once``: in parts one below the other."""
    widths = _widths(table)
    if once:
        return sum(widths) + GAP * (len(widths) - 1) <= width
    return min(widths[0], FIRST * width) + GAP + max(widths[1:]) <= width


def fitted(table: Table, width: float) -> Table:
    """The table without as many columns as it takes to be ``width`` wide at most.

    The lower bound goes first, then rules, then components that are the same in all plans, differences beside their shares, and the
    components after the first. How good a plan provably is stays, for that is what a table is shown for: where gaps and what is claimed
    have no room beside one another, what is proven here stands alone.
    """
    alike = [
        name
        for name in reversed(table.later)
        if len({row[table.titles.index(name)].text for row in table.rows}) == 1
    ]
    others = [name for name in reversed(table.later) if name not in alike]
    for titles in (["Lower bound"], [RULES], *([name] for name in alike)):
        if fits(table, width):
            return table
        table = _without(table, titles)
    if not fits(table, width) and not table.titles[-1]:
        table = _without_differences(table)
    for titles in ([name] for name in others):
        if fits(table, width):
            return table
        table = _without(table, titles)
    return table if fits(table, width) else _proven_alone(table)


def _proven_alone(table: Table) -> Table:
    """The table with one column for gaps and what is claimed: the gap that is proven here, or that none is."""
    if GAPS not in table.titles or CLAIMED not in table.titles:
        return table
    gap = table.titles.index(GAPS)
    titles = tuple(PROVEN_HERE if c == gap else name for c, name in enumerate(table.titles))
    rows = tuple(
        tuple(_alone(cell) if c == gap else cell for c, cell in enumerate(row)) for row in table.rows
    )
    return _without(replace(table, titles=titles, rows=rows), [CLAIMED])


def _alone(cell: Cell) -> Cell:
    """A gap below the title :data:`PROVEN_HERE`."""
    words = f"gap {cell.text}" if any(map(str.isdigit, cell.text)) else cell.text
    return replace(cell, text="nothing" if cell.text == DASH else words)


def _without(table: Table, titles: list[str]) -> Table:
    """The table without some columns."""
    kept = [c for c, name in enumerate(table.titles) if name not in titles]
    return replace(
        table,
        titles=tuple(table.titles[c] for c in kept),
        rows=tuple(tuple(row[c] for c in kept) for row in table.rows),
    )


def _without_differences(table: Table) -> Table:
    """The table with changes as shares alone, which stand in the column without a title; ``reference`` stays."""
    rows = tuple((*row[:-2], row[-1] if row[-1].text else row[-2]) for row in table.rows)
    return replace(table, titles=table.titles[:-1], rows=rows)


def wrapped(table: Table, width: float) -> list[Table]:
    """The table in parts that are ``width`` wide at most, one to stand below the other; each begins with the first column."""
    widths = _widths(table)
    first = min(widths[0], FIRST * width)
    # A column without a title goes on with the one before.
    parts: list[list[int]] = []
    for c in range(1, len(widths)):
        if table.titles[c] or not parts:
            parts.append([])
        parts[-1].append(c)
    groups: list[list[int]] = []
    used = width
    for part in parts:
        wide = sum(GAP + widths[c] for c in part)
        if used + wide > width:
            groups.append([0])
            used = first
        groups[-1] += part
        used += wide
    return [
        Table(
            tuple(table.titles[c] for c in group),
            tuple(tuple(row[c] for c in group) for row in table.rows),
        )
        for group in groups
    ]


def paint_table(painter: QPainter, box: QRectF, table: Table, theme: Theme) -> None:
    """The table at the top left of ``box``; the first column gives way where there is little room."""
    plain, bold, head = font(9.0), font(9.0, bold=True), font(8.0)
    widths = _widths(table)
    over = sum(widths) + GAP * (len(widths) - 1) - box.width()
    if over > 0:
        widths[0] = min(widths[0], max(60.0, widths[0] - over))
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
