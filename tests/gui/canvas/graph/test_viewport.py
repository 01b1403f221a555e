"""The transform between scene and pixels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas.graph.viewport import LARGEST_SCALE, Viewport

sizes = st.integers(50, 3000)
places = st.floats(-1e4, 1e4)


@given(sizes, sizes, st.floats(1, 1e5), st.floats(1, 1e5), places, places, st.integers(0, 40))
def test_fit_shows_everything_beside_the_headers(
    width: int, height: int, w: float, h: float, x: float, y: float, left: int
) -> None:
    viewport = Viewport(left=left)
    viewport.resize(width, height)
    viewport.fit((x, y, w, h), margin=4, largest=1.5)
    x0, y0 = viewport.to_pixels(x, y)
    x1, y1 = viewport.to_pixels(x + w, y + h)
    assert left - 1e-6 <= x0 <= x1 <= width + 1e-6
    assert -1e-6 <= y0 <= y1 <= height + 1e-6
    assert viewport.scale <= 1.5


@given(st.floats(0.05, 20), places, places)
def test_zoom_keeps_a_point_and_its_limits(factor: float, px: float, py: float) -> None:
    viewport = Viewport(800, 600)
    viewport.fit((0, 0, 5000, 3000))
    before = viewport.to_scene(px, py)
    viewport.zoom(factor, px, py)
    assert viewport.to_scene(px, py) == pytest.approx(before, abs=1e-3)
    assert viewport.smallest <= viewport.scale <= LARGEST_SCALE


@given(places, places)
def test_the_picture_cannot_be_lost(dx: float, dy: float) -> None:
    viewport = Viewport(800, 600)
    bounds = (10.0, 20.0, 5000.0, 3000.0)
    viewport.fit(bounds)
    viewport.pan(dx, dy)
    viewport.keep_near(bounds, slack=80)
    x, y, w, h = viewport.visible()
    assert x < bounds[0] + bounds[2]
    assert x + w > bounds[0]
    assert y < bounds[1] + bounds[3]
    assert y + h > bounds[1]
