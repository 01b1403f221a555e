"""Where words lie off all curves, against trying every place."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.panels.network.plots.placing import free_place

HEIGHT = 4.0


def crossed(lines: list[np.ndarray], left: float, top: float, wide: float, around: float = 0.0) -> bool:
    """Whether a point of a line, of which many are tried, lies inside of a rectangle with so much ``around`` it."""
    for line in lines:
        for a, b in itertools.pairwise(line):
            x, y = (a + np.linspace(0.0, 1.0, 400)[:, None] * (b - a)).T
            inside = (left - around < x) & (x < left + wide + around)
            if (inside & (top - around < y) & (y < top + HEIGHT + around)).any():
                return True
    return False


@given(
    st.lists(
        st.lists(st.integers(0, 30), min_size=2, max_size=6).map(
            lambda y: np.array([*zip(np.linspace(0.0, 50.0, len(y)), y, strict=True)], float)
        ),
        max_size=3,
    ),
    st.lists(st.integers(0, 26), min_size=1, max_size=2),
    st.integers(1, 40),
)
def test_it_is_the_rightmost_that_nothing_crosses(
    lines: list[np.ndarray], tops: list[int], wide: int
) -> None:
    found = free_place(lines, tops, (wide, HEIGHT), (0.0, 50.0))
    # With some room around, since what is only touched counts as crossed.
    tried = (
        left for left in np.arange(50.0 - wide, -0.1, -1.0) for top in tops if not crossed(lines, left, top, wide, 0.5)
    )  # fmt: skip
    best = next(tried, None)
    if found is None:
        assert best is None
    else:
        left, top = found
        assert top in tops and 0.0 <= left <= 50.0 - wide and not crossed(lines, left, top, wide)
        assert best is None or left >= best


@pytest.mark.parametrize(
    ("tops", "place"),
    [((0.0,), (40.0, 0.0)), ((8.0,), (32.0, 8.0)), ((8.0, 0.0), (40.0, 0.0)), ((20.0, 0.0), (40.0, 20.0))],
)
def test_the_first_of_places_that_are_as_far_right(
    tops: tuple[float, ...], place: tuple[float, float]
) -> None:
    """Beside a line that goes down at 42, and then to the right."""
    line = np.array([(42.0, 6.0), (42.0, 14.0), (60.0, 14.0)])
    assert free_place([line], tops, (10.0, 4.0), (0.0, 50.0)) == place


def test_there_may_be_none() -> None:
    line = np.array([(0.0, 2.0), (50.0, 2.0)])
    assert free_place([line], (0.0,), (10.0, 4.0), (0.0, 50.0)) is None
