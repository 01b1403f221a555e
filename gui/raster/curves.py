"""Drawing edges and routes: dashes, arrowheads, fading stubs, and the kernels that go through all of them."""

from __future__ import annotations

import math

import numpy as np

from gui.raster.blend import HELPER, KERNEL, premultiplied, scaled_alpha
from gui.raster.masked_strokes import new_mask, stroke_masked
from gui.raster.paths import CAPACITY, edge_curve, far_away, flatten, off_screen, route_points
from gui.raster.strokes import THIN_PX, direct_is_safe, fill_triangle, own_ends, prepare, stroke_direct
from planner.compiling.kernel import njit

_STUB_STEP = 1.5  # px between opacity steps of a fading stub


@njit(**HELPER)
def cut(pts, n, start, stop, step, piece):
    """The part of a prepared polyline between two arc lengths into ``piece``, with points at most ``step`` apart."""
    m = 0
    done = 0.0
    for i in range(n - 1):
        length = pts[4, i]
        a, b = max(start - done, 0.0), min(stop - done, length)
        if b > a:
            parts = min(max(1, math.ceil((b - a) / step)), CAPACITY - 2 - m)
            if parts < 1:
                break
            for k in range(0 if m == 0 else 1, parts + 1):
                u = a + (b - a) * k / parts
                piece[0, m], piece[1, m] = pts[0, i] + u * pts[2, i], pts[1, i] + u * pts[3, i]
                m += 1
        done += length
        if done >= stop:
            break
    return prepare(piece, m, False)


@njit(**HELPER)
def _visible_range(pts, n, c0, c1, c2, c3, reach):
    """Arc lengths at which the polyline first enters and last leaves the clip grown by ``reach``."""
    start, stop, done = math.inf, -math.inf, 0.0
    for i in range(n - 1):
        a, b = 0.0, pts[4, i]
        for axis in range(2):
            p, t = pts[axis, i], pts[2 + axis, i]
            low, high = (c0 - reach - p, c2 + reach - p) if axis == 0 else (c1 - reach - p, c3 + reach - p)
            if abs(t) > 1e-12:
                a, b = max(a, min(low / t, high / t)), min(b, max(low / t, high / t))
            elif low > 0.0 or high < 0.0:
                b = -1.0
        if b > a:
            start, stop = min(start, done + a), max(stop, done + b)
        done += pts[4, i]
    return start, stop


@njit(**HELPER)
def _stroke(img, c0, c1, c2, c3, pts, n, half, source, alpha, soft, ends, mask, spans):
    if direct_is_safe(pts, n, half):
        stroke_direct(img, c0, c1, c2, c3, pts, n, half, source, alpha, 1.0, 1.0, soft, ends)
    else:
        stroke_masked(img, c0, c1, c2, c3, pts, n, half, source, alpha, ends, mask, spans)


@njit(**HELPER)
def _curve_ends(curve, pts, n, skipped, complete):
    """Directions at the ends of a flattened curve: the handles' where it is whole, else the chords'."""
    x0, y0, x1, y1, x2, y2, x3, y3 = curve
    ax, ay, bx, by = own_ends(pts, n)
    dx, dy = x1 - x0, y1 - y0
    length = math.sqrt(dx * dx + dy * dy)
    if skipped == 0.0 and dx * ax + dy * ay > 0.7 * length and length > 0.01:
        ax, ay = dx / length, dy / length
    dx, dy = x3 - x2, y3 - y2
    length = math.sqrt(dx * dx + dy * dy)
    if complete and dx * bx + dy * by > 0.7 * length and length > 0.01:
        bx, by = dx / length, dy / length
    return ax, ay, bx, by


@njit(**HELPER)
def draw_path(
    img, c0, c1, c2, c3, pts, n, skipped, complete, half, source, alpha, dash_on, dash_off, arrow, stub,
    ends, piece, mask, spans,
):  # fmt: skip
    """Stroke a prepared polyline with its dashes, arrowhead or stubs; ``pts`` may be shortened."""
    reach = half + 0.5
    total = 0.0
    for i in range(n - 1):
        total += pts[4, i]
    if stub > 0.0 and (total > 2.0 * stub or skipped > 0.0 or not complete):
        if skipped == 0.0:
            m = cut(pts, n, 0.0, stub, _STUB_STEP, piece)
            if m > 1:
                stroke_direct(
                    img, c0, c1, c2, c3, piece, m, half, source, alpha, 1.0, 0.0, False, own_ends(piece, m)
                )
        if complete:
            m = cut(pts, n, total - stub, total, _STUB_STEP, piece)
            if m > 1:
                stroke_direct(
                    img, c0, c1, c2, c3, piece, m, half, source, alpha, 0.0, 1.0, False, own_ends(piece, m)
                )
        return
    if arrow > 0.0 and complete and total > 1.2 * max(arrow, min(5.0 * half, 14.0)):
        arrow = max(arrow, min(5.0 * half, 14.0))  # a head no wider than its shaft would not be seen
        m = cut(pts, n, total - arrow, total, math.inf, piece)
        bx, by = piece[0, 0], piece[1, 0]
        ex, ey = pts[0, n - 1], pts[1, n - 1]
        wx, wy = 0.42 * (by - ey), 0.42 * (ex - bx)
        fill_triangle(img, c0, c1, c2, c3, ex, ey, bx + wx, by + wy, bx - wx, by - wy, source, alpha, 1.0)
        m = cut(pts, n, 0.0, total - arrow, math.inf, piece)
        pts[:5, :m] = piece[:5, :m]
        n = m
        total -= arrow
        if n < 2:
            return
        ends = (ends[0], ends[1], pts[2, n - 2], pts[3, n - 2])
    if dash_on <= 0.0 or dash_off <= 0.0:
        # a thin line ends at a card or in an arrowhead, where nobody sees whether the end is soft
        _stroke(img, c0, c1, c2, c3, pts, n, half, source, alpha, half > 0.5 * THIN_PX, ends, mask, spans)
        return
    period = max(dash_on + dash_off, 1.0)
    start, stop = _visible_range(pts, n, c0, c1, c2, c3, reach)
    if not stop > start:
        return
    phase = skipped % period
    soft = (
        dash_on > 0.0
    )  # true, and no constant: numba would compile all that it is handed to once more for that
    k = math.floor((start + phase) / period)
    count = min(math.ceil((stop + phase) / period) - k, 20000)
    for q in range(count):
        begin = (k + q) * period - phase
        m = cut(pts, n, max(0.0, begin), min(total, begin + dash_on), math.inf, piece)
        if m > 1:
            _stroke(img, c0, c1, c2, c3, piece, m, half, source, alpha, soft, own_ends(piece, m), mask, spans)


@njit(**KERNEL)
def edges_kernel(
    img, c0, c1, c2, c3, ctrl, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy,
    curvature, bow, handle_max, colour, width_px, opacity, dashed, dash_on, dash_off, arrow_px, stubbed, stub_px,
    index, visible,
):  # fmt: skip
    n = ctrl.shape[0] if ctrl.shape[0] > 0 else src.shape[0]
    scene_clip = ((c0 - ox) / scale, (c1 - oy) / scale, (c2 - ox) / scale, (c3 - oy) / scale)
    ordered, masked = index.shape[0] > 0, visible.shape[0] > 0
    pts, piece = np.empty((8, CAPACITY)), np.empty((8, CAPACITY))
    mask, spans = new_mask(1, 1)
    for k in range(index.shape[0] if ordered else n):
        i = np.int64(index[k]) if ordered else k
        if i < 0 or i >= n or (masked and visible[i] == 0):
            continue
        half = 0.5 * width_px[i if width_px.shape[0] > 1 else 0]
        alpha = scaled_alpha(
            colour[i if colour.shape[0] > 1 else 0], opacity[i if opacity.shape[0] > 1 else 0]
        )
        if alpha <= 0 or not (half > 0.0 and half < 1e4):
            continue
        arrow = arrow_px[i if arrow_px.shape[0] > 1 else 0]
        reach = half + 1.0 + (max(arrow, 14.0) if arrow > 0.0 else 0.0)
        if ctrl.shape[0] == 0:
            shift = max(
                abs(src_port[i if src_port.shape[0] > 1 else 0]),
                abs(dst_port[i if dst_port.shape[0] > 1 else 0]),
            )
            if far_away(i, x, y, w, h, src, dst, *scene_clip, reach / scale + shift, curvature, bow):
                continue
        curve = edge_curve(
            i, ctrl, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy,
            curvature, bow, handle_max,
        )  # fmt: skip
        if off_screen(curve, c0, c1, c2, c3, reach):
            continue
        m, skipped, complete = flatten(curve, c0, c1, c2, c3, reach, half >= 0.9, pts)
        m = prepare(pts, m, True)
        if m < 2:
            continue
        if 2.0 * half > THIN_PX and mask.shape[0] == 1:
            mask, spans = new_mask(img.shape[0], img.shape[1])
        source = premultiplied(colour[i if colour.shape[0] > 1 else 0], alpha)
        on = dash_on if dashed[i if dashed.shape[0] > 1 else 0] != 0 else 0.0
        stub = stub_px if stubbed[i if stubbed.shape[0] > 1 else 0] != 0 else 0.0
        if 2.0 * half <= THIN_PX and arrow <= 0.0 and on <= 0.0 and stub <= 0.0:  # nearly all edges
            stroke_direct(img, c0, c1, c2, c3, pts, m, half, source, alpha, 1.0, 1.0, False, own_ends(pts, m))
            continue
        draw_path(
            img, c0, c1, c2, c3, pts, m, skipped, complete, half, source, alpha, on, dash_off, arrow, stub,
            _curve_ends(curve, pts, m, skipped, complete), piece, mask, spans,
        )  # fmt: skip


@njit(**KERNEL)
def routes_kernel(
    img, c0, c1, c2, c3, ptr, px, py, scale, ox, oy, radius, colour, width_px, opacity, dashed, dash_on, dash_off,
    arrow_px, stubbed, stub_px, index, visible,
):  # fmt: skip
    n = ptr.shape[0] - 1
    ordered, masked = index.shape[0] > 0, visible.shape[0] > 0
    pts, piece = np.empty((8, CAPACITY)), np.empty((8, CAPACITY))
    mask, spans = new_mask(1, 1)
    for k in range(index.shape[0] if ordered else n):
        i = np.int64(index[k]) if ordered else k
        if i < 0 or i >= n or (masked and visible[i] == 0):
            continue
        half = 0.5 * width_px[i if width_px.shape[0] > 1 else 0]
        alpha = scaled_alpha(
            colour[i if colour.shape[0] > 1 else 0], opacity[i if opacity.shape[0] > 1 else 0]
        )
        if alpha <= 0 or not (half > 0.0 and half < 1e4):
            continue
        m = route_points(ptr, px, py, i, scale, ox, oy, radius, pts)
        if m < 2:
            continue
        arrow = arrow_px[i if arrow_px.shape[0] > 1 else 0]
        reach = half + 1.0 + (max(arrow, 14.0) if arrow > 0.0 else 0.0)
        left, right, top, bottom = math.inf, -math.inf, math.inf, -math.inf
        for q in range(m):
            left, right = min(left, pts[0, q]), max(right, pts[0, q])
            top, bottom = min(top, pts[1, q]), max(bottom, pts[1, q])
        if left - reach >= c2 or right + reach <= c0 or top - reach >= c3 or bottom + reach <= c1:
            continue
        m = prepare(pts, m, True)
        if m < 2:
            continue
        if 2.0 * half > THIN_PX and mask.shape[0] == 1:
            mask, spans = new_mask(img.shape[0], img.shape[1])
        on = dash_on if dashed[i if dashed.shape[0] > 1 else 0] != 0 else 0.0
        stub = stub_px if stubbed[i if stubbed.shape[0] > 1 else 0] != 0 else 0.0
        complete = m > 1  # true, and no constant (see draw_path)
        draw_path(
            img, c0, c1, c2, c3, pts, m, 0.0, complete, half,
            premultiplied(colour[i if colour.shape[0] > 1 else 0], alpha), alpha, on, dash_off, arrow, stub,
            own_ends(pts, m), piece, mask, spans,
        )  # fmt: skip
