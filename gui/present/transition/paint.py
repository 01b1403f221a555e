"""Painting cards and edges of a moment into a pixel buffer: settled where they belong, or on their way."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtGui import QPainter

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.labels import MOST_LABELS, paint_dimmed_labels, paint_labels
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import packed
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.viewport import Viewport
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


def paint_moment(buffer: np.ndarray, moment: Moment, viewport: Viewport, card: float, ratio: float) -> None:
    """Edges and cards, ``card`` pixels high, over what is there. ``ratio`` is device pixels per pixel of a frame of 1280 x 800."""
    detail = detail_of(card)
    _paint_edges(buffer, moment, viewport, detail, ratio)
    _paint_cards(buffer, moment, viewport, detail, ratio)


def _paint_edges(
    buffer: np.ndarray, moment: Moment, viewport: Viewport, detail: Detail, ratio: float
) -> None:
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


def _paint_cards(
    buffer: np.ndarray, moment: Moment, viewport: Viewport, detail: Detail, ratio: float
) -> None:
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


def paint_words(
    buffer: np.ndarray,
    stage: GraphStage,
    moment: Moment,
    standing_out: Bools,
    viewport: Viewport,
    card: float,
    ratio: float,
) -> None:
    """Names on cards that are large enough, quiet ones on what does not stand out; while they move, only of what
    stands out, and only where few are in sight."""
    detail = detail_of(card)
    if detail < Detail.LABELS:
        return
    scene = copy.copy(stage.scene)
    scene.x, scene.y, scene.highlighted = moment.x, moment.y, standing_out
    image = wrap_image(buffer)
    painter = QPainter(image)
    most = MOST_LABELS if moment.settled else MOST_MOVING_LABELS
    paint_labels(painter, scene, viewport, stage.palette, detail, WORDS * ratio, most)
    if moment.settled and detail >= Detail.LABELS:
        paint_dimmed_labels(painter, scene, viewport, stage.palette, detail, WORDS * ratio, most)
    painter.end()
