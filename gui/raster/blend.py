"""Pixel arithmetic shared by the drawing kernels: premultiplied "over", clipping, fills and copies.

Four 8-bit channels are spread into the 16-bit lanes of one ``uint64`` and blended together: with a source premultiplied
to alpha ``a`` and a coverage ``m`` of 255, the new pixel is (s * m + d * k) / 255, k = 255 - round(a * m / 255). The sum
is rounded once. A lane cannot overflow (s <= a and d <= 255 bound it by 65025 + 127), and an opaque destination stays
exactly opaque however often it is drawn over, which is what keeps antialiased edges free of fringes.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

# numpy's error model: divisions need no zero test. No fastmath: NaN and infinities must stay visible to the culling tests.
KERNEL = {"cache": True, "nogil": True, "error_model": "numpy"}
HELPER = {"nogil": True, "error_model": "numpy"}
INLINE = {"nogil": True, "error_model": "numpy", "forceinline": True}

LIMIT = (
    1e12  # device pixels; anything farther (or NaN) is not drawn, so that float -> int conversions are safe
)

_LANES = np.uint64(0x00FF00FF00FF00FF)
_HALF = np.uint64(0x0080008000800080)
_LOW32 = np.uint64(0xFFFFFFFF)
_S8 = np.uint64(8)
_S24 = np.uint64(24)
_PAIR = np.uint32(0x00FF00FF)
_UPPER = np.uint32(0xFF00FF00)
_HALVES = np.uint32(0x00800080)
_N8 = np.uint32(8)
_N255 = np.uint32(255)


@njit(**INLINE)
def spread(pixel):
    """uint32 pixel -> uint64 with blue, red, green, alpha in 16-bit lanes."""
    wide = np.uint64(pixel)
    return (wide | (wide << _S24)) & _LANES


@njit(**INLINE)
def pack(lanes):
    """Inverse of :func:`spread`."""
    return np.uint32((lanes | (lanes >> _S24)) & _LOW32)


@njit(**INLINE)
def div255(lanes):
    """Each lane divided by 255 and rounded to nearest (lanes at most 65280)."""
    wide = lanes + _HALF
    return ((wide + ((wide >> _S8) & _LANES)) >> _S8) & _LANES


@njit(**INLINE)
def keep_factor(alpha, level):
    """255 - round(alpha * level / 255): what is left of the destination."""
    v = alpha * level + 128
    return 255 - ((v + (v >> 8)) >> 8)


@njit(**INLINE)
def blend(pixel, source, alpha, level):
    """``pixel`` under a premultiplied ``source`` (lanes, its alpha as int) at coverage ``level`` 0..255."""
    k = keep_factor(alpha, level)
    return pack(div255(source * np.uint64(level) + spread(pixel) * np.uint64(k)))


@njit(**INLINE)
def blend_narrow(pixel, red_blue, alpha_green, alpha, level):
    """As :func:`blend` in 32-bit arithmetic, two lanes at a time, so that LLVM can make vectors of eight pixels.

    ``red_blue`` and ``alpha_green`` are the source's channels in 16-bit lanes; ``alpha`` and ``level`` are int32.
    """
    t = np.uint32(alpha * level + np.int32(128))
    k = np.uint32(_N255 - np.uint32(np.uint32(t + np.uint32(t >> _N8)) >> _N8))
    m = np.uint32(level)
    low = np.uint32(np.uint32(np.uint32(pixel & _PAIR) * k) + np.uint32(red_blue * m))
    high = np.uint32(np.uint32(np.uint32(np.uint32(pixel >> _N8) & _PAIR) * k) + np.uint32(alpha_green * m))
    return _divided(low, high)


@njit(**INLINE)
def _divided(low, high):
    """(red_blue, alpha_green) sums in 16-bit lanes, divided by 255, as one pixel."""
    low, high = np.uint32(low + _HALVES), np.uint32(high + _HALVES)
    low = np.uint32(np.uint32(np.uint32(low + np.uint32(np.uint32(low >> _N8) & _PAIR)) >> _N8) & _PAIR)
    high = np.uint32(np.uint32(high + np.uint32(np.uint32(high >> _N8) & _PAIR)) & _UPPER)
    return np.uint32(low | high)


@njit(**INLINE)
def weigh(rb1, ag1, w1, rb2, ag2, w2, rb3, ag3, w3):
    """Pixel of three premultiplied colours (:func:`halves`) in shares w / 255 (uint32) that add up to at most 255."""
    low = np.uint32(np.uint32(np.uint32(rb1 * w1) + np.uint32(rb2 * w2)) + np.uint32(rb3 * w3))
    high = np.uint32(np.uint32(np.uint32(ag1 * w1) + np.uint32(ag2 * w2)) + np.uint32(ag3 * w3))
    return _divided(low, high)


@njit(**INLINE)
def halves(pixel):
    """(red_blue, alpha_green) of a packed premultiplied pixel for :func:`blend_narrow`."""
    return np.uint32(pixel & _PAIR), np.uint32(np.uint32(pixel >> _N8) & _PAIR)


@njit(**INLINE)
def scaled_alpha(straight, opacity):
    """Alpha 0..255 of a straight colour times ``opacity`` 0..1."""
    return int((np.int64(straight) >> 24 & 255) * opacity + 0.5)


@njit(**INLINE)
def premultiplied(straight, alpha):
    """Lanes of a straight colour premultiplied to ``alpha`` 0..255 (the colour's own alpha is ignored)."""
    opaque = spread(np.uint32(straight | np.uint32(0xFF000000)))
    return div255(opaque * np.uint64(alpha))


@njit(**INLINE)
def clamp_int(value, low, high):
    """``value`` (float, finite) clamped to [low, high] and truncated; never overflows."""
    if not value > low:
        return low
    if value >= high:
        return high
    return int(value)


@njit(**KERNEL)
def fill_kernel(img, c0, c1, c2, c3, straight, replace):
    alpha = scaled_alpha(straight, 1.0)
    source = premultiplied(straight, alpha)
    if replace or alpha == 255:
        solid = pack(source)
        for y in range(c1, c3):
            img[y, c0:c2] = solid
        return
    if alpha == 0:
        return
    red_blue, alpha_green = halves(pack(source))
    a = np.int32(alpha)
    for y in range(c1, c3):
        for x in range(np.uint64(c0), np.uint64(c2)):
            img[y, x] = blend_narrow(img[y, x], red_blue, alpha_green, a, np.int32(255))


@njit(**KERNEL)
def blit_kernel(dst, src, c0, c1, c2, c3, dx, dy):
    """dst[y, x] = src[y - dy, x - dx] over a destination rectangle; overlapping regions of one buffer are safe."""
    width = c2 - c0
    if width <= 0:
        return
    row = np.empty(width, np.uint32)
    for i in range(c3 - c1):
        # moving down within one buffer: bottom row first, so that no source row is overwritten before it is read
        y = c3 - 1 - i if dy > 0 else c1 + i
        row[:] = src[y - dy, c0 - dx : c2 - dx]
        dst[y, c0:c2] = row


@njit(**KERNEL)
def compose_kernel(dst, src, c0, c1, c2, c3, dx, dy, level):
    """dst[y, x] = src[y - dy, x - dx] * level / 255 over dst[y, x]."""
    m = np.int32(level)
    for y in range(c1, c3):
        for x in range(np.uint64(c2 - c0)):
            pixel = src[y - dy, np.uint64(c0 - dx) + x]
            red_blue, alpha_green = halves(pixel)
            at = np.uint64(c0) + x
            dst[y, at] = blend_narrow(dst[y, at], red_blue, alpha_green, np.int32(pixel >> np.uint32(24)), m)
