"""Text on the canvas: op names, kinds and costs when cards are large enough to read."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.overview import paint_plates
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.viewport import Rect, Viewport
from gui.look.fonts import font, metrics
from planner.quantity import time_text

MOST_LABELS = 700


def short_name(name: str) -> str:
    """The last part of a scoped name: what tells an op from its neighbours."""
    tail = name.strip("/").rsplit("/", 1)[-1]
    return tail or name


def tab_width(palette: CanvasPalette) -> float:
    """How wide the tab with a device's number on filled cards is, in logical pixels; 0 where cards have none."""
    return (
        5.0 + 6.0 * len(str(len(palette.devices) - 1)) if palette.filled and len(palette.devices) > 1 else 0.0
    )


@lru_cache(maxsize=60_000)
def elided(text: str, pixels: int, bold: bool, width: int) -> str:
    """``text`` shortened to ``width`` pixels: whole, else its last parts that fit, else cut before its number.

    The end of a name (``conv2_block1_1_conv``) is what tells a card from its neighbours.
    """
    measure = metrics(pixels, bold)
    if measure.horizontalAdvance(text) <= width:
        return text
    starts = [m.end() for m in re.finditer(r"[_./:]", text)]
    for start in starts:
        tail = text[start:]
        if sum(c.isalpha() for c in tail) >= 2 and measure.horizontalAdvance(tail) <= width:
            return tail
    number = re.search(r"\d+$", text)
    if number is not None and number.start() > 0:  # of node101 and node102 the number says which
        room = width - measure.horizontalAdvance(number.group())
        head = measure.elidedText(text[: number.start()], Qt.TextElideMode.ElideRight, max(0, room))
        if head and measure.horizontalAdvance(head + number.group()) <= width:
            return head + number.group()
    return measure.elidedText(text, Qt.TextElideMode.ElideRight, width)


def paint_labels(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    detail: Detail,
    ratio: float,
    most: int = MOST_LABELS,
) -> None:
    """Labels for the level of detail; none where more than ``most`` cards would carry one (they would be tiny)."""
    if detail == Detail.OVERVIEW:
        paint_plates(painter, scene, viewport, palette, ratio)
        return
    shown = _visible(scene, viewport)
    if detail == Detail.BLOCKS:
        shown = shown[scene.items.size[shown] > 1]
        shown = shown[scene.h[shown] * viewport.scale >= 11 * ratio]
    if len(shown) == 0 or len(shown) > most:
        return
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
    if detail == Detail.CARDS:
        _paint_cards(painter, scene, viewport, palette, shown, ratio)
    else:
        _paint_names(painter, scene, viewport, palette, shown, ratio)


def _visible(scene: Scene, viewport: Viewport) -> np.ndarray:
    inside = scene.in_sight(viewport.visible())
    if scene.highlighted.any():
        inside &= scene.highlighted
    return np.flatnonzero(inside)


def _box(scene: Scene, viewport: Viewport, item: int) -> Rect:
    """Where a card is drawn, in device pixels."""
    x, y = viewport.to_pixels(float(scene.x[item]), float(scene.y[item]))
    return x, y, float(scene.w[item]) * viewport.scale, float(scene.h[item]) * viewport.scale


def _paint_names(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    shown: np.ndarray,
    ratio: float,
) -> None:
    card = STYLE.card_h * viewport.scale
    pixels = int(min(12 * ratio, max(7 * ratio, 0.62 * card)))
    painter.setFont(font(pixels, False))
    painter.setPen(QColor(palette.theme.text))
    left = max(6.0, tab_width(palette) + 3.0) * ratio
    names = scene.items.names
    for i in shown.tolist():
        x, y, w, h = _box(scene, viewport, i)
        room = int(w - left - 2 * ratio)
        if room < 14 * ratio:
            continue
        text = elided(short_name(names[i]), pixels, False, room)
        painter.drawText(QRectF(x + left, y, room + 2, h), int(Qt.AlignmentFlag.AlignVCenter), text)


def _paint_cards(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    shown: np.ndarray,
    ratio: float,
) -> None:
    theme = palette.theme
    zoom = min(1.5, max(0.8, viewport.scale / ratio))
    big, small = int(12 * zoom * ratio), int(10.5 * zoom * ratio)
    name_pen, kind_pen = QPen(QColor(theme.text)), QPen(QColor(theme.text if palette.filled else theme.muted))
    pad = 9.0 * zoom * ratio
    tab = max(0.0, tab_width(palette) - 5.0) * ratio
    graph, items = scene.items.graph, scene.items
    names, costs, kinds = [], [], []
    for i in shown.tolist():
        x, y, w, h = _box(scene, viewport, i)
        x, w = x + tab, w - tab
        room = w - 1.6 * pad
        mark = 14 * zoom * ratio if scene.pinned[i] else 0.0
        names.append(
            (
                QRectF(x + pad, y + 0.1 * h, room - mark, 0.44 * h),
                elided(short_name(items.names[i]), big, True, int(room - mark)),
            )
        )
        cost = time_text(float(scene.item_work[i]), graph.time_unit)
        wide = metrics(small, False).horizontalAdvance(cost)
        fits = int(max(0.0, room - wide - 6 * ratio))
        kind = f"{items.size[i]} ops" if items.size[i] > 1 else fitting_kind(scene, i, small, fits)
        low = QRectF(x + pad, y + 0.52 * h, room, 0.38 * h)
        kinds.append((low, elided(kind, small, False, fits)))
        costs.append((low, cost))
        if mark:
            _pin(painter, x + w - 0.9 * pad, y + 0.3 * h, 4.2 * zoom * ratio, QColor(theme.text))
    middle = int(Qt.AlignmentFlag.AlignVCenter)
    right = middle | int(Qt.AlignmentFlag.AlignRight)
    painter.setFont(font(big, True))
    painter.setPen(name_pen)
    for rect, text in names:
        painter.drawText(rect, middle, text)
    painter.setFont(font(small, False))
    painter.setPen(kind_pen)
    for rect, text in kinds:
        painter.drawText(rect, middle, text)
    for rect, text in costs:
        painter.drawText(rect, right, text)


def fitting_kind(scene: Scene, item: int, pixels: int, width: int) -> str:
    """:func:`kind_text` where it fits, else the kind alone: a shape that is cut short would be a wrong number.

    Empty where the name says the kind already.
    """
    text = kind_text(scene, item)
    if metrics(pixels, False).horizontalAdvance(text) <= width:
        return text
    graph, v = scene.items.graph, int(scene.items.first[item])
    return "" if _names_its_kind(scene, v) else graph.kinds[v]


def _names_its_kind(scene: Scene, op: int) -> bool:
    graph = scene.items.graph
    return short_name(graph.op_names[op]).lower().startswith(graph.kinds[op].lower())


def kind_text(scene: Scene, item: int) -> str:
    """An op's kind and the shape of its first output; the kind is left out where the name says it already."""
    graph, v = scene.items.graph, int(scene.items.first[item])
    ptr, idx = graph.outputs
    shape = graph.tensor_shapes[idx[ptr[v]]] if ptr[v + 1] > ptr[v] else None
    sizes = "\u00d7".join(map(str, shape[1:] if shape and len(shape) > 1 else shape or ()))
    if sizes and _names_its_kind(scene, v):
        return sizes
    return f"{graph.kinds[v]} {sizes}".strip()


def _pin(painter: QPainter, x: float, y: float, size: float, colour: QColor) -> None:
    """A small map pin whose head is centred on (x, y)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QPen(colour, max(1.0, 0.3 * size)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QRectF(x - 0.6 * size, y - 0.9 * size, 1.2 * size, 1.2 * size))
    painter.drawLine(QPointF(x, y + 0.3 * size), QPointF(x, y + 1.3 * size))
    painter.restore()
