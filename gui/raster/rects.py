"""Cards: antialiased rounded rectangles with border, accent bar and soft shadow.

Coverage is analytic. Along straight sides a pixel's coverage is the exact overlap of pixel and box (a product of two
one-dimensional overlaps), at the corners a ramp one pixel wide over the distance to the corner's arc. A pixel's border, accent and
body shares are mixed *before* the one blend into the image, so neighbouring parts of a card leave no seam.
"""

from __future__ import annotations

import math

import numpy as np

from gui.raster.blend import (
    HELPER,
    INLINE,
    KERNEL,
    LIMIT,
    blend,
    blend_narrow,
    clamp_int,
    div255,
    halves,
    pack,
    premultiplied,
    scaled_alpha,
    weigh,
)
from planner.compiling.kernel import njit

TINY_PX = 3.0  # below this, in either direction, a card is one box in its mean colour
_ZERO, _HALF, _ONE, _FULL = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(255.0)
_FREE = np.float32(1e30)
_LEVEL = np.int32(255)
_S24 = np.uint32(24)
SNAP_PX = 8.0  # smaller cards are never snapped to whole pixels: their size would visibly jump while zooming


@njit(**INLINE)
def overlap(pixel, low, high):
    """Length of [pixel, pixel + 1] inside [low, high]."""
    a = pixel if pixel > low else low
    b = pixel + 1.0 if pixel + 1.0 < high else high
    return b - a if b > a else 0.0


@njit(**INLINE)
def _pattern(row, xs, xe, y, box, r, sw, aw, body, edge, bar):
    """Premultiplied pixels of columns xs..xe of one card row into ``row`` from index 0, padded with transparent ones to 8.

    Single precision without branches, so that it becomes vector code; distances are taken from the nearer side.
    """
    x0, y0, x1, y1 = box
    cy_out = np.float32(overlap(float(y), y0, y1))
    cy_in = np.float32(overlap(float(y), y0 + sw, y1 - sw))
    dy = max(0.0, r - min(y + 0.5 - y0, y1 - y - 0.5))  # how far the row lies inside the corner zone
    dy2 = np.float32(dy * dy)
    # coverage at most reach_out - distance to the corner's centre; in straight rows and columns that says nothing new
    reach_out, reach_in = _FREE, _FREE
    if r > 0.0:
        reach_out = np.float32(r + 0.5)
        if r > sw:
            reach_in = np.float32(r + 0.5 - sw)
    count = xe - xs
    n4, r4, sw4, bar4 = np.int32(count), np.float32(r), np.float32(sw), np.float32(sw + aw)
    left4, right4 = np.float32(xs - x0), np.float32(x1 - xs)
    body_rb, body_ag = halves(body)
    edge_rb, edge_ag = halves(edge)
    bar_rb, bar_ag = halves(bar)
    for j in range(np.uint64((count + 7) & ~7)):
        k = np.int32(j)
        fl, fr = (
            left4 + np.float32(k),
            right4 - np.float32(k),
        )  # to the card's sides, from the pixel's left side
        co = max(min(_ONE, fr) - max(_ZERO, -fl), _ZERO) * cy_out
        ci = max(min(_ONE, fr - sw4) - max(_ZERO, sw4 - fl), _ZERO) * cy_in
        dx = max(_ZERO, r4 - min(fl + _HALF, fr - _HALF))
        distance = np.float32(math.sqrt(dx * dx + dy2))
        co = max(min(co, reach_out - distance), _ZERO)
        ci = min(max(min(ci, reach_in - distance), _ZERO), co)
        co = co if k < n4 else _ZERO
        ci = ci if k < n4 else _ZERO
        whole, inside = np.int32(co * _FULL + _HALF), np.int32(ci * _FULL + _HALF)
        tint = min(max(min(_ONE, bar4 - fl) - max(_ZERO, sw4 - fl), _ZERO) * cy_in, ci)
        tinted = min(np.int32(tint * _FULL + _HALF), inside)
        a, b, c = np.uint32(inside - tinted), np.uint32(tinted), np.uint32(whole - inside)
        row[j] = weigh(body_rb, body_ag, a, bar_rb, bar_ag, b, edge_rb, edge_ag, c)


@njit(**INLINE)
def _apply(img, y, xs, xe, c2, row):
    """Blend a pattern into an image row."""
    count = xe - xs
    padded = (count + 7) & ~7
    if xs + padded <= c2:
        for j in range(np.uint64(padded)):
            red_blue, alpha_green = halves(row[j])
            at = np.uint64(xs) + j
            img[y, at] = blend_narrow(img[y, at], red_blue, alpha_green, np.int32(row[j] >> _S24), _LEVEL)
    else:
        for k in range(count):
            red_blue, alpha_green = halves(row[k])
            img[y, xs + k] = blend_narrow(
                img[y, xs + k], red_blue, alpha_green, np.int32(row[k] >> _S24), _LEVEL
            )


@njit(**INLINE)
def _flat(img, y, xs, xe, pixel):
    """Blend one premultiplied pixel over columns xs..xe."""
    alpha = np.int32(pixel >> _S24)
    if alpha == 255:
        for x in range(np.uint64(xs), np.uint64(xe)):
            img[y, x] = pixel
    elif alpha > 0:
        red_blue, alpha_green = halves(pixel)
        for x in range(np.uint64(xs), np.uint64(xe)):
            img[y, x] = blend_narrow(img[y, x], red_blue, alpha_green, alpha, _LEVEL)


@njit(**HELPER)
def _card(img, c2, xs, xe, ys, ye, box, r, sw, aw, body, edge, bar, row, row2):
    """One card, clipped to columns xs..xe and rows ys..ye: left zone, plain middle, right zone; equal rows share a pattern."""
    x0, y0, x1, y1 = box
    inset = max(r, sw)
    top, bottom = clamp_int(math.ceil(y0 + inset), ys, ye), clamp_int(math.floor(y1 - inset), ys, ye)
    m0 = clamp_int(math.ceil(x0 + max(inset, sw + aw)), xs, xe)
    m1 = clamp_int(math.floor(x1 - inset), xs, xe)
    if m1 - m0 < 8:  # not worth three parts
        m0 = m1 = xe
    body_rb, body_ag = halves(body)
    edge_rb, edge_ag = halves(edge)
    none = np.uint32(0)
    middle = none
    for y in range(ys, ye):
        if y <= top or y >= bottom:  # a row of its own, or the first of the equal ones
            _pattern(row, xs, m0, y, box, r, sw, aw, body, edge, bar)
            if m1 < xe:
                _pattern(row2, m1, xe, y, box, r, sw, aw, body, edge, bar)
            whole = int(overlap(float(y), y0, y1) * 255.0 + 0.5)
            inside = min(whole, int(overlap(float(y), y0 + sw, y1 - sw) * 255.0 + 0.5))
            middle = weigh(
                body_rb,
                body_ag,
                np.uint32(inside),
                none,
                none,
                none,
                edge_rb,
                edge_ag,
                np.uint32(whole - inside),
            )
        _apply(img, y, xs, m0, c2, row)
        if m0 < m1:
            _flat(img, y, m0, m1, middle)
        if m1 < xe:
            _apply(img, y, m1, xe, c2, row2)


@njit(**HELPER)
def _tiny_box(img, c0, c1, c2, c3, x0, y0, x1, y1, source, alpha):
    """A plain box in one colour with exact pixel coverage."""
    ys, ye = max(c1, math.floor(y0)), min(c3, math.ceil(y1))
    xs, xe = max(c0, math.floor(x0)), min(c2, math.ceil(x1))
    m0, m1 = math.ceil(x0), math.floor(x1)  # columns that it covers from side to side
    opaque = pack(source)
    for y in range(ys, ye):
        cy = overlap(float(y), y0, y1) * 255.0
        whole = int(cy + 0.5)
        covers = whole == 255 and alpha == 255
        for x in range(xs, xe):
            if x >= m0 and x < m1:
                if covers:
                    img[y, x] = opaque
                    continue
                level = whole
            else:
                level = int(overlap(float(x), x0, x1) * cy + 0.5)
            img[y, x] = blend(img[y, x], source, alpha, level)


@njit(**HELPER)
def _soft_shadow(img, c0, c1, c2, c3, x0, y0, x1, y1, r, blur, source, alpha):
    """A rounded box whose edge falls off smoothly over ``blur`` pixels to either side."""
    ys, ye = clamp_int(y0 - blur, c1, c3), clamp_int(y1 + blur + 1.0, c1, c3)
    xs, xe = clamp_int(x0 - blur, c0, c2), clamp_int(x1 + blur + 1.0, c0, c2)
    r = min(r + blur, 0.5 * (x1 - x0), 0.5 * (y1 - y0))
    hx, hy = 0.5 * (x1 - x0) - r, 0.5 * (y1 - y0) - r
    mx, my = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    for y in range(ys, ye):
        qy = abs(y + 0.5 - my) - hy
        for x in range(xs, xe):
            qx = abs(x + 0.5 - mx) - hx
            if qx > 0.0 and qy > 0.0:
                distance = math.sqrt(qx * qx + qy * qy) - r
            else:
                distance = max(qx, qy) - r
            t = 0.5 - 0.5 * distance / blur
            if t <= 0.0:
                continue
            t = min(t, 1.0)
            level = int(255.0 * t * t * (3.0 - 2.0 * t) + 0.5)
            img[y, x] = blend(img[y, x], source, alpha, level)


@njit(**HELPER)
def _mean_colour(width, height, sw, aw, body, body_a, edge, edge_a, bar, bar_a):
    """Premultiplied lanes and alpha of a card's parts averaged by their area."""
    area = width * height
    inner_w, inner_h = max(0.0, width - 2.0 * sw), max(0.0, height - 2.0 * sw)
    inside = int(255.0 * inner_w * inner_h / area + 0.5)
    tinted = int(255.0 * min(aw, inner_w) * inner_h / area + 0.5)
    inside = min(inside, 255)
    tinted = min(tinted, inside)
    lanes = div255(
        body * np.uint64(inside - tinted) + bar * np.uint64(tinted) + edge * np.uint64(255 - inside)
    )
    return lanes, np.int64(lanes >> np.uint64(48))


@njit(**KERNEL)
def rects_kernel(
    img, c0, c1, c2, c3, x, y, w, h, scale, ox, oy, fill, stroke, stroke_px, radius_px, accent, accent_px,
    order, visible, opacity, min_px, snap, shadow, shadow_px, shadow_dy,
):  # fmt: skip
    n = x.shape[0]
    f_step, s_step, a_step = int(fill.shape[0] > 1), int(stroke.shape[0] > 1), int(accent.shape[0] > 1)
    sw_step, r_step = int(stroke_px.shape[0] > 1), int(radius_px.shape[0] > 1)
    aw_step, o_step = int(accent_px.shape[0] > 1), int(opacity.shape[0] > 1)
    ordered, masked = order.shape[0] > 0, visible.shape[0] > 0
    row, row2 = np.empty(c2 - c0 + 8, np.uint32), np.empty(c2 - c0 + 8, np.uint32)
    margin = 0.0
    if shadow_px > 0.0:
        margin = shadow_px + abs(shadow_dy) + 1.0
    for k in range(order.shape[0] if ordered else n):
        i = order[k] if ordered else k
        if i < 0 or i >= n or (masked and visible[i] == 0):
            continue
        x0, y0 = x[i] * scale + ox, y[i] * scale + oy
        width, height = w[i] * scale, h[i] * scale
        x1, y1 = x0 + width, y0 + height
        # one comparison each also rejects NaN
        if not (
            width >= 0.0
            and height >= 0.0
            and abs(x0) < LIMIT
            and abs(y0) < LIMIT
            and x1 < LIMIT
            and y1 < LIMIT
        ):
            continue
        if (
            x1 + 1.0 + margin <= c0
            or y1 + 1.0 + margin <= c1
            or x0 - 1.0 - margin >= c2
            or y0 - 1.0 - margin >= c3
        ):
            continue
        if snap and width >= SNAP_PX and height >= SNAP_PX:
            x0, y0 = math.floor(x0 + 0.5), math.floor(y0 + 0.5)
            x1, y1 = math.floor(x1 + 0.5), math.floor(y1 + 0.5)
        if x1 - x0 < min_px:
            x0 = 0.5 * (x0 + x1 - min_px)
            x1 = x0 + min_px
        if y1 - y0 < min_px:
            y0 = 0.5 * (y0 + y1 - min_px)
            y1 = y0 + min_px
        width, height = x1 - x0, y1 - y0
        small = min(width, height)
        if small <= 0.0:
            continue
        amount = min(1.0, max(0.0, opacity[i * o_step]))
        sw = max(0.0, min(stroke_px[i * sw_step], 0.5 * small))
        aw = max(0.0, accent_px[i * aw_step])
        # fill, edge and bar, premultiplied
        body_a = scaled_alpha(fill[i * f_step], amount)
        edge_a = scaled_alpha(stroke[i * s_step], amount)
        bar_a = scaled_alpha(accent[i * a_step], amount)
        body, edge = premultiplied(fill[i * f_step], body_a), premultiplied(stroke[i * s_step], edge_a)
        bar = premultiplied(accent[i * a_step], bar_a)
        if edge_a == 0:
            sw = 0.0  # no border: the body reaches the rim
        if bar_a == 0:
            aw = 0.0
        if small < TINY_PX:
            mean, mean_a = body, np.int64(body_a)
            if sw > 0.0 or aw > 0.0:
                mean, mean_a = _mean_colour(width, height, sw, aw, body, body_a, edge, edge_a, bar, bar_a)
            if mean_a > 0:
                _tiny_box(img, c0, c1, c2, c3, x0, y0, x1, y1, mean, mean_a)
            continue
        # corners open up gradually from a plain box at TINY_PX, so that zooming shows no jump
        r = max(0.0, min(radius_px[i * r_step], 0.5 * small * min(1.0, (small - TINY_PX) / 5.0)))
        if r < 0.5:
            r = 0.0
        if shadow_px > 0.0:
            shadow_a = scaled_alpha(shadow, amount)
            if shadow_a > 0:
                _soft_shadow(
                    img, c0, c1, c2, c3, x0, y0 + shadow_dy, x1, y1 + shadow_dy, r, shadow_px,
                    premultiplied(shadow, shadow_a), shadow_a,
                )  # fmt: skip
        ys, ye = clamp_int(math.floor(y0), c1, c3), clamp_int(math.ceil(y1), c1, c3)
        xs, xe = clamp_int(math.floor(x0), c0, c2), clamp_int(math.ceil(x1), c0, c2)
        if xs >= xe:
            continue
        box = (x0, y0, x1, y1)
        _card(img, c2, xs, xe, ys, ye, box, r, sw, aw, pack(body), pack(edge), pack(bar), row, row2)
