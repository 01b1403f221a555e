"""A layout on the way from one to another of the same cards: edges keep to their routes while the cards they join move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gui.layout.result import Layout, Rect

CORNERS = 4
"""Waypoints of a route that leaves level, goes up or down, along, up or down again, and arrives level."""


def between(first: Layout, second: Layout, share: float) -> Layout:
    """The layout a ``share`` of the way, 0 to 1: cards, lanes, bounds and routes.

    Routes move with their waypoints, so that what is level or upright in both layouts is so all the way; where the two have
    different shapes, both are taken as routes with :data:`CORNERS` corners. Classes are those of the nearer end.
    """
    if share <= 0.0 or first is second:
        return first
    if share >= 1.0:
        return second

    def rect(a: Rect, b: Rect) -> Rect:
        x, y, w, h = (p + (q - p) * share for p, q in zip(a, b, strict=True))
        return x, y, w, h

    lanes = tuple(
        replace(one, band=rect(one.band, other.band), header=rect(one.header, other.header))
        for one, other in zip(first.lanes, second.lanes, strict=True)
    )
    offsets, points = _routes(first, second, share)
    return replace(
        first, x=first.x + (second.x - first.x) * share, y=first.y + (second.y - first.y) * share,
        w=first.w + (second.w - first.w) * share, h=first.h + (second.h - first.h) * share, lanes=lanes,
        bounds=rect(first.bounds, second.bounds), edge_class=(first if share < 0.5 else second).edge_class,
        route_offsets=offsets, route_points=points,
    )  # fmt: skip


def _routes(
    first: Layout, second: Layout, share: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """Offsets (int64[m + 1]) and waypoints (float64[p, 2]) of all edges."""
    counts = np.diff(first.route_offsets)
    alike = counts == np.diff(second.route_offsets)
    offsets = np.concatenate([[0], np.cumsum(np.where(alike, counts, CORNERS))])
    points = np.empty((int(offsets[-1]), 2))
    same, turned = np.flatnonzero(alike), np.flatnonzero(~alike)
    own = _spread(offsets[:-1][same], counts[same])
    one = first.route_points[_spread(first.route_offsets[:-1][same], counts[same])]
    other = second.route_points[_spread(second.route_offsets[:-1][same], counts[same])]
    points[own] = one + (other - one) * share
    one, other = _cornered(first, turned), _cornered(second, turned)
    points[_spread(offsets[:-1][turned], np.full(len(turned), CORNERS))] = one + (other - one) * share
    return offsets, points


def _spread(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """``starts[i]`` and the ``counts[i] - 1`` numbers after it, for each i in turn."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(int(counts.sum()))


def _cornered(layout: Layout, edges: NDArray[np.intp]) -> NDArray[np.float64]:
    """The waypoints of edges (indices of e of them) as :data:`CORNERS` each, one edge after the other: float64[4 e, 2]."""
    u, v = layout.edge_src[edges], layout.edge_dst[edges]
    leave = layout.x[u] + np.where(layout.mirrored[u], 0.0, layout.w[u])
    enter = layout.x[v] + np.where(layout.mirrored[v], layout.w[v], 0.0)
    start, end = layout.y[u] + layout.h[u] / 2, layout.y[v] + layout.h[v] / 2
    counts = np.diff(layout.route_offsets)[edges]
    straight = counts == 0
    most = max(len(layout.route_points) - 1, 0)
    known = layout.route_points if len(layout.route_points) else np.zeros((1, 2))
    begin = np.minimum(layout.route_offsets[:-1][edges], most)
    last = np.minimum(layout.route_offsets[1:][edges] - 1, most)
    middle = np.stack([(leave + enter) / 2, (start + end) / 2], axis=1)
    out = np.where(straight[:, None], middle, known[begin])
    back = np.where(straight[:, None], middle, known[last])
    corners = np.empty((len(edges), CORNERS, 2))
    corners[:, :, 0] = np.stack([out[:, 0], out[:, 0], back[:, 0], back[:, 0]], axis=1)
    corners[:, :, 1] = np.stack([start, out[:, 1], back[:, 1], end], axis=1)
    whole = counts == CORNERS
    corners[whole] = known[(begin[whole][:, None] + np.arange(CORNERS))]
    return corners.reshape(-1, 2)
