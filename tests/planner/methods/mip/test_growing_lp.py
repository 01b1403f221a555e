"""A linear program that grows: solutions, duals, columns that are closed, and an end at any time."""

from __future__ import annotations

import numpy as np
import pytest

from planner.methods.mip.growing_lp import GrowingLp, LpFailure
from planner.methods.mip.model import unchecked
from planner.search.search import Stopped


def rows(*found: int) -> np.ndarray:
    return np.array(found, np.int32)


def test_columns_come_and_go() -> None:
    with GrowingLp(3, unchecked) as lp:
        for v in range(3):
            assert lp.column(rows(v), cost=1.0) == v
        first = lp.solve([True] * 3)
        assert first.objective == pytest.approx(3) and first.duals.tolist() == pytest.approx([1, 1, 1])
        lp.column(rows(0, 1))
        lp.column(rows(1, 2))
        lp.column(rows(0, 2))
        all_pairs = lp.solve([True] * 6)
        assert all_pairs.objective == pytest.approx(1.5)
        assert all_pairs.values[3:].tolist() == pytest.approx([0.5] * 3)
        assert lp.solve([True] * 5 + [False]).objective == pytest.approx(2)
        assert lp.solve([True] * 6).objective == pytest.approx(1.5)
        dearer = lp.solve([True, True, True, False, False, False], np.array([5.0, 1.0, 1.0]))
        assert dearer.objective == pytest.approx(7) and dearer.duals[0] == pytest.approx(5)


def test_a_program_without_a_solution_is_an_error() -> None:
    with GrowingLp(2, unchecked) as lp:
        lp.column(rows(0))
        with pytest.raises(LpFailure, match="HiGHS failed"):
            lp.solve([True])


def test_who_waits_can_be_stopped() -> None:
    def check() -> None:
        raise Stopped

    with pytest.raises(Stopped), GrowingLp(400, check) as lp:
        for v in range(400):
            lp.column(rows(v))
        for _ in range(1000):
            lp.solve([True] * 400)
