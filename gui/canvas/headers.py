"""The lane headers: a margin at the left of the lanes view that names each device and shows what it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.fonts import font, metrics
from gui.canvas.palette import CanvasPalette
from gui.canvas.scene import Scene
from gui.canvas.viewport import Viewport
from gui.theme import mix
from gui.widgets.glyphs import GLYPH_SIZE, paint_glyph
from gui.widgets.numbers import TimeColumn, time_column
from planner.quantity import bytes_text
from planner.targets.base import Device

HEADER_WIDTH = 160
"""Logical pixels."""

PARTS = ("receive", "work", "streaming", "send")


@dataclass(frozen=True, eq=False)
class HeaderData:
    """What the headers show, per device: titles, costs in parts and bytes in and out."""

    titles: tuple[str, ...]
    names: tuple[str, ...]
    cost: np.ndarray
    parts: np.ndarray
    received: np.ndarray
    sent: np.ndarray
    bottleneck: int
    column: TimeColumn


def header_data(
    scene: Scene, devices: tuple[Device, ...], crossing: tuple[np.ndarray, np.ndarray]
) -> HeaderData | None:
    """From the scene's evaluation; None before there is one."""
    e = scene.evaluation
    if e is None or len(e.cost) != len(devices):
        return None
    parts = np.stack([e.receive, e.work, e.streaming, e.send])
    column = time_column(e.cost, scene.items.graph.time_unit)
    titles, names = tuple(d.title for d in devices), tuple(d.name for d in devices)
    return HeaderData(titles, names, e.cost, parts, crossing[0], crossing[1], e.bottleneck, column)


def lane_extents(scene: Scene, viewport: Viewport) -> list[tuple[float, float]]:
    """Top and bottom of each lane in device pixels."""
    out = []
    for lane in scene.layout.lanes:
        _, y, _, h = lane.band
        out.append((y * viewport.scale + viewport.oy, (y + h) * viewport.scale + viewport.oy))
    return out


def paint_headers(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    data: HeaderData | None,
    ratio: float,
) -> None:
    """All headers that are in sight. What fits depends on the lane's height: title and cost, then bar, then traffic."""
    if not scene.layout.lanes:
        return
    theme = palette.theme
    width = HEADER_WIDTH * ratio
    painter.fillRect(QRectF(0, 0, width, viewport.height), QColor(theme.canvas))
    for d, (top, bottom) in enumerate(lane_extents(scene, viewport)):
        if bottom < 0 or top > viewport.height:
            continue
        _paint_header(painter, QRectF(0, top, width, bottom - top), d, viewport, palette, data, ratio)
    painter.setPen(QPen(QColor(theme.border), ratio))
    painter.drawLine(int(width), 0, int(width), viewport.height)


def _paint_header(
    painter: QPainter,
    box: QRectF,
    d: int,
    viewport: Viewport,
    palette: CanvasPalette,
    data: HeaderData | None,
    ratio: float,
) -> None:
    theme, colour = palette.theme, palette.devices[d]
    painter.fillRect(box, QColor(colour.band))
    painter.fillRect(QRectF(0, box.top(), 4 * ratio, box.height()), QColor(colour.accent))
    if data is None or box.height() < 9 * ratio:
        return
    # The text stays in sight while the lane is scrolled.
    top, bottom = max(box.top(), 0.0), min(box.bottom(), float(viewport.height))
    free = bottom - top
    line = 15 * ratio
    hot = d == data.bottleneck
    rows = 1 + (free >= 30 * ratio) + (free >= 48 * ratio) + (free >= 64 * ratio)
    block = (line if rows == 1 else line + (rows - 1) * 14 * ratio) + 2 * ratio
    y = top + max(0.0, (free - block) / 2)
    x, w = 11 * ratio, box.width() - 19 * ratio
    size = int(min(12.0, free / ratio - 1) * ratio)
    painter.setPen(QColor(theme.bad if hot else theme.text))
    painter.setFont(font(size, True))
    cost = data.column.text(float(data.cost[d]))
    wide = metrics(size, True).horizontalAdvance(cost)
    rect = QRectF(x, y, w, min(line, free))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), cost)
    painter.setFont(font(size, False))
    painter.setPen(QColor(theme.text))
    mark = min(GLYPH_SIZE * ratio, 0.8 * size)
    paint_glyph(painter, colour, x + mark / 2, rect.center().y(), mark)
    rect.setLeft(x + mark + 4 * ratio)
    room = rect.width() - wide - 6 * ratio
    title = (
        data.titles[d] if metrics(size, False).horizontalAdvance(data.titles[d]) <= room else data.names[d]
    )
    title = metrics(size, False).elidedText(title, Qt.TextElideMode.ElideRight, room)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), title)
    if rows >= 2:
        y += line + 3 * ratio
        _paint_bar(painter, QRectF(x, y, w, 6 * ratio), d, palette, data)
        y += 9 * ratio
    if rows >= 3:
        painter.setFont(font(int(10 * ratio), False))
        painter.setPen(QColor(theme.muted))
        lines = [f"in {bytes_text(float(data.received[d]))}", f"out {bytes_text(float(data.sent[d]))}"]
        for text in lines if rows >= 4 else ["  ".join(lines)]:
            shown = metrics(int(10 * ratio), False).elidedText(text, Qt.TextElideMode.ElideRight, w)
            painter.drawText(QRectF(x, y, w, 13 * ratio), int(Qt.AlignmentFlag.AlignVCenter), shown)
            y += 13 * ratio


def _paint_bar(painter: QPainter, box: QRectF, d: int, palette: CanvasPalette, data: HeaderData) -> None:
    """Receive, work, streaming and send on the scale of the worst device."""
    theme, colour = palette.theme, palette.devices[d]
    painter.fillRect(box, QColor(mix(colour.band, theme.text, 0.08)))
    worst = float(data.parts.sum(axis=0).max())
    if worst <= 0:
        return
    x = box.left()
    shades = (colour.soft, colour.accent, theme.bad, colour.soft)
    for value, shade in zip(data.parts[:, d], shades, strict=True):
        wide = box.width() * float(value) / worst
        painter.fillRect(QRectF(x, box.top(), wide, box.height()), QColor(shade))
        x += wide
