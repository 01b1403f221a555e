"""The roofline cost model."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from planner.errors import ModelError, StageboardError
from planner.model.cost_model import CostModel, bytes_moved, fill, rate_fields
from planner.model.graph import Graph, Op, Tensor

MODEL = CostModel(accelerator_flops=1e9, accelerator_bandwidth=1e6, accelerator_overhead=0.5,
                  cpu_flops=1e8, cpu_bandwidth=1e5, cpu_overhead=0.25)  # fmt: skip


def chain(*ops: Op, unit: str | None = "s", size: float = 1e6) -> Graph:
    tensors = [Tensor(a.id, (b.id,), size) for a, b in pairwise(ops)]
    return Graph.build("chain", ops, tensors, time_unit=unit)


def test_the_roofline() -> None:
    graph = chain(
        Op("in", "in", "Input"),
        Op("busy", "busy", "Conv", macs=5e9),
        Op("wide", "wide", "Relu", param_bytes=3e6),
        Op("view", "view", "Reshape"),
        Op("look", "look", "Gather", param_bytes=1e12),
        Op("end", "end", "Relu"),
    )
    assert bytes_moved(graph).tolist() == [0, 2e6, 5e6, 0, 2e6, 1e6]
    work, cpu = MODEL.estimate(graph)
    assert work.tolist() == [0, 10.5, 5.5, 0.5, 2.5, 1.5]
    assert cpu.tolist() == [0, 100.25, 50.25, 0.25, 20.25, 10.25]
    filled = fill(graph, MODEL)
    assert filled.profiled
    assert np.array_equal(filled.work, work)
    assert filled.cost_model is MODEL


def test_given_times_are_kept_and_scaled_to_the_other_kind() -> None:
    graph = chain(
        Op("a", "a", "Conv", work=21.0, macs=5e9),
        Op("b", "b", "Conv", work_cpu=401.0, macs=5e9),
        Op("c", "c", "Conv", work=1.0, work_cpu=2.0),
        size=0.0,
    )
    filled = fill(graph, MODEL)
    assert filled.work.tolist() == [21.0, 401.0 / (100.25 / 10.5), 1.0]
    assert filled.work_cpu.tolist() == [21.0 * (100.25 / 10.5), 401.0, 2.0]


def test_an_op_without_figures_is_scaled_by_the_peak_rates() -> None:
    filled = fill(chain(Op("a", "a", work=3.0), size=0), MODEL)
    assert filled.work_cpu.tolist() == [30.0]


def test_a_complete_profile_needs_no_model() -> None:
    graph = chain(Op("a", "a", work=1, work_cpu=2), unit=None)
    assert fill(graph) is graph
    assert graph.cost_model is None


def test_filling_again_starts_from_the_file() -> None:
    graph = chain(Op("a", "a", "Conv", macs=1e9), Op("b", "b", work=2.0))
    once, twice = fill(graph), fill(fill(graph), MODEL)
    direct = fill(graph, MODEL)
    assert np.array_equal(twice.work, direct.work)
    assert np.array_equal(twice.work_cpu, direct.work_cpu)
    assert once.fingerprint == twice.fingerprint == graph.fingerprint
    assert np.isnan(twice.given_times[0][0])
    assert not twice.work.flags.writeable


def test_units_are_never_mixed() -> None:
    assert fill(chain(Op("a", "a"), Op("b", "b"), unit=None)).time_unit == "s"
    partly = chain(Op("a", "a"), Op("b", "b", work=1.0), unit=None)
    with pytest.raises(ModelError, match=r"'a'.*unknown"):
        fill(partly)
    scaled = fill(chain(Op("a", "a", work=2.0), Op("b", "b", work=1.0, work_cpu=4.0), unit=None), MODEL)
    assert scaled.time_unit is None  # a ratio has no unit


def test_dictionaries_and_settings() -> None:
    assert CostModel.from_dict(MODEL.to_dict()) == MODEL
    assert CostModel.from_dict({}) == CostModel()
    for f in rate_fields():
        assert f.metadata["label"]
        assert f.metadata["unit"] in ("FLOP/s", "B/s", "s")
        assert f.metadata["help"]
    for values, says in (
        ({"accelerator_flops": 0}, "Accelerator compute"),
        ({"cpu_overhead": -1}, "CPU overhead"),
        ({"cpu_flops": float("nan")}, "CPU compute"),
        ({"cpu_flops": float("inf")}, "CPU compute"),
        ({"cpu_flops": "fast"}, "must be a number"),
        ({"cpu_flops": True}, "must be a number"),
        ({"tpu_flops": 1.0}, "no parameter 'tpu_flops'"),
        ([], "must be an object"),
    ):
        with pytest.raises(StageboardError, match=says):
            CostModel.from_dict(values)  # type: ignore[arg-type]
    assert CostModel(accelerator_overhead=0, cpu_overhead=0).cpu_overhead == 0.0
