"""Estimates beside measured times of another scale are said."""

from __future__ import annotations

import numpy as np
import pytest

from planner.evaluation.times_scale import OtherScale, other_scale
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel, fill
from planner.model.graph import Graph, Op, Tensor
from planner.model.named_machines import machine
from planner.model.times import OpTime, OpTimes, Use, with_times_of
from planner.problem.problem import Problem

pytestmark = pytest.mark.coverage

IDS = ("a", "b", "c")


def graph(times: dict[str, float], device: str = "", model: CostModel | None = None) -> Graph:
    ops = [Op(op, op, "Conv", macs=1e9) for op in IDS]
    made = Graph.build("g", ops, [Tensor("a", ("b",), 1.0), Tensor("b", ("c",), 1.0)])
    if times:
        use = Use(OpTimes({k: OpTime(v) for k, v in times.items()}, "p", "me"), device)  # type: ignore[arg-type]
        made = with_times_of(made, [use])
    return fill(made, model)


def core() -> float:
    """What one core takes for each op, in seconds."""
    rates = machine("cpu-core").rates
    assert rates is not None
    return float(rates.seconds(np.array([2e9]), np.array([2.0]))[0])


def said_of(problem: Problem) -> OtherScale:
    said = other_scale(problem)
    assert said is not None
    return said


def test_a_core_beside_a_data_sheet() -> None:
    said = said_of(Problem(graph({"a": core()}), Pipeline(2)))
    assert said.words.startswith("the 2 estimated ops are of t4, which is ")
    assert said.words.endswith(" times faster than what was measured here")
    assert said.machine == "cpu-core"
    one = said_of(Problem(graph({"a": core(), "b": core()}), Pipeline(2)))
    assert one.words.startswith("the 1 estimated op is of t4")


def test_what_was_measured_may_be_faster_or_on_cpus() -> None:
    own = CostModel(accelerator_flops=1e9)
    said = said_of(Problem(graph({"a": 1e-9}, model=own), Pipeline(2)))
    assert "of rates of your own, which is 2," in said.words and "times slower" in said.words
    assert said.machine == ""
    pool = said_of(Problem(graph({"a": 100 * core()}, "cpu"), DevicePool(1, 1)))
    assert "are of cpu-8-cores, which is" in pool.words


@pytest.mark.parametrize(
    ("times", "target"),
    [
        ({}, Pipeline(2)),
        ({"a": float(CostModel().estimate(graph({}))[0][0]) * 2}, Pipeline(2)),
        (dict.fromkeys(IDS, 9.0), Pipeline(2)),
        ({"a": 9.0}, McmPackage(2)),
    ],
)
def test_nothing_is_said_where_scales_agree(times: dict[str, float], target: Pipeline) -> None:
    assert other_scale(Problem(graph(times), target)) is None


def test_a_kind_that_is_not_there_says_nothing() -> None:
    assert other_scale(Problem(graph({"a": 9.0}, "cpu"), Pipeline(2))) is None
