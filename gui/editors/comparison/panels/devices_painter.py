"""Paints devices' costs and how they differ: bars of parts, and bars around zero whose side and pattern say the sign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.editors.comparison.panels.devices_table import AMOUNT, CHANGE, NAME, DeviceColumn, DeviceTable
from gui.look.glyphs import paint_glyph
from gui.look.numbers import plural
from gui.look.theme import DeviceColour, Theme, font, numbered_colours
from gui.look.writing import ENDS, LEFT, RIGHT, write
from gui.panels.comparison.names import short_title
from gui.widgets.bar_key import APART, key_width, paint_key
from gui.widgets.bar_key import HEIGHT as KEY_HEIGHT
from gui.widgets.bars import cost_parts, paint_change_bar, paint_parts, paint_track

MARK = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"
"""Stands before the amount of a plan's bottleneck."""
MOST_NAME, LEAST_NAME, MOST_BAR, LEAST_BAR = 230.0, 110.0, 170.0, 16.0
"""Pixels for the names of devices, and for bars, in a picture."""
HEAD, MOST_ROW, LEAST_ROW = 22.0, 30.0, 14.0
"""Pixels of the header and of a row in a picture."""
MARKED = 16
"""Pixels that the mark before a device's name takes."""
BARRED = 22.0
"""From this height on a row has bars."""
LETTERS, TITLES = 9.0, 8.0
"""Points of rows that are not low, and of titles of columns."""
WIDE, CLOSE, GOOD_BAR = 18.0, 10.0, 40.0
"""Pixels between columns, where there is room and where there is little, and of bars where there is room."""


def paint_amount(
    painter: QPainter,
    box: QRectF,
    table: DeviceTable,
    column: DeviceColumn,
    row: int,
    theme: Theme,
    size: float = 9.0,
) -> None:
    """An amount, above a bar where there is room for one; the bottleneck's is marked."""
    hot = table.is_hot(column, row)
    text = f"{MARK} {column.texts[row]}" if hot else column.texts[row]
    missing = bool(np.isnan(column.values[row]))
    barred = box.height() >= BARRED and not missing and column.part != "ops"
    painter.setFont(font(size, bold=hot))
    painter.setPen(QColor(theme.muted if missing else theme.slow if hot else theme.text))
    painter.drawText(box.adjusted(0, 0, 0, -7 if barred else 0), RIGHT, text)
    if not barred:
        return
    bar = QRectF(box.left(), box.bottom() - 7, box.width(), 4)
    paint_track(painter, bar, theme, 2)
    colour = numbered_colours(table.comparison.numbers, theme)[row]
    if column.part == "cost":
        receive, work, streaming, send = np.nan_to_num(table.parts[column.plan][:, row]).tolist()
        paint_parts(
            painter, bar, cost_parts(receive, work, streaming, send, colour, theme.slow), table.full, 0.8
        )
    elif column.most > 0:
        width = bar.width() * float(column.values[row]) / column.most
        painter.setBrush(QColor(colour.accent))
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), width, bar.height()), 2, 2)


def paint_change(
    painter: QPainter, box: QRectF, column: DeviceColumn, row: int, theme: Theme, size: float = 9.0
) -> None:
    """A bar that leaves zero to the left for less and, hatched, to the right for more; the signed number beside it."""
    value, text = float(column.values[row]), column.texts[row]
    face = font(size)
    wide = max((QFontMetricsF(face).horizontalAdvance(t) for t in column.texts), default=0.0) + 6
    track = QRectF(box.left(), box.top(), max(0.0, box.width() - wide), box.height())
    neutral = column.part == "ops"
    tone = theme.muted if np.isnan(value) or value == 0 else theme.text if neutral else theme.bad if value > 0 else theme.good  # fmt: skip
    painter.setFont(face)
    painter.setPen(QColor(tone))
    painter.drawText(box, RIGHT, text)
    if track.width() < 16:
        return
    high = min(10.0, 0.5 * track.height())
    bar = QRectF(track.left(), track.center().y() - high / 2, track.width(), high)
    share = value / column.most if column.most > 0 else 0.0
    paint_change_bar(painter, bar, share, theme.muted if neutral else tone, theme.faint, hatched=True)


def paint_name(
    painter: QPainter, box: QRectF, text: str, colour: DeviceColour, theme: Theme, size: float = 9.0
) -> None:
    """A device's glyph and name."""
    paint_glyph(painter, colour, box.left() + 6, box.center().y(), min(8.0, 0.6 * box.height()))
    face = font(size)
    room = box.adjusted(MARKED, 0, 0, 0)
    write(painter, room, LEFT, text, face, theme.text, ENDS)


def picture_columns(table: DeviceTable, details: bool) -> list[DeviceColumn]:
    """What a picture shows of a table: amounts and, of two plans, differences; with ``details`` parts and ops, too."""
    every = len(table.comparison.plans) > 2
    shown = []
    for column in table.columns:
        main = column.part in ("cost", "memory")
        if column.kind == NAME or (main and not (every and column.kind == CHANGE)) or (details and not every):
            shown.append(column)
    return shown


def whole_width(table: DeviceTable, columns: Sequence[DeviceColumn]) -> float:
    """Pixels in which all of some columns stand in a picture, nothing of them cut and bars as long as they should be at least."""
    face, head = QFontMetricsF(font(LETTERS, bold=True)), QFontMetricsF(font(TITLES))
    bars = sum(column.kind == CHANGE for column in columns) or len(columns) - 1
    needed = sum(_needed(column, face, head, math.inf) for column in columns)
    return needed + WIDE * (len(columns) - 1) + GOOD_BAR * bars


def _needed(column: DeviceColumn, face: QFontMetricsF, head: QFontMetricsF, most: float = MOST_NAME) -> float:
    """How wide a column is without bars, one of names at ``most``."""
    texts = max((face.horizontalAdvance(text) for text in column.texts), default=0.0)
    wanted = max(texts + (18 if column.kind == NAME else 14), head.horizontalAdvance(column.title))
    return min(wanted, most) if column.kind == NAME else wanted


def _readable(
    table: DeviceTable, columns: list[DeviceColumn], face: QFontMetricsF, head: QFontMetricsF, room: float
) -> tuple[list[DeviceColumn], list[float], float]:
    """:func:`_fitted`, with short names of devices where their titles would be cut."""
    comparison = table.comparison
    brief = tuple(short_title(comparison, row) for row in range(len(comparison.rows)))
    short = [replace(column, texts=brief) if column.kind == NAME else column for column in columns]
    one, other = (
        _fitted(table, names, [_needed(column, face, head) for column in names], room)
        for names in (columns, short)
    )
    wanted = _needed(columns[0], face, head, math.inf)
    return one if one[1][0] >= wanted and len(one[0]) == len(columns) else other


def _fitted(
    table: DeviceTable, columns: list[DeviceColumn], needed: list[float], room: float
) -> tuple[list[DeviceColumn], list[float], float]:
    """Columns, their widths and the gap between them, in ``room`` pixels.

    Where there is little room bars give way, then names are elided, then what matters least is left out.
    """

    def importance(column: DeviceColumn) -> tuple[bool, bool, bool]:
        return column.kind == NAME, column.part == table.hot_part, column.part in ("cost", "memory")

    columns, needed = list(columns), list(needed)
    while True:
        # Bars get what is left: those of differences, or of amounts where there are no differences.
        bars = [c for c, column in enumerate(columns) if column.kind == CHANGE] or list(
            range(1, len(columns))
        )
        for gap, least in ((WIDE, GOOD_BAR), (CLOSE, LEAST_BAR)):
            widths = list(needed)
            free = room - sum(widths) - gap * (len(widths) - 1)
            if free >= least * len(bars):
                break
        if free < 0.0:  # no bars are worth the end of a name, which is worth less than a column
            widths[0] = max(min(needed[0], LEAST_NAME), needed[0] + free)
            free = min(0.0, room - sum(widths) - gap * (len(widths) - 1))
        each = free / max(1, len(bars))
        if each >= -1e-6 or len(columns) < 3:
            return (
                columns,
                [w + (min(MOST_BAR, max(0.0, each)) if c in bars else 0.0) for c, w in enumerate(widths)],
                gap,
            )
        last = min(
            range(1, len(columns)), key=lambda c: (importance(columns[c]), columns[c].kind == CHANGE, -c)
        )
        del columns[last], needed[last]


def rows_fitting(table: DeviceTable, height: float, most: float = MOST_ROW) -> tuple[np.ndarray, float]:
    """The rows that fit into a picture so high, and their height, ``most`` at most: all, or those that change most."""
    count = len(table.comparison.rows)
    room = height - HEAD
    each = min(most, max(LEAST_ROW, room / max(1, count)))
    fits = max(1, int(room / each + 1e-6))
    if fits >= count:
        return np.arange(count), each
    change = table.find(CHANGE, table.hot_part)
    assert change is not None
    size = np.nan_to_num(np.abs(change.values), nan=np.inf)
    return np.sort(np.argsort(-size, kind="stable")[: max(1, fits - 1)]), each


def explained(table: DeviceTable, columns: Sequence[DeviceColumn]) -> float:
    """Pixels below some columns in which their bars are explained, where any have such."""
    return KEY_HEIGHT if table.scale_words(columns) else 0.0


def paint_devices(
    painter: QPainter, box: QRectF, table: DeviceTable, theme: Theme, details: bool = False,
    columns: Sequence[DeviceColumn] = (), most: float = MOST_ROW,
) -> None:  # fmt: skip
    """The table in ``box``, below it what the parts of its bars are. Where rows have no room those that change least are left out, and counted.

    ``columns``: these alone; ``most``: pixels of a row where there is room.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    columns = list(columns) or picture_columns(table, details)
    key = explained(table, columns)
    rows, each = rows_fitting(table, box.height() - key, most)
    if each < BARRED:
        key = 0.0
        rows, each = rows_fitting(table, box.height())
    size = LETTERS if each >= 18 else 8.0
    face, head = QFontMetricsF(font(size, bold=True)), font(TITLES)
    colours = numbered_colours(table.comparison.numbers, theme)
    columns, widths, gap = _readable(table, columns, face, QFontMetricsF(head), box.width())
    x = box.left()
    for column, width in zip(columns, widths, strict=True):
        painter.setFont(head)
        painter.setPen(QColor(theme.muted))
        flags = LEFT if column.kind == NAME else RIGHT
        painter.drawText(QRectF(x, box.top(), width, HEAD - 2), flags, column.title)
        for place, row in enumerate(rows.tolist()):
            cell = QRectF(x, box.top() + HEAD + place * each, width, each)
            if column.kind == NAME:
                paint_name(painter, cell, column.texts[row], colours[row], theme, size)
            elif column.kind == AMOUNT:
                paint_amount(painter, cell, table, column, row, theme, size)
            else:
                paint_change(painter, cell, column, row, theme, size)
        x += width + gap
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(
        QPointF(box.left(), box.top() + HEAD - 1), QPointF(min(x - gap, box.right()), box.top() + HEAD - 1)
    )
    left_out = len(table.comparison.rows) - len(rows)
    if left_out:
        painter.setFont(font(8.0))
        painter.setPen(QColor(theme.muted))
        line = QRectF(box.left(), box.top() + HEAD + len(rows) * each, box.width(), each)
        painter.drawText(line, LEFT, f"and {plural(left_out, 'device')} that change less")
    if key:
        below = box.top() + HEAD + (len(rows) + bool(left_out)) * each
        _paint_scale(painter, QRectF(box.left(), below, box.width(), key), table, columns, theme)
    painter.restore()


def _paint_scale(
    painter: QPainter, line: QRectF, table: DeviceTable, columns: Sequence[DeviceColumn], theme: Theme
) -> None:
    """What the parts of bars of costs are, and what whole bars stand for where that has room, too."""
    face, words = font(8.0), table.scale_words(columns)
    kinds = table.kinds if any(column.part == "cost" for column in columns) else ()
    paint_key(painter, line, kinds, theme, face)
    beside = line.adjusted(key_width(kinds, face) + APART if kinds else 0.0, 0, 0, 0)
    if QFontMetricsF(face).horizontalAdvance(words) <= beside.width():
        write(painter, beside, LEFT, words, face, theme.muted)
