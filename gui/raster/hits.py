"""What is under the mouse: cards at a point or in a rectangle.

The geometry is that of the drawing kernels, so what looks hit is hit. Device pixels in, indices out.
"""

from __future__ import annotations

import numpy as np

from gui.raster.blend import KERNEL
from planner.compiling.kernel import njit


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
