"""Numbers are written one way everywhere, in columns with one unit and digits enough to tell what is in them apart."""

from __future__ import annotations

import math
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gui.look.numbers import (
    BLANK,
    DASH,
    MINUS,
    Column,
    byte_column,
    cache_text,
    detailed_column,
    gap_text,
    percent,
    plural,
    rate_text,
    seconds_text,
    share_text,
    signed_percent,
    time_column,
)
from planner.quantity import bytes_text

ROOT = Path(__file__).parents[3]


def test_a_share_is_written_with_a_space_everywhere() -> None:
    assert percent(0.502) == "50.2 %" and percent(0.5, 0) == "50 %"
    format_of_python = re.compile(r"\{[^{}]+:[^{}]*%\}")
    for folder in ("gui", "planner"):
        for path in (ROOT / folder).rglob("*.py"):
            found = format_of_python.findall(path.read_text("utf-8"))
            assert not found, (path, found)


def test_digits_that_tell_values_apart() -> None:
    column = time_column([447.79e-6], "s")
    assert column.telling_apart([447.79e-6, 923e-6]) == column
    assert [
        time_column([1e-3], "s").telling_apart([1.451e-3, 1.4512e-3]).number(v) for v in (1.451e-3, 1.4512e-3)
    ] == ["1.4510", "1.4512"]
    # Rounding alone is no difference, and there is an end to digits.
    assert time_column([1e-3], "s").telling_apart([1.45e-3, 1.45e-3 * (1 + 1e-12)]).digits == 2
    assert time_column([1e-3], "s").telling_apart([1.45e-3, 1.45e-3 * (1 + 3e-6)]).digits == 5
    assert column.telling_apart([float("nan"), float("inf")]) == column


def test_large_numbers_have_no_more_decimals_because_small_ones_do() -> None:
    column = detailed_column([268.4355e-6, 99.99e-6, 0.0123e-6, 0.0123e-6], "s")
    assert column.digits == 3 and column.suffix == "µs"
    assert [column.number(value * 1e-6) for value in (268.4355, 1268.4355, 99.9999, 99.99, 0.0123)] == [
        "268.44", "1,268.44", "100.00", "99.990", "0.012",
    ]  # fmt: skip
    assert [column.lined_up(value * 1e-6) for value in (268.4355, 99.99)] == [f"268.44{BLANK}", "99.990"]
    assert column.lined_up(float("nan")) == column.number(float("nan"))
    assert time_column([268.4355e-6], "s").number(268.4355e-6) == "268.44"


def test_what_is_not_nothing_never_looks_like_it() -> None:
    ms, mib = time_column([1.09e-3], "s"), byte_column([2.0**25])
    assert [ms.text(v) for v in (6.4e-9, 0.004e-3, 0.006e-3, 0.0)] == [
        "6.40 ns",
        "4.00 µs",
        "0.01 ms",
        "0.00 ms",
    ]
    assert [mib.text(v) for v in (160.0, 2.0**20, 0.0)] == ["160 B", "1.00 MiB", "0.00 MiB"]
    assert ms.text(-6.4e-9) == f"{MINUS}6.40 ns"
    assert ms.text(1e-15) == "0.00 ms", "no unit is small enough"
    assert Column(1e3, "of something", 0).text(1.0) == "0 of something"


def test_a_list_has_one_unit() -> None:
    ms = time_column([1.06e-3], "s")
    told = [ms.level(v) for v in (1.06e-3, 6.4e-9, 0.004e-3, 0.006e-3, 0.0)]
    assert told == ["1.06 ms", "< 0.01 ms", "< 0.01 ms", "0.01 ms", "0.00 ms"]
    assert time_column([5.0], None).level(1e-9) == "0.00" and ms.level(float("nan")) == ms.text(float("nan"))


def test_a_small_time_of_a_column_stays_in_its_unit() -> None:
    column = detailed_column([2.5e-6, 1.25e-6, 0.9e-6, 0.8e-6, 1.07e-9], "s", time_column([3e-6], "s"))
    assert [column.text(v) for v in (2.5e-6, 1.07e-9, -1.07e-9, 0.0)] == [
        "2.50 µs", "0.0011 µs", f"{MINUS}0.0011 µs", "0.00 µs",
    ]  # fmt: skip
    assert column.text(1.07e-15) == "0.00 µs", "six decimals are enough, and no unit is small enough"
    assert detailed_column([2.5e-3], "s").text(1.07e-9) == "1.07 ns", "six decimals would not show it"


def test_thousands_are_parted_in_a_column_as_in_a_sentence() -> None:
    for amount in (1020.9 * 2**10, 1023.0, 2000 * 2.0**40):
        assert byte_column([amount]).text(amount) == bytes_text(amount)


def test_what_a_cache_holds_is_said_in_one_unit() -> None:
    kib, mib = 2.0**10, 2.0**20
    assert cache_text(8.31 * mib, 8 * mib) == "8.00 MiB on chip + 0.31 MiB off chip"
    told = cache_text(11.53 * mib, 8 * mib, pushed=0.6 * mib)
    assert told == "7.40 MiB on chip + 3.53 MiB off chip + 0.60 MiB pushed out by activations"
    assert cache_text(58.5 * kib, 51.2 * kib) == "51.2 KiB on chip + 7.3 KiB off chip"
    assert cache_text(58.5 * kib, 51.2 * kib, brief=True) == "51.2 KiB + 7.3 off chip"
    assert cache_text(40 * kib, 51.2 * kib) == "40.0 KiB on chip, 11.2 free"
    assert cache_text(40 * kib, 8 * mib) == "0.04 MiB on chip, 7.96 free"
    small = Column(kib, "KiB", 1)
    assert cache_text(40 * kib, 8 * mib, beside=small) == "40.0 KiB on chip, 7.96 MiB free"
    assert cache_text(40 * kib, 8 * mib, brief=True, beside=small) == "40.0 KiB on chip"
    assert cache_text(40 * kib, 8 * mib, beside=Column(1e-3, "ms")) == "0.04 MiB on chip, 7.96 free"
    # What activations push out is not on chip, and what they need is not free.
    told = cache_text(5.5 * mib, 8 * mib, pushed=0.25 * mib, needs=2.75 * mib)
    assert told == "5.25 MiB on chip + 0.25 MiB pushed out by activations, which need 2.75 MiB"
    assert cache_text(5.5 * mib, 8 * mib, brief=True, pushed=0.25 * mib) == "5.25 MiB + 0.25 pushed out"
    assert cache_text(9 * mib, 8 * mib, brief=True, pushed=0.25 * mib) == "7.75 MiB + 1.25 streamed"
    assert cache_text(mib, 8 * mib, pushed=mib).startswith("0.00 MiB on chip + 1.00 MiB pushed out")
    assert cache_text(5 * mib, 8 * mib, needs=mib) == "5.00 MiB on chip, activations need 1.00 MiB, 2.00 free"
    assert (
        cache_text(40 * kib, 8 * mib, beside=small, needs=mib)
        == "40.0 KiB on chip, activations need 1.00 MiB, 6.96 MiB free"
    )
    large = Column(mib, "MiB", 2)
    assert cache_text(866 * kib, 512 * kib, brief=True, beside=large) == "0.50 MiB + 0.35 off chip"
    assert cache_text(1.23 * mib, 512 * kib, brief=True, beside=large) == "0.50 MiB + 0.73 off chip"
    assert cache_text(8 * mib + 1, 8 * mib) == "8.00 MiB on chip + 0.01 MiB off chip"


def test_one_unit_per_column() -> None:
    column = time_column([0.0129, 0.00098, 0.0], "s")
    assert [column.text(v) for v in (0.0129, 0.00098, 0.0)] == ["12.90 ms", "0.98 ms", "0.00 ms"]
    assert time_column([5.0, 0.02], "s").text(0.02) == "0.02 s"
    assert time_column([2e-6], "s").text(2e-6) == "2.00 µs"
    assert time_column([3e-10], "s").text(3e-10) == "0.30 ns"
    assert time_column([], "s").text(0.0) == "0.00 ms"


def test_no_unit_where_the_file_has_none() -> None:
    assert time_column([1891.736], None).text(1891.736) == "1,891.74"
    assert time_column([0.00123], None).text(0.00123) == "0.00123"


def test_small_values_of_a_column_are_not_all_zero() -> None:
    column = detailed_column([0.002, 0.004, 0.005, 0.006, 3.0], None)
    assert column.number(0.004) == "0.004" or column.number(0.004) == "0.0040"
    assert detailed_column([], "s").number(0.0) == "0.00"


@given(st.lists(st.floats(0, 1e6), max_size=8), st.sampled_from(["s", None]))
def test_columns_align(values: list[float], unit: str | None) -> None:
    column = time_column(values, unit)
    decimals = {column.number(v).rpartition(".")[2] for v in values}
    assert len({len(d) for d in decimals}) <= 1


def test_signs_and_gaps() -> None:
    assert signed_percent(-0.016) == "−1.6 %"
    assert signed_percent(0.004) == "+0.4 %"
    assert signed_percent(-0.0003) == "−0.03 %"
    assert signed_percent(1e-9) == "±0.0 %"
    assert signed_percent(math.nan) == DASH
    assert gap_text(None) == DASH
    assert gap_text(0.0) == "optimal"
    assert gap_text(0.0001) == "≤ 0.010 %" and gap_text(1e-12) == "≤ 0.001 %"
    assert gap_text(0.042) == "≤ 4.2 %"
    assert percent(0.5) == "50.0 %"


def test_words() -> None:
    assert plural(1, "op") == "1 op"
    assert plural(20000, "op") == "20,000 ops"
    assert rate_text(70.42) == "70.4"
    assert rate_text(1203.6) == "1,204"
    assert rate_text(0.312) == "0.31"
    assert seconds_text(None) == DASH
    assert seconds_text(200) == "3 min 20 s"
    assert share_text(28.9 * 2**20, 32 * 2**20) == "28.90 / 32.00 MiB"
    assert share_text(0, 2**30) == "0 B / 1.00 GiB"


@given(st.floats(1e-9, 1.0))
def test_only_a_proof_is_called_optimal(gap: float) -> None:
    assert gap_text(gap) != "optimal"
