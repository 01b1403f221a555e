"""What draws until the raster engine's kernels are compiled: Qt's painter, on the same pixels, from the same arguments.

Slower by far and not alike to the pixel; it is seen on the first start on a machine, for less than a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF

from gui.raster import paths
from gui.raster.arguments import Image
from planner.compiling.kernel import interpreting

TINY_PX = 3.0
"""Boxes below this have no border and no corners to round."""

OPAQUE = 255
"""The alpha of a body that hides the plate below it, whose rim is then the border: without a seam."""


def _image(img: Image) -> QImage:
    height, width = img.shape
    return QImage(img.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)


@contextmanager
def _painting(img: Image, c0: int, c1: int, c2: int, c3: int) -> Iterator[QPainter]:
    """A painter on the pixels, clipped; helpers of the kernels that it is handed are interpreted."""
    image = _image(img)
    painter = QPainter(image)
    painter.setClipRect(QRect(c0, c1, c2 - c0, c3 - c1))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        with interpreting():
            yield painter
    finally:
        painter.end()


def _of(values: np.ndarray, i: int) -> Any:
    """The value of an item: of its own, or the one of all."""
    return values[i if values.shape[0] > 1 else 0]


def _colour(argb: Any, opacity: Any = 1.0) -> QColor:
    colour = QColor.fromRgba(int(argb))
    colour.setAlphaF(colour.alphaF() * min(1.0, max(0.0, float(opacity))))
    return colour


def _chosen(n: int, index: np.ndarray, visible: np.ndarray) -> list[int]:
    """Items to draw, in their order."""
    items = index.tolist() if index.shape[0] else range(n)
    return [i for i in items if 0 <= i < n and (not visible.shape[0] or visible[i])]


class StandIn:
    """The kernels that draw, by other means; the arguments are those of :mod:`gui.raster.engine`'s."""

    @staticmethod
    def fill(img: Image, c0: int, c1: int, c2: int, c3: int, argb: Any, replace: bool) -> None:
        """A rectangle."""
        with _painting(img, c0, c1, c2, c3) as painter:
            if replace:
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            painter.fillRect(QRect(c0, c1, c2 - c0, c3 - c1), QColor.fromRgba(int(argb)))

    @staticmethod
    def blit(dst: Image, src: Image, c0: int, c1: int, c2: int, c3: int, dx: int, dy: int) -> None:
        """A copy."""
        dst[c1:c3, c0:c2] = src[c1 - dy : c3 - dy, c0 - dx : c2 - dx].copy()

    @staticmethod
    def compose(
        dst: Image, src: Image, c0: int, c1: int, c2: int, c3: int, dx: int, dy: int, level: int
    ) -> None:
        """A layer over another."""
        with _painting(dst, c0, c1, c2, c3) as painter:
            painter.setOpacity(level / 255.0)
            painter.drawImage(dx, dy, _image(src))

    @staticmethod
    def rects(
        img: Image, c0: int, c1: int, c2: int, c3: int, x: Any, y: Any, w: Any, h: Any, scale: float, ox: float, oy: float,
        fill: Any, stroke: Any, stroke_px: Any, radius_px: Any, accent: Any, accent_px: Any, order: Any, visible: Any,
        opacity: Any, min_px: float, snap: bool, shadow: Any, shadow_px: float, shadow_dy: float,
    ) -> None:  # fmt: skip
        """Cards: body, border and accent; shadows are left out."""
        left, top, width, height = x * scale + ox, y * scale + oy, w * scale, h * scale
        shown = (left < c2) & (left + width > c0) & (top < c3) & (top + height > c1)
        with _painting(img, c0, c1, c2, c3) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            for i in _chosen(len(x), order, visible):
                if not shown[i]:
                    continue
                box = QRectF(left[i], top[i], max(width[i], min_px), max(height[i], min_px))
                if snap:
                    box = QRectF(box.toRect())
                see, small = float(_of(opacity, i)), min(box.width(), box.height()) < TINY_PX
                radius = 0.0 if small else float(_of(radius_px, i))
                border = 0.0 if small else float(_of(stroke_px, i))
                if int(_of(stroke, i)) >> 24 and border > 0.0:
                    edge = QPainterPath()
                    edge.addRoundedRect(box, radius, radius)
                    box.adjust(border, border, -border, -border)
                    radius = max(0.0, radius - border)
                    if int(_of(fill, i)) >> 24 < OPAQUE:
                        edge.addRoundedRect(box, radius, radius)  # a ring: what is below shows through
                    painter.fillPath(edge, _colour(_of(stroke, i), see))
                painter.setBrush(_colour(_of(fill, i), see))
                painter.drawRoundedRect(box, radius, radius)
                bar = float(_of(accent_px, i))
                if bar > 0.0 and not small:
                    painter.fillRect(
                        QRectF(box.left(), box.top(), bar, box.height()), _colour(_of(accent, i), see)
                    )

    @staticmethod
    def edges(
        img: Image, c0: int, c1: int, c2: int, c3: int, ctrl: Any, x: Any, y: Any, w: Any, h: Any, src: Any, dst: Any,
        leave: Any, enter: Any, src_port: Any, dst_port: Any, scale: float, ox: float, oy: float, curvature: float,
        bow: float, handle_max: float, colour: Any, width_px: Any, opacity: Any, dashed: Any, dash_on: float,
        dash_off: float, arrow_px: Any, stubbed: Any, stub_px: float, index: Any, visible: Any,
    ) -> None:  # fmt: skip
        """Curves between cards, or from their control points."""
        n = ctrl.shape[0] or src.shape[0]
        with _painting(img, c0, c1, c2, c3) as painter:
            for i in _chosen(n, index, visible):
                curve = paths.edge_curve(
                    i, ctrl, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy, curvature, bow,
                    handle_max,
                )  # fmt: skip
                if paths.off_screen(curve, c0, c1, c2, c3, float(_of(width_px, i)) + 16.0):
                    continue
                points = [QPointF(curve[j], curve[j + 1]) for j in (0, 2, 4, 6)]
                path = QPainterPath(points[0])
                path.cubicTo(*points[1:])
                on = dash_on if _of(dashed, i) else 0.0
                stub = stub_px if _of(stubbed, i) else 0.0
                pen = _pen(_of(colour, i), _of(opacity, i), float(_of(width_px, i)), on, dash_off)
                _stroke(painter, path, pen, stub, float(_of(arrow_px, i)))

    @staticmethod
    def routes(
        img: Image, c0: int, c1: int, c2: int, c3: int, ptr: Any, px: Any, py: Any, scale: float, ox: float, oy: float,
        radius: float, colour: Any, width_px: Any, opacity: Any, dashed: Any, dash_on: float, dash_off: float,
        arrow_px: Any, stubbed: Any, stub_px: float, index: Any, visible: Any,
    ) -> None:  # fmt: skip
        """Polylines; their corners are not rounded."""
        at_x, at_y = px * scale + ox, py * scale + oy
        with _painting(img, c0, c1, c2, c3) as painter:
            for i in _chosen(ptr.shape[0] - 1, index, visible):
                run = slice(int(ptr[i]), int(ptr[i + 1]))
                along, across = at_x[run], at_y[run]
                if len(along) < 2 or not np.isfinite(along).all() or not np.isfinite(across).all():
                    continue
                if along.max() < c0 or along.min() > c2 or across.max() < c1 or across.min() > c3:
                    continue
                path = QPainterPath()
                path.addPolygon(
                    QPolygonF([QPointF(*at) for at in zip(along.tolist(), across.tolist(), strict=True)])
                )
                on = dash_on if _of(dashed, i) else 0.0
                stub = stub_px if _of(stubbed, i) else 0.0
                pen = _pen(_of(colour, i), _of(opacity, i), float(_of(width_px, i)), on, dash_off)
                _stroke(painter, path, pen, stub, float(_of(arrow_px, i)))


def _pen(argb: Any, opacity: Any, width: float, on: float, off: float) -> QPen:
    pen = QPen(_colour(argb, opacity), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if on > 0.0 and off > 0.0 and width > 0.0:
        pen.setDashPattern([on / width, off / width])  # Qt counts in widths
    return pen


def _stroke(painter: QPainter, path: QPainterPath, pen: QPen, stub: float, arrow: float) -> None:
    """The path, its two tails where it has stubs, and its head."""
    length = path.length()
    if stub > 0.0 and length > 2.0 * stub:
        share = stub / length
        pen.setWidthF(max(pen.widthF(), 1.0))
        colour = pen.color()
        for begin, end in ((0.0, share), (1.0, 1.0 - share)):
            card, last = path.pointAtPercent(begin), path.pointAtPercent(end)
            fading = QLinearGradient(card, last)
            fading.setColorAt(0.0, colour)
            fading.setColorAt(1.0, QColor(colour.red(), colour.green(), colour.blue(), 0))
            pen.setBrush(fading)
            painter.setPen(pen)
            painter.drawLine(card, last)
        return
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    if arrow > 0.0 and length > arrow:
        tip, back = path.pointAtPercent(1.0), path.pointAtPercent(1.0 - arrow / length)
        side = QPointF(back.y() - tip.y(), tip.x() - back.x()) * 0.42
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        painter.drawPolygon(QPolygonF([tip, back + side, back - side]))
