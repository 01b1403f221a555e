"""Hit tests against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas import raster
from tests.gui.canvas.test_raster_edges import dense

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


@given(SEEDS, st.floats(0, 110), st.floats(0, 110))
def test_hit_curve_is_the_nearest(seed: int, px: float, py: float) -> None:
    rng = np.random.default_rng(seed)
    ctrl, width = rng.uniform(0, 80, (15, 8)), rng.uniform(0.5, 8, 15)
    gaps = [
        max(0.0, np.hypot(*(dense(c, 1500) * 1.3 + (7, -4) - (px, py)).T).min() - q / 2)
        for c, q in zip(ctrl, width, strict=True)
    ]
    hit = raster.hit_curve(px, py, 9.0, ctrl, *VIEW, width_px=width)
    tolerance = 0.6  # flattening
    if hit.item < 0:
        assert min(gaps) > 9.0 - tolerance
    else:
        assert gaps[hit.item] <= min(gaps) + tolerance
        assert hit.distance == pytest.approx(gaps[hit.item], abs=tolerance)


@given(SEEDS, st.integers(0, 3), st.integers(0, 3))
def test_hit_edge_finds_what_was_drawn(seed: int, leave: int, enter: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, 160, (2, 12))
    w = h = np.full(12, 9.0)
    src, dst = rng.integers(0, 12, (2, 20)).astype(np.int32)
    shape = {"leave": leave, "enter": enter, "width_px": 2.0}
    one = int(rng.integers(20))
    img = raster.new_image(240, 220)
    raster.edges_between(img, None, x, y, w, h, src, dst, *VIEW, colour=0xFF000000, index=[one], **shape)  # type: ignore[arg-type]
    painted = np.argwhere(img >> np.uint32(24) > 200)
    for py, px in painted[:: max(1, len(painted) // 15)]:
        hit = raster.hit_edge(px + 0.5, py + 0.5, 3.0, x, y, w, h, src, dst, *VIEW, **shape)  # type: ignore[arg-type]
        assert hit.item >= 0
        assert hit.distance < 0.6
        alone = raster.hit_edge(px + 0.5, py + 0.5, 3.0, x, y, w, h, src, dst, *VIEW, index=[one], **shape)  # type: ignore[arg-type]
        assert alone.item == one
    assert raster.hit_edge(-900.0, 5.0, 3.0, x, y, w, h, src, dst, *VIEW).item == -1


def test_hit_route_and_ties() -> None:
    ptr, rx, ry = [0, 3, 5, 7], [0.0, 50, 50, 0, 50, 0, 50], [0.0, 0, 50, 0, 0, 90, 90]
    view = (1.0, 0.0, 0.0)
    assert raster.hit_route(20.0, 0.2, 4.0, ptr, rx, ry, *view).item == 1  # drawn last, equally near
    assert raster.hit_route(48.0, 30.0, 4.0, ptr, rx, ry, *view) == (0, pytest.approx(1.4))
    assert raster.hit_route(20.0, 60.0, 4.0, ptr, rx, ry, *view).item == -1
    assert raster.hit_route(20.0, 80.0, 4.0, ptr, rx, ry, *view, width_px=18.0).item == 2
    assert raster.hit_route(20.0, 0.2, 4.0, ptr, rx, ry, *view, visible=[True, False, True]).item == 0


def test_nothing_to_hit() -> None:
    none = np.empty(0)
    assert raster.hit_op(1.0, 1.0, none, none, none, none, *VIEW) == -1
    assert raster.ops_in_rect((0, 0, 9, 9), none, none, none, none, *VIEW).tolist() == []
    assert raster.hit_edge(1.0, 1.0, 5.0, none, none, none, none, [], [], *VIEW).item == -1
    assert raster.hit_curve(1.0, 1.0, 5.0, np.empty((0, 8)), *VIEW).item == -1
    assert raster.hit_route(1.0, 1.0, 5.0, [0], none, none, *VIEW).item == -1


def test_warm_up_runs() -> None:
    raster.warm_up()
