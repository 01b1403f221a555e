"""Painting the scene into a pixel buffer: bands, edges and cards by the raster kernels, text by QPainter on top."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtGui import QImage, QPainter

from gui.canvas.graph.block_colours import FADED, block_fills
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.heat.ramps import heat_fills
from gui.canvas.graph.labels import paint_dimmed_labels, paint_labels
from gui.canvas.graph.overview import FAR_RING, paint_overview
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.rules.signs import SIDES, paint_signs
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.stages.blocks import paint_grounds
from gui.canvas.graph.stages.ribbons import paint_figures, paint_ribbons
from gui.canvas.graph.viewport import Viewport
from gui.raster import engine as raster

Image = np.ndarray
SPLIT_SHARE = 0.09
"""How high the bar of a mixed group is, of its card."""
RING = 2.4
"""Logical pixels that the ring around a selected card is wide."""


def wrap_image(buffer: Image) -> QImage:
    """A QImage over ``buffer`` (uint32[h, w]); the caller keeps the buffer alive as long as the image."""
    height, width = buffer.shape
    return QImage(buffer.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)


def paint_scene(
    buffer: Image,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    ratio: float,
    *,
    text: bool = True,
) -> Detail:
    """Paint everything that does not follow the pointer. ``ratio`` is device pixels per logical pixel."""
    theme = palette.theme
    raster.fill(buffer, None, packed(theme.canvas), replace=True)
    detail = scene.detail(viewport.scale / ratio)
    paint_bands(buffer, scene, viewport, palette, ratio)
    if scene.items.count == 0:
        return detail
    if detail == Detail.OVERVIEW:
        paint_overview(buffer, scene, viewport, palette, ratio)
    elif scene.layout.stages is not None:
        paint_ribbons(buffer, scene, viewport, palette, ratio)
        paint_cards(buffer, scene, viewport, palette, detail, ratio)
    else:
        paint_edges(buffer, scene, viewport, palette, detail, ratio)
        paint_cards(buffer, scene, viewport, palette, detail, ratio)
    if text:
        image = wrap_image(buffer)  # the painter does not keep its image alive
        painter = QPainter(image)
        paint_dimmed_labels(painter, scene, viewport, palette, detail, ratio)
        paint_labels(painter, scene, viewport, palette, detail, ratio)
        if scene.layout.stages is not None:
            paint_figures(painter, scene, viewport, palette, ratio)
        painter.end()
    return detail


def paint_bands(
    buffer: Image, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float = 1.0
) -> None:
    """One soft band per device in the lanes view, across the whole width; in the stages view the ground of each block."""
    paint_grounds(buffer, scene, viewport, palette, ratio)
    if not scene.layout.lanes:
        return
    lanes = scene.layout.lanes
    y = np.array([lane.band[1] for lane in lanes])
    h = np.array([lane.band[3] for lane in lanes])
    x0, _ = viewport.to_scene(0, 0)
    width = viewport.width / viewport.scale
    raster.rounded_rects(
        buffer, None, np.full(len(y), x0), y, np.full(len(y), width), h, viewport.scale, viewport.ox, viewport.oy,
        fill=palette.band[np.arange(len(y)) % len(palette.band)], radius_px=0.0,
    )  # fmt: skip


def edge_style(
    scene: Scene, palette: CanvasPalette, detail: Detail, ratio: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Colour, width and opacity of every edge: quiet inside a stage and where nothing is sent, in the producer's colour between stages, red where one breaks a rule."""
    items = scene.items
    between = (scene.device[items.edge_src] != scene.device[items.edge_dst]) & ~scene.unsent
    if scene.heat is not None:  # the colours are those of the scale alone
        between = np.zeros(len(between), bool)
    quiet = packed(palette.theme.edge)
    colour = np.where(between, palette.accent[scene.device[items.edge_src]], np.uint32(quiet))
    near = detail >= Detail.LABELS
    widest = float(items.edge_bytes.max(initial=0.0))
    share = np.sqrt(items.edge_bytes / widest) if widest > 0 else np.zeros(len(items.edge_bytes))
    width = (
        np.where(between, (1.2 + 1.8 * share) if near else 1.0 + 0.6 * share, 1.1 if near else 0.8) * ratio
    )
    opacity = np.where(between, 0.9 if near else 0.7, 0.75 if near else 0.4)
    broken = scene.broken_edges
    if broken.any():
        colour = np.where(broken, np.uint32(packed(palette.theme.bad)), colour)
        width, opacity = (
            np.where(broken, np.maximum(width, 2.4 * ratio), width),
            np.where(broken, 1.0, opacity),
        )
    return colour.astype(np.uint32), width, opacity


def paint_edges(
    buffer: Image, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, ratio: float
) -> None:
    """All edges: routed ones along their waypoints, hubs and far ones as fading stubs."""
    items = scene.items
    if len(items.edge_src) == 0:
        return
    colour, width, opacity = edge_style(scene, palette, detail, ratio)
    arrow = 5.0 * ratio if detail == Detail.CARDS else 0.0
    place: dict[str, Any] = {"scale": viewport.scale, "ox": viewport.ox, "oy": viewport.oy}
    curve: dict[str, Any] = {
        "x": scene.x, "y": scene.y, "w": scene.w, "h": scene.h, "src": items.edge_src, "dst": items.edge_dst, **place,
        "leave": scene.leave, "enter": scene.enter, "colour": colour, "width_px": width, "opacity": opacity,
    }  # fmt: skip
    plain = scene.straight if scene.settled else np.concatenate([scene.straight, scene.routed])
    if scene.broken_edges.any():
        _paint_sides(buffer, scene, palette, plain, curve, width, ratio)
    if detail >= Detail.LABELS and len(scene.stubs):
        tail = min(26.0 * ratio, 40.0 * viewport.scale)
        raster.stubs(buffer, None, length_px=tail, index=scene.stubs, **curve)
    raster.edges_between(buffer, None, index=plain, arrow_px=arrow, handle_max=240.0, **curve)
    if scene.settled and len(scene.routed):
        chosen = scene.routed
        raster.routes(
            buffer, None, scene.route_ptr, scene.route_x, scene.route_y, **place, radius=14.0,
            colour=colour[chosen], width_px=width[chosen], opacity=opacity[chosen], arrow_px=arrow,
        )  # fmt: skip


def _paint_sides(
    buffer: Image, scene: Scene, palette: CanvasPalette, plain: np.ndarray, curve: dict[str, Any], width: np.ndarray, ratio: float
) -> None:  # fmt: skip
    """What is dark beside the edges that break a rule, below all edges."""
    broken = scene.broken_edges
    dark: dict[str, Any] = {
        "colour": packed(palette.theme.text),
        "width_px": width + 2 * SIDES * ratio,
        "opacity": 1.0,
    }
    raster.edges_between(buffer, None, index=plain[broken[plain]], handle_max=240.0, **{**curve, **dark})
    if scene.settled and len(scene.routed):
        chosen = scene.routed
        raster.routes(
            buffer, None, scene.route_ptr, scene.route_x, scene.route_y, curve["scale"], curve["ox"], curve["oy"], radius=14.0,
            colour=dark["colour"], width_px=dark["width_px"][chosen], index=np.flatnonzero(broken[chosen]),
        )  # fmt: skip


def paint_cards(
    buffer: Image, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, ratio: float
) -> None:
    """All cards: blocks in the stage's colour from afar, white cards with the stage's bar when near."""
    theme = palette.theme
    accent = palette.accent[scene.device]
    place = (scene.x, scene.y, scene.w, scene.h, viewport.scale, viewport.ox, viewport.oy)
    opacity = np.where(faded, FADED, 1.0) if (faded := scene.faded).any() else 1.0
    paint_rings(buffer, scene, viewport, palette, detail, ratio)
    if detail == Detail.BLOCKS and scene.heat is not None:
        raster.rounded_rects(
            buffer, None, *place, fill=block_fills(scene, palette), radius_px=1.5 * ratio, opacity=opacity, min_px=1.0,
            stroke=np.where(scene.violating, np.uint32(packed(theme.bad)), np.uint32(0)), stroke_px=1.6 * ratio,
        )  # fmt: skip
        paint_signs(buffer, scene, viewport, palette, detail, ratio)
        _paint_pins(buffer, scene, viewport, palette, ratio)
        return
    if detail == Detail.BLOCKS:
        stroke = accent if scene.items.model.any() else np.zeros(len(accent), np.uint32)
        raster.rounded_rects(
            buffer, None, *place, fill=block_fills(scene, palette), radius_px=1.5 * ratio, opacity=opacity, min_px=1.0,
            stroke=stroke, stroke_px=ratio,
        )  # fmt: skip
        _paint_splits(buffer, scene, viewport, palette, detail, ratio)
        paint_signs(buffer, scene, viewport, palette, detail, ratio)
        _paint_pins(buffer, scene, viewport, palette, ratio)
        return
    body = palette.bodies_of(scene.device, scene.items.model)
    if palette.filled:  # filled in one device's colour it would seem to be that device's
        body = np.where(scene.mixed, np.uint32(packed(theme.card)), body)
    if scene.heat is not None:
        body = heat_fills(scene.heat, palette)
    stroke = np.where(scene.violating, np.uint32(packed(theme.bad)), accent)
    wide = np.where(scene.violating, 2.0, 1.0) * ratio
    if scene.heat is not None:
        stroke = np.where(scene.violating, stroke, body)
        wide = np.full(len(stroke), 2.0 * ratio)
    shadow: dict[str, Any] = {
        "shadow": packed(theme.shadow, 0.10),
        "shadow_px": 5.0 * ratio,
        "shadow_dy": 1.5 * ratio,
    }
    raster.rounded_rects(
        buffer, None, *place, fill=body.astype(np.uint32), stroke=stroke.astype(np.uint32), stroke_px=wide,
        radius_px=(5.0 if detail == Detail.CARDS else 3.0) * ratio, accent=accent,
        accent_px=(4.0 if detail == Detail.CARDS else 3.0) * ratio, opacity=opacity, snap=scene.settled,
        **(shadow if detail == Detail.CARDS else {}),
    )  # fmt: skip
    _paint_splits(buffer, scene, viewport, palette, detail, ratio)
    paint_signs(buffer, scene, viewport, palette, detail, ratio)
    if detail == Detail.LABELS:
        _paint_pins(buffer, scene, viewport, palette, ratio)


def paint_rings(
    buffer: Image, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, ratio: float
) -> None:
    """Around selected cards, below them: they keep colour, outline and name. Thin where not all of a group is selected.

    Around faded ones the ring is hollow: its colour would show through them.
    """
    items = np.flatnonzero(scene.selected)
    if not len(items):
        return
    whole = RING if detail >= Detail.LABELS else FAR_RING
    wide = np.where(scene.partly[items], FAR_RING, whole) * ratio / viewport.scale
    ring = np.uint32(packed(palette.theme.edge_selected))
    raster.rounded_rects(
        buffer, None, scene.x[items] - wide, scene.y[items] - wide, scene.w[items] + 2 * wide, scene.h[items] + 2 * wide,
        viewport.scale, viewport.ox, viewport.oy, fill=np.where(scene.faded[items], np.uint32(0), ring), stroke=ring,
        stroke_px=wide * viewport.scale, radius_px=(5.0 if detail == Detail.CARDS else 3.0) * ratio,
        min_px=(1.0 + 2 * FAR_RING) * ratio,
    )  # fmt: skip


def split_bars(
    scene: Scene, viewport: Viewport, detail: Detail, ratio: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Left, top, width and height (scene units, float64[parts]) of the parts of mixed groups.

    They share the lower edge of a card inside its border, and all of a block.
    """
    parts = scene.splits
    x, y = scene.x[parts.item], scene.y[parts.item]
    w, h = scene.w[parts.item], scene.h[parts.item]
    if detail == Detail.BLOCKS:
        return x + parts.start * w, y, (parts.end - parts.start) * w, h
    edge = ratio / viewport.scale
    high = np.maximum(SPLIT_SHARE * h, 2.0 * edge)
    inner = w - 2 * edge
    return x + edge + parts.start * inner, y + h - edge - high, (parts.end - parts.start) * inner, high


def _paint_splits(
    buffer: Image, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, ratio: float
) -> None:
    """What of each mixed group is on which device, as a bar in the devices' colours."""
    parts = scene.splits
    if len(parts.item) == 0:
        return
    x, y, w, h = split_bars(scene, viewport, detail, ratio)
    colour = palette.block if detail == Detail.BLOCKS else palette.accent
    opacity = np.where(scene.faded, FADED, 1.0)
    raster.rounded_rects(
        buffer, None, x, y, w, h, viewport.scale, viewport.ox, viewport.oy, fill=colour[parts.device],
        radius_px=0.0, opacity=opacity[parts.item], min_px=0.0,
    )  # fmt: skip


def _paint_pins(
    buffer: Image, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> None:
    """A dot on the upper right corner of pinned cards that are too small for the pin itself."""
    pinned = np.flatnonzero(scene.pinned)
    if len(pinned) == 0:
        return
    size = 6.0 * ratio / viewport.scale
    x = scene.x[pinned] + scene.w[pinned] - size / 2
    y = scene.y[pinned] - size / 2
    theme = palette.theme
    raster.rounded_rects(
        buffer, None, x, y, np.full(len(pinned), size), np.full(len(pinned), size), viewport.scale, viewport.ox,
        viewport.oy, fill=packed(theme.text), stroke=packed(theme.canvas), stroke_px=1.0 * ratio,
        radius_px=3.0 * ratio,
    )  # fmt: skip
