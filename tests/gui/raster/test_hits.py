"""Hit tests against brute force."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gui.raster import engine as raster

VIEW = (1.3, 7.0, -4.0)
SEEDS = st.integers(0, 10_000)


def boxes(seed: int, n: int = 40) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, 80, (2, n))
    x[rng.integers(n)] = math.nan
    return x, y, rng.uniform(0, 20, n), rng.uniform(0, 12, n)


@given(SEEDS, st.floats(0, 110), st.floats(0, 110), st.sampled_from([0.0, 6.0]))
def test_hit_op_is_the_topmost_else_the_nearest(seed: int, px: float, py: float, slop: float) -> None:
    x, y, w, h = boxes(seed)
    visible = np.random.default_rng(seed + 1).random(40) < 0.8
    order = np.random.default_rng(seed + 2).permutation(40).astype(np.int32)
    best, best_gap = -1, slop
    for i in order:
        x0, y0 = x[i] * 1.3 + 7, y[i] * 1.3 - 4
        gap = math.hypot(
            max(x0 - px, px - x0 - w[i] * 1.3, 0.0), max(y0 - py, py - y0 - h[i] * 1.3, 0.0)
        ) if not math.isnan(x0) else math.inf  # fmt: skip
        if visible[i] and gap <= best_gap:
            best, best_gap = int(i), gap
    assert raster.hit_op(px, py, x, y, w, h, *VIEW, order=order, visible=visible, slop_px=slop) == best


@given(SEEDS, st.lists(st.floats(0, 110), min_size=4, max_size=4), st.booleans())
def test_ops_in_rect(seed: int, rect: list[float], inside: bool) -> None:
    x, y, w, h = boxes(seed)
    x0, x1 = sorted(rect[::2])
    y0, y1 = sorted(rect[1::2])
    a, b = x * 1.3 + 7, y * 1.3 - 4
    c, d = a + w * 1.3, b + h * 1.3
    if inside:
        wanted = (a >= x0) & (c <= x1) & (b >= y0) & (d <= y1)
    else:
        wanted = (a <= x1) & (c >= x0) & (b <= y1) & (d >= y0)
    found = raster.ops_in_rect((rect[0], rect[1], rect[2], rect[3]), x, y, w, h, *VIEW, inside=inside)
    assert found.dtype == np.int32
    assert found.tolist() == np.flatnonzero(wanted).tolist()


def test_nothing_to_hit() -> None:
    none = np.empty(0)
    assert raster.hit_op(1.0, 1.0, none, none, none, none, *VIEW) == -1
    assert raster.ops_in_rect((0, 0, 9, 9), none, none, none, none, *VIEW).tolist() == []


def test_warm_up_runs() -> None:
    raster.warm_up()
