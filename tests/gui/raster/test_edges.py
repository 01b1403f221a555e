"""Edges: coverage against supersampling, even translucency, clipping, dashes, arrows, stubs, routes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gui.raster import engine as raster
from tests.gui.raster.test_layers import noise, parts

VIEW = (1.0, 0.0, 0.0)
BLACK = 0xFF000000
COORDINATES = st.floats(8, 72)
CURVES = st.lists(COORDINATES, min_size=8, max_size=8)


def cover(img: raster.Image) -> np.ndarray:
    return parts(img)[..., 0] / 255.0


def dense(ctrl: list[float] | np.ndarray, count: int = 3000) -> np.ndarray:
    """float64[count, 2] points of a cubic, straight from Bernstein's form."""
    t = np.linspace(0, 1, count)[:, None]
    p = np.asarray(ctrl, float).reshape(4, 2)
    return (1 - t) ** 3 * p[0] + 3 * (1 - t) ** 2 * t * p[1] + 3 * (1 - t) * t * t * p[2] + t**3 * p[3]


def supersampled(points: np.ndarray, width: float, size: int, fine: int = 6) -> np.ndarray:
    """Coverage of all that is within width / 2 of the points, and not beyond the flat ends, by fine x fine samples a pixel."""
    from scipy.spatial import cKDTree

    axis = (np.arange(size * fine) + 0.5) / fine
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    distance, nearest = cKDTree(points).query(grid, distance_upper_bound=width / 2 + 1)
    inside = distance <= width / 2
    nearest_point = np.asarray(points)[np.minimum(nearest, len(points) - 1)]
    arc = np.concatenate([[0.0], np.hypot(*np.diff(points, axis=0).T).cumsum()])
    for end, away in ((points[0], arc), (points[-1], arc[-1] - arc)):
        inner = points[np.abs(away - 0.05).argmin()]
        # past a flat end only what some other part of the curve covers
        beyond = inside & (np.hypot(*(nearest_point - end).T) < 0.1) & ((grid - end) @ (end - inner) > 0)
        inside[beyond] &= cKDTree(points[away > width / 2]).query(grid[beyond])[0] <= width / 2
    return inside.reshape(size, fine, size, fine).mean(axis=(1, 3))


@pytest.mark.parametrize("width", [1.2, 2.5, 6.0, 14.0])
@pytest.mark.parametrize(
    "ctrl",
    [
        [10, 20, 40, 20, 40, 60, 70, 60],
        [10, 60, 60, 62, 20, 18, 70, 20],
        [40, 10, 40, 55, 42, 25, 42, 70],
        [15, 40, 15, 40, 65, 41, 65, 41],
        [60, 30, 85, 30, -5, 55, 20, 55],
    ],
)
def test_curves_equal_supersampling(ctrl: list[float], width: float) -> None:
    pytest.importorskip("scipy")
    img = raster.new_image(80, 80)
    raster.curves(img, None, [ctrl], *VIEW, colour=BLACK, width_px=width)
    wanted = supersampled(dense(ctrl), width, 80)
    error = np.abs(cover(img) - wanted)
    touched = (wanted > 0) | (cover(img) > 0)
    assert error[touched].mean() < 0.08  # the window is turned with the stroke, not square
    assert np.quantile(error[touched], 0.97) < 0.25
    assert cover(img).sum() == pytest.approx(wanted.sum(), rel=0.03)


@pytest.mark.parametrize("width", [0.5, 0.8, 1.0, 1.7, 3.0, 7.5, 40.0])
@pytest.mark.parametrize("angle", [0.0, 0.2, math.pi / 4, 1.3, math.pi / 2, 2.5])
def test_area_of_a_straight_line_is_length_times_width(width: float, angle: float) -> None:
    img = raster.new_image(200, 200)
    dx, dy = 55.3 * math.cos(angle), 55.3 * math.sin(angle)
    line = raster.s_curves(100 - dx, 100.2 - dy, 100 + dx, 100.2 + dy, 0)
    raster.curves(img, None, line, *VIEW, colour=BLACK, width_px=width)
    assert cover(img).sum() == pytest.approx(110.6 * width, rel=0.03)


def is_gentle(ctrl: list[float]) -> bool:
    """Turns by less than 150 degrees in all and nowhere with a radius under 4 px."""
    steps = np.diff(dense(ctrl, 400), axis=0)
    heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    turns, lengths = np.abs(np.diff(heading)), np.hypot(*steps.T)[1:]
    return turns.sum() < 2.6 and bool((turns * 4.0 <= lengths + 1e-6).all())


@given(CURVES, st.sampled_from([0.7, 1.2, 3.0, 5.0, 12.0]), st.integers(10, 250))
def test_translucent_curves_are_even_at_their_joints(ctrl: list[float], width: float, alpha: int) -> None:
    opaque, thin = raster.new_image(80, 80), raster.new_image(80, 80)
    raster.curves(opaque, None, [ctrl], *VIEW, colour=BLACK, width_px=width)
    raster.curves(thin, None, [ctrl], *VIEW, colour=alpha << 24, width_px=width)
    # thin lines take the way without a mask: they may meet themselves where a curve goes back or turns on the spot
    assume(width > 3.0 or is_gentle(ctrl))
    assert np.abs(parts(thin)[..., 0] - cover(opaque) * alpha).max() <= 2.0


def test_gentle_translucent_curves_are_even_everywhere() -> None:
    for width in (0.6, 1.2, 2.9, 9.0, 31.0):
        for k in range(30):
            img = raster.new_image(200, 120)
            curve = raster.s_curves(5.3 + k / 7, 30 + k * 1.37, 190 - k / 3, 90 - k * 1.1, 60 + k)
            raster.curves(img, None, curve, *VIEW, colour=0x80000000, width_px=width)
            assert (img >> np.uint32(24)).max() <= round(128 * min(1.0, width)) + 1


@given(
    CURVES, st.sampled_from([0.8, 2.0, 9.0, 30.0]), st.integers(0, 99), st.sampled_from([None, (4.0, 3.0)])
)
def test_nothing_is_written_outside_the_clip(
    ctrl: list[float], width: float, seed: int, dash: tuple[float, float] | None
) -> None:
    whole, img = noise(80, 80, seed), noise(80, 80, seed)
    before = img.copy()
    style = {"colour": 0x90E08A2C, "width_px": width, "arrow_px": 9.0, "dash_px": dash}
    raster.curves(whole, None, [ctrl], *VIEW, **style)  # type: ignore[arg-type]
    raster.curves(img, (21, 13, 58, 66), [ctrl], *VIEW, **style)  # type: ignore[arg-type]
    inside = np.zeros((80, 80), bool)
    inside[13:66, 21:58] = True
    assert np.array_equal(img[~inside], before[~inside])
    assert np.abs(parts(img) - parts(whole))[inside].max() <= 2


def test_bands_draw_the_same_picture() -> None:
    rng = np.random.default_rng(2)
    ctrl = rng.uniform(-20, 140, (60, 8))
    whole, pieces = raster.new_image(120, 90, 0xFFFFFFFF), raster.new_image(120, 90, 0xFFFFFFFF)
    raster.curves(whole, None, ctrl, *VIEW, colour=0x803B6FB6, width_px=rng.uniform(0.5, 12, 60))
    rng = np.random.default_rng(2)
    rng.uniform(-20, 140, (60, 8))
    widths = rng.uniform(0.5, 12, 60)
    for clip in raster.bands((0, 0, 120, 90), 3):
        raster.curves(pieces, clip, ctrl, *VIEW, colour=0x803B6FB6, width_px=widths)
    assert np.abs(parts(whole) - parts(pieces)).max() <= 3


def test_hostile_curves_neither_hang_nor_draw() -> None:
    img = raster.new_image(50, 40)
    bad = [math.nan, math.inf, -math.inf, 1e300, 1e13]
    ctrl = np.tile([5.0, 5, 20, 5, 20, 30, 40, 30], (len(bad) * 8, 1))
    for k in range(len(ctrl)):
        ctrl[k, k % 8] = bad[k // 8]
    raster.curves(img, None, ctrl, *VIEW, colour=BLACK, width_px=3.0, arrow_px=5.0, dash_px=(2.0, 2.0))
    raster.curves(img, None, ctrl[:0], *VIEW, colour=BLACK)
    good = [[5.0, 5, 20, 5, 20, 30, 40, 30]]
    for width in (0.0, -1.0, math.nan, math.inf):
        raster.curves(img, None, good, *VIEW, colour=BLACK, width_px=width)
    raster.curves(img, None, [[7.0] * 8], *VIEW, colour=BLACK, width_px=3.0)  # no length
    raster.curves(img, None, good, *VIEW, colour=0x00FF00FF)
    raster.curves(img, None, good, *VIEW, colour=BLACK, visible=[False])
    raster.curves(img, None, good, *VIEW, colour=BLACK, index=[5, -1])
    raster.curves(img, None, good, 1.0, 4000.0, 0.0, colour=BLACK)
    assert not img.any()


@pytest.mark.parametrize("dash", [None, (3.0, 2.0)])
def test_enormous_curves_draw_their_visible_part(dash: tuple[float, float] | None) -> None:
    img = raster.new_image(60, 60)
    line = raster.s_curves([-2e9], [30.0], [2e9], [30.0], [1e9])
    raster.curves(img, None, line, *VIEW, colour=BLACK, width_px=4.0, dash_px=dash)
    share = cover(img)[28:32].mean()
    assert share == pytest.approx(1.0 if dash is None else 0.6, abs=0.05)
    # a huge S-curve passing the window: the same as its part seen through a shifted origin
    img = raster.new_image(60, 60)
    raster.curves(
        img, None, raster.s_curves(0, 0, 1e6, 1e6, 5e5), 1.0, 30 - 5e5, 30 - 5e5, colour=BLACK, width_px=2.0
    )
    assert cover(img)[30, 28:32].max() == pytest.approx(1.0, abs=0.05)


def test_dashes_share_of_the_line() -> None:
    img = raster.new_image(130, 20)
    line = raster.s_curves([10, 10], [5.5, 14.5], [110, 110], [5.5, 14.5], 30)
    raster.curves(
        img, None, line, *VIEW, colour=BLACK, width_px=2.0, dash_px=(6.0, 4.0), dashed=[True, False]
    )
    assert cover(img)[:10].sum() == pytest.approx(120, rel=0.02)
    assert cover(img)[10:].sum() == pytest.approx(200, rel=0.02)


def test_arrowheads_point_at_the_end() -> None:
    plain, img = raster.new_image(60, 40), raster.new_image(60, 40)
    line = raster.s_curves(5, 20, 50, 20, 10)
    raster.curves(plain, None, line, *VIEW, colour=BLACK)
    raster.curves(img, None, line, *VIEW, colour=BLACK, arrow_px=10.0)
    heights = (cover(img) > 0.5).sum(axis=0)
    assert heights[41] >= 7 > heights[48]
    assert not cover(img)[:, 52:].any()
    assert cover(img)[:, 10:30].sum() == pytest.approx(cover(plain)[:, 10:30].sum(), rel=1e-6)


def test_stubs_fade_from_both_ends() -> None:
    x, y, w, h = (
        np.array([0.0, 160.0]),
        np.array([10.0, 60.0]),
        np.array([20.0, 20.0]),
        np.array([20.0, 20.0]),
    )
    img = raster.new_image(180, 100)
    src, dst = np.array([0], np.int32), np.array([1], np.int32)
    raster.stubs(img, None, x, y, w, h, src, dst, *VIEW, colour=BLACK, width_px=2.0, length_px=20.0)
    column = cover(img).sum(axis=0)
    assert column[21] > 1.7
    assert column[158] > 1.7
    assert column[30] == pytest.approx(1.0, abs=0.2)
    assert not column[42:138].any()


def test_edges_follow_ports_and_sides() -> None:
    x, y = np.array([10.0, 70.0]), np.array([10.0, 60.0])
    w, h = np.array([20.0, 20.0]), np.array([10.0, 10.0])
    src, dst = np.array([0], np.int32), np.array([1], np.int32)
    ends = {
        (raster.RIGHT, raster.LEFT): ((30, 15), (70, 65)),
        (raster.BOTTOM, raster.TOP): ((20, 20), (80, 60)),
        (raster.LEFT, raster.RIGHT): ((10, 15), (90, 65)),
        (raster.TOP, raster.BOTTOM): ((20, 10), (80, 70)),
    }
    for (leave, enter), points in ends.items():
        img = raster.new_image(110, 110)
        raster.edges_between(
            img, None, x, y, w, h, src, dst, *VIEW, colour=BLACK, width_px=3.0, leave=leave, enter=enter
        )
        for px, py in points:
            assert cover(img)[py - 2 : py + 2, px - 2 : px + 2].max() > 0.9
    moved, port = raster.new_image(110, 110), raster.new_image(110, 110)
    raster.edges_between(moved, None, x, y + 3, w, h, src, dst, *VIEW, colour=BLACK)
    raster.edges_between(port, None, x, y, w, h, src, dst, *VIEW, colour=BLACK, src_port=3.0, dst_port=[3.0])
    assert np.array_equal(moved, port)
    nothing = raster.new_image(110, 110)
    ids = np.array([0, 5, -1], np.int32)
    raster.edges_between(nothing, None, x, y, w, h, ids, ids[::-1].copy() + 7, *VIEW, colour=BLACK)
    assert not nothing.any()


@given(st.lists(st.floats(-60, 140), min_size=4, max_size=4), st.integers(0, 3), st.integers(0, 3))
def test_culling_drops_no_visible_edge(at: list[float], leave: int, enter: int) -> None:
    x, y, size = np.array(at[:2]), np.array(at[2:]), np.array([12.0, 12.0])
    src, dst = np.array([0], np.int32), np.array([1], np.int32)
    style = {"colour": BLACK, "leave": leave, "enter": enter, "width_px": 2.0}
    big, small = raster.new_image(400, 400), raster.new_image(80, 80)
    raster.edges_between(big, None, x, y, size, size, src, dst, 1.0, 160.0, 160.0, **style)  # type: ignore[arg-type]
    raster.edges_between(small, None, x, y, size, size, src, dst, *VIEW, **style)  # type: ignore[arg-type]
    assert np.abs(cover(big)[160:240, 160:240] - cover(small)).max() < 0.02


def test_routes_round_their_corners_evenly() -> None:
    ptr, px, py = [0, 4, 6], [10.0, 60, 60, 20, 5, 70], [10.0, 10, 50, 50, 70, 70]
    for width in (1.5, 9.0):
        img = raster.new_image(80, 80)
        raster.routes(img, None, ptr, px, py, *VIEW, colour=0x80000000, width_px=width, radius=12.0)
        assert (img >> np.uint32(24)).max() <= 129
        assert cover(img)[30, 50:70].sum() == pytest.approx(width * 128 / 255, rel=0.03)
        assert cover(img)[10, 60 + math.ceil(width / 2)] == 0.0  # the corner is cut
        length = 50 + 40 + 40 + 65 - 2 * (24 - 12 * 1.6232)  # a quadratic with both legs 1 is 1.6232 long
        assert cover(img).sum() == pytest.approx(length * width * 128 / 255, rel=0.03)
    sharp, img = raster.new_image(80, 80), raster.new_image(80, 80)
    raster.routes(
        sharp, None, ptr, px, py, *VIEW, colour=BLACK, width_px=3.0, radius=0.0, visible=[True, False]
    )
    raster.routes(img, None, ptr, px, py, *VIEW, colour=BLACK, width_px=3.0, radius=0.0, index=[0])
    assert np.array_equal(sharp, img)
    assert cover(img)[10, 60] == pytest.approx(1.0, abs=0.05)
    empty = raster.new_image(80, 80)
    raster.routes(empty, None, [0], [], [], *VIEW, colour=BLACK)
    raster.routes(empty, None, [0, 2, 3], [math.nan, 5, 9], [1.0, 5, 9], *VIEW, colour=BLACK)
    raster.routes(empty, None, [0, 9], [1.0, 5, 9], [1.0, 5, 9], *VIEW, colour=BLACK)
    assert not empty.any()


def test_wide_dashed_strokes_and_arrows() -> None:
    img = raster.new_image(120, 120)
    tight = [[20.0, 100, 90, 100, 20, 30, 90, 30]]
    raster.curves(
        img, None, tight, *VIEW, colour=0x80000000, width_px=14.0, dash_px=(10.0, 6.0), arrow_px=12.0
    )
    assert 0 < (img >> np.uint32(24)).max() <= 255
    assert cover(img).sum() > 200


def test_wrong_arguments_are_named() -> None:
    img = raster.new_image(4, 4)
    with pytest.raises(ValueError, match="control points have shape"):
        raster.curves(img, None, [[1.0, 2.0]], *VIEW, colour=BLACK)
    with pytest.raises(ValueError, match="dst has 1 entries and src 2"):
        raster.edges_between(img, None, [1.0], 1.0, 1.0, 1.0, [0, 0], [0], *VIEW, colour=BLACK)
    with pytest.raises(ValueError, match="route table"):
        raster.routes(img, None, [0, 1], [1.0], [1.0, 2.0], *VIEW, colour=BLACK)
