"""Fills, copies and compositing against floating-point arithmetic."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas.graph.palette import packed
from gui.raster import engine as raster

COLOURS = st.integers(0, 0xFFFFFFFF)


def premultiply(straight: npt.ArrayLike) -> raster.Image:
    """Straight to premultiplied ARGB, each channel c * alpha / 255 rounded to nearest."""
    value = np.asarray(straight, np.uint32)
    alpha, *rest = ((value >> np.uint32(s)) & np.uint32(255) for s in (24, 16, 8, 0))
    red, green, blue = ((c * alpha + np.uint32(127)) // np.uint32(255) for c in rest)
    return alpha << np.uint32(24) | red << np.uint32(16) | green << np.uint32(8) | blue


def noise(height: int, width: int, seed: int) -> raster.Image:
    """A random premultiplied image."""
    straight = np.random.default_rng(seed).integers(0, 2**32, (height, width), dtype=np.uint32)
    return premultiply(straight)


def parts(img: raster.Image) -> np.ndarray:
    """float64[h, w, 4] levels of a premultiplied image: alpha, red, green, blue."""
    return np.stack([(img >> np.uint32(s)) & np.uint32(255) for s in (24, 16, 8, 0)], axis=-1).astype(float)


@given(COLOURS, st.integers(0, 1000))
def test_fill_composites_over_what_is_there(straight: int, seed: int) -> None:
    img = noise(5, 21, seed)
    source = parts(premultiply(np.array([straight], np.uint32)))[0]
    wanted = source + parts(img) * (1.0 - source[0] / 255.0)
    raster.fill(img, None, straight)
    assert np.abs(parts(img) - wanted).max() <= 1.0


def test_fill_replaces_and_respects_the_rectangle() -> None:
    img = raster.new_image(20, 10, 0xFFFFFFFF)
    raster.fill(img, (3, 2, 7, 900), 0x00000000, replace=True)
    assert (img[2:, 3:7] == 0).all()
    img[2:, 3:7] = 0xFFFFFFFF
    assert (img == 0xFFFFFFFF).all()
    raster.fill(img, (9, 9, 3, 3), 0xFF000000)  # inverted: empty
    assert (img == 0xFFFFFFFF).all()


def test_opaque_stays_opaque_however_often_it_is_drawn_over() -> None:
    img = raster.new_image(30, 3, 0xFFFFFFFF)
    for alpha in range(256):
        raster.fill(img, None, alpha << 24 | 0x123456)
        raster.curves(
            img, None, raster.s_curves(0, 1.3, 30, 2.1, 5), 1, 0, 0, colour=alpha << 24, width_px=1.1
        )
    assert (img >> np.uint32(24) == 255).all()


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 100))
def test_blit_within_one_buffer_moves_the_old_pixels(dx: int, dy: int, seed: int) -> None:
    img = noise(7, 8, seed)
    wanted = img.copy()
    for y in range(7):
        for x in range(8):
            if 0 <= y - dy < 7 and 0 <= x - dx < 8:
                wanted[y, x] = img[y - dy, x - dx]
    raster.blit(img, img, None, dx, dy)
    assert np.array_equal(img, wanted)


@given(st.integers(-30, 30), st.integers(-30, 30), st.floats(0, 1), st.integers(0, 100))
def test_compose_is_over_at_an_offset(dx: int, dy: int, opacity: float, seed: int) -> None:
    below, above = noise(9, 25, seed), noise(6, 19, seed + 1)
    wanted = parts(below)
    for y in range(9):
        for x in range(25):
            if 0 <= y - dy < 6 and 0 <= x - dx < 19:
                source = parts(above)[y - dy, x - dx] * (round(255 * opacity) / 255)
                wanted[y, x] = source + wanted[y, x] * (1 - source[0] / 255)
    raster.compose(below, above, None, dx, dy, opacity)
    assert np.abs(parts(below) - wanted).max() <= 1.0


def test_image_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="C-contiguous uint32"):
        raster.fill(np.zeros((4, 4), np.int32), None, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="C-contiguous uint32"):
        raster.fill(raster.new_image(8, 8)[:, ::2], None, 0)


def test_bands_cover_the_clip_once() -> None:
    assert raster.bands((2, 3, 9, 10), 2) == [(2, 3, 9, 6), (2, 6, 9, 10)]
    assert raster.bands((0, 0, 5, 1), 3) == [(0, 0, 5, 1)]


def test_colours_are_packed_as_straight_argb() -> None:
    assert packed("#3b6fb6") == 0xFF3B6FB6
    assert packed("#ffffff", 0.5) == 0x80FFFFFF
    assert packed("#102030", 0.0) == 0x00102030
