"""How good a layout is, in numbers: for tests and benchmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gui.layout.result import EdgeClass, Layout
from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def _crossings(x0, y0, x1, y1, owner, tail, head):
    order = np.argsort(np.minimum(x0, x1))
    total = 0
    for i in range(len(order)):
        a = order[i]
        right = max(x0[a], x1[a])
        top, bottom = min(y0[a], y1[a]), max(y0[a], y1[a])
        dx, dy = x1[a] - x0[a], y1[a] - y0[a]
        for j in range(i + 1, len(order)):
            b = order[j]
            if min(x0[b], x1[b]) >= right:
                break
            if min(y0[b], y1[b]) >= bottom or max(y0[b], y1[b]) <= top or owner[a] == owner[b]:
                continue
            if tail[a] == tail[b] or head[a] == head[b] or tail[a] == head[b] or head[a] == tail[b]:
                continue  # edges that meet in an op do not cross, however they leave it
            s = dx * (y0[b] - y0[a]) - dy * (x0[b] - x0[a])
            t = dx * (y1[b] - y0[a]) - dy * (x1[b] - x0[a])
            if s * t >= 0.0:
                continue
            ex, ey = x1[b] - x0[b], y1[b] - y0[b]
            s = ex * (y0[a] - y0[b]) - ey * (x0[a] - x0[b])
            t = ex * (y1[a] - y0[b]) - ey * (x1[a] - x0[b])
            if s * t < 0.0:
                total += 1
    return total


def straight_crossings(layout: Layout) -> int:
    """Crossings of edges drawn as straight lines between the centres of their cards, edges with a common op left out."""
    x, y = layout.x + layout.w / 2, layout.y + layout.h / 2
    u, v = layout.edge_src, layout.edge_dst
    return int(_crossings(x[u], y[u], x[v], y[v], np.arange(len(u)), u, v))


def segments(layout: Layout) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All pieces of the drawn routes, stubs left out: float64[k, 4] (x0, y0, x1, y1) and their edges int64[k]."""
    pieces, owners = [np.empty((0, 4))], [np.empty(0, np.int64)]
    for e in np.flatnonzero(layout.edge_class != EdgeClass.STUB):
        line = layout.route(int(e))
        pieces.append(np.hstack([line[:-1], line[1:]]))
        owners.append(np.full(len(line) - 1, e, np.int64))
    return np.vstack(pieces), np.concatenate(owners)


def drawn_crossings(layout: Layout) -> int:
    """Crossings of the routes as they are drawn, stubs left out, edges with a common op left out."""
    line, owner = segments(layout)
    u, v = layout.edge_src[owner], layout.edge_dst[owner]
    return int(_crossings(line[:, 0], line[:, 1], line[:, 2], line[:, 3], owner, u, v))


def edge_length(layout: Layout) -> float:
    """Sum of the lengths of the drawn routes, stubs left out, in scene units."""
    line, _ = segments(layout)
    return float(np.hypot(line[:, 2] - line[:, 0], line[:, 3] - line[:, 1]).sum())


@njit(cache=True, nogil=True)
def _overlaps(x, y, w, h):
    order = np.argsort(x)
    total = 0
    for i in range(len(order)):
        a = order[i]
        for j in range(i + 1, len(order)):
            b = order[j]
            if x[b] >= x[a] + w[a] - 1e-6:
                break
            if y[b] < y[a] + h[a] - 1e-6 and y[a] < y[b] + h[b] - 1e-6:
                total += 1
    return total


def overlaps(layout: Layout) -> int:
    """Pairs of cards that lie on one another; 0 for every layout."""
    return int(_overlaps(layout.x, layout.y, layout.w, layout.h))


def cards_crossed(layout: Layout) -> int:
    """Horizontal pieces of drawn routes that run through a card; 0 for every layout of an acyclic graph's strips."""
    line, owner = segments(layout)
    total = 0
    x0, x1 = np.minimum(line[:, 0], line[:, 2]), np.maximum(line[:, 0], line[:, 2])
    y0, y1 = np.minimum(line[:, 1], line[:, 3]), np.maximum(line[:, 1], line[:, 3])
    straight = (np.abs(y1 - y0) < 1e-6) | (np.abs(x1 - x0) < 1e-6)
    for i in np.flatnonzero(straight):
        hit = (layout.x + 0.5 < x1[i]) & (layout.x + layout.w - 0.5 > x0[i])
        hit &= (layout.y + 0.5 < y1[i]) & (layout.y + layout.h - 0.5 > y0[i])
        hit[[layout.edge_src[owner[i]], layout.edge_dst[owner[i]]]] = False
        total += int(hit.any())
    return total


def viewport_fill(layout: Layout, viewport: tuple[float, float]) -> tuple[float, float]:
    """Shares of the viewport that the fitted picture covers, and that its cards cover."""
    scale = min(viewport[0] / layout.bounds[2], viewport[1] / layout.bounds[3])
    area = viewport[0] * viewport[1] / scale**2
    return layout.bounds[2] * layout.bounds[3] / area, float((layout.w * layout.h).sum()) / area
