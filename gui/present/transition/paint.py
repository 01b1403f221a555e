"""Painting cards and edges of a moment into a pixel buffer: settled where they belong, or on their way."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas.graph.block_colours import block_fills, block_ink, write_on_block
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.labels import CUT, MOST_LABELS, paint_dimmed_labels, paint_labels
from gui.canvas.graph.naming.card_names import card_names, wide
from gui.canvas.graph.painter import split_bars, wrap_image
from gui.canvas.graph.palette import CanvasPalette, packed, plain_words
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font
from gui.present.captions import LEAST
from gui.present.scenes import GraphStage
from gui.present.transition.courses import Edges, settled_edges
from gui.present.transition.looks import NAMES_FROM, WORDS, Look, detail_of
from gui.raster import engine as raster
from planner.model.graph import Bools, Floats, Ints

MOST_MOVING_LABELS = 160
"""Names of cards are written while they move where there are no more of them in sight."""


@dataclass(frozen=True, eq=False)
class Moment:
    """What is painted: places of cards (scene units), how all looks, and which edges are drawn how.

    ``order`` (int32[n], maybe None) is the order in which cards are drawn.
    """

    scene: Scene
    x: Floats
    y: Floats
    w: Floats
    h: Floats
    look: Look
    edges: Edges
    order: Ints | None
    settled: bool


def settled_moment(stage: GraphStage, look: Look) -> Moment:
    """A scene at rest."""
    scene = stage.scene
    layout = scene.layout
    return Moment(scene, layout.x, layout.y, scene.w, scene.h, look, settled_edges(scene), None, True)


def card_pixels(scene: Scene, viewport: Viewport, ratio: float) -> float:
    """How high a card is, in pixels of a window of usual size; of cells what a card with as much written on it is."""
    if scene.layout.stages is None:
        return STYLE.card_h * viewport.scale / ratio
    return NAMES_FROM if scene.detail(viewport.scale / (ratio * WORDS)) == Detail.LABELS else 0.0


def paint_edges(buffer: np.ndarray, moment: Moment, viewport: Viewport, card: float, ratio: float) -> None:
    """Edges over what is there, cards being ``card`` pixels high. ``ratio`` is device pixels per pixel of a frame of 1280 x 800."""
    detail = detail_of(card)
    scene, look = moment.scene, moment.look
    items = scene.items
    if not len(items.edge_src):
        return
    arrow = 5.0 * ratio if detail == Detail.CARDS else 0.0
    place: dict[str, Any] = {"scale": viewport.scale, "ox": viewport.ox, "oy": viewport.oy}
    curve: dict[str, Any] = {
        "x": moment.x, "y": moment.y, "w": moment.w, "h": moment.h, "src": items.edge_src, "dst": items.edge_dst, **place,
        "leave": scene.leave, "enter": scene.enter, "colour": look.edge_colour, "width_px": look.edge_width,
    }  # fmt: skip
    tail = min(26.0 * ratio, 40.0 * viewport.scale)
    for chosen, opacity in moment.edges.stubs if detail >= Detail.LABELS else ():
        if opacity > 0.0 and len(chosen):
            raster.stubs(
                buffer, None, length_px=tail, index=chosen, opacity=look.edge_opacity * opacity, **curve
            )
    for chosen, opacity in moment.edges.curves:
        if opacity > 0.0 and len(chosen):
            raster.edges_between(
                buffer, None, index=chosen, opacity=look.edge_opacity * opacity, arrow_px=arrow, handle_max=240.0, **curve
            )  # fmt: skip
    for part in moment.edges.routes:
        chosen = part.edges
        if part.opacity > 0.0 and len(chosen):
            raster.routes(
                buffer, None, part.ptr, part.x, part.y, **place, radius=14.0,
                colour=look.edge_colour[chosen], width_px=look.edge_width[chosen],
                opacity=look.edge_opacity[chosen] * part.opacity, arrow_px=arrow,
            )  # fmt: skip


def paint_cards(buffer: np.ndarray, moment: Moment, viewport: Viewport, card: float, ratio: float) -> None:
    """Cards, ``card`` pixels high, over what is there."""
    detail = detail_of(card)
    look, scene = moment.look, moment.scene
    shadow: dict[str, Any] = {}
    if detail == Detail.CARDS:
        shadow = {"shadow": packed("#1b2233", 0.10), "shadow_px": 5.0 * ratio, "shadow_dy": 1.5 * ratio}
    far = detail == Detail.BLOCKS
    wide = (np.where(scene.violating, 2.0, 1.0) if scene.violating.any() else 1.0) * ratio
    raster.rounded_rects(
        buffer, None, moment.x, moment.y, moment.w, moment.h, viewport.scale, viewport.ox, viewport.oy,
        fill=look.fill, stroke=look.stroke, stroke_px=wide, accent=look.accent,
        accent_px=(1.5 if far else 4.0 if detail == Detail.CARDS else 3.0) * ratio,
        radius_px=(1.5 if far else 5.0 if detail == Detail.CARDS else 3.0) * ratio, opacity=look.opacity, min_px=1.0,
        snap=moment.settled and not far, order=moment.order, **shadow,
    )  # fmt: skip


def paint_splits(
    buffer: np.ndarray, scene: Scene, palette: CanvasPalette, viewport: Viewport, card: float, ratio: float, opacity: Floats
) -> None:  # fmt: skip
    """What of each group that several devices share is on which, as a bar in their colours; ``opacity`` float64[count]."""
    parts = scene.splits
    if not len(parts.item) or scene.heat is not None:
        return
    detail = detail_of(card)
    far = detail == Detail.BLOCKS
    x, y, w, h = split_bars(scene, viewport, detail, ratio)
    raster.rounded_rects(
        buffer, None, x, y, w, h, viewport.scale, viewport.ox, viewport.oy, fill=(palette.block if far else palette.accent)[parts.device],
        radius_px=0.0, opacity=opacity[parts.item], min_px=0.0,
    )  # fmt: skip


def paint_words(
    buffer: np.ndarray, stage: GraphStage, standing_out: Bools, scene: Scene, cards: Bools, viewport: Viewport, card: float, ratio: float,
    opacity: float = 1.0,
) -> None:  # fmt: skip
    """Names on those of the ``cards`` (bool[count]) that stand out (all where none does), where they are large enough: while they
    move, only where few are in sight. Among groups all have theirs as long as they have room. ``scene`` is the stage's, where it is at the moment."""
    detail = detail_of(card)
    if detail < Detail.LABELS and scene.items.count == scene.items.graph.n:
        return
    shown = copy.copy(scene)
    shown.highlighted = cards & (standing_out | ~standing_out.any())
    shown.all_faded = True
    image = wrap_image(buffer)
    painter = QPainter(image)
    painter.setOpacity(opacity)
    if detail < Detail.LABELS:
        paint_block_names(painter, shown, viewport, stage.palette, ratio)
    else:
        # On the way from a layout of another scale cards are as high as they are, whatever a scene unit is.
        scale, most = (
            (0.0, MOST_LABELS) if scene.settled else (card * ratio / STYLE.card_h, MOST_MOVING_LABELS)
        )
        paint_labels(painter, shown, viewport, stage.palette, detail, WORDS * ratio, most, scale=scale)
    painter.end()


def paint_block_names(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> None:
    """Names on the cards that are highlighted, from afar, where any of them are groups: in the least letters of slides, where they have
    room for enough of them."""
    if scene.items.count == scene.items.graph.n:
        return
    pixels, names = round(LEAST * ratio), card_names(scene)
    fills = block_fills(scene, palette)
    painter.setFont(font(pixels, False))
    for i in np.flatnonzero(scene.highlighted).tolist():
        x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        box = QRectF(x, y, float(scene.w[i]) * viewport.scale, float(scene.h[i]) * viewport.scale)
        room = int(box.width() - 10 * ratio)
        text = names.of(i, pixels, False, room) if box.height() >= 1.2 * pixels and room > pixels else ""
        if text and not text.endswith(CUT):
            left, words = 6 * ratio, wide(text, pixels, False)
            ink = block_ink(scene, palette, fills[i], i, left / box.width(), (left + words) / box.width())
            write_on_block(painter, text, words, box.adjusted(left, 0, 0, 0), ink, ratio)


def paint_quiet_words(
    painter: QPainter, scene: Scene, palette: CanvasPalette, viewport: Viewport, card: float, ratio: float
) -> None:
    """Names of what does not stand out of a scene at rest, whose cards are highlighted that do."""
    detail = detail_of(card)
    if detail >= Detail.LABELS:
        paint_dimmed_labels(painter, scene, viewport, palette, detail, WORDS * ratio, MOST_LABELS)
        return
    others = copy.copy(scene)
    others.highlighted = scene.faded
    paint_block_names(painter, others, viewport, plain_words(palette), ratio)


def all_standing_out(scene: Scene) -> Scene:
    """A scene in which all is highlighted where nothing was."""
    out = copy.copy(scene)
    out.highlighted = ~scene.faded
    return out
