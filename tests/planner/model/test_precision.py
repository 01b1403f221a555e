"""Models counted with fewer bytes a number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.errors import ModelError, StoryError
from planner.evaluation.parameter_bytes import parameter_bytes, tensor_bytes
from planner.formats import read_graph, read_model, read_models
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.model.precision import FILE, PRECISIONS, checked, counted_in, floating_ops, precision_of

SAMPLES = Path(__file__).parents[3] / "sample_models"


def mixed(memory: float | None = None) -> Graph:
    """A float op, one whose parameters take four bits, an integer op, and one that tells bytes alone."""
    ops = [
        Op("float", "float", "Conv", params=10, param_bytes=40, memory=memory),
        Op("packed", "packed", "Dense", params=100, param_bytes=50),
        Op("whole", "whole", "Gather", params=7, param_bytes=7),
        Op("bytes", "bytes", "Dense", param_bytes=80),
    ]
    tensors = [
        Tensor("float", ("packed",), 400, dtype="float32"),
        Tensor("packed", ("whole",), 60, dtype="float16"),
        Tensor("whole", ("bytes",), 30, dtype="int32"),
        Tensor("bytes", (), 16, dtype="float64"),
    ]
    return Graph.build("mixed", ops, tensors, read_options={"batch": 1})


@pytest.mark.parametrize(
    ("precision", "params", "tensors"),
    [
        ("file", [40, 50, 7, 80], [400, 60, 30, 16]),
        ("float16", [20, 50, 7, 80], [200, 60, 30, 4]),
        ("int8", [10, 50, 7, 80], [100, 30, 30, 2]),
    ],
)
def test_what_floats_take_is_counted(precision: str, params: list[int], tensors: list[int]) -> None:
    graph = counted_in(mixed(), precision)
    assert graph.param_bytes.tolist() == params and graph.tensor_bytes.tolist() == tensors
    assert graph.memory.tolist() == [p + t for p, t in zip(params, tensors, strict=True)]
    assert precision_of(graph) == precision and not graph.warnings
    assert graph.params.tolist() == mixed().params.tolist()
    assert not graph.param_bytes.flags.writeable and not graph.memory.flags.writeable


def test_types_say_what_is_counted_and_integers_stay() -> None:
    assert counted_in(mixed(), "int8").tensor_dtypes == ("int8", "int8", "int32", "int8")
    assert counted_in(mixed(), "float16").tensor_dtypes == ("float16", "float16", "int32", "float16")


def test_memory_that_the_file_says_stays() -> None:
    assert counted_in(mixed(memory=1000), "int8").memory.tolist() == [1000, 80, 37, 82]


def test_as_in_the_file_is_the_very_graph() -> None:
    graph = mixed()
    assert counted_in(graph, FILE) is graph and precision_of(graph) == FILE


def test_where_nothing_is_in_floating_point_that_is_said() -> None:
    graph = mixed()
    whole = replace(graph, tensor_dtypes=("int8",) * graph.tensor_count)
    counted = counted_in(whole, "int8")
    assert counted.param_bytes.tolist() == graph.param_bytes.tolist()
    assert "said to be in floating point" in counted.warnings[-1]


def test_machines_that_count_in_bytes_find_the_same() -> None:
    stored, counted = (read_graph(SAMPLES / "unet.onnx", precision=one) for one in ("file", "int8"))
    for precision in ("int8", "file"):
        assert parameter_bytes(counted, precision).tolist() == parameter_bytes(stored, "int8").tolist()
        assert tensor_bytes(counted, precision).tolist() == tensor_bytes(stored, "int8").tolist()
    assert floating_ops(stored).any() and not floating_ops(counted).any()


@pytest.mark.parametrize("name", ["unet.onnx", "branchy_int8.tflite", "resnet50.json"])
def test_every_format_is_counted(name: str) -> None:
    stored, counted = (read_model(SAMPLES / name, precision=one) for one in ("file", "int8"))
    assert counted.profiled and counted.n == stored.n
    assert np.all(counted.tensor_bytes <= stored.tensor_bytes)
    assert np.all(counted.work <= stored.work * (1 + 1e-12))
    assert (counted.fingerprint != stored.fingerprint) == bool(floating_ops(stored).any())


def test_models_together_keep_it() -> None:
    both = read_models([SAMPLES / "unet.onnx", SAMPLES / "unet.onnx"], precision="int8")
    assert precision_of(both) == "int8"


def test_what_is_none_is_refused() -> None:
    for bad in ("int4", "", 8, None):
        with pytest.raises(ModelError, match="choose from file, int8, float16"):
            checked(bad)
    with pytest.raises(StoryError, match="'int4'"):
        checked("int4", StoryError)
    with pytest.raises(ModelError, match="precision"):
        read_graph(SAMPLES / "unet.onnx", precision="int4")
    assert all(checked(one) == one for one in PRECISIONS)
