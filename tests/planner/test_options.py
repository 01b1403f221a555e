"""Options say which values they take."""

from __future__ import annotations

from planner.options import Option


def test_ranges_read_like_words() -> None:
    assert Option("a", 1, "", 3, 100_000).range_text == "3 to 100,000"
    assert Option("a", 0.1, "", 0.01, 0.9).range_text == "0.01 to 0.9"
    assert Option("a", 0.1, "", 1e-9, 10.0).range_text == "above 0, at most 10"
    assert Option("a", 1, "", 1).range_text == "at least 1"
    assert Option("a", 1, "", None, 64).range_text == "at most 64"
    assert Option("a", "x", "", choices=("x", "y")).range_text == ""
