"""The page that a picture is drawn on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.look.page import LARGEST, PRESETS, SMALLEST, Page
from planner.errors import StageboardError

SIDE = st.integers(SMALLEST, LARGEST)


@given(SIDE, SIDE, st.sampled_from([96, 144, 150, 300]), st.floats(0.5, 3.0), st.floats(0.0, 1e5))
def test_a_cropped_page_is_as_wide_and_never_higher(
    wide: int, high: int, dpi: int, size: float, height: float
) -> None:
    page = Page((wide, high), dpi, size)
    assert page.as_high_as(height) is page, "only a page that is to be cropped"
    cropped = Page((wide, high), dpi, size, crop=True).as_high_as(height)
    assert cropped.pixels[0] == wide and SMALLEST <= cropped.pixels[1] <= high
    assert cropped.pixels[1] == high or cropped.pixels[1] >= height * page.scale - 1


@pytest.mark.parametrize("size", [(0, 100), (100, 63), (20_000, 100), (-5, -5)])
def test_sizes_that_cannot_be_drawn_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(StageboardError, match="cannot be drawn"):
        Page(size)


def test_presets_have_the_sizes_that_they_are_named_for() -> None:
    slide, column, poster = PRESETS["slide"], PRESETS["column"], PRESETS["poster"]
    assert slide.pixels[0] / slide.pixels[1] == pytest.approx(16 / 9)
    assert column.pixels[0] / column.dpi * 25.4 == pytest.approx(85, abs=0.1)
    assert [side / poster.dpi * 25.4 for side in poster.pixels] == pytest.approx([841, 594], abs=0.1)
