"""Write `tests/data/control_flow.onnx`: a tiny model with everything that makes an ONNX reader stumble.

Needs only `onnx`, which Stageboard has anyway::

    python tools/make_test_onnx.py tests/data

In one graph of six ops: an `If` whose branches hide weights and read a tensor of the outer graph, a `Loop` with a
carried value and a stacked one (so two outputs), an op of an unknown domain, whose output shape nobody can infer,
and a symbolic batch. A second run writes the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
WIDTH = 8
CUSTOM_DOMAIN = "org.example.ops"


def weights(name: str, *shape: int) -> onnx.TensorProto:
    """A float tensor of small distinct values."""
    count = int(np.prod(shape))
    return numpy_helper.from_array((np.arange(count, dtype=np.float32) / count).reshape(shape), name)


def branch(name: str, with_weights: bool) -> onnx.GraphProto:
    """One branch of the If; both read `hidden` of the outer graph, one holds a weight of its own."""
    output = helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, ["batch", WIDTH])
    if with_weights:
        node = helper.make_node(
            "MatMul", ["hidden", f"{name}.weight"], [f"{name}_out"], name=f"{name}/MatMul"
        )
        return helper.make_graph([node], name, [], [output], [weights(f"{name}.weight", WIDTH, WIDTH)])
    node = helper.make_node("Tanh", ["hidden"], [f"{name}_out"], name=f"{name}/Tanh")
    return helper.make_graph([node], name, [], [output])


def loop_body() -> onnx.GraphProto:
    """Add the outer `bias` to the carried state and hand every state out."""
    nodes = [
        helper.make_node("Identity", ["keep_going"], ["keep_going_out"], name="body/Identity"),
        helper.make_node("Add", ["state", "bias"], ["state_out"], name="body/Add"),
        helper.make_node("Identity", ["state_out"], ["history"], name="body/Copy"),
    ]
    inputs = [
        helper.make_tensor_value_info("step", TensorProto.INT64, []),
        helper.make_tensor_value_info("keep_going", TensorProto.BOOL, []),
        helper.make_tensor_value_info("state", TensorProto.FLOAT, ["batch", WIDTH]),
    ]
    outputs = [
        helper.make_tensor_value_info("keep_going_out", TensorProto.BOOL, []),
        helper.make_tensor_value_info("state_out", TensorProto.FLOAT, ["batch", WIDTH]),
        helper.make_tensor_value_info("history", TensorProto.FLOAT, ["batch", WIDTH]),
    ]
    return helper.make_graph(nodes, "loop_body", inputs, outputs)


def control_flow() -> onnx.ModelProto:
    """The whole model."""
    nodes = [
        helper.make_node("MatMul", ["x", "weight"], ["hidden"], name="/stem/MatMul"),
        helper.make_node(
            "If",
            ["flag"],
            ["chosen"],
            name="/choice/If",
            then_branch=branch("then", with_weights=True),
            else_branch=branch("otherwise", with_weights=False),
        ),
        helper.make_node(
            "Loop", ["trips", "", "chosen"], ["final", "states"], name="/repeat/Loop", body=loop_body()
        ),
        helper.make_node(
            "Sharpen", ["final"], ["sharp"], name="/custom/Sharpen", domain=CUSTOM_DOMAIN, strength=0.5
        ),
        helper.make_node("Relu", ["sharp"], ["y"], name="/head/Relu"),
        helper.make_node("ReduceSum", ["states"], ["total"], name="/head/ReduceSum", keepdims=0),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", WIDTH]),
        helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
    ]
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", WIDTH]),
        helper.make_tensor_value_info("total", TensorProto.FLOAT, []),
    ]
    constants = [
        weights("weight", WIDTH, WIDTH),
        weights("bias", WIDTH),
        numpy_helper.from_array(np.array(3, dtype=np.int64), "trips"),
    ]
    graph = helper.make_graph(nodes, "control_flow", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CUSTOM_DOMAIN, 1)]
    model = helper.make_model(graph, producer_name="stageboard", opset_imports=opsets)
    model.ir_version = 8  # the first that goes with opset 17, so that old readers open it too
    onnx.checker.check_model(model)
    return model


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to write the file, usually tests/data")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "control_flow.onnx"
    path.write_bytes(control_flow().SerializeToString(deterministic=True))
    print(f"{path}: {path.stat().st_size:,} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
