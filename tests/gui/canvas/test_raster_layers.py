"""Colours, fills, copies and compositing against floating-point arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas import colour, raster

COLOURS = st.integers(0, 0xFFFFFFFF)


def noise(height: int, width: int, seed: int) -> raster.Image:
    """A random premultiplied image."""
    straight = np.random.default_rng(seed).integers(0, 2**32, (height, width), dtype=np.uint32)
    return colour.premultiply(straight)


def parts(img: raster.Image) -> np.ndarray:
    """float64[h, w, 4] levels of a premultiplied image: alpha, red, green, blue."""
    return np.stack([(img >> np.uint32(s)) & np.uint32(255) for s in (24, 16, 8, 0)], axis=-1).astype(float)


@given(COLOURS, st.integers(0, 1000))
def test_fill_composites_over_what_is_there(straight: int, seed: int) -> None:
    img = noise(5, 21, seed)
    source = parts(colour.premultiply(np.array([straight], np.uint32)))[0]
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


def test_points_go_to_the_screen_and_back() -> None:
    x, y = np.array([1.0, -2.0]), np.array([0.5, 3.0])
    px, py = raster.transform_points(x, y, 2.5, 10.0, -4.0)
    assert px.tolist() == [12.5, 5.0]
    bx, by = raster.scene_points(px, py, 2.5, 10.0, -4.0)
    assert np.allclose(bx, x)
    assert np.allclose(by, y)


def test_bands_cover_the_clip_once() -> None:
    assert raster.bands((2, 3, 9, 10), 2) == [(2, 3, 9, 6), (2, 6, 9, 10)]
    assert raster.bands((0, 0, 5, 1), 3) == [(0, 0, 5, 1)]


@given(COLOURS)
def test_premultiply_is_exact_and_never_exceeds_alpha(straight: int) -> None:
    red, green, blue, alpha = colour.channels(straight)
    p = colour.channels(colour.premultiply(straight))
    assert p == (*((2 * c * alpha + 255) // 510 for c in (red, green, blue)), alpha)
    assert max(p[:3]) <= alpha


@given(COLOURS, COLOURS)
def test_mixing_ends_at_its_ends(first: int, second: int) -> None:
    for linear in (False, True):
        for t, end in ((0.0, first), (1.0, second)):
            wanted = end if end >> 24 else 0
            assert colour.mix(first, second, t, linear) == wanted


@given(COLOURS, st.integers(0, 0xFFFFFF))
def test_over_an_opaque_colour_agrees_with_the_kernels(top: int, below: int) -> None:
    bottom = below | 0xFF000000
    img = raster.new_image(1, 1, bottom)
    raster.fill(img, None, top)
    assert (
        np.abs(parts(img)[0, 0] - parts(np.array([[colour.over(top, bottom)]], np.uint32))[0, 0]).max() <= 1.0
    )


def test_colour_text_and_contrast() -> None:
    assert colour.parse("#3b6fb6") == 0xFF3B6FB6
    assert colour.parse("#fff") == colour.WHITE
    assert colour.parse("#80ffffff") == colour.with_alpha(colour.WHITE, 128 / 255)
    assert colour.to_hex(colour.argb(1, 2, 255)) == "#0102ff"
    with pytest.raises(ValueError, match="not a colour"):
        colour.parse("blueish")
    with pytest.raises(ValueError, match="outside"):
        colour.argb(0, 0, 256)
    assert colour.contrast(colour.BLACK, colour.WHITE) == pytest.approx(21.0)
    assert colour.readable_on(0xFF1B2233) == colour.WHITE
    assert colour.readable_on(0xFFFFE9C9) != colour.WHITE
    assert colour.lighten(0x80000000, 1.0) == 0x80FFFFFF
    assert colour.darken(0xFFFFFFFF, 1.0) == 0xFF000000
    many = np.array([0xFF000000, 0xFFFFFFFF], np.uint32)
    assert colour.mix(many, colour.WHITE, 0.5).tolist() == [0xFF808080, 0xFFFFFFFF]
    assert colour.unpremultiply(colour.premultiply(many)).tolist() == many.tolist()
