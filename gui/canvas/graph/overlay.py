"""What follows the pointer: hovered edges, the dragged card, what each lane would give, the rubber band."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.canvas.graph.areas import device_areas
from gui.canvas.graph.consequence import Consequence
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.naming.card_names import short_name
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.look.theme import Theme
from gui.raster import engine as raster

MOST_EDGES = 1500
MOST_SAID = 460.0
"""Pixels that a sentence beside the dragged card may be wide."""


def paint_attention(
    buffer: np.ndarray,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    items: np.ndarray,
    ratio: float,
    along: np.ndarray,
) -> None:
    """Edges and neighbours of ``items`` stand out; ``along`` (items that a drop would take along) are outlined.

    ``buffer`` is a transparent overlay of the widget's size.
    """
    theme = palette.theme
    raster.fill(buffer, None, 0, replace=True)
    place = (viewport.scale, viewport.ox, viewport.oy)
    edges = scene.items.edges_of(items)[:MOST_EDGES]
    if len(edges):
        halo = np.full(len(edges), packed(theme.canvas), np.uint32)
        colour = palette.accent[scene.device[scene.items.edge_src[edges]]]
        broken = scene.broken_edges[edges]
        colour = np.where(broken, np.uint32(packed(theme.bad)), colour)
        stroke_edges(buffer, scene, place, edges, halo, 4.5 * ratio, 0.8, 0.0)
        stroke_edges(buffer, scene, place, edges, colour, 2.0 * ratio, 1.0, 6.0 * ratio)
        if broken.any():  # above those that share a way with them
            stroke_edges(buffer, scene, place, edges[broken], colour[broken], 2.6 * ratio, 1.0, 6.0 * ratio)
        if not on_route(scene, edges).all():
            clear_cards(buffer, scene, viewport, ratio)
        ends = np.unique(np.concatenate([scene.items.edge_src[edges], scene.items.edge_dst[edges]]))
        stroke_outlines(buffer, scene, place, ends, palette.accent[scene.device[ends]], 1.6 * ratio, ratio)
    stroke_outlines(buffer, scene, place, items, np.uint32(packed(theme.edge_selected)), 2.2 * ratio, ratio)
    if len(along):
        stroke_outlines(buffer, scene, place, along, np.uint32(packed(theme.warning)), 2.4 * ratio, ratio)


def clear_cards(buffer: np.ndarray, scene: Scene, viewport: Viewport, ratio: float) -> None:
    """Take what was drawn on named cards out again, so that edges without a route run beneath them and their words."""
    if scene.detail(viewport.scale / ratio) < Detail.LABELS:
        return
    shown = np.flatnonzero(scene.in_sight(viewport.visible()))
    x, y = (side[shown] * viewport.scale for side in (scene.x, scene.y))
    w, h = (side[shown] * viewport.scale for side in (scene.w, scene.h))
    sides = (x + viewport.ox, y + viewport.oy, x + viewport.ox + w, y + viewport.oy + h)
    left, top, right, bottom = (np.round(side).astype(int).tolist() for side in sides)
    edge = round(ratio)
    for i in range(len(shown)):
        box = (left[i] + edge, top[i] + edge, right[i] - edge, bottom[i] - edge)
        raster.fill(buffer, box, 0, replace=True)


def on_route(scene: Scene, edges: np.ndarray) -> np.ndarray:
    """Which of ``edges`` (int[m]) have a route that is drawn now, around all cards (bool[m])."""
    if not scene.settled or not len(scene.routed):
        return np.zeros(len(edges), bool)
    row = np.searchsorted(scene.routed, edges)
    return np.asarray(scene.routed[np.minimum(row, len(scene.routed) - 1)] == edges)


def stroke_edges(
    buffer: np.ndarray,
    scene: Scene,
    place: tuple[float, float, float],
    edges: np.ndarray,
    colour: np.ndarray,
    width: float,
    opacity: float,
    arrow: float,
) -> None:
    """Edges along their routes where they have one and the cards stand still, else as curves."""
    row = np.searchsorted(scene.routed, edges)
    routed = on_route(scene, edges)
    plain = edges[~routed]
    items = scene.items
    raster.edges_between(
        buffer, None, scene.x, scene.y, scene.w, scene.h, items.edge_src[plain], items.edge_dst[plain], *place,
        colour=colour[~routed], width_px=width, opacity=opacity, arrow_px=arrow, leave=scene.leave[plain],
        enter=scene.enter[plain], handle_max=240.0,
    )  # fmt: skip
    if routed.any():
        along = np.zeros(len(scene.routed), np.uint32)
        along[row[routed]] = colour[routed]
        raster.routes(
            buffer, None, scene.route_ptr, scene.route_x, scene.route_y, *place, colour=along, width_px=width,
            radius=14.0, opacity=opacity, arrow_px=arrow, index=row[routed].astype(np.int32),
        )  # fmt: skip


def stroke_outlines(
    buffer: np.ndarray,
    scene: Scene,
    place: tuple[float, float, float],
    items: np.ndarray,
    colour: np.ndarray | np.uint32,
    width: float,
    ratio: float,
) -> None:
    """Lines around cards."""
    if len(items) == 0:
        return
    raster.rounded_rects(
        buffer, None, scene.x[items], scene.y[items], scene.w[items], scene.h[items], *place, fill=0, stroke=colour,
        stroke_px=width, radius_px=5.0 * ratio, min_px=4.0 * ratio,
    )  # fmt: skip


def paint_veils(
    painter: QPainter, scene: Scene, viewport: Viewport, theme: Theme, said: list[Consequence], ratio: float
) -> None:  # fmt: skip
    """Grey out the lanes or blocks that a drop may not go to, more so where it never may (logical pixels)."""
    window = QRectF(0, 0, viewport.width / ratio, viewport.height / ratio)
    for d, area in device_areas(scene, viewport, ratio).items():
        if not said[d].legal and not said[d].stays:
            veil = QColor(theme.canvas if said[d].possible else theme.track)
            veil.setAlphaF(0.62 if said[d].possible else 0.88)
            painter.fillRect(area.intersected(window), veil)


def paint_consequences(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    said: list[Consequence],
    target: int,
    ratio: float,
) -> None:
    """Each lane or block says what a drop would give, or why it may not be (logical pixels)."""
    theme, blocks = palette.theme, scene.layout.stages is not None
    window = QRectF(0, 0, viewport.width / ratio, viewport.height / ratio)
    for d, area in device_areas(scene, viewport, ratio).items():
        box = area.intersected(window)
        if box.height() < 4:
            continue
        if d == target:
            painter.setPen(QPen(QColor(palette.devices[d].accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(1, 1, -1, -1))
        if d != target:  # what the target gives is said beside the dragged card
            words = (said[d].long, said[d].short, said[d].brief, said[d].word)
            _bubble(painter, box, words if blocks else words[:1], said[d].colour(theme), theme, blocks)


def _bubble(
    painter: QPainter, area: QRectF, words: tuple[str, ...], colour: str, theme: Theme, centred: bool
) -> None:
    """A small text plate at the right end of an area, or in its middle, with the first of ``words`` that fits, else the last."""
    room = area.height()
    size = 11 if room >= 16 else 9
    face = metrics(size, True)
    text = next((text for text in words if face.horizontalAdvance(text) + 16 <= area.width()), words[-1])
    wide = face.horizontalAdvance(text) + 16
    tall = min(22.0, max(12.0 if room >= 14 else 10.0, room - 2))
    right = area.center().x() + wide / 2 if centred else area.right() - 8
    box = QRectF(right - wide, area.center().y() - tall / 2, wide, tall)
    back = QColor(theme.panel)
    back.setAlphaF(0.93)
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.setBrush(back)
    painter.drawRoundedRect(box, 4, 4)
    painter.setFont(font(size, True))
    painter.setPen(QColor(colour))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)


CARD_SIZE, CARD_FROM_POINTER = QSizeF(132.0, 38.0), QPointF(10.0, 8.0)
"""Of the dragged card."""


def paint_carried(
    painter: QPainter,
    position: QPointF,
    label: str,
    kind: str,
    target: str,
    said: Consequence | None,
    accent: str,
    theme: Theme,
    bounds: QRectF,
    detail: str,
    elsewhere: QRectF | None = None,
) -> None:
    """The dragged card under the pointer, beside it its consequence; over no device (``said`` is None) ``detail`` alone.

    Without a ``label`` what is dragged is drawn ``elsewhere``: its consequence stands in ``bounds`` as near to the pointer as it can,
    and beneath no part of the card.
    """
    at = position + CARD_FROM_POINTER
    box = QRectF(at, CARD_SIZE) if label else QRectF(at, QSizeF(-8.0, 0.0))
    lines, wide = _said_lines(target, said, detail)
    high = (24, 40, 54)[max(len(lines), 1) - 1]
    whole = box.united(QRectF(box.right() + 8, box.top(), wide, high)) if lines else box
    dx = min(0.0, bounds.right() - 6 - whole.right())
    dy = min(0.0, bounds.bottom() - 6 - whole.bottom())
    if not label:
        dx, dy = max(dx, bounds.left() + 6 - box.left()), max(dy, bounds.top() + 6 - box.top())
    box.translate(dx, dy)
    if label:
        paint_card(painter, box, label, kind, accent, theme)
    if lines:
        plate = clear_of(QRectF(box.right() + 8, box.top(), wide, high), elsewhere, bounds)
        _paint_plate(painter, plate, lines, said, theme)


def clear_of(plate: QRectF, card: QRectF | None, bounds: QRectF) -> QRectF:
    """The plate below ``card`` where that would lie over it, or above where ``bounds`` leave no room below."""
    if card is None or not card.intersects(plate):
        return plate
    below = card.bottom() + 8
    fits = below + plate.height() <= bounds.bottom()
    return QRectF(QPointF(plate.left(), below if fits else card.top() - 8 - plate.height()), plate.size())


def _said_lines(target: str, said: Consequence | None, detail: str) -> tuple[list[str], float]:
    """What stands beside the dragged card, and how wide that is: ``detail``, if anything, where it is over no device."""
    first, second = metrics(12, True), metrics(11, False)
    if said is None:
        lines = [detail] if detail else []
    elif said.stays:
        lines = [f"{target}: stays here"]
    else:
        legal = f"gap {said.gap}, rules hold" if said.gap else "rules hold"
        lines = [f"{target}: {said.short}", legal if said.legal else detail]
    if not lines:
        return [], 0.0
    wide = max([first.horizontalAdvance(lines[0]), *map(second.horizontalAdvance, lines[1:])]) + 18
    wide = min(wide, MOST_SAID)
    if lines[1:]:
        lines[1:] = two_lines(lines[1], second, wide - 16)
    return lines, wide


def paint_card(painter: QPainter, box: QRectF, label: str, kind: str, accent: str, theme: Theme) -> None:
    """The dragged card itself, with a dashed edge."""
    painter.setPen(QPen(QColor(accent), 1.5, Qt.PenStyle.DashLine))
    back = QColor(theme.card)
    back.setAlphaF(0.95)
    painter.setBrush(back)
    painter.drawRoundedRect(box, 5, 5)
    painter.setFont(font(12, True))
    painter.setPen(QColor(theme.text))
    painter.drawText(
        box.adjusted(9, 3, -6, -18),
        int(Qt.AlignmentFlag.AlignVCenter),
        metrics(12, True).elidedText(short_name(label), Qt.TextElideMode.ElideMiddle, 116),
    )
    painter.setFont(font(10, False))
    painter.setPen(QColor(theme.muted))
    painter.drawText(
        box.adjusted(9, 18, -6, -3),
        int(Qt.AlignmentFlag.AlignVCenter),
        metrics(10, False).elidedText(kind, Qt.TextElideMode.ElideRight, 116),
    )


def _paint_plate(
    painter: QPainter, plate: QRectF, lines: list[str], said: Consequence | None, theme: Theme
) -> None:
    """The lines beside the dragged card, on the colour of what a drop would give."""
    soft = theme.panel
    if said is not None and not said.stays and (not said.legal or said.better):
        soft = theme.good_soft if said.legal else theme.bad_soft
    painter.setPen(QPen(QColor(theme.muted if said is None else said.colour(theme)), 1.2))
    painter.setBrush(QColor(soft))
    painter.drawRoundedRect(plate, 5, 5)
    painter.setFont(font(12, True))
    painter.drawText(
        QRectF(plate.left() + 9, plate.top() + 3, plate.width() - 15, 18),
        int(Qt.AlignmentFlag.AlignVCenter),
        lines[0],
    )
    painter.setFont(font(11, False))
    painter.setPen(QColor(theme.text))
    for i, line in enumerate(lines[1:]):
        row = QRectF(plate.left() + 9, plate.top() + 20 + 15 * i, plate.width() - 15, 16)
        painter.drawText(row, int(Qt.AlignmentFlag.AlignVCenter), line)


def two_lines(text: str, measure: QFontMetricsF, width: float) -> list[str]:
    """A sentence in at most two lines of ``width`` pixels, broken at a blank, or within a name where there is none."""
    if measure.horizontalAdvance(text) <= width:
        return [text]
    fits = bisect_right(range(len(text)), width, key=lambda n: measure.horizontalAdvance(text[:n])) - 1
    at = text.rfind(" ", 0, fits + 1)
    if at < fits // 2:
        at = max(fits, 1)
    rest = measure.elidedText(text[at:].strip(), Qt.TextElideMode.ElideRight, width)
    return [text[:at].rstrip(), rest]


def paint_band(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """The rubber band (logical pixels)."""
    inside = QColor(theme.accent)
    inside.setAlphaF(0.12)
    painter.setPen(QPen(QColor(theme.accent), 1, Qt.PenStyle.DashLine))
    painter.setBrush(inside)
    painter.drawRect(rect)
