"""Costs under many op times: equal to evaluating each of them, the worst at the corner, regret by a slow twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planner.problem.problem import Problem
from planner.reports.robustness.retimed import Times, retimed
from planner.reports.robustness.sampling import Sampled, joined, sample
from planner.reports.robustness.spread import Spread, draws
from tests.planner import reference
from tests.planner.reports.robustness.examples import every, has_times, small, with_factors
from tests.planner.strategies import placements

quick = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@quick
@given(every, st.data())
def test_samples_are_what_the_evaluator_says_of_each(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem))
    plans = [np.array(data.draw(placements(problem)), np.int32) for _ in range(2)]
    factors = np.array(
        data.draw(
            st.lists(
                st.lists(
                    st.sampled_from([0.5, 0.75, 1.0, 1.5, 3.0]),
                    min_size=problem.graph.n,
                    max_size=problem.graph.n,
                ),
                min_size=1,
                max_size=4,
            )
        )
    )
    found = sample(Times(problem), plans, factors)
    for s, row in enumerate(factors):
        again = retimed(problem, row)
        for p, device_of in enumerate(plans):
            evaluation = again.evaluate(device_of)
            assert found.objective[p, s] == pytest.approx(evaluation.objective, rel=1e-9, abs=1e-12)
            pace = evaluation.pace
            assert pace[found.bottleneck[p, s]] == pytest.approx(pace.max(), rel=1e-9, abs=1e-12)


@quick
@given(small, st.data())
def test_samples_are_what_the_formulas_say(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem) and problem.target.uses_cost_model)
    device_of = data.draw(placements(problem))
    factors = np.array(
        data.draw(
            st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=problem.graph.n, max_size=problem.graph.n)
        )
    )
    found = sample(Times(problem), [np.array(device_of, np.int32)], factors[None, :])
    assert found.objective[0, 0] == pytest.approx(
        reference.objective(with_factors(problem, factors), device_of), rel=1e-9
    )


@quick
@given(every, st.data())
def test_the_upper_corner_is_the_worst_of_all_corners(problem: Problem, data: st.DataObject) -> None:
    assume(has_times(problem) and problem.graph.n <= 5)
    device_of = np.array(data.draw(placements(problem)), np.int32)
    factor = np.array(
        data.draw(
            st.lists(st.sampled_from([1.0, 1.5, 4.0]), min_size=problem.graph.n, max_size=problem.graph.n)
        )
    )
    corners = np.array(
        [
            [f**way for f, way in zip(factor, ways, strict=True)]
            for ways in itertools.product((-1, 1), repeat=len(factor))
        ]
    )
    times = Times(problem)
    highest = sample(times, [device_of], factor[None, :]).objective[0, 0]
    assert highest == pytest.approx(sample(times, [device_of], corners).objective.max(), rel=1e-9)
    spread = Spread(factor, np.zeros(len(factor), bool), np.zeros(len(factor), np.int32), None, factor > 0)
    for drawn in draws(spread, 20, "independent", np.random.default_rng(1)):
        assert sample(times, [device_of], drawn).objective.max() <= highest * (1 + 1e-9)


@given(st.integers(1, 4), st.integers(1, 6), st.data())
def test_figures_of_samples_are_those_of_a_slow_count(plans: int, samples: int, data: st.DataObject) -> None:
    rows = [[data.draw(st.integers(1, 20)) / 4 for _ in range(samples)] for _ in range(plans)]
    devices = [[data.draw(st.integers(0, 2)) for _ in range(samples)] for _ in range(plans)]
    sampled = Sampled(np.array(rows), np.array(devices, np.int32))
    expected, most = [], []
    for row in rows:
        regrets = [row[s] / min(other[s] for other in rows) - 1 for s in range(samples)]
        expected.append(sum(regrets) / samples)
        most.append(max(regrets))
    assert sampled.expected_regret == pytest.approx(expected)
    assert sampled.most_regret == pytest.approx(most)
    best = sampled.least_regret
    assert all(
        (expected[best], most[best]) <= (e + 1e-9, m + 1e-9) or expected[best] < e
        for e, m in zip(expected, most, strict=True)
    )
    for p, row in enumerate(rows):
        ordered = sorted(row)
        assert sampled.quantile(0.5)[p] == ordered[(samples - 1) // 2]
        assert sampled.quantile(0.9)[p] == ordered[-(-9 * samples // 10) - 1]
        assert sampled.worst[p] == ordered[-1]
        assert sampled.shares(3)[p] == pytest.approx([devices[p].count(d) / samples for d in range(3)])


def test_parts_are_joined_in_their_order() -> None:
    parts = [
        Sampled(np.array([[1.0, 2.0]]), np.array([[0, 1]], np.int32)),
        Sampled(np.array([[3.0]]), np.array([[2]], np.int32)),
    ]
    found = joined(parts)
    assert found.objective.tolist() == [[1.0, 2.0, 3.0]]
    assert found.bottleneck.tolist() == [[0, 1, 2]]


def test_a_plan_that_costs_nothing_regrets_nothing() -> None:
    assert Sampled(np.zeros((2, 3)), np.zeros((2, 3), np.int32)).regret.tolist() == [[0.0] * 3] * 2
