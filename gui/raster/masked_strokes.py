"""The masked way of a stroke, with round joints, for one that bends sharply or might cross itself: :mod:`gui.raster.strokes` says when."""

from __future__ import annotations

import math

import numpy as np

from gui.raster.blend import HELPER, INLINE, blend_narrow, halves, pack
from gui.raster.strokes import first_pixel
from planner.compiling.kernel import njit


@njit(**INLINE)
def new_mask(height, width):
    """Scratch of :func:`stroke_masked`: coverage uint8[height, width] and touched columns int32[height, 2] a row."""
    spans = np.empty((height, 2), np.int32)
    spans[:, 0], spans[:, 1] = width, 0
    return np.zeros((height, width), np.uint8), spans


@njit(**HELPER)
def stroke_masked(img, c0, c1, c2, c3, pts, n, half, source, alpha, ends, mask, spans):
    """The masked way, with round joints and soft ends; ``mask`` and ``spans`` (:func:`new_mask`) are left as found."""
    reach = half + 0.5
    cap = min(1.0, 2.0 * half)
    reach4, cap4, zero = np.float32(reach), np.float32(cap), np.float32(0.0)
    y_low, y_high = c3, c1
    for i in range(n - 1):
        ax, ay = pts[0, i], pts[1, i]
        tx, ty, length = pts[2, i], pts[3, i], pts[4, i]
        bx, by = length * tx, length * ty
        first, last = i == 0, i == n - 2
        if first:
            before = _joint_reach(ends[0], ends[1], tx, ty, reach)
        else:
            before = _joint_reach(pts[2, i - 1], pts[3, i - 1], tx, ty, reach)
        if last:
            after = _joint_reach(tx, ty, ends[2], ends[3], reach)
        else:
            after = _joint_reach(tx, ty, pts[2, i + 1], pts[3, i + 1], reach)
        sx, sy = ax - before * tx, ay - before * ty
        fx, fy = ax + (length + after) * tx, ay + (length + after) * ty
        left, right = min(sx, fx) - reach * abs(ty), max(sx, fx) + reach * abs(ty)
        top, bottom = min(sy, fy) - reach * abs(tx), max(sy, fy) + reach * abs(tx)
        if right <= c0 or left >= c2 or bottom <= c1 or top >= c3:
            continue
        y_first, y_end = first_pixel(top, c1, c3), first_pixel(bottom, c1, c3)
        y_low, y_high = min(y_low, y_first), max(y_high, y_end)
        tx4, ty4, length4 = np.float32(tx), np.float32(ty), np.float32(length)
        for y in range(y_first, y_end):
            v = y + 0.5 - ay
            low, high = left, right
            if abs(ty) > 1e-9:
                mid, width = ax + v * tx / ty, reach / abs(ty)
                low, high = max(low, mid - width), min(high, mid + width)
            if abs(tx) > 1e-9:
                p, q = ax + (-before - ty * v) / tx, ax + (length + after - ty * v) / tx
                low, high = max(low, min(p, q)), min(high, max(p, q))
            xs, xe = first_pixel(low, c0, c2), first_pixel(high, c0, c2)
            if xs >= xe:
                continue
            spans[y, 0], spans[y, 1] = min(spans[y, 0], xs), max(spans[y, 1], xe)
            px = xs + 0.5 - ax
            if not first and not last:
                u4, d4 = np.float32(tx * px + ty * v), np.float32(tx * v - ty * px)
                for j in range(np.uint64(xe - xs)):  # no branches: vector code
                    k = np.float32(np.int32(j))
                    u, d = u4 + tx4 * k, d4 - ty4 * k
                    over = max(-u, u - length4, zero)  # beyond an end: round joints
                    cover = min(reach4 - np.float32(math.sqrt(d * d + over * over)), cap4)
                    level = np.uint8(np.int32(max(cover, zero) * np.float32(255.0) + np.float32(0.5)))
                    at = np.uint64(xs) + j
                    mask[y, at] = max(mask[y, at], level)
                continue
            for x in range(xs, xe):
                px = x + 0.5 - ax
                along, away = tx * px + ty * v, abs(tx * v - ty * px)
                past = max(-along, along - length)
                soft = 1.0
                if first:
                    soft = max(0.0, min(1.0, ends[0] * px + ends[1] * v + 0.5))
                if last:
                    soft *= max(0.0, min(1.0, ends[2] * (bx - px) + ends[3] * (by - v) + 0.5))
                if past > 0.0 and not (first and along < 0.0) and not (last and along > length):
                    away = math.sqrt(away * away + past * past)
                share = min(reach - away, cap) * soft
                if share > 0.0:
                    mask[y, x] = max(mask[y, x], np.uint8(share * 255.0 + 0.5))
    red_blue, alpha_green = halves(pack(source))
    a = np.int32(alpha)
    for y in range(y_low, y_high):
        xs, xe = spans[y, 0], spans[y, 1]
        spans[y, 0], spans[y, 1] = mask.shape[1], 0
        for x in range(np.uint64(xs), np.uint64(max(xs, xe))):
            img[y, x] = blend_narrow(img[y, x], red_blue, alpha_green, a, np.int32(mask[y, x]))
            mask[y, x] = np.uint8(0)


@njit(**INLINE)
def _joint_reach(ax, ay, bx, by, reach):
    """How far past a joint a segment must be drawn to close the gap on the outer side of the turn."""
    cosine, sine = ax * bx + ay * by, abs(ax * by - ay * bx)
    if cosine < -0.5:
        return reach
    return min(reach, 0.5 + reach * sine / (1.0 + cosine))
