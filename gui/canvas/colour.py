"""Colour arithmetic of the canvas: straight 0xAARRGGBB integers, scalars or ``uint32`` arrays.

Every public colour in ``gui.canvas`` is *straight* (not premultiplied) ARGB, 8 bits a channel, sRGB encoded, as
``QColor.rgba()`` gives it. The pixel buffers hold *premultiplied* ARGB; :func:`premultiply` is the one conversion
and it rounds exactly like the drawing kernels do, so a colour compared in a test is compared to the last bit.

Compositing is Porter and Duff's "over" on encoded values (what Qt's raster engine does, so that layers drawn by us and
text drawn by QPainter agree). :func:`mix` can blend in linear light for palettes, where equal steps should look equal.
"""

from __future__ import annotations

from typing import overload

import numpy as np
import numpy.typing as npt

ColourArray = npt.NDArray[np.uint32]

TRANSPARENT = 0x00000000
BLACK = 0xFF000000
WHITE = 0xFFFFFFFF


def argb(red: int, green: int, blue: int, alpha: int = 255) -> int:
    """Straight colour from four channels 0..255; ``ValueError`` outside that range."""
    for channel in (red, green, blue, alpha):
        if not 0 <= channel <= 255:
            raise ValueError(f"colour channel {channel} is outside 0..255; give four numbers in that range")
    return alpha << 24 | red << 16 | green << 8 | blue


def parse(text: str) -> int:
    """Straight colour from ``#rgb``, ``#rrggbb`` or ``#aarrggbb`` (Qt's order); ``ValueError`` for anything else."""
    digits = text.strip().removeprefix("#")
    if len(digits) == 3:
        digits = "".join(d + d for d in digits)
    if len(digits) == 6:
        digits = "ff" + digits
    try:
        if len(digits) != 8:
            raise ValueError
        return int(digits, 16)
    except ValueError:
        raise ValueError(f"{text!r} is not a colour; write it as #rrggbb or #aarrggbb") from None


def channels(colour: int) -> tuple[int, int, int, int]:
    """(red, green, blue, alpha) of a straight colour, each 0..255."""
    colour = int(colour)
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255, colour >> 24 & 255


def to_hex(colour: int) -> str:
    """``#rrggbb`` of a straight colour (the alpha is dropped)."""
    return f"#{int(colour) & 0xFFFFFF:06x}"


@overload
def with_alpha(colour: int, alpha: float) -> int: ...
@overload
def with_alpha(colour: ColourArray, alpha: float | npt.NDArray[np.floating]) -> ColourArray: ...
def with_alpha(colour, alpha):  # type: ignore[no-untyped-def]
    """The colour(s) with their alpha replaced by ``alpha`` (0..1, clamped)."""
    level = np.rint(np.clip(alpha, 0.0, 1.0) * 255.0).astype(np.uint32)
    result = np.bitwise_or(
        np.left_shift(level, np.uint32(24)), np.asarray(colour, np.uint32) & np.uint32(0xFFFFFF)
    )
    return int(result) if np.ndim(colour) == 0 and np.ndim(alpha) == 0 else result.astype(np.uint32)


def _unpack(colour: int | ColourArray) -> npt.NDArray[np.float64]:
    """float64[..., 4] in the order alpha, red, green, blue, each 0..255."""
    value = np.asarray(colour, np.uint32)
    return np.stack([(value >> np.uint32(s)) & np.uint32(255) for s in (24, 16, 8, 0)], axis=-1).astype(
        np.float64
    )


def _pack(parts: npt.NDArray[np.float64], scalar: bool) -> int | ColourArray:
    level = np.floor(np.clip(parts, 0.0, 255.0) + 0.5).astype(np.uint32)
    value = level[..., 0] << 24 | level[..., 1] << 16 | level[..., 2] << 8 | level[..., 3]
    return int(value) if scalar else value.astype(np.uint32)


def decode(level: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """sRGB level 0..255 to linear light 0..1 (IEC 61966-2-1)."""
    v = np.asarray(level, np.float64) / 255.0
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def encode(light: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Linear light 0..1 to sRGB level 0..255, the inverse of :func:`decode`."""
    v = np.clip(light, 0.0, 1.0)
    return 255.0 * np.where(v <= 0.0031308, v * 12.92, 1.055 * v ** (1.0 / 2.4) - 0.055)


def mix(first, second, t, linear: bool = False):  # type: ignore[no-untyped-def]
    """Colour(s) a fraction ``t`` (0..1, clamped) of the way from ``first`` to ``second``.

    Weighted by alpha, so mixing with a transparent colour fades and never darkens. ``linear=True`` mixes light
    instead of encoded levels. Scalars give an ``int``, arrays (broadcast together) a ``uint32`` array.
    """
    scalar = np.ndim(first) == 0 and np.ndim(second) == 0 and np.ndim(t) == 0
    a, b = _unpack(first), _unpack(second)
    u = np.clip(np.asarray(t, np.float64), 0.0, 1.0)
    weight_a, weight_b = a[..., 0] * (1.0 - u), b[..., 0] * u
    alpha = weight_a + weight_b
    safe = np.where(alpha > 0.0, alpha, 1.0)
    rgb_a, rgb_b = (decode(a[..., 1:]), decode(b[..., 1:])) if linear else (a[..., 1:], b[..., 1:])
    rgb = (rgb_a * weight_a[..., None] + rgb_b * weight_b[..., None]) / safe[..., None]
    rgb = encode(rgb) if linear else rgb
    parts = np.concatenate([alpha[..., None], np.where(alpha[..., None] > 0.0, rgb, 0.0)], axis=-1)
    return _pack(parts, scalar)


def lighten(colour, t: float):  # type: ignore[no-untyped-def]
    """Mix with opaque white by ``t``, the alpha kept."""
    return _keep_alpha(colour, mix(colour, WHITE, t))


def darken(colour, t: float):  # type: ignore[no-untyped-def]
    """Mix with opaque black by ``t``, the alpha kept."""
    return _keep_alpha(colour, mix(colour, BLACK, t))


def _keep_alpha(colour, mixed):  # type: ignore[no-untyped-def]
    if np.ndim(colour) == 0:
        return int(mixed) & 0xFFFFFF | int(colour) & 0xFF000000
    return mixed & np.uint32(0xFFFFFF) | np.asarray(colour, np.uint32) & np.uint32(0xFF000000)


def premultiply(colour):  # type: ignore[no-untyped-def]
    """Straight to premultiplied, each channel c * alpha / 255 rounded to nearest; scalar or array."""
    parts = _unpack(colour)
    # integers + 127 // 255 are exact here: no float ever lands on a half, since 255 is odd
    parts[..., 1:] = (parts[..., 1:] * parts[..., :1] + 127.0) // 255.0
    return _pack(parts, np.ndim(colour) == 0)


def unpremultiply(colour):  # type: ignore[no-untyped-def]
    """Premultiplied to straight (lossy at low alpha); fully transparent becomes 0."""
    parts = _unpack(colour)
    alpha = parts[..., :1]
    parts[..., 1:] = np.where(alpha > 0.0, parts[..., 1:] * 255.0 / np.where(alpha > 0.0, alpha, 1.0), 0.0)
    return _pack(parts, np.ndim(colour) == 0)


def over(top, bottom):  # type: ignore[no-untyped-def]
    """``top`` composited over ``bottom``, both straight, result straight; scalars or arrays broadcast together."""
    scalar = np.ndim(top) == 0 and np.ndim(bottom) == 0
    a, b = np.broadcast_arrays(_unpack(top), _unpack(bottom))
    alpha_a, alpha_b = a[..., :1] / 255.0, b[..., :1] / 255.0
    alpha = alpha_a + alpha_b * (1.0 - alpha_a)
    rgb = (a[..., 1:] * alpha_a + b[..., 1:] * alpha_b * (1.0 - alpha_a)) / np.where(alpha > 0.0, alpha, 1.0)
    return _pack(np.concatenate([alpha * 255.0, rgb], axis=-1), scalar)


def luminance(colour):  # type: ignore[no-untyped-def]
    """Relative luminance 0..1 (WCAG 2.2, alpha ignored); float or float64 array."""
    value = decode(_unpack(colour)[..., 1:]) @ np.array([0.2126, 0.7152, 0.0722])
    return float(value) if np.ndim(colour) == 0 else value


def contrast(first: int, second: int) -> float:
    """Contrast ratio 1..21 of two colours (WCAG 2.2)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def readable_on(background: int, dark: int = 0xFF1B2233, light: int = WHITE) -> int:
    """Whichever of ``dark`` and ``light`` has the higher contrast on ``background``."""
    return dark if contrast(dark, background) >= contrast(light, background) else light
