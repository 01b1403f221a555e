"""The objective by one op's time: equal to evaluating it, its slack, and where two plans cross."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planner.problem.problem import Problem
from planner.reports.robustness.curves import ROUNDING, Curve, Curves, crossing, last_true
from planner.reports.robustness.retimed import Times, retimed
from tests.planner.reports.robustness.examples import every, has_times, small
from tests.planner.strategies import placements

MOST = 4.0
quick = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def objective(problem: Problem, device_of: np.ndarray, op: int, factor: float) -> float:
    factors = np.ones(problem.graph.n)
    factors[op] = factor
    return float(retimed(problem, factors).evaluator.components(device_of)[0])


@quick
@given(every, st.data())
def test_a_curve_is_what_evaluation_says(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem))
    times, device_of = Times(problem), np.array(data.draw(placements(problem)), np.int32)
    curves = Curves(times, device_of, MOST)
    op = data.draw(st.integers(0, problem.graph.n - 1))
    curve = curves.of(op)
    factors = [0.25, 0.3, 0.7, 1.0, 1.2, 3.3, 4.0] if times.linear else curve.factors
    for factor in factors:
        assert curve.at(factor) == pytest.approx(
            objective(problem, device_of, op, factor), rel=1e-9, abs=1e-12
        )


@quick
@given(every, st.data())
def test_slack_is_all_that_the_objective_bears(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem))
    times, device_of = Times(problem), np.array(data.draw(placements(problem)), np.int32)
    curves = Curves(times, device_of, MOST)
    op = data.draw(st.integers(0, problem.graph.n - 1))
    slack, nominal = curves.slack(op), curves.nominal
    assert 1.0 <= slack <= MOST
    assert objective(problem, device_of, op, slack) == pytest.approx(nominal, rel=1e-8, abs=1e-12)
    if slack < MOST:
        assert objective(problem, device_of, op, slack * 1.001) > nominal


@given(st.data())
def test_the_first_crossing_is_that_of_a_fine_grid(data: st.DataObject) -> None:
    def hinge() -> Curve:
        floor, line, work = (data.draw(st.integers(1, 12)) / 2 for _ in range(3))
        at = sorted({0.25, 1.0, 4.0, *(f for f in (1 + (floor - line) / work,) if 0.25 < f < 4)})
        return Curve(tuple(at), tuple(max(floor, line + (f - 1) * work) for f in at))

    mine, others = hinge(), [hinge() for _ in range(data.draw(st.integers(1, 3)))]
    margin = data.draw(st.sampled_from([0.0, 0.01, 0.2]))
    for upwards in (True, False):
        grid = np.linspace(1.0, 4.0 if upwards else 0.25, 3001)
        better = [
            f for f in grid if any(o.at(f) < (1 - margin) * mine.at(f) * (1 - ROUNDING) for o in others)
        ]
        found = crossing(mine, others, margin, upwards)
        if found is None:
            assert not better
        elif better:
            assert found.factor == pytest.approx(better[0], abs=2e-3)
            assert others[found.plan].at(better[0]) <= (1 - margin) * mine.at(better[0]) + 1e-2
        else:
            assert min(abs(found.factor - f) for f in grid) < 2e-3


@given(small, st.data())
@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
def test_a_plan_never_crosses_itself(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem))
    curves = Curves(Times(problem), np.array(data.draw(placements(problem)), np.int32), MOST)
    assert all(
        crossing(curves.of(v), [curves.of(v)], 0.0, up) is None
        for v in range(problem.graph.n)
        for up in (True, False)
    )


def test_a_difference_that_is_rounding_first_and_more_than_that_later() -> None:
    mine = Curve((0.25, 1.0, 4.0), (0.125, 1.0, 4.0))
    other = Curve((0.25, 1.0, 4.0), (0.125 - 2**-31, 1.0 - 2**-31, 4.0))
    found = crossing(mine, [other], 0.0, upwards=False)
    assert found is not None and found.factor == 1.0
    assert crossing(mine, [other], 0.0, upwards=True) is None


def test_bisection_goes_both_ways() -> None:
    assert last_true(lambda f: f <= 2.5, 1.0, 4.0) == pytest.approx(2.5)
    assert last_true(lambda f: f >= 0.5, 1.0, 0.25) == pytest.approx(0.5)
    assert last_true(lambda f: True, 1.0, 4.0) == 4.0
