"""The graph of a picture as shapes and text, for files that are drawn rather than painted."""

from __future__ import annotations

from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from gui.canvas.graph.block_colours import FADED, block_fills
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.labels import paint_dimmed_labels, paint_labels, tab_width
from gui.canvas.graph.overview import ground_colours, ribbons
from gui.canvas.graph.painter import edge_style, split_bars
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.rules.signs import SIDES, signs_of
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.stages.blocks import draw_grounds
from gui.canvas.graph.stages.plate_form import LEAST_READ
from gui.canvas.graph.stages.ribbons import draw_ribbons, paint_figures
from gui.canvas.graph.viewport import Viewport
from gui.layout.result import EdgeClass
from gui.look.fonts import font
from gui.look.theme import ink_on
from planner.model.graph import Floats

CENTRE = int(Qt.AlignmentFlag.AlignCenter)
LEAST_NUMBERED = 8.0
"""Blocks at least so high carry their device's number."""


def paint_graph(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, figures: bool = True,
    least: float = 0.0, names: bool = True,
) -> None:  # fmt: skip
    """Lanes, edges, cards and, with ``names``, what these are called, or blocks of cells and what flows between them, with ``figures`` beside it; what is not
    highlighted is faded where something is. No letters of figures and of plates are smaller than ``least`` pixels."""
    for d, lane in enumerate(scene.layout.lanes):
        _, y = viewport.to_pixels(0, lane.band[1])
        painter.fillRect(
            QRectF(0, y, viewport.width, lane.band[3] * viewport.scale), QColor(palette.devices[d].band)
        )
    if scene.layout.stages is not None:
        draw_grounds(painter, scene, viewport, palette)
        draw_ribbons(painter, scene, viewport, palette, max(LEAST_READ, least))
        _vector_cards(painter, scene, viewport, palette, detail, least)
        if figures:
            paint_figures(painter, scene, viewport, palette, 1.0, least)
    elif detail == Detail.OVERVIEW:
        _vector_overview(painter, scene, viewport, palette)
    else:
        _vector_edges(painter, scene, viewport, palette, detail)
        _vector_cards(painter, scene, viewport, palette, detail, least)
    if not names:
        return
    paint_dimmed_labels(painter, scene, viewport, palette, detail, 1.0, most=scene.items.count, least=least)
    paint_labels(painter, scene, viewport, palette, detail, 1.0, most=scene.items.count, least=least)


def _vector_overview(painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette) -> None:
    """The ground of the stages, and ribbons between them; the plates are labels."""
    cells = ground_colours(scene, palette)
    pad_x, pad_y = STYLE.gap_x / 2, STYLE.gap_y / 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # neighbours are to flow together
    for i in range(scene.items.count):
        x, y = viewport.to_pixels(float(scene.x[i]) - pad_x, float(scene.y[i]) - pad_y)
        wide, high = scene.w[i] + 2 * pad_x, scene.h[i] + 2 * pad_y
        painter.fillRect(
            QRectF(x, y, wide * viewport.scale + 0.6, high * viewport.scale + 0.6), _rgb(cells[i])
        )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ribbon in ribbons(scene, viewport, 1.0) if scene.heat is None else ():
        start, first, second, end = (QPointF(*point) for point in ribbon.curve.reshape(4, 2).tolist())
        accent = QColor(palette.devices[ribbon.src].accent)
        arrow = max(7.0, 1.5 * ribbon.width)
        way = end - (second if second != end else start)
        length = max(1e-9, float(np.hypot(way.x(), way.y())))
        along = QPointF(way.x() / length, way.y() / length)
        across, foot = QPointF(-along.y(), along.x()), end - along * arrow
        path = QPainterPath(start)
        path.cubicTo(first, second, foot)
        for colour, width in ((QColor(palette.theme.canvas), ribbon.width + 3.0), (accent, ribbon.width)):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        wing = across * (0.5 * ribbon.width + 0.35 * arrow)
        painter.drawPolygon(QPolygonF([end, foot + wing, foot - wing]))


def _vector_edges(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail
) -> None:
    items, standing_out = scene.items, bool(scene.highlighted.any())
    colours, widths, opacities = edge_style(scene, palette, detail, 1.0)
    faded = standing_out & ~(scene.highlighted[items.edge_src] | scene.highlighted[items.edge_dst])
    alphas = (opacities * np.where(faded, FADED, 1.0)).tolist()
    shades, wides, broken = (colours & 0xFFFFFF).tolist(), widths.tolist(), scene.broken_edges.tolist()
    stubs = scene.edge_class == EdgeClass.STUB
    routed = np.full(len(items.edge_src), -1)
    routed[scene.routed] = np.arange(len(scene.routed))
    routes, ways = _Routes(scene, viewport), routed.tolist()
    pens: dict[tuple[int, float, float], QPen] = {}
    painter.setBrush(Qt.BrushStyle.NoBrush)
    shown = ~stubs if detail < Detail.LABELS else np.ones(len(stubs), bool)
    stub = stubs.tolist()
    for e in np.flatnonzero(shown).tolist():
        path = routes.stub(e) if stub[e] else routes.path(e, ways[e])
        if broken[e]:
            painter.strokePath(path, QPen(QColor(palette.theme.text), wides[e] + 2 * SIDES))
        look = (shades[e], alphas[e], wides[e])
        if (pen := pens.get(look)) is None:
            colour = QColor.fromRgb(shades[e])
            colour.setAlphaF(alphas[e])
            pen = pens[look] = QPen(colour, wides[e])
        painter.strokePath(path, pen)


class _Routes:
    """Paths of edges in device pixels."""

    def __init__(self, scene: Scene, viewport: Viewport) -> None:
        src, dst = scene.items.edge_src, scene.items.edge_dst
        self._right = (scene.leave == 0).tolist(), (scene.enter == 0).tolist()
        ends = (
            scene.x[src] + np.where(scene.leave == 0, scene.w[src], 0.0), scene.y[src] + scene.h[src] / 2,
            scene.x[dst] + np.where(scene.enter == 0, scene.w[dst], 0.0), scene.y[dst] + scene.h[dst] / 2,
        )  # fmt: skip
        offsets = (viewport.ox, viewport.oy) * 2
        pixels = [(end * viewport.scale + by).tolist() for end, by in zip(ends, offsets, strict=True)]
        self._ends = list(zip(*pixels, strict=True))
        self._ptr = scene.route_ptr.tolist()
        self._x = scene.route_x * viewport.scale + viewport.ox
        self._y = scene.route_y * viewport.scale + viewport.oy
        self._scale = viewport.scale

    def stub(self, e: int) -> QPainterPath:
        """Short tails where a hub's or a far edge leaves and arrives."""
        ax, ay, bx, by = self._ends[e]
        tail = min(8.0, 14.0 * self._scale)
        path = QPainterPath(QPointF(ax, ay))
        path.lineTo(ax + (tail if self._right[0][e] else -tail), ay)
        path.moveTo(bx, by)
        path.lineTo(bx + (tail if self._right[1][e] else -tail), by)
        return path

    def path(self, e: int, route: int) -> QPainterPath:
        """Along a route, or a curve where there is none (-1)."""
        ax, ay, bx, by = self._ends[e]
        path = QPainterPath(QPointF(ax, ay))
        if route >= 0:
            inside = slice(self._ptr[route] + 1, self._ptr[route + 1] - 1)
            for x, y in zip(self._x[inside].tolist(), self._y[inside].tolist(), strict=True):
                path.lineTo(x, y)
            path.lineTo(bx, by)
            return path
        reach = max(abs(bx - ax) / 2, 8 * self._scale)
        out, into = (reach if self._right[0][e] else -reach), (reach if self._right[1][e] else -reach)
        path.cubicTo(ax + out, ay, bx + into, by, bx, by)
        return path


def _vector_cards(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, least: float
) -> None:
    theme = palette.theme
    blocks = block_fills(scene, palette)
    bodies = palette.bodies_of(scene.device, scene.items.model)
    heat = scene.heat
    if heat is not None:
        bodies = blocks
    standing_out = bool(scene.highlighted.any())
    numbered = bool(tab_width(palette)) and scene.layout.stages is None  # the plates say whose cells they are
    for i in range(scene.items.count):
        x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        box = QRectF(x, y, max(1.0, scene.w[i] * viewport.scale), max(1.0, scene.h[i] * viewport.scale))
        accent = QColor(palette.devices[int(scene.device[i])].accent)
        edge = QColor(theme.bad) if scene.violating[i] else accent
        model = int(scene.items.model[i])
        painter.setOpacity(1.0 if scene.highlighted[i] or not standing_out else FADED)
        if detail == Detail.BLOCKS and heat is not None:
            painter.fillRect(box, _rgb(blocks[i]))
            if scene.violating[i]:
                painter.setPen(QPen(edge, 1.6))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box)
            continue
        if detail == Detail.BLOCKS and (model == 0 or scene.violating[i]):
            painter.fillRect(box, _rgb(blocks[i]))
            if numbered and box.height() >= LEAST_NUMBERED and scene.items.whole_size[i] == 1:
                _number(painter, box, int(scene.device[i]), _rgb(blocks[i]), palette, least)
            continue
        if detail == Detail.BLOCKS:
            painter.setPen(QPen(edge, 1.0))
            painter.setBrush(_rgb(blocks[i]))
            painter.drawRect(box)
            continue
        radius = 5.0 if detail == Detail.CARDS else 3.0
        painter.setPen(QPen(edge, 1.0) if heat is None or scene.violating[i] else QPen(_rgb(blocks[i]), 2.0))
        painter.setBrush(QColor(theme.card) if scene.mixed[i] and heat is None else _rgb(bodies[i]))
        painter.drawRoundedRect(box, radius, radius)
        wide = tab_width(palette)
        painter.fillRect(QRectF(box.left(), box.top() + 1, wide or 3.0, box.height() - 2), accent)
        if wide:
            tab = QRectF(box.left(), box.top(), wide, box.height())
            _number(painter, tab, int(scene.device[i]), accent, palette, least)
    painter.setOpacity(1.0)
    _vector_splits(painter, scene, viewport, palette, detail)
    _vector_signs(painter, scene, viewport, palette, detail)


def _vector_signs(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail
) -> None:
    """The signs of broken rules, as :mod:`gui.canvas.graph.rules.signs` has them."""
    signs, theme = signs_of(scene, viewport, detail, 1.0), palette.theme
    if signs is None:
        return

    def boxes(part: tuple[Floats, Floats, Floats, Floats]) -> list[QRectF]:
        x, y, w, h = part
        corners = zip(
            (x * viewport.scale + viewport.ox).tolist(),
            (y * viewport.scale + viewport.oy).tolist(),
            strict=True,
        )
        sizes = zip((w * viewport.scale).tolist(), (h * viewport.scale).tolist(), strict=True)
        return [QRectF(*corner, *size) for corner, size in zip(corners, sizes, strict=True)]

    for plate, bar in zip(boxes(signs.plate), boxes(signs.bar), strict=True):
        if detail >= Detail.LABELS:
            painter.setPen(QPen(QColor(theme.card), 1.0))
            painter.setBrush(QColor(theme.bad))
            painter.drawEllipse(plate)
        painter.fillRect(bar, QColor(theme.card))


def _vector_splits(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail
) -> None:
    """What of each mixed group is on which device."""
    if scene.heat is not None and detail == Detail.BLOCKS:
        return
    parts, standing_out = scene.splits, bool(scene.highlighted.any())
    colour = palette.block if detail == Detail.BLOCKS else palette.accent
    lefts, tops, wides, highs = split_bars(scene, viewport, detail, 1.0)
    for part, device in enumerate(parts.device.tolist()):
        x, y = viewport.to_pixels(float(lefts[part]), float(tops[part]))
        box = QRectF(x, y, float(wides[part]) * viewport.scale, float(highs[part]) * viewport.scale)
        painter.setOpacity(1.0 if scene.highlighted[parts.item[part]] or not standing_out else FADED)
        painter.fillRect(box, _rgb(colour[device]))
    painter.setOpacity(1.0)


def are_numbered(viewport: Viewport, palette: CanvasPalette, detail: Detail, least: float) -> bool:
    """Whether cards carry the numbers of their devices at this size, in letters of ``least`` pixels or more."""
    if not tab_width(palette) or detail == Detail.OVERVIEW:
        return False
    needed = max(least, LEAST_NUMBERED if detail == Detail.BLOCKS else 0.0)
    return STYLE.card_h * viewport.scale >= needed


def _number(
    painter: QPainter, box: QRectF, device: int, ground: QColor, palette: CanvasPalette, least: float
) -> None:
    """A device's number on a card or on its tab."""
    size = int(max(6.0, min(10.0, box.height() - 2)))
    if box.height() >= least:
        size = max(size, ceil(least))
    painter.setFont(font(size, True))
    painter.setPen(QColor(ink_on(ground.name(), palette.theme)))
    painter.drawText(box, CENTRE, palette.code(device))


def _rgb(colour: np.uint32) -> QColor:
    """A packed colour without its alpha."""
    return QColor.fromRgb(int(colour) & 0xFFFFFF)
