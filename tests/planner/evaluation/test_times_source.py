"""Where times come from, and whether what is compared is an estimate."""

from __future__ import annotations

import numpy as np
import pytest

from planner.evaluation.estimates import times_lines
from planner.evaluation.times_source import (
    COST_MODEL,
    FILE,
    MEASURED,
    RATES,
    SCALED,
    SCALED_WORDS,
    estimated,
    follows,
    times_mark,
    times_source,
)
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.graph import Graph, Measured, Op, Tensor
from planner.model.samples import sample
from planner.model.times import OpTime, OpTimes, Use, with_times_of
from planner.problem.problem import Problem

pytestmark = pytest.mark.coverage


def test_times_of_a_file_are_measured_and_others_are_not() -> None:
    unmeasured = read_model(sample("resnet50.json"))
    ops = [Op("a", "a", work=1.0, work_cpu=1.0), Op("b", "b", work=2.0, work_cpu=1.0)]
    measured = Graph.build("measured", ops, [Tensor("a", ("b",), 1.0)])
    for graph, target, source, guessed in (
        (unmeasured, Pipeline(4), COST_MODEL, True),
        (measured, Pipeline(2), FILE, False),
        (measured, McmPackage(2), FILE, False),
        (unmeasured, McmPackage(8), RATES, True),
    ):
        problem = Problem(graph, target)
        assert times_source(problem) == source
        assert estimated(problem) == guessed


def test_bytes_are_counted_not_estimated() -> None:
    graph = read_model(sample("resnet50.json"))
    assert not estimated(Problem(graph, EdgeTpuPipeline(4)))
    assert estimated(Problem(graph, EdgeTpuPipeline(4), "inference-time"))


@pytest.mark.parametrize(
    ("known", "mark"),
    [((True, True), "measured"), ((True, False), "partly measured"), ((False, False), "estimated")],
)
def test_an_objective_is_marked_by_how_many_ops_were_measured(known: tuple[bool, bool], mark: str) -> None:
    ops = [Op("a", "a", work=1.0, work_cpu=1.0), Op("b", "b", work=2.0, work_cpu=1.0)]
    graph = Graph.build("two", ops, [Tensor("a", ("b",), 1.0)])
    work, work_cpu = graph.given_times
    measured = Measured(
        np.array(known),
        np.zeros(2, bool),
        np.full(2, np.nan),
        ("a clock",),
        (work, work_cpu, graph.time_unit),
        np.zeros(2, bool),
    )
    problem = Problem(graph.with_given_times(work, work_cpu, graph.time_unit, measured), Pipeline(2))
    assert times_source(problem) == MEASURED
    assert times_mark(problem) == mark
    assert not times_mark(Problem(graph, Pipeline(2))), "times of a file need no mark"


def test_bytes_have_no_mark() -> None:
    graph = read_model(sample("resnet50.json"))
    assert not times_mark(Problem(graph, EdgeTpuPipeline(4)))
    assert times_mark(Problem(graph, EdgeTpuPipeline(4), "inference-time")) == "estimated"


def only(device: str, *, given: float | None = None) -> Graph:
    """Two ops measured on one kind of device alone; ``given``: what the file says of accelerators."""
    ops = [Op(op, op, "Conv", macs=1e9, work=given) for op in "ab"]
    graph = Graph.build("two", ops, [Tensor("a", ("b",), 1.0)])
    profile = OpTimes({op: OpTime(1.0, 0.1) for op in "ab"}, "p.json", "a clock")
    return fill(with_times_of(graph, [Use(profile, device)]))  # type: ignore[arg-type]


def test_times_that_follow_another_kind_of_device_are_not_measured() -> None:
    for graph, target, source, mark, number in (
        (only("cpu"), DevicePool(2, 1), COST_MODEL, "partly measured", 2),
        (only("accelerator"), DevicePool(2, 1), COST_MODEL, "partly measured", 2),
        (only("cpu"), DevicePool(0, 2), MEASURED, "measured", 0),
        (only("accelerator"), Pipeline(2), MEASURED, "measured", 0),
        (only("cpu"), Pipeline(2), COST_MODEL, "estimated", 2),
        (only(""), DevicePool(2, 1), MEASURED, "measured", 0),
        (only("cpu", given=3.0), DevicePool(2, 1), MEASURED, "partly measured", 0),
    ):
        problem = Problem(graph, target)
        assert (times_source(problem), times_mark(problem), follows(problem).sum()) == (source, mark, number)


def test_a_device_with_times_of_its_own_follows_nobody() -> None:
    graph = only("cpu")
    own = fill(graph.with_device_times({"acc 0": np.array([1.0, np.nan])}))
    problem = Problem(own, DevicePool(1, 1))
    assert follows(problem).tolist() == [False, True]
    assert times_mark(problem) == "partly measured"


def test_scaled_times_say_so() -> None:
    ops = [Op(op, op, "Conv", macs=1e9) for op in "ab"]
    graph = Graph.build("two", ops, [Tensor("a", ("b",), 1.0)])
    for names, scaled_by_run, target, mark in (
        ("ab", True, Pipeline(2), "measured, scaled"),
        ("a", True, Pipeline(2), "partly measured, scaled"),
        ("ab", False, Pipeline(2), "measured"),
        ("ab", False, Pipeline(2, speed=(1.0, 0.5)), "measured, scaled"),
        ("ab", False, Pipeline(2, speed=2.0), "measured, scaled"),
        ("ab", False, DevicePool(1, 1, speed=2.0), "measured, scaled"),
        ("", False, Pipeline(2, speed=2.0), "estimated"),
        ("ab", False, McmPackage(2), "measured"),
        ("ab", True, McmPackage(2), "measured, scaled"),
    ):
        profile = OpTimes({op: OpTime(1.0, 0.1) for op in names}, "p.json", "a clock", scaled=scaled_by_run)
        timed = fill(with_times_of(graph, [Use(profile)]) if names else graph)
        problem = Problem(timed, target)
        assert times_mark(problem) == mark
        assert (SCALED_WORDS in times_lines(problem)) == mark.endswith(SCALED)
    own = fill(with_times_of(graph, [Use(OpTimes({"a": OpTime(1.0), "b": OpTime(1.0)}, "p", "me"))]))
    own = own.with_device_times({"stage 1": np.ones(2)})
    problem = Problem(own, Pipeline(2, speed=(1.0, 0.5)))
    assert times_mark(problem) == "measured", "what was measured on the slow device itself is as it is"
