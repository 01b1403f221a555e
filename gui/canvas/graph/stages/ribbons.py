"""What flows from block to block in the stages view: ribbons whose width is bytes, with the bytes beside the wider ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from gui.canvas.graph.areas import pixels
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.stages.blocks import badge_of, badge_type
from gui.canvas.graph.stages.plate_form import LEAST_READ, plate_boxes, type_scale
from gui.canvas.graph.stages.routes import StageRibbon, stage_ribbons
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.raster import engine as raster
from planner.model.graph import Floats
from planner.quantity import bytes_text

THINNEST = 1.3
"""Of ribbons, in logical pixels."""
CORNER = 11.0
ASKED, FURTHEST = 3.0, 7
"""Logical pixels from which on one asks how much a ribbon carries, and how many lines away from it the figure may stand."""
MOST_JOINED = 16
"""Among more ribbons with figures such lines would be taken for ribbons."""
TALL, ABOVE, BETWEEN = 1.35, 2.0, 1.0
"""How high a figure is, in its letters, how far above plates it stands (logical pixels), and how far from the next one, in its letters."""
LEAST_SHARE, FEW = 0.01, 40
"""Ribbons of less bytes than this share of the widest carry no figure where there are more than so many."""


def drawn_ribbons(
    scene: Scene, viewport: Viewport, ratio: float, least: float = LEAST_READ
) -> list[StageRibbon]:
    """The ribbons, widest first; those whose tips the word about the bottleneck would cover end above it. ``ratio`` and ``least``
    are those of the plates."""
    found, size = stage_ribbons(scene), badge_type(type_scale(scene, viewport, ratio) * ratio, least)
    badge = badge_of(scene, viewport, size) if size >= least else None
    if badge is None or scene.evaluation is None:
        return found
    hot = scene.evaluation.bottleneck
    return [_above(ribbon, badge, viewport) if ribbon.dst == hot else ribbon for ribbon in found]


def _above(ribbon: StageRibbon, badge: QRectF, viewport: Viewport) -> StageRibbon:
    """A ribbon whose tip comes down on a badge, ending above it; any other as it is: a tip beside it would end in the air."""
    (before, start), (x, end) = ribbon.route[-2:].tolist()
    middle, _ = viewport.to_pixels(x, end)
    _, top = viewport.to_scene(middle, badge.top())
    down, beside = before == x and start < end, not badge.left() <= middle <= badge.right()
    if not down or beside or not start < top < end:
        return ribbon
    route = ribbon.route.copy()
    route[-1, 1] = top
    return replace(ribbon, route=route)


def paint_ribbons(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float, shown: float = 1.0,
    grown: float = 1.0, least: float = LEAST_READ,
) -> None:  # fmt: skip
    """All ribbons into a pixel buffer, the widest on top; ``shown`` is their opacity, ``grown`` how much larger the letters of plates
    are than usual."""
    found = drawn_ribbons(scene, viewport, grown * ratio, least)[::-1]
    if not found:
        return
    points = np.concatenate([r.route for r in found])
    ptr = np.concatenate([[0], np.cumsum([len(r.route) for r in found])])
    table = (ptr, points[:, 0], points[:, 1], viewport.scale, viewport.ox, viewport.oy)
    width = np.maximum(THINNEST * ratio, np.array([r.width for r in found]) * viewport.scale)
    arrow = np.array([r.arrow for r in found]) * viewport.scale
    halo = packed(palette.theme.canvas)
    raster.routes(
        buffer,
        None,
        *table,
        colour=halo,
        width_px=width + 3.0 * ratio,
        radius=CORNER * found[0].unit,
        opacity=0.85 * shown,
    )
    colour = palette.accent[np.array([r.src for r in found])]
    raster.routes(
        buffer,
        None,
        *table,
        colour=colour,
        width_px=width,
        radius=CORNER * found[0].unit,
        opacity=0.92 * shown,
        arrow_px=arrow,
    )


def draw_ribbons(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, least: float = LEAST_READ
) -> None:
    """:func:`paint_ribbons` as shapes."""
    for ribbon in drawn_ribbons(scene, viewport, 1.0, least)[::-1]:
        points = [QPointF(*viewport.to_pixels(float(x), float(y))) for x, y in ribbon.route.tolist()]
        width, arrow = max(THINNEST, ribbon.width * viewport.scale), ribbon.arrow * viewport.scale
        end, way = points[-1], points[-1] - points[-2]
        along = way / max(1e-9, float(np.hypot(way.x(), way.y())))
        across, foot = QPointF(-along.y(), along.x()), end - along * arrow
        path = rounded([*points[:-1], foot], CORNER * ribbon.unit * viewport.scale)
        accent = QColor(palette.devices[ribbon.src].accent)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, wide in ((QColor(palette.theme.canvas), width + 3.0), (accent, width)):
            painter.setPen(QPen(colour, wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        wing = across * (0.5 * width + 0.35 * arrow)
        painter.drawPolygon(QPolygonF([end, foot + wing, foot - wing]))


def rounded(points: list[QPointF], radius: float) -> QPainterPath:
    """A polyline with rounded corners."""
    path = QPainterPath(points[0])
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        into, out = here - before, after - here
        lengths = [max(1e-9, float(np.hypot(v.x(), v.y()))) for v in (into, out)]
        reach = min(radius, lengths[0] / 2, lengths[1] / 2)
        path.lineTo(here - into * (reach / lengths[0]))
        path.quadTo(here, here + out * (reach / lengths[1]))
    path.lineTo(points[-1])
    return path


def figure_height(least: float) -> float:
    """Units that a figure in letters of ``least`` units at least takes above the plates."""
    return TALL * ceil(least) + 2 * ABOVE


def paint_figures(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float, least: float = 0.0
) -> None:  # fmt: skip
    """Bytes beside the wider ribbons, in letters of ``least`` device pixels at least: where there is no place on them or beside them,
    a line joins the figures of thick ones; those of others are left out."""
    theme, size = palette.theme, max(int(10.5 * type_scale(scene, viewport, ratio) * ratio), ceil(least))
    boxes, stages = plate_boxes(scene, viewport), scene.layout.stages
    blocks = () if stages is None else stages.blocks
    taken = [box | pixels(block, viewport) for d, block in enumerate(blocks) if (box := boxes.get(d))]
    badge = badge_of(scene, viewport, badge_type(type_scale(scene, viewport, ratio) * ratio, least))
    taken += [] if badge is None else [badge]
    found = drawn_ribbons(scene, viewport, ratio, max(LEAST_READ, least))
    taken += [_head(ribbon, viewport) for ribbon in found]
    wide_ones = [ribbon for ribbon in found if ribbon.bytes >= LEAST_SHARE * found[0].bytes]
    told = found if len(found) <= FEW else wide_ones
    # What is bent has more places for its figure than what runs straight.
    told = sorted(told, key=lambda ribbon: len(ribbon.route) > 2)
    runs = _runs(told, viewport, ratio)
    ways = {(ribbon.src, ribbon.dst) for ribbon in told}
    painter.setFont(font(size, True))
    left: list[tuple[int, str, float, float]] = []
    figures: list[QRectF] = []
    between = BETWEEN * size
    for i, ribbon in enumerate(told):
        text = bytes_text(ribbon.bytes)
        wide, tall = metrics(size, True).horizontalAdvance(text) + 6 * ratio, TALL * size
        above = boxes[ribbon.src].top() - tall - ABOVE * ratio
        both = (ribbon.dst, ribbon.src) in ways
        narrow = max(metrics(size, True).horizontalAdvance(word) for word in text.split()) + 2 * ratio
        places = [(box, text) for box in _places(ribbon, viewport, wide, tall, above, ratio, both)]
        places += [
            (box, text.replace(" ", "\n")) for box in _between(ribbon, viewport, narrow, 2 * tall, ratio)
        ]
        free = [
            (box, told_as) for box, told_as in places
            # On another ribbon it would hide that, and seem to be about it.
            if not any(box.intersects(other) for other in taken) and not _met(runs, i, box)
        ]  # fmt: skip
        # Over or under another figure or ribbon, it could be read as that of the other; close beside one the two would be one figure.
        apart = (
            (box, told_as) for box, told_as in free
            if not any(_near(box).adjusted(-between, 0, between, 0).intersects(one) for one in figures)
            and (box.bottom() > boxes[ribbon.src].top() or not _met(runs, i, _near(box)))
        )  # fmt: skip
        if place := next(apart, next(iter(free), None)):
            box, told_as = place
            taken.append(box)
            figures.append(box)
            _figure(painter, box, told_as, palette, ratio)
        else:
            left.append((i, text, wide, tall))
    whole = QRectF(0, 0, viewport.width, viewport.height)
    for i, text, wide, tall in left if len(wide_ones) <= MOST_JOINED else []:
        ribbon = told[i]
        if ribbon.width * viewport.scale < ASKED * ratio:
            continue
        at = _middle(ribbon, viewport)
        for box in _around(at, wide, tall):
            if not whole.contains(box) or _met(runs, i, box) or any(box.intersects(one) for one in taken):
                continue
            taken.append(box)
            end = QPointF(box.center().x(), box.bottom() if box.bottom() < at.y() else box.top())
            painter.setPen(QPen(QColor(theme.text), ratio))
            painter.drawLine(at, end)
            _figure(painter, box, text, palette, ratio)
            break


def _near(box: QRectF) -> QRectF:
    """A figure's box with as much again over and under it."""
    return box.adjusted(0, -box.height(), 0, box.height())


def _figure(painter: QPainter, box: QRectF, words: str, palette: CanvasPalette, ratio: float) -> None:
    """A figure on a ground of its own."""
    back = QColor(palette.theme.canvas)
    back.setAlphaF(0.88)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(back)
    painter.drawRoundedRect(box, 3 * ratio, 3 * ratio)
    painter.setPen(QColor(palette.theme.text))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)


def _head(ribbon: StageRibbon, viewport: Viewport) -> QRectF:
    """Where the arrowhead of a ribbon is (device pixels)."""
    end, way = ribbon.route[-1], ribbon.route[-1] - ribbon.route[-2]
    along = way / max(1e-9, float(np.hypot(*way)))
    foot, across = end - along * ribbon.arrow, np.abs(along[::-1]) * ribbon.head
    corners = np.array([end, foot - across, foot + across])
    (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return pixels((left, top, right - left, bottom - top), viewport)


def _middle(ribbon: StageRibbon, viewport: Viewport) -> QPointF:
    """The middle of a ribbon's longest straight piece (device pixels)."""
    points = [QPointF(*viewport.to_pixels(float(x), float(y))) for x, y in ribbon.route.tolist()]
    a, b = max(pairwise(points), key=lambda run: abs(run[0].x() - run[1].x()) + abs(run[0].y() - run[1].y()))
    return (a + b) / 2


def _around(at: QPointF, wide: float, tall: float) -> Iterator[QRectF]:
    """Where a figure may stand that a line joins to its ribbon: ever further from it, above it first."""
    for level in range(1, FURTHEST + 1):
        for way in (-1.0, 1.0):
            for aside in (0.0, -0.3, 0.3, -0.6, 0.6, -1.0, 1.0):
                y = at.y() + way * (level + 0.5) * tall
                yield QRectF(at.x() + (aside - 0.5) * wide, y - tall / 2, wide, tall)


def _between(
    ribbon: StageRibbon, viewport: Viewport, wide: float, tall: float, ratio: float
) -> Iterator[QRectF]:
    """Where a figure in two lines may stand that found no place above plates: between them, at a ribbon that runs level."""
    (x, y), (to, level) = (viewport.to_pixels(*end) for end in ribbon.route[[0, -1]].tolist())
    if len(ribbon.route) == 2 and y == level:
        off = max(THINNEST * ratio, ribbon.width * viewport.scale) / 2 + 0.35 * ribbon.arrow * viewport.scale
        yield QRectF((x + to - wide) / 2, y + off, wide, tall)
        yield QRectF((x + to - wide) / 2, y - off - tall, wide, tall)


def _runs(ribbons: Sequence[StageRibbon], viewport: Viewport, ratio: float) -> Floats:
    """The straight pieces of ribbons: which ribbon, then left, top, right and bottom in device pixels (float64[p, 5])."""
    pieces = [np.empty((0, 5))]
    for i, ribbon in enumerate(ribbons):
        points = ribbon.route * viewport.scale + (viewport.ox, viewport.oy)
        half = max(THINNEST * ratio, ribbon.width * viewport.scale) / 2
        low, high = np.minimum(points[:-1], points[1:]) - half, np.maximum(points[:-1], points[1:]) + half
        pieces.append(np.column_stack([np.full(len(low), i), low, high]))
    return np.concatenate(pieces)


def _met(runs: Floats, own: int, box: QRectF) -> bool:
    """Whether a box lies on a ribbon other than its ``own``."""
    which, left, top, right, bottom = runs.T
    across = (left < box.right()) & (right > box.left())
    return bool((across & (top < box.bottom()) & (bottom > box.top()) & (which != own)).any())


def _places(
    ribbon: StageRibbon, viewport: Viewport, wide: float, tall: float, above: float, ratio: float, both: bool
) -> Iterator[QRectF]:
    """Where a figure may stand: at a straight ribbon or, where plates are near, ``above`` them; else on the longest run of a bent one.

    ``both``: whether the figure of the way back has a place as well. Of two figures above plates the upper one is that of the upper
    ribbon, which goes ahead.
    """
    points = [QPointF(*viewport.to_pixels(float(x), float(y))) for x, y in ribbon.route.tolist()]
    off = max(THINNEST * ratio, ribbon.width * viewport.scale) / 2 + 2 * ratio
    if len(points) == 2 and points[0].x() == points[1].x():
        middle = (points[0] + points[1]) / 2
        off += 0.35 * ribbon.arrow * viewport.scale
        for aside in (0.0, -0.2, 0.2):
            y = middle.y() - tall / 2 + aside * (points[1].y() - points[0].y())
            yield QRectF(middle.x() + off, y, wide, tall)
            yield QRectF(middle.x() - off - wide, y, wide, tall)
        return
    if len(points) == 2:
        middle = (points[0] + points[1]) / 2
        ahead = points[1].x() > points[0].x()
        head = (0.5 if ahead else -0.5) * ribbon.arrow * viewport.scale
        beyond = 0.35 * ribbon.arrow * viewport.scale
        for aside, away in ((0.0, off), (head, off), (0.0, off + beyond)):  # clear of the arrowhead
            for y in (middle.y() - away - tall, middle.y() + away)[:: 1 if ahead else -1]:
                yield QRectF(middle.x() - aside - wide / 2, y, wide, tall)
        # Beside the word about the bottleneck, or over it.
        levels = (above - tall,) if both and ahead else (above,) if both else (above, above - tall)
        for y in levels:
            for aside in (0.0, -0.25, 0.25, -0.5, 0.5):
                yield QRectF(middle.x() + (aside - 0.5) * wide, y, wide, tall)
        return
    level = [(a, b) for a, b in pairwise(points) if abs(a.y() - b.y()) < 0.5]
    for a, b in sorted(level, key=lambda run: -abs(run[0].x() - run[1].x())):
        if abs(a.x() - b.x()) < 1.4 * wide:  # it would hide the run
            for y in (a.y() - off - tall, a.y() + off):
                yield QRectF((a.x() + b.x()) / 2 - wide / 2, y, wide, tall)
            continue
        for away in (-tall / 2, off, -off - tall):  # on it, else below or above
            for share in (0.5, 0.42, 0.58, 0.35, 0.65, 0.27, 0.73, 0.2, 0.8, 0.14, 0.86):
                at = a + (b - a) * share
                yield QRectF(at.x() - wide / 2, at.y() + away, wide, tall)
    for a, b in pairwise(points):  # else beside where it goes up or down
        if abs(a.y() - b.y()) < 1.2 * tall:
            continue
        for share in (0.5, 0.3, 0.7):
            at = a + (b - a) * share
            for x in (at.x() + off, at.x() - off - wide):
                yield QRectF(x, at.y() - tall / 2, wide, tall)
