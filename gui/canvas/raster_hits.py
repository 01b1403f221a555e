"""What is under the mouse: cards at a point or in a rectangle, and the nearest edge or route.

The geometry is that of the drawing kernels, so what looks hit is hit. Device pixels in, indices out.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from gui.canvas.raster_blend import HELPER, KERNEL
from gui.canvas.raster_paths import CAPACITY, edge_curve, far_away, flatten, off_screen, route_points


@njit(**KERNEL)
def hit_op_kernel(px, py, x, y, w, h, scale, ox, oy, order, visible, slop):
    n = x.shape[0]
    ordered, masked = order.shape[0] > 0, visible.shape[0] > 0
    best, best_gap = -1, slop * slop
    for k in range(order.shape[0] if ordered else n):
        i = int(order[k]) if ordered else k
        if i < 0 or i >= n or (masked and visible[i] == 0):
            continue
        x0, y0 = x[i] * scale + ox, y[i] * scale + oy
        x1, y1 = x0 + w[i] * scale, y0 + h[i] * scale
        if not (x1 >= x0 and y1 >= y0):
            continue
        gx, gy = max(x0 - px, px - x1, 0.0), max(y0 - py, py - y1, 0.0)
        gap = gx * gx + gy * gy
        if gap <= best_gap:  # ties: the later one lies on top
            best, best_gap = i, gap
    return best


@njit(**KERNEL)
def ops_in_rect_kernel(x0, y0, x1, y1, x, y, w, h, scale, ox, oy, visible, inside):
    masked = visible.shape[0] > 0
    found = np.empty(x.shape[0], np.int32)
    m = 0
    for i in range(x.shape[0]):
        if masked and visible[i] == 0:
            continue
        a, b = x[i] * scale + ox, y[i] * scale + oy
        c, d = a + w[i] * scale, b + h[i] * scale
        if inside:
            hit = a >= x0 and b >= y0 and c <= x1 and d <= y1
        else:
            hit = a <= x1 and c >= x0 and b <= y1 and d >= y0
        if hit:
            found[m] = i
            m += 1
    return found[:m].copy()


@njit(**HELPER)
def _distance(pts, n, px, py):
    """Distance of a point to a polyline of n points (not prepared)."""
    best = math.inf
    for i in range(n - 1):
        ax, ay = pts[0, i], pts[1, i]
        dx, dy = pts[0, i + 1] - ax, pts[1, i + 1] - ay
        qx, qy = px - ax, py - ay
        square = dx * dx + dy * dy
        t = min(1.0, max(0.0, (qx * dx + qy * dy) / square)) if square > 0.0 else 0.0
        qx, qy = qx - t * dx, qy - t * dy
        best = min(best, qx * qx + qy * qy)
    return math.sqrt(best)


@njit(**KERNEL)
def hit_edge_kernel(
    px, py, radius, ctrl, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy,
    curvature, bow, handle_max, width_px, index, visible,
):  # fmt: skip
    n = ctrl.shape[0] if ctrl.shape[0] > 0 else src.shape[0]
    ordered, masked = index.shape[0] > 0, visible.shape[0] > 0
    pts = np.empty((8, CAPACITY))
    best, best_gap = -1, radius
    sx, sy = (px - ox) / scale, (py - oy) / scale
    for k in range(index.shape[0] if ordered else n):
        i = int(index[k]) if ordered else k
        if i < 0 or i >= n or (masked and visible[i] == 0):
            continue
        half = 0.5 * max(0.0, width_px[i if width_px.shape[0] > 1 else 0])
        if ctrl.shape[0] == 0:
            shift = max(
                abs(src_port[i if src_port.shape[0] > 1 else 0]),
                abs(dst_port[i if dst_port.shape[0] > 1 else 0]),
            )
            far = (half + best_gap) / scale + shift
            if far_away(i, x, y, w, h, src, dst, sx, sy, sx, sy, far, curvature, bow):
                continue
        curve = edge_curve(
            i, ctrl, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy,
            curvature, bow, handle_max,
        )  # fmt: skip
        reach = half + best_gap
        # the "window" here is the point itself: long curves are flattened only near it
        if off_screen(curve, px, py, px, py, reach + 1e-6):
            continue
        m, _, _ = flatten(curve, px, py, px, py, reach + 1.0, half >= 0.9, pts)
        if m < 2:
            continue
        gap = max(0.0, _distance(pts, m, px, py) - half)
        if gap <= best_gap:
            best, best_gap = i, gap
    return best, best_gap


@njit(**KERNEL)
def hit_route_kernel(px, py, radius, ptr, rx, ry, scale, ox, oy, corner, width_px, index, visible):
    n = ptr.shape[0] - 1
    ordered, masked = index.shape[0] > 0, visible.shape[0] > 0
    pts = np.empty((8, CAPACITY))
    best, best_gap = -1, radius
    for k in range(index.shape[0] if ordered else n):
        i = int(index[k]) if ordered else k
        if i < 0 or i >= n or (masked and visible[i] == 0):
            continue
        half = 0.5 * max(0.0, width_px[i if width_px.shape[0] > 1 else 0])
        m = route_points(ptr, rx, ry, i, scale, ox, oy, corner, pts)
        if m < 2:
            continue
        gap = max(0.0, _distance(pts, m, px, py) - half)
        if gap <= best_gap:
            best, best_gap = i, gap
    return best, best_gap
