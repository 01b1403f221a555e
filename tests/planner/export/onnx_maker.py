"""Small ONNX models that hold what makes cutting hard, made from a seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH = 6
OPSETS = [helper.make_opsetid("", 17)]


def info(name: str, shape: list[Any], kind: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def save(
    path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any], stored: dict[str, Any] | None = None
) -> Path:
    """A model file of opset 17."""
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in (stored or {}).items()]
    model = helper.make_model(
        helper.make_graph(nodes, path.stem, inputs, outputs, tensors), opset_imports=OPSETS, ir_version=8
    )
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def random_model(path: Path, seed: int, ops: int = 14) -> Path:
    """A DAG of small ops on ``[batch, 6]``: several inputs and outputs, splits, shared weights, folded shapes and weights.

    Ops read anything made before them, so tensors skip stages; outputs of the model are read by others too.
    """
    rng = np.random.default_rng(seed)
    stored: dict[str, Any] = {
        "shared": rng.standard_normal((WIDTH, WIDTH)).astype(np.float32),
        "index": np.array([0], np.int64),
        "six": np.array([WIDTH], np.int64),
        "square": np.array([WIDTH, WIDTH], np.int64),
        "halves": np.array([2, 4], np.int64),
    }
    nodes: list[Any] = []
    values = ["x", "y"]

    def node(kind: str, reads: list[str], count: int = 1, **attributes: Any) -> list[str]:
        made = [f"t{len(nodes)}_{i}" for i in range(count)]
        nodes.append(
            helper.make_node(kind, reads, made, name=f"/layer{len(nodes)}/{kind}" * (seed % 2), **attributes)
        )
        return made

    for _ in range(ops):
        a, b = (values[int(i)] for i in rng.integers(max(0, len(values) - 6), len(values), 2))
        choice = int(rng.integers(0, 7))
        if choice == 0:
            values += node("MatMul", [a, "shared"])
        elif choice == 1:
            name = f"weight{len(nodes)}"
            stored[name] = rng.standard_normal((WIDTH, WIDTH)).astype(np.float32)
            values += node("Gemm", [a, name], transB=1)
        elif choice == 2:  # a weight that is computed, as exporters of models without weights write it
            filled = node(
                "ConstantOfShape",
                ["square"],
                value=numpy_helper.from_array(np.array([0.25], np.float32)),
            )
            values += node("MatMul", [a, node("Tanh", filled)[0]])
        elif choice == 3:  # the batch, read off another tensor
            size = node("Gather", [node("Shape", [b])[0], "index"])[0]
            values += node("Reshape", [a, node("Concat", [size, "six"], axis=0)[0]])
        elif choice == 4:
            left, right = node("Split", [a, "halves"], 2, axis=1)
            values += node("Concat", [right, left], axis=1)
        elif choice == 5:
            values += node("Add", [a, b])
        else:
            values += node(str(rng.choice(["Relu", "Sigmoid", "Tanh", "Neg"])), [a])
    outputs = list(dict.fromkeys([values[-1], values[len(values) // 2 + 1], *values[-3:-1]]))
    outputs = [name for name in outputs if name not in ("x", "y")]
    return save(
        path,
        nodes,
        [info("x", ["batch", WIDTH]), info("y", ["batch", WIDTH])],
        [info(name, ["batch", WIDTH]) for name in outputs],
        stored,
    )


def branching(path: Path) -> Path:
    """An ``If`` whose branches read outer tensors and a stored weight, then a ``Loop`` that adds an outer tensor."""
    then = helper.make_graph(
        [helper.make_node("MatMul", ["hidden", "weight"], ["then_out"])],
        "then", [], [info("then_out", ["batch", WIDTH])],
    )  # fmt: skip
    otherwise = helper.make_graph(
        [helper.make_node("Sub", ["hidden", "early"], ["else_out"])],
        "otherwise", [], [info("else_out", ["batch", WIDTH])],
    )  # fmt: skip
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["going_out"]),
            helper.make_node("Add", ["state", "early"], ["state_out"]),
        ],
        "body",
        [
            info("step", [], TensorProto.INT64), info("going", [], TensorProto.BOOL), info("state", ["batch", WIDTH]),
        ],
        [info("going_out", [], TensorProto.BOOL), info("state_out", ["batch", WIDTH])],
    )  # fmt: skip
    rng = np.random.default_rng(5)
    return save(
        path,
        [
            helper.make_node("Relu", ["x"], ["early"], name="early"),
            helper.make_node("MatMul", ["early", "weight"], ["hidden"], name="hidden"),
            helper.make_node(
                "If", ["flag"], ["chosen"], name="choice", then_branch=then, else_branch=otherwise
            ),
            helper.make_node("Loop", ["trips", "", "chosen"], ["looped"], name="repeat", body=body),
            helper.make_node("Tanh", ["looped"], ["y"], name="last"),
        ],
        [info("x", ["batch", WIDTH]), info("flag", [], TensorProto.BOOL)],
        [info("y", ["batch", WIDTH])],
        {
            "weight": rng.standard_normal((WIDTH, WIDTH)).astype(np.float32),
            "trips": np.array(3, np.int64),
        },
    )


def odd_outputs(path: Path) -> Path:
    """Outputs that no op makes: an input, a stored tensor, what is computed from constants, and a shape; an unread input."""
    return save(
        path,
        [
            helper.make_node("Relu", ["x"], ["r"], name="r"),
            helper.make_node("Neg", ["weight"], ["negative"], name="n"),
            helper.make_node("Shape", ["r"], ["size"], name="s"),
            helper.make_node("Add", ["r", "weight"], ["sum"], name="a"),
            helper.make_node("Add", ["sum", "given"], ["y"], name="b"),
        ],
        [info("x", ["batch", WIDTH]), info("unread", [3], TensorProto.INT64), info("given", [WIDTH])],
        [
            info("y", ["batch", WIDTH]), info("x", ["batch", WIDTH]), info("weight", [WIDTH]),
            info("negative", [WIDTH]), info("size", [2], TensorProto.INT64),
        ],
        {"weight": np.arange(WIDTH, dtype=np.float32), "given": np.ones(WIDTH, np.float32)},
    )  # fmt: skip
