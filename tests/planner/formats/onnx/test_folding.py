"""The arithmetic on small constants agrees with onnx's own reference implementation."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from planner.formats.onnx.folding import SMALL, Value, evaluate

I = np.int64
V = np.array([2, 3, 5, 7], I)
M = np.arange(6, dtype=I).reshape(2, 3)


@pytest.mark.parametrize(
    ("op", "arrays", "attributes"),
    [
        ("Identity", [V], {}),
        ("Cast", [V], {"to": TensorProto.FLOAT}),
        ("Cast", [np.array([1.9, -1.9], np.float32)], {"to": TensorProto.INT64}),
        ("Unsqueeze", [V, np.array([0, 2], I)], {}),
        ("Squeeze", [V.reshape(1, 4, 1), np.array([0], I)], {}),
        ("Squeeze", [V.reshape(1, 4, 1)], {}),
        ("Reshape", [M, np.array([0, -1], I)], {}),
        ("Slice", [V, np.array([1], I), np.array([2**62], I)], {}),
        ("Slice", [V, np.array([-1], I), np.array([-(2**62)], I), np.array([0], I), np.array([-1], I)], {}),
        ("Slice", [M, np.array([1], I), np.array([3], I), np.array([1], I)], {}),
        ("Range", [np.array(2, I), np.array(9, I), np.array(3, I)], {}),
        ("Expand", [V, np.array([2, 1], I)], {}),
        ("Div", [np.array([7, -7, 8], I), np.array([2, 2, -3], I)], {}),
        ("Div", [np.array([7.0]), np.array([2.0])], {}),
        ("Gather", [V, np.array([3, -1], I)], {}),
        ("Gather", [M, np.array(1, I)], {"axis": 1}),
        ("Concat", [V, V], {"axis": 0}),
        ("Transpose", [M], {}),
        ("ReduceProd", [V], {"keepdims": 0}),
        ("ReduceSum", [M, np.array([1], I)], {}),
        ("ReduceMax", [V], {"keepdims": 1}),
        ("ReduceMin", [V], {"keepdims": 0}),
        ("Add", [M, np.array(1, I)], {}),
        ("Sub", [V, V], {}),
        ("Mul", [V, V], {}),
        ("Mod", [np.array([-7, 7], I), np.array([3, -3], I)], {}),
        ("Neg", [V], {}),
        ("Abs", [-V], {}),
        ("Floor", [np.array([1.5, -1.5])], {}),
        ("Ceil", [np.array([1.5, -1.5])], {}),
        ("Sqrt", [np.array([4.0])], {}),
        ("Min", [V, np.array([4], I), V[::-1].copy()], {}),
        ("Max", [V, np.array([4], I)], {}),
        ("Equal", [V, np.array([3], I)], {}),
        ("Less", [V, np.array([4], I)], {}),
        ("Greater", [V, np.array([4], I)], {}),
        ("Not", [V > 3], {}),
        ("And", [V > 2, V < 7], {}),
        ("Or", [V > 5, V < 3], {}),
        ("Where", [V > 3, V, np.array(0, I)], {}),
    ],
)
def test_same_as_the_reference(op: str, arrays: list[Any], attributes: dict[str, Any]) -> None:
    names = [f"x{i}" for i in range(len(arrays))]
    node = helper.make_node(op, names, ["y"], **attributes)
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in zip(names, arrays, strict=True)
    ]
    graph = helper.make_graph([node], "g", infos, [helper.make_empty_tensor_value_info("y")])
    version = 13 if op in ("ReduceProd", "ReduceMax", "ReduceMin") else 18
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=9)
    (wanted,) = ReferenceEvaluator(proto).run(None, dict(zip(names, arrays, strict=True)))
    got = evaluate(op, attributes, [Value(a.shape, 7, True, a) for a in arrays])
    assert got is not None
    assert got.dtype == np.asarray(wanted).dtype
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("op", "arrays"),
    [
        ("Expand", [V, np.array([10**6, 1], I)]),
        ("Expand", [V, np.array([-4, 1], I)]),
        ("Range", [np.array(0, I), np.array(10**12, I), np.array(1, I)]),
        ("Range", [np.array(0, I), np.array(5, I), np.array(0, I)]),
        ("Mul", [np.ones((4096, 1), I), np.ones((1, 4096), I)]),
        ("Reshape", [V, np.array([3, 5], I)]),
        ("Gather", [V, np.array([99], I)]),
        ("Concat", [V, V]),
        ("Softmax", [V]),
        ("Cast", [V]),
    ],
)
def test_what_is_too_large_or_wrong_is_not_computed(op: str, arrays: list[Any]) -> None:
    assert evaluate(op, {}, [Value(a.shape, 7, True, a) for a in arrays]) is None


@pytest.mark.parametrize("op", ["Concat", "Min", "Max"])
def test_an_array_listed_many_times_takes_no_more_memory(op: str) -> None:
    array = np.ones(SMALL, I)
    tracemalloc.start()
    try:
        evaluate(op, {"axis": 0}, [Value(array.shape, 7, True, array)] * 500)
        assert tracemalloc.get_traced_memory()[1] < 20 * array.nbytes
    finally:
        tracemalloc.stop()


def test_unknown_elements_stay_unknown() -> None:
    assert evaluate("Add", {}, [Value((2,), 7, True), Value((2,), 7, True, V[:2])]) is None
