"""How far op times may be off: from measured quartiles, assumed elsewhere, drawn within."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.model.times import OpTime, OpTimes, Use, with_times_of
from planner.problem.problem import Problem
from planner.reports.robustness import spread as spread_module
from planner.reports.robustness.spread import ESTIMATED, GIVEN, MOST_FACTOR, draws, spread_of
from tests.planner.reports.robustness.examples import chain, measured, row_of


def test_quartiles_of_the_runs_are_those_of_the_drawn_times() -> None:
    problem = Problem(measured(chain([1.0, 2.0, 4.0]), [0.1, 0.0, np.nan]), Pipeline(2))
    spread = spread_of(problem)
    assert spread.factor == pytest.approx([1.21, 1.0, GIVEN])
    assert spread.measured.tolist() == [True, True, False]
    drawn = np.concatenate(list(draws(spread, 20_000, "independent", np.random.default_rng(0))))[:, 0]
    low, middle, high = np.quantile(drawn, [0.25, 0.5, 0.75])
    assert (low, middle, high) == pytest.approx((1 / 1.1, 1.0, 1.1), abs=0.01)
    assert spread.words == "measured spread of 2 of 3 ops, a factor of 1.1 assumed for the others"


def test_estimates_are_assumed_to_be_further_off_than_the_times_of_a_file() -> None:
    ops = [
        Op("a", "a", kind="Conv", work=1.0),
        Op("b", "b", kind="Conv", macs=1e9),
        Op("in", "in", kind="Input"),
    ]
    problem = Problem(fill(Graph.build("g", ops, [Tensor("a", ("b",), 1.0)])), Pipeline(2))
    spread = spread_of(problem)
    assert spread.factor.tolist() == [GIVEN, ESTIMATED, 1.0], "what takes no time is never off"
    assert spread.words == "a factor of 1.1 or 2 assumed for each op"
    assert spread_of(problem, 3.0).factor.tolist() == [3.0, 3.0, 1.0]


def test_times_measured_on_one_device_are_given() -> None:
    ops = [Op("a", "a", kind="Conv", macs=1e9), Op("b", "b", kind="Conv", macs=1e9)]
    graph = Graph.build("g", ops, [Tensor("a", ("b",), 1.0)])
    timed = fill(graph.with_device_times({"stage 1": np.array([1.0, np.nan])}))
    assert spread_of(Problem(timed, Pipeline(2))).factor.tolist() == [GIVEN, ESTIMATED]


def test_times_that_follow_another_device_have_an_assumed_spread() -> None:
    graph = Graph.build("g", [Op("a", "a", kind="Conv", macs=1e9)], [])
    use = Use(OpTimes({"a": OpTime(1.0, 0.1)}, "p.json", "a clock"), "cpu")
    timed = fill(with_times_of(graph, [use]))
    pool, cpus = (spread_of(Problem(timed, DevicePool(number, 1))) for number in (1, 0))
    assert pool.factor.tolist() == [ESTIMATED] and pool.words == "a factor of 2 assumed for each op"
    assert cpus.factor == pytest.approx([1.21]) and cpus.words == "measured spread of 1 of 1 ops"


def test_an_assumption_does_not_take_the_place_of_a_measurement() -> None:
    problem = Problem(measured(chain([1.0, 2.0]), [0.1, np.nan]), Pipeline(2))
    assert spread_of(problem, 5.0).factor == pytest.approx([1.21, 5.0])


def test_the_rates_of_a_machine_are_estimates() -> None:
    graph = Graph.build(
        "g",
        [Op("a", "a", kind="Conv", macs=1e9), Op("b", "b", kind="Conv", macs=1e9)],
        [Tensor("a", ("b",), 1.0)],
    )
    problem = Problem(fill(graph), EdgeTpuPipeline(2), "stage-time")
    assert spread_of(problem).factor.tolist() == [ESTIMATED, ESTIMATED]


def test_runs_that_are_far_apart_are_limited() -> None:
    problem = Problem(measured(chain([1.0]), [1e6]), Pipeline(1))
    assert spread_of(problem).factor.tolist() == [MOST_FACTOR]


@pytest.mark.parametrize("wrong", [0.5, -1.0, 1e9, np.nan])
def test_a_spread_that_is_no_factor_is_refused(wrong: float) -> None:
    with pytest.raises(StageboardError, match="it is a factor from 1"):
        spread_of(row_of([1.0]), wrong)


def test_draws_stay_within_the_factors_and_depend_as_asked() -> None:
    spread = spread_of(row_of([1.0, 1.0, 2.0, 2.0]), 2.0)
    for dependence, equal in (
        ("independent", []),
        ("by-kind", [(0, 2), (1, 3)]),
        ("together", [(0, 1), (0, 2), (0, 3)]),
    ):
        drawn = np.concatenate(list(draws(spread, 500, dependence, np.random.default_rng(3))))  # type: ignore[arg-type]
        assert drawn.shape == (500, 4)
        assert 0.5 <= drawn.min() < 0.55 and 1.8 < drawn.max() <= 2.0
        pairs = [(a, b) for a in range(4) for b in range(a + 1, 4) if np.allclose(drawn[:, a], drawn[:, b])]
        assert set(equal) <= set(pairs)
        assert (dependence == "together") == (len(pairs) == 6)


def test_draws_are_the_same_however_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    spread = spread_of(row_of([1.0, 2.0, 3.0]))
    whole = np.concatenate(list(draws(spread, 10, "independent", np.random.default_rng(0))))
    monkeypatch.setattr(spread_module, "CHUNK", 7)
    parts = list(draws(spread, 10, "independent", np.random.default_rng(0)))
    assert len(parts) == 5
    assert np.array_equal(whole, np.concatenate(parts))


def test_no_spread_means_the_times_as_they_are() -> None:
    spread = replace(spread_of(row_of([1.0, 2.0])), factor=np.ones(2))
    assert np.array_equal(next(draws(spread, 3, "independent", np.random.default_rng(0))), np.ones((3, 2)))
