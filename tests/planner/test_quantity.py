"""Numbers with units."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.quantity import amount_beside, bytes_shown, bytes_text, parse_quantity, shown_change, time_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8MiB", 8 * 2**20), ("25GB/s", 25e9), ("1e9", 1e9), ("1e9 B/s", 1e9), ("0", 0.0), ("16 GiB", 2**34),
        ("2.5kb", 2500.0), ("inf", math.inf), ("Unlimited", math.inf), ("-3", -3.0),
    ],
)  # fmt: skip
def test_quantities(text: str, value: float) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize("text", ["", "8XB", "MiB", "nan", "1 2", "eight", "8MiBs"])
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError, match=r"unknown unit|not a number"):
        parse_quantity(text)


@given(st.floats(0, 1e18))
def test_plain_numbers_survive(value: float) -> None:
    assert parse_quantity(repr(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 B"), (1023.0, "1,023 B"), (1024.0, "1.0 KiB"), (1020.9 * 2**10, "1,020.9 KiB"), (7.2 * 2**20, "7.20 MiB"), (-(2.0**20), "-1.00 MiB"),
     (3 * 2.0**30, "3.00 GiB"), (2.0**41, "2.00 TiB"), (math.inf, "unlimited")],
)  # fmt: skip
def test_bytes_for_a_person(value: float, text: str) -> None:
    assert bytes_text(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.0, "s", "0 s"), (1.5, "s", "1.50 s"), (1234.5, "s", "1,234.50 s"), (0.0015, "s", "1.50 ms"), (2e-6, "s", "2.00 \u00b5s"),
     (3e-9, "s", "3.00 ns"), (math.inf, "s", "unlimited"), (437.998, None, "438.00"), (12345.6, None, "12,345.60"),
     (0.0, None, "0.00"), (0.00123456, None, "0.00123")],
)  # fmt: skip
def test_times_for_a_person(value: float, unit: str | None, text: str) -> None:
    assert time_text(value, unit) == text


@given(st.floats(0, 1e16))
def test_what_is_shown_of_bytes_is_said_alike(value: float) -> None:
    assert bytes_shown(value) == pytest.approx(value, rel=0.006, abs=0.5)
    assert parse_quantity(bytes_text(value).replace(",", "")) == pytest.approx(bytes_shown(value))


def test_a_change_is_what_whoever_reads_both_amounts_subtracts() -> None:
    assert shown_change(3.494e-3, 3.466e-3, "s") == pytest.approx(-0.02e-3)  # 3.49 and 3.47 ms
    assert shown_change(0.214e-3, 0.216e-3, "s", 5e-3) == pytest.approx(0.01e-3)  # 0.21 and 0.22 ms
    assert shown_change(3.494e-3, 3.4932e-3, "s") == pytest.approx(-0.8e-6), "rounded alike"
    assert shown_change(2.0 * 2**20, 1.0 * 2**20 + 7000.0, "B") == pytest.approx(-0.99 * 2**20)
    assert shown_change(10.0, 7.0, "I/Os") == -3.0
    assert shown_change(0.014, 0.016, None) == pytest.approx(0.002)
    assert shown_change(3.63e-3, 3.63e-3 - 1e-18, "s") == 0.0, "no more than sums leave"
    assert math.isinf(shown_change(1.0, math.inf, "s"))


@pytest.mark.parametrize(
    ("value", "unit", "beside", "words"),
    [
        (390e-6, "s", 1.85e-3, "0.39 ms"), (1.85e-3, "s", 1.85e-3, "1.85 ms"), (2e-6, "s", 1.0, "2.00 \u00b5s"),
        (3e-10, "s", 5e-10, "0.30 ns"), (588 * 1024.0, "B", 7 * 2.0**20, "0.57 MiB"), (3.0, "B", 2.0**20, "3 B"),
        (1234.0, "I/Os", 9e9, "1,234 I/Os"), (0.25, None, 400.0, "0.25"), (390e-6, "s", math.inf, "390.00 \u00b5s"),
        (math.inf, "s", 1.0, "unlimited"),
    ],
)  # fmt: skip
def test_an_amount_beside_another_is_written_in_its_unit(
    value: float, unit: str | None, beside: float, words: str
) -> None:
    assert amount_beside(value, unit, beside) == words
