"""Where edges run: ports of cards, cubic curves and their flattening, rounded routes.

A side is where an edge leaves or enters a card: RIGHT 0, BOTTOM 1, LEFT 2, TOP 3. From each end a handle points straight
out of the card, ``curvature`` times as long as the distance covered in that direction, at least ``bow`` and at most
``handle_max`` (scene units); an edge that has to go backwards bows out far enough to be seen.

Flattening: a cubic whose second differences are at most M long stays within 3 M / (4 n^2) of n equal parameter steps
(Wang, Acta Math. Sinica 1984); M is reduced for flat curves, whose second differences mostly point along them.
"""

from __future__ import annotations

import math

from gui.raster.blend import HELPER, INLINE, LIMIT
from planner.compiling.kernel import njit

RIGHT, BOTTOM, LEFT, TOP = 0, 1, 2, 3
CAPACITY = 1024  # points of one flattened piece
_TOLERANCE = 0.25  # px
_STEPS = 0.75 / _TOLERANCE
_SHORT_PX = 40.0  # curves shorter than this are flattened half as finely (their parts are a few pixels long)
_MAX_STEPS = 512
_WINDOW = 64


@njit(**INLINE)
def _outward(side):
    """Unit vector out of a card at ``side``."""
    if side == RIGHT:
        return 1.0, 0.0
    if side == BOTTOM:
        return 0.0, 1.0
    if side == LEFT:
        return -1.0, 0.0
    return 0.0, -1.0


@njit(**INLINE)
def _port(x, y, w, h, side, offset):
    """Scene point in the middle of a side, moved along it by ``offset``."""
    nx, ny = _outward(side)
    return x + 0.5 * w * (1.0 + nx) + offset * abs(ny), y + 0.5 * h * (1.0 + ny) + offset * abs(nx)


@njit(**INLINE)
def _handle(along, distance, curvature, bow, handle_max):
    """Length of a handle; ``along`` is the way still to go in its direction (negative: backwards)."""
    if along > 0.0:
        # far sideways and little forwards: longer handles, so that the curve still ends square to its cards
        share = curvature + max(0.0, 0.92 - curvature) * min(1.0, distance / (8.0 * along))
        return min(max(share * along, min(bow, 0.75 * distance)), handle_max)
    return min(bow - 0.15 * along, 0.75 * distance, handle_max)


@njit(**INLINE)
def far_away(i, x, y, w, h, src, dst, c0, c1, c2, c3, reach, curvature, bow):
    """Cheap test (scene units) that edge ``i``, cards included, is more than ``reach`` outside the rectangle c0..c3.

    A handle is at most max(1, curvature) times the way forwards, else ``bow`` plus 0.15 of the way: that grows the box.
    """
    s, d = src[i], dst[i]
    n = x.shape[0]
    if s < 0 or d < 0 or s >= n or d >= n:
        return True
    left, right = min(x[s], x[d]), max(x[s] + w[s], x[d] + w[d])
    top, bottom = min(y[s], y[d]), max(y[s] + h[s], y[d] + h[d])
    reach += bow + max(0.15, curvature - 1.0) * (right - left + bottom - top)
    return left - reach > c2 or right + reach < c0 or top - reach > c3 or bottom + reach < c1


@njit(**INLINE)  # inlined: passing a dozen arrays costs more than the arithmetic
def edge_curve(
    i, ctrl, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy, curvature, bow, handle_max
):
    """Control points of edge ``i`` in device pixels (x0, y0, .., y3); NaN where it has no drawable position."""
    nan = math.nan
    if ctrl.shape[0] > 0:
        return (
            ctrl[i, 0] * scale + ox, ctrl[i, 1] * scale + oy, ctrl[i, 2] * scale + ox, ctrl[i, 3] * scale + oy,
            ctrl[i, 4] * scale + ox, ctrl[i, 5] * scale + oy, ctrl[i, 6] * scale + ox, ctrl[i, 7] * scale + oy,
        )  # fmt: skip
    s, d = src[i], dst[i]
    n = x.shape[0]
    if s < 0 or d < 0 or s >= n or d >= n:
        return nan, nan, nan, nan, nan, nan, nan, nan
    out, into = leave[i if leave.shape[0] > 1 else 0], enter[i if enter.shape[0] > 1 else 0]
    ax, ay = _port(x[s], y[s], w[s], h[s], out, src_port[i if src_port.shape[0] > 1 else 0])
    bx, by = _port(x[d], y[d], w[d], h[d], into, dst_port[i if dst_port.shape[0] > 1 else 0])
    ux, uy = _outward(out)
    vx, vy = _outward(into)
    dx, dy = bx - ax, by - ay
    distance = math.sqrt(dx * dx + dy * dy)
    p = _handle(dx * ux + dy * uy, distance, curvature, bow, handle_max)
    q = _handle(-dx * vx - dy * vy, distance, curvature, bow, handle_max)
    return (
        ax * scale + ox, ay * scale + oy, (ax + p * ux) * scale + ox, (ay + p * uy) * scale + oy,
        (bx + q * vx) * scale + ox, (by + q * vy) * scale + oy, bx * scale + ox, by * scale + oy,
    )  # fmt: skip


@njit(**INLINE)
def off_screen(curve, c0, c1, c2, c3, reach):
    """Whether a curve's hull, grown by ``reach``, misses the clip; true for NaN, infinite and absurd positions."""
    x0, y0, x1, y1, x2, y2, x3, y3 = curve
    left, right = min(x0, x1, x2, x3), max(x0, x1, x2, x3)
    top, bottom = min(y0, y1, y2, y3), max(y0, y1, y2, y3)
    # min and max may swallow a NaN, a sum cannot
    total = abs(x0) + abs(y0) + abs(x1) + abs(y1) + abs(x2) + abs(y2) + abs(x3) + abs(y3)
    if not total < LIMIT:
        return True
    return left - reach >= c2 or right + reach <= c0 or top - reach >= c3 or bottom + reach <= c1


@njit(**INLINE)
def _at(curve, t):
    x0, y0, x1, y1, x2, y2, x3, y3 = curve
    s = 1.0 - t
    a, b, c, d = s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t
    return a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


@njit(**INLINE)
def flatten(curve, c0, c1, c2, c3, reach, fine, pts):
    """Points of the curve into ``pts``; (count, skipped length before the first point, whether the end is included).

    ``fine`` (for wide strokes, whose angles would show) halves the tolerance. Where the curve is much longer than the window only the part near the clip is kept (one parameter interval).
    """
    x0, y0, x1, y1, x2, y2, x3, y3 = curve
    ax, ay, bx, by = x0 - 2.0 * x1 + x2, y0 - 2.0 * y1 + y2, x1 - 2.0 * x2 + x3, y1 - 2.0 * y2 + y3
    chord_x, chord_y = x3 - x0, y3 - y0
    chord = math.sqrt(chord_x * chord_x + chord_y * chord_y)
    bend = math.sqrt(max(ax * ax + ay * ay, bx * bx + by * by))
    if chord > 0.0:
        ux, uy = chord_x / chord, chord_y / chord
        height = max(abs((x1 - x0) * uy - (y1 - y0) * ux), abs((x2 - x0) * uy - (y2 - y0) * ux))
        lean = min(1.0, 3.0 * height / chord)
        across = max(abs(ax * uy - ay * ux), abs(bx * uy - by * ux))
        bend = min(bend, across + lean * bend)
    density = 2.0 * _STEPS if fine else (_STEPS if chord > _SHORT_PX else 0.5 * _STEPS)
    steps = math.ceil(math.sqrt(density * bend))
    low, high, skipped = 0.0, 1.0, 0.0
    rounds = 0
    while steps * (high - low) > 48.0 and rounds < 4:
        # keep the parameter interval from the first to the last piece that may touch the clip
        h = (high - low) / _WINDOW
        slack = reach + 0.75 * math.sqrt(max(ax * ax + ay * ay, bx * bx + by * by)) * h * h
        first, last = -1, -1
        before = 0.0
        px, py = _at(curve, low)
        for k in range(_WINDOW):
            qx, qy = _at(curve, low + (k + 1) * h)
            if (
                min(px, qx) - slack < c2 and max(px, qx) + slack > c0
                and min(py, qy) - slack < c3 and max(py, qy) + slack > c1
            ):  # fmt: skip
                if first < 0:
                    first = k
                last = k
            if first < 0:
                before += math.sqrt((qx - px) ** 2 + (qy - py) ** 2)
            px, py = qx, qy
        if first < 0:
            return 0, 0.0, False
        if last - first + 1 == _WINDOW:
            break
        skipped += before
        low, high = low + first * h, low + (last + 1) * h
        rounds += 1
    n = min(_MAX_STEPS, max(1, math.ceil(steps * (high - low))))
    step = (high - low) / n
    # power form: cheaper per point than Bernstein's, and its rounding is far below a pixel
    qx, qy = 3.0 * ax, 3.0 * ay
    rx, ry, sx, sy = x3 - x0 - 3.0 * (x2 - x1), y3 - y0 - 3.0 * (y2 - y1), 3.0 * (x1 - x0), 3.0 * (y1 - y0)
    for k in range(n + 1):
        t = low + step * k
        pts[0, k], pts[1, k] = ((rx * t + qx) * t + sx) * t + x0, ((ry * t + qy) * t + sy) * t + y0
    if low == 0.0:
        pts[0, 0], pts[1, 0] = x0, y0
    if high == 1.0:
        pts[0, n], pts[1, n] = x3, y3
    return n + 1, skipped, high == 1.0


@njit(**HELPER)
def route_points(ptr, px, py, i, scale, ox, oy, radius, pts):
    """Device points of route ``i`` with its corners rounded into ``pts``; 0 when it has no drawable position."""
    first, last = ptr[i], ptr[i + 1]
    n = last - first
    if first < 0 or n < 2 or last > px.shape[0]:
        return 0
    m = 0
    for k in range(first, last):
        bx, by = px[k] * scale + ox, py[k] * scale + oy
        if not abs(bx) + abs(by) < LIMIT:
            return 0
        if m + 20 >= CAPACITY:
            break
        if k == first or k == last - 1:
            pts[0, m], pts[1, m] = bx, by
            m += 1
            continue
        ax, ay = px[k - 1] * scale + ox, py[k - 1] * scale + oy
        cx, cy = px[k + 1] * scale + ox, py[k + 1] * scale + oy
        la, lc = math.hypot(ax - bx, ay - by), math.hypot(cx - bx, cy - by)
        r = min(radius * scale, 0.5 * la, 0.5 * lc)
        if not r > 0.05:
            pts[0, m], pts[1, m] = bx, by
            m += 1
            continue
        # a quadratic from r before the corner to r after it
        sx, sy = bx + (ax - bx) * r / la, by + (ay - by) * r / la
        ex, ey = bx + (cx - bx) * r / lc, by + (cy - by) * r / lc
        bend = math.hypot(sx - 2.0 * bx + ex, sy - 2.0 * by + ey)
        steps = min(18, max(1, math.ceil(math.sqrt(bend / _TOLERANCE))))
        for q in range(steps + 1):
            t = q / steps
            s = 1.0 - t
            pts[0, m] = s * s * sx + 2.0 * s * t * bx + t * t * ex
            pts[1, m] = s * s * sy + 2.0 * s * t * by + t * t * ey
            m += 1
    return m
