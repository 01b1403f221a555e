"""Figures as people read them."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from planner.text_table import NONE, gap_limit, gap_percent, with_article


@given(st.floats(0, 1), st.integers(0, 3))
def test_a_gap_is_never_said_to_be_smaller_than_it_is(gap: float, digits: int) -> None:
    shown = float(gap_percent(gap, digits).removesuffix(" %"))
    assert shown >= 100 * gap - 1e-9
    assert shown <= 100 * gap + 10.0 ** -max(digits, 3 if gap < 0.001 else 0) + 1e-9
    assert (shown == 0) == (gap == 0)


def test_gaps_in_words() -> None:
    assert [gap_percent(gap) for gap in (0.0, 0.1, 0.16031, 0.3589, 1.0)] == [
        "0.0 %",
        "10.0 %",
        "16.1 %",
        "35.9 %",
        "100.0 %",
    ]
    assert [gap_percent(gap) for gap in (0.001, 0.0004, 1e-9)] == ["0.1 %", "0.040 %", "0.001 %"]
    assert gap_percent(0.00121, 2) == "0.13 %"
    limits = [gap_limit(gap) for gap in (0.4631, 0.0, None, math.inf)]
    assert limits == ["\N{LESS-THAN OR EQUAL TO} 46.4 %", "0.0 %", NONE, NONE]
    assert gap_percent(math.nan) == gap_percent(math.inf) == NONE


def test_articles() -> None:
    assert [with_article(words) for words in ("inference time", "bottleneck")] == [
        "an inference time",
        "a bottleneck",
    ]
