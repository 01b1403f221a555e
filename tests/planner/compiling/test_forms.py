"""One form of a kernel for numbers of any length, and for arrays that may be written or not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import typeof, types

from planner.compiling.forms import as_called, as_written
from planner.compiling.kernel import njit
from tests.conftest import PLAIN_KERNELS


class Pair(NamedTuple):
    """Two arrays."""

    one: Any
    two: Any


def arrays() -> tuple[np.ndarray, np.ndarray]:
    free, kept = np.arange(4.0), np.arange(4.0)
    kept.flags.writeable = False
    return free, kept


def test_numbers_are_words_and_constants_are_variables() -> None:
    given = (types.int32, types.int8, types.int64, types.literal(3), types.literal(True))
    assert as_called(given) == as_written(given) == (types.int64,) * 4 + (types.boolean,)


@pytest.mark.parametrize(
    "kept", [types.uint32, types.uint8, types.float32, types.boolean, types.unicode_type]
)
def test_what_wraps_around_or_is_no_number_stays(kept: Any) -> None:
    assert as_called((kept,)) == as_written((kept,)) == (kept,)


def test_read_only_arrays_are_as_others_where_python_calls() -> None:
    free, kept = arrays()
    assert as_called((typeof(kept),)) == (typeof(free),)
    assert as_called((typeof(Pair(free, kept)),)) == (typeof(Pair(free, free)),)
    assert as_called((typeof((kept, 1)),)) == (typeof((free, 1)),)


def test_constants_of_kernels_stay_read_only() -> None:
    _, kept = arrays()
    assert as_written((typeof(kept),)) == (typeof(kept),)


@pytest.mark.skipif(PLAIN_KERNELS, reason="nothing is compiled")
def test_a_kernel_has_one_form_for_all_of_them() -> None:
    table = np.arange(5)

    @njit(nogil=True)
    def at(array: Any, i: Any, more: Any) -> Any:
        return array[i] + (1 if more else 0)

    @njit(nogil=True)
    def total(pair: Any, k: Any) -> Any:
        found = 0.0
        for i in range(len(pair.one)):
            found += at(pair.one, np.int32(0), True) + at(pair.two, i, k > 0) + at(table, 2, False)
        return found

    free, kept = arrays()
    said = [
        total(Pair(a, b), k) for a in (free, kept) for b in (free, kept) for k in (1, np.int32(1), np.int8(1))
    ]
    assert said == [22.0] * 12
    assert len(total.overloads) == 1
    assert len(at.overloads) == 2  # of numbers with a fraction, and of the table


@pytest.mark.skipif(PLAIN_KERNELS, reason="nothing is compiled")
def test_a_small_number_that_is_returned_is_computed_with_as_a_word() -> None:
    @njit(nogil=True)
    def product(a: Any, b: Any) -> Any:
        return a * b

    assert product(np.int32(2**30), np.int32(8)) == 2**33
