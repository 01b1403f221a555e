"""A graph as a small SVG inside a page, such as a notebook's: cards, connections and the lanes of devices. No application is needed.

Names are told where the pointer rests as long as there are few ops; with many, the cards of a device are one shape, so that thousands of
ops take some hundred kilobytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from gui.canvas.graph.items import items_of
from gui.canvas.graph.scene import Scene, scene_of
from gui.look.theme import LIGHT, device_colours
from planner.model.graph import Graph, Ints
from planner.problem.evaluator import Evaluator
from planner.problem.target import Device

NAMED_OPS = 600
"""Up to so many ops each has a shape of its own, which tells its name."""
NAME_PIXELS, LETTER = 9.0, 0.58
"""The least height of a card that carries its name, and the width of a letter of its height."""
SHAPE = (960, 420)
"""Pixels that a picture is laid out for."""
HEADER, LEAST_HEADER = 11, 8
"""Pixels of the letters of a lane's name, and of the lowest lane that has one."""


def graph_svg(
    graph: Graph, device_of: Ints | None = None, devices: Sequence[Device] = (), evaluator: Evaluator | None = None, in_a_row: bool = True
) -> str:  # fmt: skip
    """The graph as a ribbon, or with ``device_of`` (int32[n]) as one lane for each of ``devices``."""
    view, k = ("flow", 1) if device_of is None else ("lanes", len(devices))
    places = np.zeros(graph.n, np.int32) if device_of is None else device_of
    scene = scene_of(items_of(graph, None, frozenset()), view, places, k, SHAPE, devices, evaluator, in_a_row)
    left, top, wide, high = scene.layout.bounds
    margin = (
        max((len(one.title) for one in devices), default=0) * HEADER * LETTER + 12 if view == "lanes" else 0.0
    )
    scale = min((SHAPE[0] - margin) / max(wide, 1.0), 1.0)
    left -= margin / scale
    body = "".join(
        [_lanes(scene, scale, left, top), _edges(scene, scale, left, top), _cards(scene, scale, left, top)]
    )
    width, height = margin + wide * scale, high * scale
    what = f"{graph.name}: {graph.n} ops" + ("" if device_of is None else f" on {k} devices")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}"'
        f' role="img" aria-label="{escape(what)}" style="max-width:100%;height:auto;background:{LIGHT.canvas}"'
        f' font-family="sans-serif">{body}</svg>'
    )


def _n(value: float) -> str:
    """A number with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def _lanes(scene: Scene, scale: float, left: float, top: float) -> str:
    """The lanes, with what their devices are called at their left, where there is room."""
    colours = device_colours(scene.k, LIGHT)
    parts = []
    for d, lane in enumerate(scene.layout.lanes):
        x, y = (lane.band[0] - left) * scale, (lane.band[1] - top) * scale
        right, h = x + lane.band[2] * scale, lane.band[3] * scale
        parts.append(
            f'<rect x="0" y="{_n(y)}" width="{_n(right)}" height="{_n(h)}" rx="3" fill="{colours[d].band}"/>'
        )
        if h >= LEAST_HEADER:
            size = min(HEADER, 0.95 * h)
            parts.append(
                f'<text x="6" y="{_n(y + min(h, 1.6 * HEADER) / 2 + 0.35 * size)}" font-size="{_n(size)}" fill="{colours[d].ink}">'
                f"{escape(scene.devices[d].title)}</text>"
            )
    return "".join(parts)


def _edges(scene: Scene, scale: float, left: float, top: float) -> str:
    """All connections that are drawn, as one line."""
    layout, items = scene.layout, scene.items
    x, y = (layout.x - left) * scale, (layout.y - top) * scale
    w, h = layout.w * scale, layout.h * scale
    parts = []
    for e in scene.straight.tolist():
        u, v = int(items.edge_src[e]), int(items.edge_dst[e])
        x1, y1 = x[u] + (0.0 if layout.mirrored[u] else w[u]), y[u] + h[u] / 2
        x2, y2 = x[v] + (w[v] if layout.mirrored[v] else 0.0), y[v] + h[v] / 2
        if abs(y1 - y2) < 0.5:
            parts.append(f"M{_n(x1)} {_n(y1)}H{_n(x2)}")
        else:
            middle = _n((x1 + x2) / 2)
            parts.append(f"M{_n(x1)} {_n(y1)}C{middle} {_n(y1)} {middle} {_n(y2)} {_n(x2)} {_n(y2)}")
    ptr = scene.route_ptr.tolist()
    for i in range(len(ptr) - 1):
        points = zip(
            ((scene.route_x[ptr[i] : ptr[i + 1]] - left) * scale).tolist(),
            ((scene.route_y[ptr[i] : ptr[i + 1]] - top) * scale).tolist(),
            strict=True,
        )
        parts.append("M" + " ".join(f"{_n(a)} {_n(b)}" for a, b in points))
    width = _n(min(1.2, max(0.3, scale * 1.5)))
    return (
        f'<path d="{"".join(parts)}" fill="none" stroke="{LIGHT.edge}" stroke-width="{width}"/>'
        if parts
        else ""
    )


def _cards(scene: Scene, scale: float, left: float, top: float) -> str:
    layout, items = scene.layout, scene.items
    x, y = (layout.x - left) * scale, (layout.y - top) * scale
    w, h = layout.w * scale, layout.h * scale
    plain = not layout.lanes
    fills = [LIGHT.accent] if plain else [one.accent for one in device_colours(scene.k, LIGHT)]
    boxes: list[list[str]] = [[] for _ in fills]
    for v in range(items.count):
        box = f"M{_n(x[v])} {_n(y[v])}h{_n(w[v])}v{_n(h[v])}h-{_n(w[v])}z"
        d = 0 if plain else int(scene.device[v])
        if items.count > NAMED_OPS:
            boxes[d].append(box)
            continue
        name = escape(items.names[v])
        label = ""
        if h[v] >= NAME_PIXELS:
            size = min(h[v] * 0.5, 11.0)
            room = int((w[v] - 4) / (size * LETTER))
            shown = (
                items.names[v] if len(items.names[v]) <= room else f"…{items.names[v][-max(room - 1, 1) :]}"
            )
            label = (
                f'<text x="{_n(x[v] + 2)}" y="{_n(y[v] + h[v] * 0.65)}" font-size="{_n(size)}" fill="{LIGHT.accent_text}"'
                f' pointer-events="none">{escape(shown)}</text>'
            )
        boxes[d].append(f'<path d="{box}"><title>{name}</title></path>{label}')
    if items.count > NAMED_OPS:
        return "".join(
            f'<path d="{"".join(part)}" fill="{fill}"/>'
            for part, fill in zip(boxes, fills, strict=True)
            if part
        )
    return "".join(
        f'<g fill="{fill}">{"".join(part)}</g>' for part, fill in zip(boxes, fills, strict=True) if part
    )
