"""Paints a Sankey: bars in the colours of their devices, ribbons in that of their source, labels that never overlap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap

from gui.look.glyphs import paint_glyph
from gui.look.theme import DeviceColour, Theme, font, ink_on, mix, numbered_colours
from gui.look.writing import LEFT, write
from gui.panels.comparison.names import plan_title
from gui.panels.comparison.sankey_layout import LEAST_WIDTH, SankeyLayout, spread
from gui.panels.comparison.sankey_words import FOOT, HEAD, Sankey
from planner.lifetime import while_it_lives

BAR = 9.0
"""Pixels that a device's bar is wide."""
LEADER = 12.0
"""Pixels between bars and labels, for the lines that join them where a label had to give way."""
LEAST_LABEL = 62.0
INSIDE, CLEAR = 6.0, 1.0
"""Pixels between a bar and the figure in a ribbon, and at least between the figure and the ribbon's edges."""
LINE, LOW_LINE = 16.0, 12.5
"""Heights of a label, and of one where there are many."""
STAYS, MOVES, LIT, FADED = 0.24, 0.74, 0.85, 0.2
"""Opacity of ribbons whose ops stay, whose ops move, that are looked at or selected; and what all fade to meanwhile."""


@dataclass
class SankeyMarks:
    """What stands out: the ribbon under the pointer and the keyboard's (-1 = none), a bar (side, row), selected ribbons."""

    hovered: int = -1
    cursor: int = -1
    bar: tuple[int, int] = (-1, -1)
    selected: np.ndarray | None = None

    @property
    def looking(self) -> bool:
        """Whether something is looked at."""
        return self.hovered >= 0 or self.cursor >= 0 or self.bar[0] >= 0


def labelled_height(sankey: Sankey) -> float:
    """Pixels that a picture is high at least in which every device has its label."""
    return HEAD + LOW_LINE * len(sankey.layout.order) + sankey.foot


def columns(sankey: Sankey, width: float) -> tuple[float, float]:
    """Where ribbons begin and end (x, pixels) in a picture so wide: labels have what they need, within limits."""
    room = min(max(LEAST_LABEL, _widest(sankey)), max(LEAST_LABEL, 0.27 * width))
    return room + LEADER + BAR, width - room - LEADER - BAR


@while_it_lives
def _widest(sankey: Sankey) -> float:
    """How much room the longest label takes (pixels), with its glyph and margins."""
    names, values = QFontMetricsF(font(8.5)), QFontMetricsF(font(8.0))
    widest = 0.0
    for side, amounts in enumerate((sankey.layout.left_value, sankey.layout.right_value)):
        for row in sankey.layout.order.tolist():
            title = sankey.title(side, row)
            value = sankey.column.text(float(amounts[row]))
            widest = max(widest, names.horizontalAdvance(title) + values.horizontalAdvance(value))
    return widest + 44.0


def paint_sankey(
    painter: QPainter,
    sankey: Sankey,
    width: float,
    height: float,
    theme: Theme,
    marks: SankeyMarks | None = None,
    ribbons: QPixmap | None = None,
) -> None:
    """Everything in a box of ``width`` x ``height`` pixels from (0, 0). ``ribbons``: what :func:`paint_ribbons` painted before."""
    marks = marks or SankeyMarks()
    layout = sankey.layout
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colours = numbered_colours(sankey.comparison.numbers, theme)
    x0, x1 = columns(sankey, width)
    lit = _lit(layout, marks)
    painter.setOpacity(FADED if marks.looking else 1.0)
    if ribbons is None:
        paint_ribbons(painter, sankey, width, theme, marks.selected)
    else:
        painter.drawPixmap(0, 0, ribbons)
    painter.setOpacity(1.0)
    if not marks.looking:
        _figures(painter, sankey, x0, x1, colours, theme)
    for ribbon in np.flatnonzero(lit).tolist():
        _ribbon(painter, layout, ribbon, x0, x1, colours, theme, LIT)
    for ribbon, pen in (
        (marks.hovered, QPen(QColor(theme.text), 1.4)),
        (marks.cursor, QPen(QColor(theme.focus), 2.4)),
    ):
        if ribbon >= 0:
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(ribbon_path(layout, ribbon, x0, x1))
    for side in (0, 1):
        _bars(painter, layout, side, x0, x1, colours)
        _gaps(painter, sankey, side, x0, x1, theme)
        _labels(painter, sankey, side, width, height - sankey.foot, theme, colours, marks, lit)
    _heads(painter, sankey, width, theme)
    _foot(painter, sankey, width, height, theme)


def paint_ribbons(
    painter: QPainter, sankey: Sankey, width: float, theme: Theme, selected: np.ndarray | None = None
) -> None:
    """All ribbons; ``selected`` (bool[b]) are outlined. Hundreds of wide curves: worth keeping while the pointer moves."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    layout = sankey.layout
    colours = numbered_colours(sankey.comparison.numbers, theme)
    x0, x1 = columns(sankey, width)
    stays = layout.left == layout.right
    # Thick ones that stay lie below thin ones that move.
    for ribbon in np.lexsort((-layout.width, ~stays)).tolist():
        chosen = selected is not None and bool(selected[ribbon])
        opacity = LIT if chosen else STAYS if stays[ribbon] else MOVES
        _ribbon(painter, layout, ribbon, x0, x1, colours, theme, opacity, chosen)


def _lit(layout: SankeyLayout, marks: SankeyMarks) -> np.ndarray:
    """The ribbons that are looked at (bool[b])."""
    lit = np.zeros(layout.count, bool)
    for ribbon in (marks.hovered, marks.cursor):
        if ribbon >= 0:
            lit[ribbon] = True
    side, row = marks.bar
    if side >= 0:
        lit |= (layout.right if side else layout.left) == row
    return lit


def ribbon_path(layout: SankeyLayout, ribbon: int, x0: float, x1: float) -> QPainterPath:
    """The outline of a ribbon: two level curves, at least a pixel apart."""
    width = float(layout.width[ribbon])
    drawn = max(width, LEAST_WIDTH)
    a = float(layout.left_y[ribbon]) + (width - drawn) / 2
    b = float(layout.right_y[ribbon]) + (width - drawn) / 2
    middle = (x0 + x1) / 2
    path = QPainterPath(QPointF(x0, a))
    path.cubicTo(middle, a, middle, b, x1, b)
    path.lineTo(x1, b + drawn)
    path.cubicTo(middle, b + drawn, middle, a + drawn, x0, a + drawn)
    path.closeSubpath()
    return path


def _ribbon(
    painter: QPainter, layout: SankeyLayout, ribbon: int, x0: float, x1: float, colours: tuple[DeviceColour, ...],
    theme: Theme, opacity: float, outlined: bool = False,
) -> None:  # fmt: skip
    colour = QColor(colours[int(layout.left[ribbon])].accent)
    colour.setAlphaF(opacity)
    painter.setBrush(colour)
    painter.setPen(QPen(QColor(theme.text), 1.2) if outlined else Qt.PenStyle.NoPen)
    painter.drawPath(ribbon_path(layout, ribbon, x0, x1))


def _figures(
    painter: QPainter, sankey: Sankey, x0: float, x1: float, colours: tuple[DeviceColour, ...], theme: Theme
) -> None:  # fmt: skip
    """How much each ribbon carries that is thick enough for a figure, at its left end, where ribbons lie side by side."""
    layout, face = sankey.layout, font(8.0)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    digits = metrics.capHeight()
    for ribbon in np.flatnonzero(layout.width >= digits + 2 * CLEAR).tolist():
        words = sankey.column.text(float(layout.value[ribbon]))
        wide = metrics.horizontalAdvance(words) + 2
        if wide + 2 * INSIDE > (x1 - x0) / 2:
            continue
        source = int(layout.left[ribbon])
        stays = source == int(layout.right[ribbon])
        ground = mix(theme.panel, colours[source].accent, STAYS if stays else MOVES)
        painter.setPen(QColor(ink_on(ground, theme)))
        # Digits have nothing below their line: centred as letters are, they would touch the upper edge.
        line = float(layout.left_y[ribbon]) + (float(layout.width[ribbon]) + digits) / 2
        place = QRectF(x0 + INSIDE, line - metrics.ascent(), wide, metrics.height())
        painter.drawText(place, int(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft), words)


def _bars(
    painter: QPainter,
    layout: SankeyLayout,
    side: int,
    x0: float,
    x1: float,
    colours: tuple[DeviceColour, ...],
) -> None:
    tops, heights = (layout.right_top, layout.right_height) if side else (layout.left_top, layout.left_height)
    counts = layout.right_ops if side else layout.left_ops
    x = x1 if side else x0 - BAR
    painter.setPen(Qt.PenStyle.NoPen)
    for row in layout.order.tolist():
        if counts[row]:
            painter.setBrush(QColor(colours[row].accent))
            high = max(float(heights[row]), LEAST_WIDTH)
            painter.drawRect(QRectF(x, float(tops[row]), BAR, high))


def _gaps(painter: QPainter, sankey: Sankey, side: int, x0: float, x1: float, theme: Theme) -> None:
    """Where the other plan has a device that this one has no counterpart of: an empty bar that faces it."""
    layout = sankey.layout
    tops, heights = (layout.left_top, layout.left_height) if side else (layout.right_top, layout.right_height)
    painter.setPen(QPen(QColor(theme.muted), 1.0, Qt.PenStyle.DotLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for row in layout.order.tolist():
        if sankey.absent(side, row):
            x = x1 if side else x0 - BAR
            painter.drawRect(QRectF(x, float(tops[row]), BAR, max(float(heights[row]), LEAST_WIDTH)))


def bar_rect(sankey: Sankey, side: int, row: int, width: float) -> QRectF:
    """Where a device's bar lies, with its label's column; for pointing."""
    layout = sankey.layout
    x0, x1 = columns(sankey, width)
    top = float((layout.right_top if side else layout.left_top)[row])
    high = max(float((layout.right_height if side else layout.left_height)[row]), 3.0)
    return QRectF(x1, top, width - x1, high) if side else QRectF(0.0, top, x0, high)


def _labels(
    painter: QPainter, sankey: Sankey, side: int, width: float, height: float, theme: Theme,
    colours: tuple[DeviceColour, ...], marks: SankeyMarks, lit: np.ndarray,
) -> None:  # fmt: skip
    layout = sankey.layout
    counts = layout.right_ops if side else layout.left_ops
    absent = np.array([sankey.absent(side, row) for row in range(len(counts))], bool)
    rows = layout.order[(counts > 0)[layout.order] | absent[layout.order]]
    if not len(rows):
        return
    # What this plan has no counterpart of is said where the other plan has it.
    own = np.where(absent, 1 - side, side)[rows]
    tops = np.where(own, layout.right_top[rows], layout.left_top[rows])
    heights = np.where(own, layout.right_height[rows], layout.left_height[rows])
    ends = layout.right if side else layout.left
    size = LINE if len(rows) * LINE <= height - HEAD - 4 else LOW_LINE
    moved = np.array(
        [layout.ops[(ends == row) & (layout.left != layout.right)].sum() for row in rows.tolist()]
    )
    looked = np.array([lit[ends == row].any() for row in rows.tolist()])
    importance = counts[rows] + 2.0 * moved + 1e9 * looked
    shown, places = spread(tops + heights / 2, size, HEAD, height, importance)
    x0, x1 = columns(sankey, width)
    edge = x1 + BAR if side else x0 - BAR
    out = 1.0 if side else -1.0
    small = size < LINE
    name_font, value_font = font(7.5 if small else 8.5), font(7.0 if small else 8.0)
    names, values = QFontMetricsF(name_font), QFontMetricsF(value_font)
    room = (width - edge if side else edge) - LEADER - 6
    amounts = layout.right_value if side else layout.left_value
    for at, y in zip(shown.tolist(), places.tolist(), strict=True):
        row = int(rows[at])
        faded = marks.looking and not looked[at]
        ink = QColor(theme.faint if faded else theme.text)
        centre = float(tops[at] + heights[at] / 2)
        if abs(centre - y) > 0.75 * size and abs(centre - y) > float(heights[at]) / 2:
            painter.setPen(QPen(QColor(theme.faint), 0.8))
            painter.drawLine(QPointF(edge + out, centre), QPointF(edge + out * (LEADER - 1), y))
        glyph = 6.5 if small else 8.0
        x = edge + out * (LEADER + glyph / 2)
        left = glyph + 5
        value = "" if absent[row] else sankey.column.text(float(amounts[row]))
        wide = values.horizontalAdvance(value) + 8
        title = sankey.title(side, row)
        if absent[row]:
            title, ink = f"not in {sankey.comparison.letter(sankey.pair[1 - side])}", QColor(theme.muted)
        else:
            paint_glyph(painter, colours[row], x, y, glyph, theme.faint if faded else "")
        if names.horizontalAdvance(title) + wide > room - left and not absent[row]:
            title = sankey.title(side, row, short=True)
        if names.horizontalAdvance(title) + wide > room - left:
            value = ""
        title = names.elidedText(title, Qt.TextElideMode.ElideMiddle, max(0.0, room - left))
        long = names.horizontalAdvance(title) + 1
        flag = int(
            Qt.AlignmentFlag.AlignVCenter
            | (Qt.AlignmentFlag.AlignLeft if side else Qt.AlignmentFlag.AlignRight)
        )
        start = edge + out * (LEADER + left)
        painter.setFont(name_font)
        painter.setPen(ink)
        painter.drawText(QRectF(start if side else start - long, y - size / 2, long, size), flag, title)
        if value:
            start += out * (long + 7)
            painter.setFont(value_font)
            painter.setPen(QColor(theme.faint if faded else theme.muted))
            painter.drawText(QRectF(start if side else start - wide, y - size / 2, wide, size), flag, value)


def _heads(painter: QPainter, sankey: Sankey, width: float, theme: Theme) -> None:
    """The names of the plans over their sides."""
    face = font(9.0, bold=True)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    painter.setPen(QColor(theme.text))
    half = width / 2 - 20
    titles = [plan_title(sankey.comparison, sankey.pair[1 - side]) for side in (0, 1)]
    free = [half - metrics.horizontalAdvance(title) - 1 for title in titles]
    for side, align in ((0, Qt.AlignmentFlag.AlignLeft), (1, Qt.AlignmentFlag.AlignRight)):
        room = half + max(0.0, free[1 - side])  # what the other leaves of its half
        shown = metrics.elidedText(titles[side], Qt.TextElideMode.ElideRight, room)
        box = QRectF(12 if side == 0 else width - 12 - room, 0, room, HEAD - 4)
        painter.drawText(box, int(align | Qt.AlignmentFlag.AlignVCenter), shown)


def _foot(painter: QPainter, sankey: Sankey, width: float, height: float, theme: Theme) -> None:
    """What figures and pale ribbons are, and below that how devices are matched that are not equally many, or called otherwise, as much of it as
    has room."""
    face = font(8.0)
    measure, room = QFontMetricsF(face).horizontalAdvance, width - 24
    matched = next((words for words in sankey.matching_words if measure(words) <= room), "")
    matched = matched or next(reversed(sankey.matching_words), "")
    lines = [words for words in (matched, sankey.key_words) if words]
    for i, words in enumerate(lines, 1):
        write(painter, QRectF(12, height - i * FOOT, room, FOOT - 2), LEFT, words, face, theme.muted)
