"""Cards: exact coverage, compositing against a slow reference, clipping, hostile positions."""

from __future__ import annotations

import math
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.raster import engine as raster
from planner.compiling.kernel import interpreting, interprets
from tests.gui.raster.test_layers import noise, parts, premultiply

VIEW = (1.0, 0.0, 0.0)


def area(img: raster.Image) -> float:
    """Sum of coverage of what was drawn in opaque colours on a transparent image."""
    return float((img >> np.uint32(24)).sum()) / 255.0


def overlap(pixels: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.clip(np.minimum(pixels + 1, high) - np.maximum(pixels, low), 0, None)


@given(st.floats(0.3, 30), st.floats(0.3, 30), st.floats(1, 9), st.floats(1, 9))
def test_area_of_a_box_is_width_times_height(w: float, h: float, x: float, y: float) -> None:
    img = raster.new_image(42, 42)
    raster.rounded_rects(img, None, [x], [y], [w], [h], *VIEW, fill=0xFF336699, radius_px=0.0, min_px=0.0)
    # The coverage of a pixel is rounded to a 255th.
    pixels = (math.ceil(w) + 1) * (math.ceil(h) + 1)
    assert area(img) == pytest.approx(w * h, rel=0.01, abs=max(0.1, 0.5 * pixels / 255))


@given(st.floats(6, 18), st.floats(0, 1), st.floats(0, 1))
def test_area_of_a_disc(radius: float, fx: float, fy: float) -> None:
    img = raster.new_image(42, 42)
    size = [2 * radius]
    raster.rounded_rects(img, None, [2 + fx], [2 + fy], size, size, *VIEW, fill=0xFF336699, radius_px=radius)
    assert area(img) == pytest.approx(math.pi * radius**2, rel=0.01)
    raster.fill(img, None, 0, replace=True)
    raster.rounded_rects(
        img,
        None,
        [2 + fx],
        [2 + fy],
        size,
        size,
        *VIEW,
        fill=0,
        stroke=0xFF336699,
        stroke_px=2.0,
        radius_px=radius,
    )
    assert area(img) == pytest.approx(math.pi * (radius**2 - (radius - 2) ** 2), rel=0.02)


def test_disc_is_round() -> None:
    img = raster.new_image(41, 41)
    raster.rounded_rects(img, None, [2.5], [2.5], [36], [36], *VIEW, fill=0xFF000000, radius_px=18)
    cover = parts(img)[..., 0] / 255
    y, x = np.mgrid[:41, :41] + 0.5
    wanted = np.clip(18.5 - np.hypot(x - 20.5, y - 20.5), 0, 1)
    assert np.abs(cover - wanted).max() < 0.06
    assert np.array_equal(cover, cover.T)
    assert np.array_equal(cover, cover[::-1, ::-1])


@given(
    st.tuples(st.floats(-4, 30), st.floats(-4, 20), st.floats(3, 25), st.floats(3, 15)),
    st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF),
    st.floats(0, 4), st.floats(0, 6), st.integers(0, 999),
)  # fmt: skip
def test_square_cards_equal_a_slow_reference(
    box: tuple[float, float, float, float], body: int, edge: int, bar: int, sw: float, aw: float, seed: int
) -> None:
    img = noise(22, 37, seed)
    before = parts(img)
    x, y, w, h = box
    raster.rounded_rects(
        img, None, [x], [y], [w], [h], *VIEW, fill=body, stroke=edge, stroke_px=sw, radius_px=0.0, accent=bar, accent_px=aw
    )  # fmt: skip
    sw = min(sw, w / 2, h / 2) if edge >> 24 else 0.0
    aw = aw if bar >> 24 else 0.0
    px, py = np.arange(37), np.arange(22)
    outer = np.outer(overlap(py, y, y + h), overlap(px, x, x + w))
    inner = np.minimum(np.outer(overlap(py, y + sw, y + h - sw), overlap(px, x + sw, x + w - sw)), outer)
    tint = np.minimum(np.outer(overlap(py, y + sw, y + h - sw), overlap(px, x + sw, x + sw + aw)), inner)
    premultiplied = [parts(np.array([[premultiply(c)]], np.uint32))[0, 0] for c in (body, edge, bar)]
    shares = [inner - tint, outer - inner, tint]
    source = sum(share[..., None] * c for share, c in zip(shares, premultiplied, strict=True))
    wanted = source + before * (1 - source[..., :1] / 255)
    # Three parts are premultiplied and blended in whole levels: each may be off by one, and the sum by a little more.
    assert np.abs(parts(img) - wanted).max() <= 4.0


@given(st.floats(-60, 60), st.floats(-60, 60), st.floats(0.1, 90), st.floats(0.1, 90), st.integers(0, 99))
def test_nothing_is_written_outside_the_clip(x: float, y: float, w: float, h: float, seed: int) -> None:
    whole, img = noise(40, 40, seed), noise(40, 40, seed)
    before = img.copy()
    style = {
        "fill": 0xFFFFFFFF, "stroke": 0xFF3B6FB6, "accent": 0x80E08A2C, "accent_px": 3.0, "shadow": 0x60000000,
        "shadow_px": 5.0, "shadow_dy": 2.0, "radius_px": 6.0,
    }  # fmt: skip
    raster.rounded_rects(whole, None, [x], [y], [w], [h], *VIEW, **style)  # type: ignore[arg-type]
    clip = (7, 5, 30, 33)
    raster.rounded_rects(img, clip, [x], [y], [w], [h], *VIEW, **style)  # type: ignore[arg-type]
    inside = np.zeros((40, 40), bool)
    inside[5:33, 7:30] = True
    assert np.array_equal(img[~inside], before[~inside])
    assert np.abs(parts(img) - parts(whole))[inside].max() <= 2


def test_hostile_positions_are_skipped() -> None:
    img = raster.new_image(30, 20)
    bad = [math.nan, math.inf, -math.inf, 1e300, -1e300, 1e13, 5.0, 5.0, 5.0]
    x = np.array(bad)
    w = np.array([4, 4, 4, 4, 4, 4, math.nan, -3.0, math.inf])
    raster.rounded_rects(img, None, x, 5.0, w, 4.0, *VIEW, fill=0xFF000000)
    raster.rounded_rects(img, None, [5.0], x[:1], [4.0], [4.0], *VIEW, fill=0xFF000000)
    raster.rounded_rects(img, None, [], [], [], [], *VIEW, fill=0xFF000000)
    raster.rounded_rects(
        img, None, [500.0, -90.0], [5.0, 5.0], 4.0, 4.0, *VIEW, fill=0xFF000000, shadow=0xFF000000
    )
    assert not img.any()
    raster.rounded_rects(
        img, None, [-1e9], [-1e9], [2e9], [2e9], *VIEW, fill=0xFF000000, radius_px=9, stroke=0xFF00FF00
    )
    assert (img == 0xFF000000).all()


def test_small_cards_never_vanish_and_keep_their_mean_colour() -> None:
    for size in (0.0, 0.05, 0.4, 0.99):
        img = raster.new_image(9, 9)
        raster.rounded_rects(
            img, None, [4.3], [4.6], [size], [size], *VIEW, fill=0xFF336699, stroke=0xFF102030
        )
        assert area(img) == pytest.approx(1.0, abs=0.02)
    # crossing the 3 px limit changes neither coverage nor mean colour by a visible step
    means = []
    for size in (2.999, 3.001):
        img = raster.new_image(9, 9)
        raster.rounded_rects(
            img, None, [2.3], [3.1], [size], [size], *VIEW, fill=0xFFFFFFFF, stroke=0xFF3B6FB6, accent=0xFFE08A2C, accent_px=1.0
        )  # fmt: skip
        means.append(parts(img).sum(axis=(0, 1)))
    assert np.allclose(means[0], means[1], rtol=0.01)


def test_order_mask_opacity_and_snapping() -> None:
    img = raster.new_image(12, 10)
    raster.rounded_rects(
        img, None, [0, 0, 0], 0.0, 10.0, 10.0, *VIEW, fill=[0xFF0000FF, 0xFF00FF00, 0xFFFF0000], radius_px=0,
        order=[2, 0, 1, 77, -1], visible=[True, False, True],
    )  # fmt: skip
    assert (img[:, :10] == 0xFF0000FF).all()
    raster.rounded_rects(img, None, [0], [0], [10], [10], *VIEW, fill=0xFF00FF00, opacity=0.0)
    assert (img[:, :10] == 0xFF0000FF).all()
    raster.rounded_rects(
        img, None, [0.4], [0.4], [9.3], [9.3], *VIEW, fill=0xFFFFFFFF, radius_px=0, snap=True
    )
    assert (img[:, :10] == 0xFFFFFFFF).all()
    raster.rounded_rects(img, None, [0], [0], [10], [10], *VIEW, fill=0xFF00FF00, order=[])
    assert (img[:, :10] == 0xFFFFFFFF).all()
    assert not img[:, 10:].any()


def test_scale_and_offset_are_applied() -> None:
    img, other = raster.new_image(40, 30), raster.new_image(40, 30)
    raster.rounded_rects(img, None, [2.0], [1.0], [6.0], [4.0], 2.5, 3.25, -1.5, fill=0xFF336699)
    raster.rounded_rects(other, None, [8.25], [1.0], [15.0], [10.0], *VIEW, fill=0xFF336699)
    assert np.array_equal(img, other)


def test_shadow_falls_off_and_lies_below() -> None:
    img = raster.new_image(60, 60)
    raster.rounded_rects(
        img,
        None,
        [20],
        [20],
        [20],
        [20],
        *VIEW,
        fill=0xFFFFFFFF,
        shadow=0x80000000,
        shadow_px=8.0,
        shadow_dy=3.0,
    )
    column = (img[40:, 30] >> np.uint32(24)).astype(int)
    assert column[0] > 40
    assert (np.diff(column) <= 0).all()
    assert column[-1] == 0
    assert (img[24:36, 24:36] == 0xFFFFFFFF).all()
    assert img[18, 30] >> np.uint32(24) < img[41, 30] >> np.uint32(24)


def test_wrong_lengths_are_named() -> None:
    img = raster.new_image(4, 4)
    with pytest.raises(ValueError, match="fill has 2 entries for 3 items"):
        raster.rounded_rects(img, None, [1, 2, 3], 0, 1, 1, *VIEW, fill=[1, 2])
    with pytest.raises(ValueError, match="visible has shape"):
        raster.rounded_rects(img, None, [1, 2, 3], 0, 1, 1, *VIEW, fill=1, visible=[True])


@pytest.mark.parametrize("size", [2.4, 7.0])
def test_very_many_are_drawn_on_several_threads_as_on_one(
    monkeypatch: pytest.MonkeyPatch, size: float
) -> None:
    rng = np.random.default_rng(3)
    n = 300
    place = (
        rng.uniform(-5, 95, n),
        rng.uniform(-5, 75, n),
        rng.uniform(0.2, size, n),
        rng.uniform(0.2, size, n),
    )
    style = {"fill": rng.integers(0, 2**32, n, np.uint32), "radius_px": 0.0}
    whole, shared = raster.new_image(90, 70, 0xFFFFFFFF), raster.new_image(90, 70, 0xFFFFFFFF)
    raster.rounded_rects(whole, None, *place, 1.0, 0.0, 0.0, **style)
    threads: dict[int, bool] = {}
    kernel = raster.COMPILED.rects

    def draws(*arguments: object) -> None:
        threads[threading.get_ident()] = interprets()
        kernel(*arguments)

    monkeypatch.setattr(raster, "VERY_MANY", n - 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    monkeypatch.setattr(raster.COMPILED, "rects", draws)
    with interpreting():  # as the window does
        raster.rounded_rects(shared, None, *place, 1.0, 0.0, 0.0, **style)
    assert len(threads) == 3 and all(threads.values()), "none of them may compile: the window waits for them"
    assert np.array_equal(whole, shared)
