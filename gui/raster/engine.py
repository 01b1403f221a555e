"""The canvas raster engine: draws thousands of cards and edges into a pixel buffer a QImage shares.

No Qt in here. An image is ``uint32[height, width]``, C-contiguous, premultiplied ARGB; keep it alive and wrap it as
``QImage(buffer.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)``. Positions and sizes are float64
arrays in scene units; ``scale, ox, oy`` map them to device pixels (px = x * scale + ox), inside the kernels, so that panning,
zooming and moving cards rebuild nothing. Names ending in ``_px`` are device pixels at any zoom. Colours are straight
0xAARRGGBB, as ``QColor.rgba()`` gives them.

Everything per item (colours, widths, radii, sides, masks) may be one value for all or an array with one per item. ``order`` or
``index`` (int32) selects the items to draw and their order; ``visible`` (uint8 or bool, one per item) hides some. ``clip`` is
(x0, y0, x1, y1), half open, or None for the whole image; nothing outside is ever written. Items outside the clip, with NaN or
with absurd positions are skipped. All kernels release the GIL and hold no shared state: disjoint clips of one image can be
drawn from several threads (:func:`bands`).
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from gui.raster import blend as raster_blend
from gui.raster import curves as raster_curves
from gui.raster import hits as raster_hits
from gui.raster import paths as raster_paths
from gui.raster import rects as raster_rects
from gui.raster.arguments import (
    NO_INDEX,
    Floats,
    Image,
    check_image,
    columns,
    control_points,
    curve_geometry,
    edge_geometry,
    mask_of,
    per_item,
    route_table,
    stroke_style,
    subset,
)
from planner.compiling.kernel import interpret, interprets

RIGHT, BOTTOM, LEFT, TOP = raster_paths.RIGHT, raster_paths.BOTTOM, raster_paths.LEFT, raster_paths.TOP
Clip = tuple[int, int, int, int]
VERY_MANY = 20_000
"""Boxes above which several threads draw them; to start these takes as long as some hundred."""
MOST_BANDS = 4
"""Threads that draw at once: each looks through all boxes for its own."""

COMPILED: Any = SimpleNamespace(
    fill=raster_blend.fill_kernel, blit=raster_blend.blit_kernel, compose=raster_blend.compose_kernel,
    rects=raster_rects.rects_kernel, edges=raster_curves.edges_kernel, routes=raster_curves.routes_kernel,
)  # fmt: skip
"""The kernels that draw."""
_drawing = SimpleNamespace(by=COMPILED)


def draw_by(kernels: Any) -> None:
    """Draw with others than the :data:`COMPILED` kernels from now on: with functions of the same names and arguments."""
    _drawing.by = kernels


def new_image(width: int, height: int, argb: int = 0) -> Image:
    """A fresh image filled with one straight colour; sizes below 1 are raised to 1."""
    img = np.zeros((max(1, int(height)), max(1, int(width))), np.uint32)
    if argb:
        fill(img, None, argb, replace=True)
    return img


def clip_to(img: Image, clip: Clip | None) -> Clip:
    """The clip inside the image (possibly empty, never inverted)."""
    check_image(img)
    h, w = img.shape
    if clip is None:
        return 0, 0, w, h
    x0, y0 = max(0, min(w, int(clip[0]))), max(0, min(h, int(clip[1])))
    return x0, y0, max(x0, min(w, int(clip[2]))), max(y0, min(h, int(clip[3])))


def bands(clip: Clip, count: int) -> list[Clip]:
    """A clip cut into ``count`` horizontal bands, for drawing one image from several threads."""
    x0, y0, x1, y1 = clip
    cuts = [y0 + (y1 - y0) * i // count for i in range(count + 1)]
    return [(x0, a, x1, b) for a, b in itertools.pairwise(cuts) if b > a]


def fill(img: Image, rect: Clip | None, argb: int, replace: bool = False) -> None:
    """Fill a pixel rectangle: composited over what is there, or replacing it (e.g. with transparent)."""
    _drawing.by.fill(img, *clip_to(img, rect), np.uint32(argb), replace)


def blit(dst: Image, src: Image, rect: Clip | None = None, dx: int = 0, dy: int = 0) -> None:
    """Copy pixels: dst[y, x] = src[y - dy, x - dx] for the pixels of ``rect`` (in dst) that src covers.

    ``src`` may be ``dst`` itself (scrolling by whole pixels).
    """
    _drawing.by.blit(dst, src, *_shifted(dst, src, rect, dx, dy), int(dx), int(dy))


def compose(
    dst: Image, src: Image, rect: Clip | None = None, dx: int = 0, dy: int = 0, opacity: float = 1.0
) -> None:
    """Composite a layer over another one, moved by (dx, dy) whole pixels, at ``opacity`` 0..1. Layers must not overlap."""
    level = round(255.0 * min(1.0, max(0.0, opacity)))
    if level:
        _drawing.by.compose(dst, src, *_shifted(dst, src, rect, dx, dy), int(dx), int(dy), level)


def _shifted(dst: Image, src: Image, rect: Clip | None, dx: int, dy: int) -> Clip:
    """The part of ``rect`` in dst that a src moved by (dx, dy) covers."""
    x0, y0, x1, y1 = clip_to(dst, rect)
    check_image(src)
    h, w = src.shape
    x0, y0 = max(x0, int(dx)), max(y0, int(dy))
    return x0, y0, max(x0, min(x1, w + int(dx))), max(y0, min(y1, h + int(dy)))


def rounded_rects(
    img: Image, clip: Clip | None, x: Any, y: Any, w: Any, h: Any, scale: float, ox: float, oy: float, *,
    fill: Any, stroke: Any = 0, stroke_px: Any = 1.0, radius_px: Any = 4.0, accent: Any = 0, accent_px: Any = 0.0,
    order: Any = None, visible: Any = None, opacity: Any = 1.0, min_px: float = 1.0, snap: bool = False,
    shadow: int = 0, shadow_px: float = 0.0, shadow_dy: float = 0.0,
) -> None:  # fmt: skip
    """Antialiased cards with top-left corners (x, y) and sizes (w, h), scene units.

    ``fill`` is the body, ``stroke`` a border of ``stroke_px`` inside the outline, ``accent`` a bar of ``accent_px`` along the left
    side inside the border. Boxes are at least ``min_px`` wide and high (so that nothing vanishes far out; 0 keeps true sizes);
    below 3 px they become one box in the mean colour of their parts. ``snap`` aligns cards of 8 px and more with whole pixels
    (crisp borders). A ``shadow`` colour with ``shadow_px`` > 0 gives each a soft shadow, ``shadow_dy`` px lower: for few cards.
    """
    c = clip_to(img, clip)
    x = np.ascontiguousarray(x, np.float64)
    n = x.shape[0]
    chosen = subset(order)
    if n == 0 or (chosen is not None and chosen.shape[0] == 0):
        return
    _drawn_beside(
        _drawing.by.rects, img, c, n if chosen is None else chosen.shape[0],
        x, *columns(n, y, w, h), float(scale), float(ox), float(oy),
        per_item(fill, np.uint32, n, "fill"), per_item(stroke, np.uint32, n, "stroke"),
        per_item(stroke_px, np.float64, n, "stroke_px"), per_item(radius_px, np.float64, n, "radius_px"),
        per_item(accent, np.uint32, n, "accent"), per_item(accent_px, np.float64, n, "accent_px"),
        NO_INDEX if chosen is None else chosen, mask_of(visible, n), per_item(opacity, np.float64, n, "opacity"),
        float(min_px), bool(snap), np.uint32(shadow), float(shadow_px), float(shadow_dy),
    )  # fmt: skip


def _drawn_beside(draw: Callable[..., None], img: Image, clip: Clip, count: int, *arguments: Any) -> None:
    """Let a kernel whose pixels are the same in whatever bands draw ``count`` items: very many on several threads, this one among them."""
    parts = bands(clip, min(MOST_BANDS, os.cpu_count() or 1)) if count > VERY_MANY else [clip]
    if len(parts) < 2 or _drawing.by is not COMPILED:
        draw(img, *clip, *arguments)
        return
    first, *others = parts
    interpreted = interprets()

    def beside(part: Clip) -> None:
        interpret(interpreted)  # the window's thread waits for these, and never for a compiler
        draw(img, *part, *arguments)

    threads = [threading.Thread(target=beside, args=(part,), name="drawing", daemon=True) for part in others]
    for thread in threads:
        thread.start()
    draw(img, *first, *arguments)
    for thread in threads:
        thread.join()


def s_curves(x0: Any, y0: Any, x1: Any, y1: Any, reach: Any, vertical: bool = False) -> Floats:
    """Control points float64[n, 8] of S-curves that leave (x0, y0) and enter (x1, y1) horizontally (or vertically).

    ``reach`` is the length of both handles; all in scene units.
    """
    x0, y0, x1, y1, reach = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in (x0, y0, x1, y1, reach)))
    if vertical:
        return np.stack([x0, y0, x0, y0 + reach, x1, y1 - reach, x1, y1], axis=-1).reshape(-1, 8)
    return np.stack([x0, y0, x0 + reach, y0, x1 - reach, y1, x1, y1], axis=-1).reshape(-1, 8)


def curves(
    img: Image, clip: Clip | None, ctrl: Any, scale: float, ox: float, oy: float, *,
    colour: Any, width_px: Any = 1.2, opacity: Any = 1.0, dash_px: tuple[float, float] | None = None,
    dashed: Any = None, arrow_px: Any = 0.0, stub_px: float = 0.0, stubbed: Any = None,
    index: Any = None, visible: Any = None,
) -> None:  # fmt: skip
    """Antialiased cubic curves from control points float64[n, 8] (scene units), e.g. from :func:`s_curves`.

    ``dash_px`` (on, off) dashes the curves flagged in ``dashed`` (None: all). ``arrow_px`` > 0 ends them in an arrowhead.
    ``stub_px`` > 0 draws, of those flagged in ``stubbed`` (None: all), only tails of that length at both ends,
    fading to nothing. Translucent colours come out even, however wide (0.5 to 40 px and more) and bent the curve.
    """
    c = clip_to(img, clip)
    ctrl = control_points(ctrl)
    n, chosen = ctrl.shape[0], subset(index)
    if n == 0 or (chosen is not None and chosen.shape[0] == 0):
        return
    _drawing.by.edges(
        img, *c, *curve_geometry(ctrl, scale, ox, oy),
        *stroke_style(n, colour, width_px, opacity, dash_px, dashed, arrow_px, stub_px, stubbed),
        NO_INDEX if chosen is None else chosen, mask_of(visible, n),
    )  # fmt: skip


def edges_between(
    img: Image, clip: Clip | None, x: Any, y: Any, w: Any, h: Any, src: Any, dst: Any,
    scale: float, ox: float, oy: float, *, colour: Any, width_px: Any = 1.2, leave: Any = RIGHT, enter: Any = LEFT,
    src_port: Any = 0.0, dst_port: Any = 0.0, curvature: float = 0.5, bow: float = 12.0, handle_max: float = 1e9,
    opacity: Any = 1.0, dash_px: tuple[float, float] | None = None, dashed: Any = None, arrow_px: Any = 0.0,
    stub_px: float = 0.0, stubbed: Any = None, index: Any = None, visible: Any = None,
) -> None:  # fmt: skip
    """Antialiased curved edges from card ``src[i]`` to card ``dst[i]`` (int32), following the cards' positions.

    ``leave`` and ``enter`` say on which side (RIGHT, BOTTOM, LEFT, TOP); ports sit in the middle of a side, moved along it by
    ``src_port`` and ``dst_port`` (scene units). ``curvature``, ``bow`` and ``handle_max`` shape the curve (see :mod:`gui.raster.paths`).
    The other options are those of :func:`curves`. Edges whose ends do not exist are skipped.
    """
    c = clip_to(img, clip)
    src = np.ascontiguousarray(src, np.int32)
    n, chosen = src.shape[0], subset(index)
    if n == 0 or (chosen is not None and chosen.shape[0] == 0):
        return
    _drawing.by.edges(
        img, *c,
        *edge_geometry(n, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy, curvature, bow, handle_max),
        *stroke_style(n, colour, width_px, opacity, dash_px, dashed, arrow_px, stub_px, stubbed),
        NO_INDEX if chosen is None else chosen, mask_of(visible, n),
    )  # fmt: skip


def stubs(
    img: Image, clip: Clip | None, x: Any, y: Any, w: Any, h: Any, src: Any, dst: Any,
    scale: float, ox: float, oy: float, *, length_px: float = 18.0, **style: Any,
) -> None:  # fmt: skip
    """Short fading tails where edges leave and enter; the arguments of :func:`edges_between`."""
    edges_between(img, clip, x, y, w, h, src, dst, scale, ox, oy, stub_px=length_px, **style)


def routes(
    img: Image, clip: Clip | None, ptr: Any, px: Any, py: Any, scale: float, ox: float, oy: float, *,
    colour: Any, width_px: Any = 1.2, radius: float = 8.0, opacity: Any = 1.0,
    dash_px: tuple[float, float] | None = None, dashed: Any = None, arrow_px: Any = 0.0, stub_px: float = 0.0,
    stubbed: Any = None, index: Any = None, visible: Any = None,
) -> None:  # fmt: skip
    """Polylines with rounded corners: route i visits points ptr[i] .. ptr[i + 1] - 1 (CSR) of (px, py), scene units.

    ``radius`` (scene units) rounds the corners, limited to half of the shorter side. Other options as in :func:`curves`.
    """
    c = clip_to(img, clip)
    ptr, px, py = route_table(ptr, px, py)
    n, chosen = ptr.shape[0] - 1, subset(index)
    if n == 0 or (chosen is not None and chosen.shape[0] == 0):
        return
    _drawing.by.routes(
        img, *c, ptr, px, py, float(scale), float(ox), float(oy), float(radius),
        *stroke_style(n, colour, width_px, opacity, dash_px, dashed, arrow_px, stub_px, stubbed),
        NO_INDEX if chosen is None else chosen, mask_of(visible, n),
    )  # fmt: skip


def hit_op(
    px: float, py: float, x: Any, y: Any, w: Any, h: Any, scale: float, ox: float, oy: float, *,
    order: Any = None, visible: Any = None, slop_px: float = 0.0,
) -> int:  # fmt: skip
    """Index of the topmost card at a pixel position (the one drawn last), else the nearest within ``slop_px``; -1: none."""
    x = np.ascontiguousarray(x, np.float64)
    n, chosen = x.shape[0], subset(order)
    if n == 0 or (chosen is not None and chosen.shape[0] == 0):
        return -1
    return int(
        raster_hits.hit_op_kernel(
            float(px), float(py), x, *columns(n, y, w, h), float(scale), float(ox), float(oy),
            NO_INDEX if chosen is None else chosen, mask_of(visible, n), float(slop_px),
        )
    )  # fmt: skip


def ops_in_rect(
    rect: tuple[float, float, float, float], x: Any, y: Any, w: Any, h: Any, scale: float, ox: float, oy: float, *,
    visible: Any = None, inside: bool = False,
) -> npt.NDArray[np.int32]:  # fmt: skip
    """Indices (ascending) of cards touching a pixel rectangle given by two opposite corners; ``inside``: wholly in it."""
    x = np.ascontiguousarray(x, np.float64)
    n = x.shape[0]
    if n == 0:
        return np.empty(0, np.int32)
    x0, x1 = sorted((float(rect[0]), float(rect[2])))
    y0, y1 = sorted((float(rect[1]), float(rect[3])))
    return raster_hits.ops_in_rect_kernel(
        x0,
        y0,
        x1,
        y1,
        x,
        *columns(n, y, w, h),
        float(scale),
        float(ox),
        float(oy),
        mask_of(visible, n),
        bool(inside),
    )


def warm_up() -> None:
    """Compile or load every kernel with tiny inputs (seconds the first time ever, then some 0.1 s; any thread)."""
    img = new_image(8, 8)
    fill(img, None, 0xFFFFFFFF)
    at, size = np.array([1.0, 4.0]), np.array([2.0, 2.0])
    box = (at, at, size, size)
    view = (1.0, 0.0, 0.0)
    src, dst = np.array([0], np.int32), np.array([1], np.int32)
    ptr = np.array([0, 2], np.int32)
    rounded_rects(img, None, *box, *view, fill=0xFF336699)
    edges_between(img, None, *box, src, dst, *view, colour=0xFF000000)
    curves(img, None, s_curves(0.0, 0.0, 4.0, 4.0, 2.0), *view, colour=0xFF000000)
    routes(img, None, ptr, at, at, *view, colour=0xFF000000)
    hit_op(1.0, 1.0, *box, *view)
    ops_in_rect((0.0, 0.0, 4.0, 4.0), *box, *view)
    layer = new_image(8, 8)
    blit(layer, img)
    compose(img, layer)
