"""Antialiased strokes along a polyline, each pixel blended at most once.

Coverage of a pixel is the overlap of a one pixel wide window with the stroke, measured across the stroke: with half width
q and distance d from the centre line it is min(1, 2q, q + 1/2 - d). Lines thinner than a pixel fade instead of breaking.

Two ways keep translucent colours even at the joints:

* *direct*: the plane through each joint along the angle's bisector separates the pixels of the two segments; both
  segments compute the crossing of that plane with a pixel row from the same numbers, so no pixel belongs to two
  and none to neither. Nothing but the image is touched. Used for thin lines and gently bent ribbons.
* *masked* (:mod:`gui.raster.masked_strokes`): segments write the maximum of their coverage into a mask, which is blended once at
  the end. Used where a wide stroke bends so sharply that bisectors would meet inside it, or might cross itself.

``pts`` is float64[8, capacity >= 520]: x, y, tangent x, tangent y, segment length; rows 2 to 4 are set by :func:`prepare`,
rows 5 to 7 are scratch of :func:`stroke_direct`.
"""

from __future__ import annotations

import math

import numpy as np

from gui.raster.blend import HELPER, INLINE, blend, blend_narrow, halves, pack
from planner.compiling.kernel import njit

THIN_PX = 3.0  # strokes up to this width always take the direct way
MERGE_PX = 0.12
_ROWS = 512  # rows whose spans are computed together
_FAR = 1e15


@njit(**INLINE)
def prepare(pts, n, merge):
    """Drop coincident and superfluous points, set tangents and lengths; the number of points left (0 or at least 2).

    With ``merge`` a point is superfluous where leaving it out moves the line by less than MERGE_PX, summed over a run of them.
    """
    m = 1
    moved = 0.0
    for i in range(1, n):
        x, y = pts[0, i], pts[1, i]
        dx, dy = x - pts[0, m - 1], y - pts[1, m - 1]
        square = dx * dx + dy * dy
        if not square > 1e-6:
            continue
        if merge and m > 1:
            tx, ty, before = pts[2, m - 2], pts[3, m - 2], pts[4, m - 2]
            # height of the triangle over its long side, from its area; forwards only
            wx, wy = x - pts[0, m - 2], y - pts[1, m - 2]
            long = math.sqrt(wx * wx + wy * wy)
            if tx * dx + ty * dy > 0.0 and moved * long + before * abs(tx * dy - ty * dx) < MERGE_PX * long:
                moved += before * abs(tx * dy - ty * dx) / long
                pts[0, m - 1], pts[1, m - 1] = x, y
                pts[2, m - 2], pts[3, m - 2], pts[4, m - 2] = wx / long, wy / long, long
                continue
        length = math.sqrt(square)
        pts[0, m], pts[1, m] = x, y
        pts[2, m - 1], pts[3, m - 1], pts[4, m - 1] = dx / length, dy / length, length
        moved = 0.0
        m += 1
    return m if m > 1 else 0


@njit(**INLINE)
def first_pixel(x, c0, c2):
    """Smallest column whose centre is at or right of ``x`` (not NaN), clamped to c0..c2."""
    return math.ceil(min(max(x - 0.5, float(c0)), float(c2)))


@njit(**INLINE)
def _run(img, y, xs, xe, c2, d, step, reach, cap, gain, source, alpha):
    """Blend columns xs..xe of a row; ``d`` is the signed distance at xs, ``step`` its change per column.

    In whole blocks of eight pixels, without branches and in single precision, which LLVM turns into vector code; the pixels
    of a block beyond xe are blended with coverage 0, which leaves every bit as it was. Only where a block would
    cross the clip's right side ``c2`` pixels go one by one.
    """
    count = xe - xs
    padded = (count + 7) & ~7
    red_blue, alpha_green = halves(pack(source))
    a, n4, d4, s4 = np.int32(alpha), np.int32(count), np.float32(d), np.float32(step)
    r4, c4, g4 = np.float32(reach), np.float32(cap), np.float32(gain)
    if xs + padded <= c2:
        for j in range(np.uint64(padded)):
            at = np.uint64(xs) + j
            level = _level(np.int32(j), n4, d4, s4, r4, c4, g4)
            img[y, at] = blend_narrow(img[y, at], red_blue, alpha_green, a, level)
    else:
        for k in range(count):
            level = _level(np.int32(k), n4, d4, s4, r4, c4, g4)
            img[y, xs + k] = blend_narrow(img[y, xs + k], red_blue, alpha_green, a, level)


@njit(**INLINE)
def _level(k, count, d, step, reach, cap, gain):
    """Coverage 0..255 (int32) of the k-th pixel of a run, 0 beyond its end."""
    cover = max(min(reach - abs(d + step * np.float32(k)), cap), np.float32(0.0))
    return np.int32((cover if k < count else np.float32(0.0)) * gain + np.float32(0.5))


@njit(**INLINE)
def _run_capped(img, y, xs, xe, d, step, u, ustep, v, vstep, first, last, reach, cap, gain, source, alpha):
    """As :func:`_run` where an end is near: coverage also ramps over u (from the start) and v (to the end)."""
    for x in range(np.uint64(xs), np.uint64(xe)):
        cover = min(reach - abs(d), cap)
        if first:
            cover *= max(0.0, min(1.0, u))
        if last:
            cover *= max(0.0, min(1.0, v))
        d += step
        u += ustep
        v += vstep
        if cover > 0.0:
            img[y, x] = blend(img[y, x], source, alpha, int(cover * gain + 0.5))


@njit(**HELPER)
def stroke_direct(img, c0, c1, c2, c3, pts, n, half, source, alpha, fade0, fade1, soft, ends):
    """The direct way. ``fade0``, ``fade1``: opacity at the first and the last point, linear in between.

    ``soft`` antialiases the two ends (else pixel centres decide); ``ends`` is (x0, y0, x1, y1): unit vectors along the
    stroke at its ends, which the end faces are perpendicular to.
    """
    reach = half + 0.5
    cap = min(1.0, 2.0 * half)
    total = 0.0
    if fade0 != fade1:
        for i in range(n - 1):
            total += pts[4, i]
    done = 0.0
    solid = pack(source)
    left, right = float(c0), float(c2)
    grow = 0.5 if soft else 0.0  # a soft end's ramp is centred on the end
    # the plane a segment begins at: through (jx, jy), facing (gx, gy)
    gx, gy = ends[0], ends[1]
    jx, jy = pts[0, 0] - grow * gx, pts[1, 0] - grow * gy
    for i in range(n - 1):
        ax, ay = pts[0, i], pts[1, i]
        tx, ty, length = pts[2, i], pts[3, i], pts[4, i]
        gain = 255.0 * fade0
        if fade0 != fade1:
            gain = 255.0 * (fade0 + (fade1 - fade0) * (done + 0.5 * length) / total)
            done += length
        first, last = soft and i == 0, soft and i == n - 2
        # the plane it ends at
        hx, hy = tx, ty
        kx, ky = pts[0, i + 1], pts[1, i + 1]
        sharp = False
        if i == n - 2:
            hx, hy = ends[2], ends[3]
            kx, ky = kx + grow * hx, ky + grow * hy
        else:
            hx, hy = tx + pts[2, i + 1], ty + pts[3, i + 1]
            if hx * hx + hy * hy < 1.0:  # turns by more than 120 degrees: no useful bisector
                hx, hy, sharp = tx, ty, True
        # the stroke's corners at an end lie on its plane, reach / cos(half the turn) away from the joint
        ga, ha = reach / (gx * tx + gy * ty), reach / (hx * tx + hy * ty)
        ey, fy = ga * abs(gx), ha * abs(hx)
        ex, fx = ga * abs(gy), ha * abs(hy)
        top, bottom = min(jy - ey, ky - fy), max(jy + ey, ky + fy)
        px, py, qx, qy, zx, zy = jx, jy, gx, gy, kx, ky
        wx, wy = hx, hy
        # hand the plane on before any "continue"
        if sharp:
            gx, gy = pts[2, i + 1], pts[3, i + 1]
        else:
            gx, gy = hx, hy
        jx, jy = kx, ky
        if max(px + ex, zx + fx) <= c0 or min(px - ex, zx - fx) >= c2 or bottom <= c1 or top >= c3:
            continue
        # bounds on a row's columns, each as a + b * y: two from below, two from above; those of the planes are
        # the same numbers for both segments at a joint, so that every pixel has exactly one owner
        low_a, low_b, high_a, high_b = -_FAR, 0.0, _FAR, 0.0
        low2_a, low2_b, high2_a, high2_b = -_FAR, 0.0, _FAR, 0.0
        if abs(qx) > 1e-9:
            slope = qy / qx
            if qx > 0.0:
                low_a, low_b = px + py * slope, -slope
            else:
                high_a, high_b = px + py * slope, -slope
        elif qy > 0.0:
            top = max(top, py)
        else:
            bottom = min(bottom, py)
        if abs(wx) > 1e-9:
            slope = wy / wx
            if wx > 0.0:
                high2_a, high2_b = zx + zy * slope, -slope
            else:
                low2_a, low2_b = zx + zy * slope, -slope
        elif wy > 0.0:
            bottom = min(bottom, zy)
        else:
            top = max(top, zy)
        y_first, y_end = first_pixel(top, c1, c3), first_pixel(bottom, c1, c3)
        steep = abs(ty) > 1e-9
        slope, width, core = 0.0, _FAR, _FAR
        if steep:
            inverse = 1.0 / abs(ty)
            slope, width, core = tx / ty, reach * inverse, (half - 0.5) * inverse
        wide = half > 2.0 and alpha == 255 and gain >= 255.0 and not first and not last
        for block in range(y_first, y_end, _ROWS):
            # the spans of many rows at once: no branches, so vector code
            rows = min(_ROWS, y_end - block)
            for j in range(np.uint64((rows + 7) & ~7)):
                yc = block + np.int64(j) + 0.5
                v = yc - ay
                mid = ax + v * slope
                low = max(mid - width, low_a + low_b * yc, low2_a + low2_b * yc)
                high = min(mid + width, high_a + high_b * yc, high2_a + high2_b * yc)
                start = np.ceil(min(max(low - 0.5, left), right))
                pts[5, j] = start
                pts[6, j] = np.ceil(min(max(high - 0.5, left), right))
                pts[7, j] = tx * v - ty * (start + 0.5 - ax)
            for j in range(rows):
                xs, xe, d = int(pts[5, j]), int(pts[6, j]), pts[7, j]
                if xs >= xe:
                    continue
                y = block + j
                if first or last:
                    rx, v = xs + 0.5 - ax, y + 0.5 - ay
                    u = ends[0] * rx + ends[1] * v + 0.5
                    e = ends[2] * (kx - xs - 0.5) + ends[3] * (ky - y - 0.5)
                    _run_capped(
                        img,
                        y,
                        xs,
                        xe,
                        d,
                        -ty,
                        u,
                        ends[0],
                        e,
                        -ends[2],
                        first,
                        last,
                        reach,
                        cap,
                        gain,
                        source,
                        alpha,
                    )
                elif wide:
                    v = y + 0.5 - ay
                    ms, me = xs, xs
                    if steep:
                        mid = ax + v * slope
                        ms = min(xe, max(xs, first_pixel(mid - core, c0, c2)))
                        me = min(xe, max(ms, first_pixel(mid + core, c0, c2)))
                    elif abs(v) <= half - 0.5:
                        me = xe
                    _run(img, y, xs, ms, c2, d, -ty, reach, cap, gain, source, alpha)
                    for x in range(np.uint64(ms), np.uint64(me)):
                        img[y, x] = solid
                    d = tx * v - ty * (me + 0.5 - ax)
                    _run(img, y, me, xe, c2, d, -ty, reach, cap, gain, source, alpha)
                else:
                    _run(img, y, xs, xe, c2, d, -ty, reach, cap, gain, source, alpha)


@njit(**INLINE)
def own_ends(pts, n):
    """``ends`` of a prepared polyline: its first and last tangent."""
    return pts[2, 0], pts[3, 0], pts[2, n - 2], pts[3, n - 2]


@njit(**HELPER)
def direct_is_safe(pts, n, half):
    """Whether neighbouring bisectors meet outside the stroke and it turns too little to cross itself."""
    if 2.0 * half <= THIN_PX:
        return True
    turned = 0.0
    for i in range(n - 2):
        cross = pts[2, i] * pts[3, i + 1] - pts[3, i] * pts[2, i + 1]
        dot = pts[2, i] * pts[2, i + 1] + pts[3, i] * pts[3, i + 1]
        if dot <= 0.0 or (half + 0.5) * abs(cross) > 0.9 * min(pts[4, i], pts[4, i + 1]):
            return False
        turned += abs(cross)
    return turned < 3.5


@njit(**HELPER)
def fill_triangle(img, c0, c1, c2, c3, x0, y0, x1, y1, x2, y2, source, alpha, gain):
    """An antialiased triangle (arrowhead); ``gain`` is the opacity 0..1."""
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if not abs(area) > 1e-6:
        return
    if area < 0.0:
        x1, y1, x2, y2 = x2, y2, x1, y1
    if not (
        min(x0, x1, x2) - 1.0 < c2
        and max(x0, x1, x2) + 1.0 > c0
        and min(y0, y1, y2) - 1.0 < c3
        and max(y0, y1, y2) + 1.0 > c1
    ):
        return
    la, lb, lc = math.hypot(x1 - x0, y1 - y0), math.hypot(x2 - x1, y2 - y1), math.hypot(x0 - x2, y0 - y2)
    xs, xe = max(c0, math.floor(min(x0, x1, x2)) - 1), min(c2, math.ceil(max(x0, x1, x2)) + 1)
    ys, ye = max(c1, math.floor(min(y0, y1, y2)) - 1), min(c3, math.ceil(max(y0, y1, y2)) + 1)
    for y in range(ys, ye):
        q = y + 0.5
        for x in range(xs, xe):
            p = x + 0.5
            a = ((x1 - x0) * (q - y0) - (y1 - y0) * (p - x0)) / la + 0.5
            b = ((x2 - x1) * (q - y1) - (y2 - y1) * (p - x1)) / lb + 0.5
            c = ((x0 - x2) * (q - y2) - (y0 - y2) * (p - x2)) / lc + 0.5
            cover = min(1.0, a, b, c)
            if cover > 0.0:
                img[y, x] = blend(img[y, x], source, alpha, int(cover * gain * 255.0 + 0.5))
