"""Measuring models on this computer: what ops a kernel is made of, and that times add up."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.formats import read_graph
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.model.times import Use, coverage, with_times_of
from planner.runs.measuring.measuring import measure
from planner.runs.measuring.onnx_run import shares
from planner.runs.measuring.timed import Order
from tests.planner.export.onnx_maker import random_model

ROOT = Path(__file__).resolve().parents[4]
SAMPLES = ROOT / "sample_models"


def chain(kinds: list[str]) -> Graph:
    """Ops in a row that each give out a tensor of their own name."""
    ops = [Op(f"{i}", f"{i}", kind, macs=1e12 if kind == "Conv" else 0.0) for i, kind in enumerate(kinds)]
    ids = [op.id for op in ops]
    tensors = [Tensor(a, (b,), 1e6, name=f"t{a}") for a, b in pairwise(ids)]
    return Graph.build("chain", ops, [*tensors, Tensor(ids[-1], (), 1e6, name=f"t{ids[-1]}")])


def test_a_kernel_holds_what_its_outputs_need() -> None:
    graph = chain(["Input", "Conv", "Relu", "Conv", "Relu", "Softmax"])
    share, shared = shares(
        graph, ["first", "second", "last"], {"first": ["t2"], "second": ["t4"], "last": ["t5"]}
    )
    assert [np.flatnonzero(share[:, k]).tolist() for k in range(3)] == [[1, 2], [3, 4], [5]]
    np.testing.assert_allclose(share.sum(axis=0), 1.0)
    assert share[1, 0] > share[2, 0], "in proportion to what they are estimated to take"
    assert shared.tolist() == [False, True, True, True, True, False]


def test_a_kernel_of_no_op_has_no_share() -> None:
    graph = chain(["Input", "Conv"])
    share, _ = shares(graph, ["conv", "reorder"], {"conv": ["t1"], "reorder": ["reordered"]})
    assert share[:, 1].sum() == 0.0


def test_ops_that_cost_nothing_share_equally() -> None:
    graph = chain(["Input", "Constant", "Constant"])
    share, _ = shares(graph, ["both"], {"both": ["t2"]})
    assert share[1:, 0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("name", ["unet.onnx", "branchy_int8.tflite"])
def test_a_sample_is_measured(name: str) -> None:
    path = SAMPLES / name
    times = measure(Order(str(path), runs=2))
    graph = read_graph(path)
    assert times.structure == graph.structure
    assert times.ops.keys() == set(graph.op_ids)
    assert times.device == "cpu"
    assert times.about["runs"] == 2
    assert times.about["joined"] == pytest.approx(1.0)
    assert times.seconds_run is not None
    assert times.seconds_run > 0
    total = sum(time.seconds for time in times.ops.values())
    assert times.seconds_sum is not None
    # Medians of two runs are means, which add up.
    assert total == pytest.approx(times.seconds_sum, rel=1e-6)
    assert coverage(with_times_of(graph, [Use(times)])) == 1.0


def test_what_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="cannot be run here"):
        measure(Order(str(SAMPLES / "resnet50.json")))
    with pytest.raises(StageboardError, match="cannot be measured in 1 runs"):
        Order("m.onnx", runs=1)
    with pytest.raises(StageboardError, match="cannot run on 0 threads"):
        Order("m.onnx", threads=0)
    with pytest.raises(Cancelled):
        measure(Order(str(SAMPLES / "unet.onnx")), stopped=lambda: True)


def test_a_model_with_an_input_that_nothing_reads_is_measured(tmp_path: Path) -> None:
    path = random_model(tmp_path / "m.onnx", 1)
    assert measure(Order(str(path), runs=2)).structure == read_graph(path).structure
