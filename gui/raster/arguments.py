"""What the raster engine's functions are given, as the plain typed arrays its kernels take.

One dtype and layout per argument keeps every kernel at one compiled version. Per-item arguments have one entry (for all
items) or one per item; the kernels tell by the length. Nothing is copied that already has the right type.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint32]

NO_INDEX = np.empty(0, np.int32)
NO_MASK = np.empty(0, np.uint8)
NO_FLOATS = np.empty(0, np.float64)
NO_CURVES = np.empty((0, 8), np.float64)
ONE_SIDE = np.zeros(1, np.uint8)
ONE_ZERO = np.zeros(1, np.float64)


def per_item(value: Any, dtype: Any, n: int, name: str) -> np.ndarray:
    """``value`` as a contiguous array of ``dtype`` with 1 or ``n`` entries (no copy where it already is one)."""
    a = np.ascontiguousarray(value, dtype).reshape(-1)
    if a.shape[0] != n and a.shape[0] != 1:
        raise ValueError(f"{name} has {a.shape[0]} entries for {n} items; give one value or one per item")
    return a


def mask_of(value: Any, n: int, name: str = "visible") -> np.ndarray:
    if value is None:
        return NO_MASK
    a = np.ascontiguousarray(value)
    a = a.view(np.uint8) if a.dtype == np.bool_ else a.astype(np.uint8, copy=False)
    if a.shape != (n,):
        raise ValueError(f"{name} has shape {a.shape} for {n} items; give one entry per item")
    return a


def flags_of(value: Any, n: int, name: str) -> np.ndarray:
    """Per-item on/off: True or None means all."""
    return per_item(True if value is None else value, np.bool_, n, name).view(np.uint8)


def subset(value: Any) -> np.ndarray | None:
    """Selected indices; None: all (an empty selection is the caller's early return)."""
    return None if value is None else np.ascontiguousarray(value, np.int32).reshape(-1)


def check_image(img: Image) -> None:
    if img.dtype != np.uint32 or img.ndim != 2 or not img.flags.c_contiguous or not img.flags.writeable:
        raise ValueError("the image must be a writable C-contiguous uint32[height, width] array")


def columns(n: int, *values: Any) -> list[np.ndarray]:
    """Position and size columns, each full length (a scalar is repeated)."""
    result = []
    for column, name in zip(values, "ywh", strict=False):
        a = per_item(column, np.float64, n, name)
        result.append(a if a.shape[0] == n else np.full(n, a[0]))
    return result


def stroke_style(n, colour, width_px, opacity, dash_px, dashed, arrow_px, stub_px, stubbed):  # type: ignore[no-untyped-def]
    on, off = (0.0, 0.0) if dash_px is None else dash_px
    return (
        per_item(colour, np.uint32, n, "colour"), per_item(width_px, np.float64, n, "width_px"),
        per_item(opacity, np.float64, n, "opacity"), flags_of(dashed, n, "dashed"), float(on), float(off),
        per_item(arrow_px, np.float64, n, "arrow_px"), flags_of(stubbed, n, "stubbed"), float(stub_px),
    )  # fmt: skip


def edge_geometry(n, x, y, w, h, src, dst, leave, enter, src_port, dst_port, scale, ox, oy, curvature, bow, handle_max):  # type: ignore[no-untyped-def]  # fmt: skip
    x = np.ascontiguousarray(x, np.float64)
    dst = np.ascontiguousarray(dst, np.int32)
    if dst.shape[0] != n:
        raise ValueError(f"dst has {dst.shape[0]} entries and src {n}; give one of each per edge")
    return (
        NO_CURVES, x, *columns(x.shape[0], y, w, h), src, dst,
        per_item(leave, np.uint8, n, "leave"), per_item(enter, np.uint8, n, "enter"),
        per_item(src_port, np.float64, n, "src_port"), per_item(dst_port, np.float64, n, "dst_port"),
        float(scale), float(ox), float(oy), float(curvature), float(bow), float(handle_max),
    )  # fmt: skip


def curve_geometry(ctrl, scale, ox, oy):  # type: ignore[no-untyped-def]
    return (
        ctrl, NO_FLOATS, NO_FLOATS, NO_FLOATS, NO_FLOATS, NO_INDEX, NO_INDEX, ONE_SIDE, ONE_SIDE,
        ONE_ZERO, ONE_ZERO, float(scale), float(ox), float(oy), 0.5, 0.0, 0.0,
    )  # fmt: skip


def control_points(ctrl: Any) -> Floats:
    a = np.ascontiguousarray(ctrl, np.float64)
    if a.ndim != 2 or a.shape[1] != 8:
        raise ValueError(f"control points have shape {a.shape}; give float64[n, 8] (x0, y0, .., x3, y3)")
    return a


def route_table(ptr: Any, px: Any, py: Any) -> tuple[np.ndarray, Floats, Floats]:
    ptr = np.ascontiguousarray(ptr, np.int32)
    px, py = np.ascontiguousarray(px, np.float64), np.ascontiguousarray(py, np.float64)
    if ptr.shape[0] < 1 or px.shape != py.shape:
        raise ValueError("a route table needs ptr[n + 1] and equally many x and y coordinates")
    return ptr, px, py
