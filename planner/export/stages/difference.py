"""How far two tensors are apart: equal, by how much of the largest value, or not comparable at all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def identical(a: Any, b: Any) -> bool:
    """Whether two arrays have the same type, shape and values; a NaN equals a NaN."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def difference(whole: Any, stages: Any) -> float:
    """0 for equal arrays; in floating point, the largest difference relative to the largest magnitude in ``whole``.

    Infinity for everything else: other types or shapes, unequal whole numbers, texts, infinities or NaN in other places.
    """
    if identical(whole, stages):
        return 0.0
    a, b = np.asarray(whole), np.asarray(stages)
    if a.dtype != b.dtype or a.shape != b.shape or a.dtype.kind not in "fc":
        return math.inf
    finite = np.isfinite(a)
    if not np.array_equal(finite, np.isfinite(b)) or not np.array_equal(
        a[~finite], b[~finite], equal_nan=True
    ):
        return math.inf
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a[finite].astype(wide), b[finite].astype(wide)
    scale = float(np.abs(x).max(initial=0.0))
    return float(np.abs(x - y).max(initial=0.0)) / scale if scale > 0 else math.inf
