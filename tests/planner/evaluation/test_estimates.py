"""Whose rates estimate times, and what is estimated and measured of each op."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.cli.report import times_rows
from planner.evaluation.estimates import (
    counting_words,
    estimates,
    estimates_fields,
    estimates_words,
    op_times,
    times_lines,
)
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel, fill
from planner.model.graph import Graph, Op, Tensor
from planner.model.named_machines import Machines, machine
from planner.model.samples import sample
from planner.model.times import OpTime, OpTimes, Use, with_times_of
from planner.problem.problem import Problem

pytestmark = pytest.mark.coverage


def graph(**given: float) -> Graph:
    """Two ops in a row; ``given`` are their measured seconds."""
    ops = [Op(name, name, "Conv", macs=1e9) for name in ("a", "b")]
    made = Graph.build("g", ops, [Tensor("a", ("b",), 1e6)])
    if given:
        made = with_times_of(made, [Use(OpTimes({k: OpTime(v) for k, v in given.items()}, "t", "me", "cpu"))])
    return made


def test_each_kind_of_device_names_its_machine() -> None:
    named = Machines((("", machine("a100-40gb")),)).cost_model(CostModel())
    pool = Problem(fill(graph(), named), DevicePool(2, 1))
    assert [(one.device, one.rates.machine) for one in estimates(pool)] == [
        ("accelerator", "a100-40gb"), ("CPU", "cpu-8-cores"),
    ]  # fmt: skip
    assert estimates_words(pool).startswith("accelerator as a100-40gb (NVIDIA A100 data sheet")
    stages = Problem(fill(graph(), CostModel(accelerator_flops=1e9)), Pipeline(2))
    assert estimates_words(stages) == "rates of your own"
    fields = estimates_fields(stages)["op_times"]
    assert (fields["are"], fields["from"]) == ("estimated", "cost model")
    assert fields["rates"] == [{"device": "stage", "machine": "", "source": "rates of your own", "date": ""}]


def test_a_target_with_rates_of_its_own_is_known_by_them() -> None:
    model = read_model(sample("resnet50.json"))
    usb = Problem(model, EdgeTpuPipeline(2, up=91226112.0, down=330301440.0), "stage-time")
    assert estimates_words(usb).startswith("edge-tpu-usb (")
    assert estimates_fields(usb)["op_times"]["from"] == "target"
    other = Problem(model, EdgeTpuPipeline(2, up=1e6), "stage-time")
    assert estimates_words(other) == "rates of your own"
    for target in (McmPackage(4), McmPackage(36, precision="int8"), McmPackage(12, sram=1e9)):
        assert estimates_words(Problem(model, target)) == "the rates that are usual where none are given"


def test_nothing_is_estimated_where_all_is_given() -> None:
    whole = Problem(fill(graph(a=1.0, b=2.0)), Pipeline(2))
    assert estimates(whole) == () and estimates_words(whole) == ""
    assert estimates_fields(whole) == {"op_times": {"are": "measured", "from": "measurements", "rates": []}}
    ops = [Op("a", "a", work=1.0, work_cpu=1.0)]
    given = Problem(Graph.build("g", ops, []), Pipeline(2))
    assert estimates_fields(given) == {"op_times": {"are": "given", "from": "file", "rates": []}}


def test_estimated_measured_and_their_ratio() -> None:
    partly = Problem(fill(graph(a=1.0)), DevicePool(1, 1))
    estimate, estimate_cpu = CostModel().estimate(partly.graph)
    found = op_times(partly, np.array([1, 0], np.int32))
    np.testing.assert_allclose(found.estimated, [estimate_cpu[0], estimate[1]])
    np.testing.assert_array_equal(found.measured, [1.0, np.nan])
    np.testing.assert_allclose(found.ratio, [1.0 / estimate_cpu[0], np.nan])
    plain = op_times(Problem(fill(graph()), Pipeline(2)), np.array([0, 1], np.int32))
    assert np.isnan(plain.measured).all() and np.isnan(plain.ratio).all()
    chips = op_times(Problem(fill(graph(a=1.0)), McmPackage(2)), np.array([0, 1], np.int32))
    assert np.isnan(chips.estimated[0]) and chips.estimated[1] > 0, "a chip takes the measured time"


def test_where_times_come_from_in_lines() -> None:
    partly = Problem(fill(graph(a=1.0)), Pipeline(2))
    lines = times_lines(partly)
    assert lines[:2] == ("1 of 2 ops measured, 1 estimated", "measured by me")
    assert lines[2].startswith("the others estimated by the cost model: t4 (NVIDIA T4")
    assert times_lines(Problem(fill(graph()), Pipeline(2)))[0].startswith("estimated by the cost model: t4")
    assert (
        times_lines(Problem(Graph.build("g", [Op("a", "a", work=1.0, work_cpu=1.0)], []), Pipeline(2))) == ()
    )


def test_only_the_measured_kind_of_device_says_so() -> None:
    profile = OpTimes({op: OpTime(1.0) for op in graph().op_ids}, "t", "me")
    pool = Problem(fill(with_times_of(graph(), [Use(profile, "cpu")])), DevicePool(1, 1))
    lines = times_lines(pool)
    assert lines[0] == "2 of 2 ops measured on CPUs; accelerators follow by the ratio of t4 to cpu-8-cores"
    assert lines[2].startswith("the ratio estimated by the cost model: accelerator as t4")
    fields = estimates_fields(pool)["op_times"]
    assert (fields["are"], len(fields["rates"])) == ("partly measured", 2)
    np.testing.assert_array_equal(op_times(pool, np.array([0, 1], np.int32)).measured, [np.nan, 1.0])


def test_what_is_counted_in_another_precision_than_the_files_is_told() -> None:
    """Bytes alone where a module counts them so, bytes and times where the model is read so: that plans for the one take longer is no surprise."""
    bert = sample("bert_3.json")
    file, read = read_model(bert), read_model(bert, precision="int8")
    module = McmPackage(5)
    bytes_alone = Problem(file, replace(module, precision="int8"))
    both = Problem(read, module)
    assert counting_words(Problem(file, module)) == ""
    assert counting_words(bytes_alone) == "int8 bytes, op times as estimated for the bytes in the file"
    assert counting_words(both) == "int8 bytes and times"
    assert (bytes_alone.evaluator.size == both.evaluator.size).all()
    assert bytes_alone.evaluator.op_work.sum() == Problem(file, module).evaluator.op_work.sum()
    assert bytes_alone.evaluator.op_work.sum() > both.evaluator.op_work.sum()
    assert counting_words(Problem(file, EdgeTpuPipeline(4))) == "int8 bytes and times"
    assert ("precision", counting_words(bytes_alone)) in times_rows(bytes_alone)
    # Of a file that gives times they are these.
    ops = [Op(name, name, params=16.0, param_bytes=64.0, work=1.0, work_cpu=1.0) for name in ("a", "b")]
    given = Graph.build("g", ops, [Tensor("a", ("b",), 4.0, dtype="float32")])
    assert (
        counting_words(Problem(given, replace(module, precision="int8")))
        == "int8 bytes, op times as in the file"
    )
