"""Fitting of rates: it finds those that times were made with, and single wrong times do not bend it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import StageboardError
from planner.model.cost_model import Rates
from planner.model.graph import Graph, Op
from planner.model.times import OpTime, OpTimes, Use, uses_of, with_times_of
from planner.runs.calibration.calibrate import calibrated, errors_of
from planner.runs.calibration.fit import LEAST, LEAST_OPS, Samples, fitted, samples_of

TRUE = Rates(5e10, 8e9, 4e-6)


def made_up(rates: Rates, count: int, seed: int) -> Samples:
    """Ops of which some are bound by compute, some by memory and some by their overhead, with the times that ``rates`` give."""
    random = np.random.default_rng(seed)
    flops, moved = 10 ** random.uniform(2, 10, count), 10 ** random.uniform(2, 9, count)
    seconds = rates.seconds(flops, moved)
    weight = 0.5 / count + 0.5 * seconds / seconds.sum()
    return Samples(flops, moved, seconds, weight, np.zeros(count, np.int32), np.zeros(count, np.int32))


def near(found: Rates, rates: Rates, share: float) -> bool:
    """Whether all three numbers are within a share of what they should be."""
    return all(abs(np.log(a / b)) < np.log(1 + share) for a, b in zip(found, rates, strict=True))


@given(
    flops=st.floats(9, 13), bandwidth=st.floats(9, 12), overhead=st.floats(-6, -4.5), seed=st.integers(0, 10_000)
)  # fmt: skip
@settings(max_examples=12, deadline=None)
def test_it_recovers_the_rates_that_times_were_made_with(
    flops: float, bandwidth: float, overhead: float, seed: int
) -> None:
    rates = Rates(10**flops, 10**bandwidth, 10**overhead)
    random = np.random.default_rng(seed)
    # As many ops bound by each as it takes to know it.
    share = rates.overhead * 10 ** random.uniform(-2, 3, 120)
    flop = share * rates.flops * 10 ** random.uniform(-1.5, 0, 120)
    moved = share * rates.bandwidth * 10 ** random.uniform(-1.5, 0, 120)
    seconds = rates.seconds(flop, moved)
    samples = Samples(
        flop, moved, seconds, np.full(120, 1 / 120), np.zeros(120, np.int32), np.zeros(120, np.int32)
    )
    assert near(fitted(samples, "cpu")[0], rates, 0.05)


@given(seed=st.integers(0, 10_000), times=st.sampled_from([0.02, 50.0]))
@settings(max_examples=10, deadline=None)
def test_outliers_do_not_bend_it(seed: int, times: float) -> None:
    samples = made_up(TRUE, 150, seed)
    wrong = np.random.default_rng(seed).permutation(150)[:12]
    seconds = samples.seconds.copy()
    seconds[wrong] *= times
    found, _ = fitted(samples._replace(seconds=seconds, weight=np.full(150, 1 / 150)), "cpu")
    assert near(found, TRUE, 0.35)


def test_groups_with_few_ops_have_no_rates_of_their_own() -> None:
    samples = made_up(TRUE, 60, 3)
    group = np.zeros(60, np.int32)
    group[: LEAST - 1] = 1
    group[LEAST - 1 : 2 * LEAST] = 2
    _, groups = fitted(samples._replace(group=group), "cpu")
    assert [name for name, _ in groups] == ["convolution", "normalisation"]


def test_what_no_op_shows_is_as_for_all_ops() -> None:
    samples = made_up(TRUE, 100, 5)
    group = np.zeros(100, np.int32)
    group[:20] = 4  # activations: they count no multiply-accumulates
    flops = samples.flops.copy()
    flops[:20] = 0.0
    seconds = TRUE.seconds(flops, samples.moved)
    whole, groups = fitted(samples._replace(group=group, flops=flops, seconds=seconds), "cpu")
    assert dict(groups)["activation"].flops == pytest.approx(whole.flops)


def measured(name: str, seconds: list[float], kind: str = "Conv") -> Graph:
    """A model whose ops took so long on a CPU."""
    ops = [Op(f"{name}{i}", f"{name}{i}", kind, macs=1e6 * (i + 1)) for i in range(len(seconds))]
    graph = Graph.build(name, ops, [])
    times = OpTimes(
        {op.id: OpTime(s) for op, s in zip(ops, seconds, strict=True)}, f"{name}.json", "somebody", "cpu"
    )
    return with_times_of(graph, [Use(times)])


def test_too_little_is_refused() -> None:
    with pytest.raises(StageboardError, match="7 measured ops are too few"):
        samples_of([measured("m", [1e-3] * (LEAST_OPS - 1))], "cpu")
    with pytest.raises(StageboardError, match="0 measured ops"):
        samples_of([measured("m", [1e-3] * 9, kind="Input")], "cpu")
    plain = Graph.build("p", [Op("a", "a")], [])
    with pytest.raises(StageboardError, match="too few"):
        samples_of([plain], "accelerator")
    with pytest.raises(StageboardError, match="no op has both"):
        errors_of(np.array([1.0]), np.array([np.nan]))


def test_a_machine_says_its_errors_before_and_after() -> None:
    models = [
        measured(name, [2e6 * (i + 1) / 1e9 * f for i in range(12)])
        for name, f in (("a", 1.0), ("b", 1.1), ("c", 0.9))
    ]
    found = calibrated(models, "cpu", "lab", "My lab")
    assert found.before.total < 0.5 < 0.85 < found.after.total < 1.15
    assert found.left_out is not None and found.left_out.median < 1.3
    assert [one.model for one in found.models] == ["a", "b", "c"]
    machine = found.machine
    assert (machine.name, machine.title, machine.device, machine.own) == ("lab", "My lab", "cpu", True)
    assert "somebody" in machine.source
    assert machine.fit["median_after"] == found.after.median
    assert machine.fit["median_left_out"] == found.left_out.median
    alone = calibrated(models[:1], "cpu", "lab")
    assert alone.left_out is None and alone.models[0].left_out is None
    assert "median_left_out" not in alone.machine.fit
    with pytest.raises(StageboardError, match="brings along"):
        calibrated(models, "cpu", "t4")


def test_times_that_a_run_scaled_calibrate_nothing() -> None:
    graph = measured("m", [2e-3 * (i + 1) for i in range(12)])
    scaled = with_times_of(
        graph, [Use(replace(use.times, scaled=True), use.device) for use in uses_of(graph)]
    )
    with pytest.raises(StageboardError, match="times of m are scaled from a run of a plan"):
        calibrated([scaled], "cpu", "lab")
