"""Quantities in fields: what is written reads back exactly, and bare numbers are in the unit that was shown."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gui.widgets.quantities import quantity_text, quantity_value, with_unit, with_units
from planner.errors import StageboardError


@example(1001.0, "B/s")
@given(
    st.floats(0, 1e15) | st.integers(0, 2**50).map(float) | st.just(math.inf),
    st.sampled_from(["B", "B/s", "", "FLOP/s", "s"]),
)
def test_quantities_read_back_exactly(value: float, unit: str) -> None:
    assert quantity_value(quantity_text(value, unit), unit, "x") == value


def test_quantities_as_people_write_them() -> None:
    assert quantity_text(8 * 2**20, "B") == "8 MiB"
    assert quantity_text(320e9, "B/s") == "320 GB/s"
    assert quantity_text(315 * 2.0**20, "B/s") == "315 MiB/s"
    assert quantity_text(0.1, "") == "0.1"
    assert quantity_text(12345678.0, "B/s") == "12345678 B/s"
    assert quantity_text(8.1e12, "FLOP/s") == "8.1 TFLOP/s"
    assert quantity_text(5e-6, "s") == "5 µs"
    assert quantity_value("2 GFLOP/s", "FLOP/s", "x") == 2e9
    assert quantity_value("3 ms", "s", "x") == 3e-3
    assert quantity_value("7", "s", "x") == 7
    for text, unit in (("eight", "B"), ("8 XB", "B"), ("", "s"), ("1 parsec", "s")):
        with pytest.raises(StageboardError, match="Memory"):
            quantity_value(text, unit, "Memory")


def test_bare_numbers_are_in_the_unit_that_was_shown() -> None:
    assert with_unit("40", "8 MiB") == "40 MiB"
    assert with_unit(" 2.5 ", "25 GB/s") == "2.5 GB/s"
    assert with_unit("7", "5 µs") == "7 µs"
    for text, shown in (
        ("40 B", "8 MiB"),
        ("40", "unlimited"),
        ("40", "8"),
        ("forty", "8 MiB"),
        ("", "8 MiB"),
    ):
        assert with_unit(text, shown) == text
    assert with_units("8", "8 MiB / 512 KiB") == "8 MiB"
    assert with_units("8/16 / 32", "8 MiB / 512 KiB") == "8 MiB / 16 KiB / 32 KiB"
    assert with_units("1/0.5", "1") == "1/0.5"
    assert with_units("32/64/128 GiB", "8 MiB") == "32 GiB / 64 GiB / 128 GiB"
    assert (
        with_units("32/64", "unlimited", "B") == "32 B / 64 B" and with_unit("32", "unlimited", "B") == "32 B"
    )
