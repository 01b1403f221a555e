"""The device strip: while ops are dragged in the flow view, one chip per device along the bottom to drop them on."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.consequence import Consequence
from gui.canvas.graph.palette import CanvasPalette
from gui.look.fonts import font, metrics
from gui.look.glyphs import GLYPH_SIZE, paint_glyph

SLOT_HEIGHT = 40.0
LOW_SLOT_HEIGHT = 30.0
"""From three rows on."""
LEAST_WIDTH = 104.0
GAP = 6.0
PAD = 8.0


def slot_rects(width: float, height: float, k: int) -> list[QRectF]:
    """Places of ``k`` chips along the bottom of a (width, height) widget, in as few rows as fit."""
    per_row = max(1, min(k, int((width - 2 * PAD + GAP) // (LEAST_WIDTH + GAP))))
    # On a small canvas chips become narrow before they cover more than half of it.
    while per_row < k and math.ceil(k / per_row) * (LOW_SLOT_HEIGHT + GAP) > height / 2:
        per_row += 1
    rows = math.ceil(k / per_row)
    per_row = math.ceil(k / rows)
    wide = min(190.0, (width - 2 * PAD - (per_row - 1) * GAP) / per_row)
    tall = SLOT_HEIGHT if rows <= 2 else LOW_SLOT_HEIGHT
    left = (width - per_row * wide - (per_row - 1) * GAP) / 2
    top = height - PAD - rows * tall - (rows - 1) * GAP
    return [
        QRectF(left + (i % per_row) * (wide + GAP), top + (i // per_row) * (tall + GAP), wide, tall)
        for i in range(k)
    ]


def strip_top(width: float, height: float, k: int) -> float:
    """Where the strip's plate begins."""
    return slot_rects(width, height, k)[0].top() - PAD


def paint_strip(
    painter: QPainter,
    width: float,
    height: float,
    titles: tuple[str, ...],
    consequences: list[Consequence],
    target: int,
    palette: CanvasPalette,
) -> None:
    """The strip with what a drop on each device would give (logical pixels); each says so itself, also where its neighbour says the same."""
    theme = palette.theme
    rects = slot_rects(width, height, len(titles))
    if not rects:
        return
    back = rects[0]
    for rect in rects[1:]:
        back = back.united(rect)
    back = back.adjusted(-PAD, -PAD, PAD, PAD)
    veil = QColor(theme.panel)
    veil.setAlphaF(0.94)
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.setBrush(veil)
    painter.drawRoundedRect(back, 8, 8)
    for d, (rect, said) in enumerate(zip(rects, consequences, strict=True)):
        colour = palette.devices[d]
        painter.setPen(
            QPen(
                QColor(theme.text if d == target else colour.accent if said.legal else theme.border),
                2 if d == target else 1,
            )
        )
        # Three grounds: allowed now, possible if others move too, impossible.
        ground = colour.band if said.legal else theme.card_disabled if said.possible else theme.track
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(rect, 5, 5)
        inner = rect.adjusted(8, 3, -8, -3)
        two = rect.height() >= 36
        painter.setFont(font(11, True))
        ink = theme.text if said.legal else theme.muted if said.possible else theme.faint
        painter.setPen(QColor(ink))
        top = QRectF(inner.left(), inner.top(), inner.width(), 16) if two else inner
        paint_glyph(
            painter,
            colour,
            top.left() + GLYPH_SIZE / 2,
            top.center().y(),
            fill="" if said.legal else ink,
        )
        named = top.adjusted(GLYPH_SIZE + 5, 0, 0, 0)
        room = named.width() if two else inner.width() * 0.5 - GLYPH_SIZE - 5
        title = titles[d]
        if (
            metrics(11, True).horizontalAdvance(title) > room
        ):  # the number says enough where all are of one kind
            title = title.rpartition(" ")[2]
        used = min(metrics(11, True).horizontalAdvance(title), room)
        title = metrics(11, True).elidedText(title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(named, int(Qt.AlignmentFlag.AlignVCenter), title)
        low = QRectF(inner.left(), inner.top() + 17, inner.width(), 16) if two else inner
        painter.setFont(font(11, False))
        painter.setPen(QColor(said.colour(theme)))
        words, space = metrics(11, False), low.width() - (0 if two else GLYPH_SIZE + 11 + used)
        shown = (said.short, said.brief, said.word)
        said_so = next((text for text in shown if words.horizontalAdvance(text) <= space), said.word)
        text = words.elidedText(said_so, Qt.TextElideMode.ElideRight, space)
        align = (
            Qt.AlignmentFlag.AlignVCenter
            if two
            else Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        )
        painter.drawText(low, int(align), text)
