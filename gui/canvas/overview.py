"""Seen from afar: stages as areas with ribbons between them whose width is bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.canvas import raster
from gui.canvas.palette import CanvasPalette, packed
from gui.canvas.scene import Scene, device_flow
from gui.canvas.viewport import Viewport
from gui.theme import mix

Floats = np.ndarray


@dataclass(frozen=True, eq=False)
class Areas:
    """One rectangle per run of a device's ops in a row (scene units): where it lies, its device, how many ops."""

    x: Floats
    y: Floats
    w: Floats
    h: Floats
    device: np.ndarray
    count: np.ndarray


def areas_of(scene: Scene, pad: float = 8.0) -> Areas:
    """The areas of a settled or moving scene."""
    layout = scene.layout
    rows = layout.row.astype(np.int64) * 2 + layout.mirrored
    key = rows * scene.k + scene.device
    labels, inverse = np.unique(key, return_inverse=True)
    m = len(labels)
    x0, y0 = np.full(m, np.inf), np.full(m, np.inf)
    x1, y1 = np.full(m, -np.inf), np.full(m, -np.inf)
    np.minimum.at(x0, inverse, scene.x)
    np.minimum.at(y0, inverse, scene.y)
    np.maximum.at(x1, inverse, scene.x + scene.w)
    np.maximum.at(y1, inverse, scene.y + scene.h)
    count = np.bincount(inverse, weights=scene.items.size, minlength=m)
    device = (labels % scene.k).astype(np.int32)
    return Areas(x0 - pad, y0 - pad, x1 - x0 + 2 * pad, y1 - y0 + 2 * pad, device, count)


def paint_overview(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> None:
    """Areas, then ribbons from the last area of a device to the first area of each device it feeds."""
    areas = areas_of(scene)
    place = (viewport.scale, viewport.ox, viewport.oy)
    theme = palette.theme
    fill = np.array([packed(mix(theme.canvas, d.accent, 0.55)) for d in palette.devices], np.uint32)
    raster.rounded_rects(
        buffer, None, areas.x, areas.y, areas.w, areas.h, *place, fill=fill[areas.device],
        stroke=palette.accent[areas.device], stroke_px=1.0 * ratio, radius_px=3.0 * ratio, min_px=2.0,
    )  # fmt: skip
    src, dst, width = _ribbons(scene, areas, ratio)
    if len(src):
        order = np.argsort(-width)
        raster.edges_between(
            buffer, None, areas.x, areas.y, areas.w, areas.h, src[order], dst[order], *place,
            colour=palette.accent[areas.device[src[order]]], width_px=width[order], opacity=0.5,
        )  # fmt: skip


def _ribbons(scene: Scene, areas: Areas, ratio: float) -> tuple[np.ndarray, np.ndarray, Floats]:
    flow = _flow(scene)
    most = flow.max(initial=0.0)
    if most <= 0:
        empty = np.empty(0, np.int32)
        return empty, empty, np.empty(0)
    sources, targets = np.nonzero(flow)
    last = np.full(scene.k, -1, np.int32)
    first = np.full(scene.k, -1, np.int32)
    for i, d in enumerate(areas.device.tolist()):
        last[d] = i
        if first[d] < 0:
            first[d] = i
    width = np.maximum(1.0, 14.0 * flow[sources, targets] / most) * ratio
    return last[sources], first[targets], width


def _flow(scene: Scene) -> Floats:
    items = scene.items
    if items.count == items.graph.n:
        return device_flow(items.graph, scene.device, scene.k)
    flow = np.zeros((scene.k, scene.k))
    a, b = scene.device[items.edge_src], scene.device[items.edge_dst]
    away = a != b
    np.add.at(flow, (a[away], b[away]), items.edge_bytes[away])
    return flow
