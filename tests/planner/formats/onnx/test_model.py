"""ONNX: folding, parameters, symbolic sizes, bodies, functions, external data, and what is wrong with a file."""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from planner.errors import ModelError
from planner.formats import read_graph
from planner.formats.onnx import shapes as onnx_shapes
from planner.formats.onnx.model import parse
from planner.model.graph import Graph
from planner.model.ops import Shared

DATA = Path(__file__).resolve().parents[3] / "data"
SAMPLES = Path(__file__).resolve().parents[4] / "sample_models"
LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def array(name: str, *shape: int, dtype: Any = np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.ones(shape, dtype), name)


def numbers(name: str, *values: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def info(name: str, *shape: int | str | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, FLOAT, shape)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[str],
    stored: Sequence[onnx.TensorProto] = (),
    **options: Any,
) -> onnx.ModelProto:
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(nodes, "g", inputs, results, stored)
    domains = [helper.make_opsetid(d, v) for d, v in {"": 17, **options.pop("domains", {})}.items()]
    return helper.make_model(graph, opset_imports=domains, ir_version=9, **options)


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reading(proto: onnx.ModelProto, batch: int = 1) -> Graph:
        path = tmp_path / "model.onnx"
        path.write_bytes(proto.SerializeToString())
        return read_graph(path, batch=batch)

    return reading


def edges(graph: Graph) -> set[tuple[str, str]]:
    return {(graph.op_ids[u], graph.op_ids[v]) for u, v in zip(*graph.edges, strict=True)}


@pytest.mark.parametrize(
    ("name", "ops", "depth", "megaparams", "gigamacs"),
    [
        ("resnet50", 177, 168, 25.61, 4.09),
        ("densenet121", 669, 668, 8.146, 2.834),
        ("vgg19", 47, 46, 143.667, 19.632),
        ("squeezenet", 67, 50, 1.235, 0.349),
    ],
)
def test_light_models_fold_to_their_networks(
    name: str, ops: int, depth: int, megaparams: float, gigamacs: float
) -> None:
    graph = read_graph(LIGHT / f"light_{name}.onnx")
    assert (graph.n, graph.depth) == (ops, depth)
    assert graph.params.sum() / 1e6 == pytest.approx(megaparams, rel=1e-3)
    assert graph.param_bytes.sum() == 4 * graph.params.sum()
    assert graph.macs.sum() / 1e9 == pytest.approx(gigamacs, rel=1e-3)
    assert not {"Constant", "ConstantOfShape", "Unsqueeze"} & set(graph.kinds)
    assert graph.tensor_bytes.min() > 0
    assert graph.warnings == ()


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.onnx")), ids=lambda p: p.stem)
def test_samples_have_every_size(path: Path) -> None:
    graph = read_graph(path)
    assert graph.macs.sum() > 1e9
    assert (graph.tensor_bytes > 0).all()
    assert not [w for w in graph.warnings if "known" in w]


def test_shape_chains_fold_and_reshape_knows_its_result(read: Any) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"]),
        helper.make_node("Unsqueeze", ["n", "axes"], ["n1"]),
        helper.make_node("Constant", [], ["rest"], value=numbers("v", -1)),
        helper.make_node("Concat", ["n1", "rest"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["flat"], name="reshape"),
        helper.make_node("Gemm", ["flat", "w", "b"], ["y"], name="gemm", transB=1),
    ]
    stored = [
        numpy_helper.from_array(np.array(0), "zero"),
        numbers("axes", 0),
        array("w", 5, 12),
        array("b", 5),
    ]
    graph = read(model(nodes, [info("x", "batch", 3, 4)], ["y"], stored), batch=7)
    assert graph.op_ids == ("x", "reshape", "gemm")
    assert graph.tensor_shapes == ((7, 3, 4), (7, 12), (7, 5))
    assert graph.params.tolist() == [0, 0, 65]  # shapes and indices are no parameters
    assert graph.macs.tolist() == [0, 0, 7 * 5 * 12]
    assert graph.tensor_bytes.tolist() == [7 * 12 * 4, 7 * 12 * 4, 7 * 5 * 4]
    assert dict(graph.read_options) == {"batch": 7}
    assert graph.tensor_dtypes == ("float",) * 3


def test_shape_chains_stay_where_they_are_wanted(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], name="shape"),
        helper.make_node("Gather", ["s", "zero"], ["n"], name="gather"),
        helper.make_node("Unsqueeze", ["n", "axes"], ["n1"], name="unsqueeze"),
        helper.make_node("Concat", ["n1", "rest"], ["wanted"], name="concat", axis=0),
        helper.make_node("Transpose", ["w"], ["turned"], name="turn"),
        helper.make_node("Reshape", ["x", "wanted"], ["flat"], name="reshape"),
        helper.make_node("MatMul", ["flat", "turned"], ["y"], name="product"),
    ]
    stored = [
        numpy_helper.from_array(np.array(0), "zero"),
        numbers("axes", 0),
        numbers("rest", -1),
        array("w", 5, 12),
    ]
    path = tmp_path / "model.onnx"
    path.write_bytes(model(nodes, [info("x", "batch", 3, 4)], ["y"], stored).SerializeToString())
    graph = parse(path, batch=7, keep_shapes=True).graph
    assert graph.op_ids == ("x", "shape", "gather", "unsqueeze", "concat", "reshape", "product")
    assert ("concat", "reshape") in edges(graph) and ("x", "shape") in edges(graph)
    assert graph.tensor_shapes == ((7, 3, 4), (3,), (), (1,), (2,), (7, 12), (7, 5))
    assert graph.params.tolist() == [0, 0, 0, 0, 0, 0, 60]  # the turned weight belongs to the product
    assert graph.macs[-1] == 7 * 5 * 12 and graph.warnings == ()
    assert parse(path, batch=7).graph.op_ids == ("x", "reshape", "product")


def test_a_weight_made_by_constant_of_shape_costs_no_memory(read: Any) -> None:
    nodes = [
        helper.make_node(
            "ConstantOfShape", ["dims"], ["w"], value=helper.make_tensor("v", TensorProto.FLOAT16, [1], [0.0])
        ),
        helper.make_node("Transpose", ["w"], ["wt"], perm=[1, 0]),
        helper.make_node("MatMul", ["x", "wt"], ["y"], name="product"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT16, [1, 10**6])
    graph = read(model(nodes, [x], ["y"], [numbers("dims", 10**5, 10**6)]))  # 200 GB if it were made
    assert graph.op_ids == ("x", "product")
    assert graph.params[1] == 1e11
    assert graph.param_bytes[1] == 2e11
    assert graph.macs[1] == 1e11


def test_quantised_weights_count_in_their_stored_type(read: Any) -> None:
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "scale"], ["w"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    stored = [array("q", 8, 4, dtype=np.int8), array("scale")]
    graph = read(model(nodes, [info("x", 2, 8)], ["y"], stored))
    assert graph.kinds == ("Input", "MatMul")
    assert (graph.params[1], graph.param_bytes[1]) == (32, 32)


def test_shared_parameters_count_once(read: Any) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Transpose", ["w"], ["wt"]),
        helper.make_node("MatMul", ["a", "wt"], ["y"], name="tied"),
    ]
    graph = read(model(nodes, [info("x", 2, 8)], ["y"], [array("w", 8, 4)]))
    assert graph.params.tolist() == [0, 32, 0]
    assert graph.attrs[2]["shared"] == ["wt (counted at first)"]
    assert graph.shared == (Shared(("first", "tied"), 32, 128),)


def test_several_outputs_are_several_tensors(read: Any) -> None:
    nodes = [
        helper.make_node("Split", ["x"], ["a", "b", "c"], name="split", axis=1),
        helper.make_node("Relu", ["a"], ["ya"], name="ra"),
        helper.make_node("Add", ["a", "b"], ["yb"], name="add"),
    ]
    graph = read(model(nodes, [info("x", 1, 6)], ["ya", "yb"]))
    rows = [
        graph.consumer_idx[p:q].tolist()
        for p, q in zip(graph.consumer_ptr[:-1], graph.consumer_ptr[1:], strict=True)
    ]
    assert graph.tensor_names == ("x", "a", "b", "ya", "yb")  # c goes nowhere
    assert rows == [[1], [2, 3], [3], [], []]
    assert graph.tensor_bytes.tolist() == [24, 8, 8, 8, 8]


def test_symbolic_sizes_get_documented_defaults_and_a_warning(read: Any) -> None:
    nodes = [helper.make_node("Relu", ["ids"], ["y"]), helper.make_node("Relu", ["image"], ["z"]),
             helper.make_node("Relu", ["odd"], ["w"])]  # fmt: skip
    inputs = [
        info("ids", "batch_size", "sequence_length"),
        info("image", None, "channels", "H", None),
        info("odd", "q", "r"),
    ]
    graph = read(model(nodes, inputs, ["y", "z", "w"]), batch=2)
    assert graph.tensor_shapes[:3] == ((2, 128), (2, 3, 224, 224), (2, 128))
    (warning,) = graph.warnings
    assert "sequence_length = 128" in warning
    assert "axis 3 of image = 224" in warning


def test_a_fixed_batch_is_kept_and_said(read: Any) -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], [info("x", 1, 4)], ["y"])
    assert read(proto).warnings == ()
    graph = read(proto, batch=8)
    assert graph.tensor_shapes[0] == (1, 4)
    assert "a batch of 8 was not applied" in graph.warnings[0]


def test_control_flow_is_one_op() -> None:
    graph = read_graph(DATA / "control_flow.onnx", batch=4)
    assert graph.kinds == ("Input", "Input", "MatMul", "If", "Loop", "Sharpen", "Relu", "ReduceSum")
    assert edges(graph) == {
        ("x", "/stem/MatMul"), ("flag", "/choice/If"), ("/stem/MatMul", "/choice/If"), ("/choice/If", "/repeat/Loop"),
        ("/repeat/Loop", "/custom/Sharpen"), ("/repeat/Loop", "/head/ReduceSum"), ("/custom/Sharpen", "/head/Relu"),
    }  # fmt: skip
    assert graph.params.tolist() == [0, 0, 64, 64, 8, 0, 0, 0]
    assert graph.macs[3] == 4 * 64
    shapes = dict(zip(graph.tensor_names, graph.tensor_shapes, strict=True))
    assert shapes["chosen"] == (4, 8)
    assert shapes["final"] == (4, 8)
    assert shapes["states"] == (3, 4, 8)
    said = " ".join(graph.warnings)
    assert "1 If, 1 Loop" in said
    assert "org.example.ops" in said
    assert "1 tensor has no known shape" in said


def test_loops_count_their_rounds_and_states_are_not_constants(read: Any) -> None:
    body = helper.make_graph(
        [
            helper.make_node("MatMul", ["state", "w"], ["next"], name="step"),
            helper.make_node("Identity", ["go"], ["on"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            info("state", 1, 8),
        ],
        [helper.make_tensor_value_info("on", TensorProto.BOOL, []), info("next", 1, 8)],
    )
    loop = helper.make_node("Loop", ["trips", "", "start"], ["end"], name="loop", body=body)
    nodes = [loop, helper.make_node("Add", ["end", "x"], ["y"], name="add")]
    stored = [numpy_helper.from_array(np.array(10), "trips"), array("start", 1, 8), array("w", 8, 8)]
    graph = read(model(nodes, [info("x", 1, 8)], ["y"], stored))
    loop_at = graph.find("loop")
    assert graph.macs[loop_at] == 10 * 64
    assert graph.params[loop_at] == 72
    unknown = read(
        model(nodes, [info("x", 1, 8), helper.make_tensor_value_info("trips", INT64, [])], ["y"], stored[1:])
    )
    assert unknown.macs[unknown.find("loop")] == 64
    assert "unknown number of times" in " ".join(unknown.warnings)


def test_functions_are_expanded(read: Any) -> None:
    twice = helper.make_function(
        "my", "Twice", ["a"], ["c"],
        [helper.make_node("Relu", ["a"], ["b"]), helper.make_node("Relu", ["b"], ["c"])], [helper.make_opsetid("", 17)],
    )  # fmt: skip
    proto = model(
        [helper.make_node("Twice", ["x"], ["y"], domain="my")],
        [info("x", 1, 4)],
        ["y"],
        functions=[twice],
        domains={"my": 1},
    )
    graph = read(proto)
    assert graph.kinds == ("Input", "Relu", "Relu")


def function(name: str, calls: Sequence[str]) -> onnx.FunctionProto:
    nodes = [helper.make_node(call, [f"v{i}"], [f"v{i + 1}"], domain="my") for i, call in enumerate(calls)]
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    return helper.make_function("my", name, ["v0"], [f"v{len(calls)}"], nodes, imports)


@pytest.mark.parametrize(
    ("functions", "says"),
    [
        ([function("F0", ["F0"])], "calls itself"),
        ([function("F0", ["F1"]), function("F1", ["F0"])], "calls itself"),
        (
            [function(f"F{i}", [f"F{i + 1}"] * 10) for i in range(30)] + [function("F30", ["Leaf"])],
            "ops once its functions",
        ),
    ],
)
def test_functions_that_never_end_are_refused(
    read: Any, functions: list[onnx.FunctionProto], says: str
) -> None:
    proto = model(
        [helper.make_node("F0", ["x"], ["y"], domain="my")],
        [info("x", 1)],
        ["y"],
        functions=functions,
        domains={"my": 1},
    )
    with pytest.raises(ModelError, match=says):
        read(proto)


def test_external_data_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.array([2, 2] + [0] * 6, np.int64).tobytes())
    folder = tmp_path / "models"
    folder.mkdir()
    tensors = []
    for name, location, dims in (
        ("w", "../secret.bin", [4, 4]),
        ("shape", str(secret), [2]),
        ("big", "nowhere.bin", [4, 10**6]),
    ):
        tensor = TensorProto(
            name=name,
            data_type=INT64 if name == "shape" else FLOAT,
            dims=dims,
            data_location=TensorProto.EXTERNAL,
        )
        tensor.external_data.add(key="location", value=location)
        tensors.append(tensor)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="m"),
        helper.make_node("Reshape", ["a", "shape"], ["b"], name="r"),
        helper.make_node("MatMul", ["a", "big"], ["y"], name="wide"),
    ]
    path = folder / "model.onnx"
    path.write_bytes(model(nodes, [info("x", 1, 4)], ["y", "b"], tensors).SerializeToString())
    opened: list[str] = []

    def watched(real: Any) -> Any:
        def opening(name: Any, *args: Any, **kwargs: Any) -> Any:
            opened.append(str(name))
            return real(name, *args, **kwargs)

        return opening

    for module, name in ((os, "open"), (io, "open"), (builtins, "open")):
        monkeypatch.setattr(module, name, watched(getattr(module, name)))
    graph = read_graph(path)
    assert [name for name in opened if name.endswith("model.onnx")]  # the watch works
    assert not [name for name in opened if "secret" in name or "nowhere" in name]
    assert graph.tensor_shapes[graph.tensor_names.index("b")] != (
        2,
        2,
    )  # what the file outside says, read by any means
    assert graph.param_bytes[graph.find("m")] == 64
    assert graph.param_bytes[graph.find("wide")] == 16e6
    assert dict(zip(graph.tensor_names, graph.tensor_shapes, strict=True))["y"] == (1, 10**6)
    assert "3 stored tensors lie in external data files" in " ".join(graph.warnings)


def test_random_ops_and_custom_ops_stay(read: Any) -> None:
    nodes = [
        helper.make_node("RandomNormal", [], ["r"], name="noise", shape=[1, 4]),
        helper.make_node("Custom", ["w"], ["c"], name="custom", domain="com.example"),
        helper.make_node("Sum", ["x", "r", "c"], ["y"], name="sum"),
    ]
    graph = read(model(nodes, [info("x", 1, 4)], ["y"], [array("w", 3, 3)], domains={"com.example": 1}))
    assert graph.kinds == ("Input", "RandomNormal", "Custom", "Sum")
    assert graph.params[2] == 9


def test_ids_are_unique_whatever_the_names(read: Any) -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="same"),
        helper.make_node("Relu", ["a"], ["b"], name="same"),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("Relu", ["c"], ["x2"], name="x"),
    ]
    graph = read(model(nodes, [info("x", 1)], ["x2"]))
    assert len(set(graph.op_ids)) == graph.n == 5
    assert graph.op_names[1:] == ("same", "same", "c", "x")


def test_nodes_out_of_order_are_sorted(read: Any) -> None:
    nodes = [
        helper.make_node("Relu", ["a"], ["y"], name="second"),
        helper.make_node("Relu", ["x"], ["a"], name="first"),
    ]
    assert edges(read(model(nodes, [info("x", 1)], ["y"]))) == {("x", "first"), ("first", "second")}


@pytest.mark.parametrize(
    ("nodes", "stored", "says"),
    [
        ([("Relu", ["a"], ["b"]), ("Relu", ["b"], ["a"])], [], "cycle"),
        ([("Relu", ["nowhere"], ["y"])], [], "which nothing produces"),
        ([("Relu", ["x"], ["y"]), ("Tanh", ["x"], ["y"])], [], "two places produce"),
        ([("Relu", ["w"], ["y"])], [array("w", 3)], "nothing is left to plan"),
        ([("ConstantOfShape", ["d"], ["w"]), ("Add", ["x", "w"], ["y"])], [numbers("d", -5)], "impossible shape"),
        ([("ConstantOfShape", ["d"], ["w"]), ("Add", ["x", "w"], ["y"])], [numbers("d", *[2**60] * 3)], "impossible shape"),
        ([("ConstantOfShape", ["d"], ["w"]), ("Add", ["x", "w"], ["y"])], [numbers("d", *[1] * 65)], "at most 64 sizes"),
        ([("ConstantOfShape", ["d"], ["w"]), ("Add", ["x", "w"], ["y"])], [array("d", 2)], "no list of at most 64 sizes"),
        ([("ConstantOfShape", ["d"], ["w"]), ("Add", ["x", "w"], ["y"])], [array("d", 1, 1, dtype=np.int64)], "no list of"),
        ([("ConstantOfShape", ["d"], []), ("Relu", ["x"], ["y"])], [numbers("d", 1)], "ConstantOfShape. has no output"),
        ([("Shape", ["x"], []), ("Relu", ["x"], ["y"])], [], "'Shape' .Shape. has no output"),
        ([("Constant", [], []), ("Relu", ["x"], ["y"])], [], "has no output"),
        ([("Add", ["x", "w"], ["y"])], [TensorProto(name="w", data_type=1, dims=[-3])], "negative size"),
        ([("Add", ["x", "w"], ["y"])], [TensorProto(name="w", data_type=1, dims=[2**60] * 3)], "claims"),
    ],
)  # fmt: skip
def test_broken_models_are_one_sentence(read: Any, nodes: list[Any], stored: list[Any], says: str) -> None:
    proto = model([helper.make_node(*node) for node in nodes], [info("x", 1)], ["y"], stored)
    with pytest.raises(ModelError, match=says) as caught:
        read(proto)
    assert "model.onnx" in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("node", "says"),
    [
        (helper.make_node("Constant", [], ["c"], value_int="three"), "has value_int that is no number"),
        (helper.make_node("Shape", ["x"], ["c"], start=0.5), "start or end that is no whole number"),
        (helper.make_node("Shape", ["x"], ["c"], end="last"), "start or end that is no whole number"),
    ],
)
def test_attributes_of_the_wrong_type_are_one_sentence(read: Any, node: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        read(model([node, helper.make_node("Add", ["x", "c"], ["y"])], [info("x", 1)], ["y"]))


def test_a_constant_of_shape_without_a_value_is_zero(read: Any) -> None:
    nothing = TensorProto(name="v", data_type=1, dims=[0])
    nodes = [
        helper.make_node("ConstantOfShape", ["d"], ["w"], value=nothing),
        helper.make_node("Add", ["x", "w"], ["y"]),
    ]
    assert read(model(nodes, [info("x", 2)], ["y"], [numbers("d", 2)])).n == 2


def test_broken_shape_inference_is_survived(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr("onnx.shape_inference.infer_shapes", fails)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    graph = read(model(nodes, [info("x", "n", 8)], ["y"], [array("w", 8, 4)]), batch=3)
    assert graph.tensor_shapes == ((3, 8), (3, 4), (3, 4))
    assert "out of luck" in graph.warnings[0]


@pytest.mark.parametrize(
    ("node", "inputs", "stored", "macs"),
    [
        (("Conv", ["x", "w"], {"pads": [1, 1, 1, 1], "group": 2}), (1, 4, 8, 8), [array("w", 6, 2, 3, 3)], 6 * 64 * 18),
        (("ConvTranspose", ["x", "w"], {"strides": [2, 2]}), (1, 4, 8, 8), [array("w", 4, 6, 2, 2)], 4 * 64 * 6 * 4),
        (("Gemm", ["x", "w"], {"transA": 1}), (5, 3), [array("w", 5, 7)], 3 * 7 * 5),
        (("MatMul", ["x", "w"], {}), (2, 3, 5), [array("w", 5, 7)], 2 * 3 * 5 * 7),
        (("Einsum", ["x", "w"], {"equation": "bij,jk->bik"}), (2, 3, 5), [array("w", 5, 7)], 2 * 3 * 5 * 7),
        (("Einsum", ["x", "w"], {"equation": "...ij,jk->...ik"}), (2, 3, 5), [array("w", 5, 7)], 2 * 3 * 5 * 7),
        (("LSTM", ["x", "w", "r"], {"hidden_size": 6}), (9, 2, 5), [array("w", 1, 24, 5), array("r", 1, 24, 6)], 9 * 2 * 4 * 6 * 11),
        (("GRU", ["x", "w", "r"], {"hidden_size": 6}), (9, 2, 5), [array("w", 1, 18, 5), array("r", 1, 18, 6)], 9 * 2 * 3 * 6 * 11),
        (("Relu", ["x"], {}), (4, 4), [], 0),
    ],
)  # fmt: skip
def test_multiply_accumulates(
    read: Any, node: Any, inputs: tuple[int, ...], stored: list[Any], macs: float
) -> None:
    op, names, attributes = node
    graph = read(
        model([helper.make_node(op, names, ["y"], **attributes)], [info("x", *inputs)], ["y"], stored)
    )
    assert graph.macs[1] == macs


def test_attention(read: Any) -> None:
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"])
    graph = helper.make_graph([node], "g", [info("q", 1, 2, 5, 8), info("k", 1, 2, 7, 8), info("v", 1, 2, 7, 8)],
                              [helper.make_empty_tensor_value_info("y")])  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    assert read(proto).macs[3] == 2 * 5 * 7 * 16


def test_a_large_weight_loses_its_data_before_inference() -> None:
    proto = model(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], [info("x", 1, 100)], ["y"], [array("w", 100, 100)]
    )
    values, warnings = onnx_shapes.infer(proto)
    assert values["y"].shape == (1, 100)
    assert not warnings
    assert proto.ByteSize() < 1000


RANGE = helper.make_node("Range", ["zero", "many", "one"], ["r"])
DOUBLED = helper.make_node("Mul", ["r", "two"], ["y"])
CALLED = helper.make_graph([RANGE, DOUBLED], "body", [], [helper.make_empty_tensor_value_info("y")])


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([RANGE, DOUBLED], []),
        ([RANGE, DOUBLED], [helper.make_tensor_value_info("r", INT64, [n]) for n in (10**9, 1)]),
        ([helper.make_node("Expand", ["two", "length"], ["r"]), DOUBLED], []),
        ([helper.make_node("Concat", ["one"] * 5000, ["r"], axis=0), DOUBLED], []),
        ([helper.make_node("If", ["x"], ["y"], then_branch=CALLED, else_branch=CALLED)], []),
        (
            [helper.make_node("NonZero", ["x"], ["n"]), helper.make_node("Shape", ["n"], ["s"]),
             helper.make_node("Concat", ["s", "length"], ["l"], axis=0), helper.make_node("Gather", ["l", "two"], ["many_too"]),
             helper.make_node("Range", ["zero", "many_too", "one"], ["r"]), DOUBLED],
            [],
        ),
    ],
    ids=["range", "said twice", "expand", "concat", "in a body", "known in part"],
)  # fmt: skip
def test_long_lists_are_not_followed_element_by_element(
    read: Any, monkeypatch: pytest.MonkeyPatch, nodes: list[Any], says: list[Any]
) -> None:
    real = onnx.shape_inference.infer_shapes
    followed: list[str] = []

    def infer(proto: onnx.ModelProto, *, data_prop: bool, **options: Any) -> onnx.ModelProto:
        followed.append("")
        if data_prop:
            touching = [n for n in proto.graph.node if {"r", "y"} & {*n.input, *n.output}]
            followed.extend(node.op_type for node in touching if node.domain == "")
            if len(followed) > 2:
                return proto  # else it would take gigabytes
        return real(proto, data_prop=data_prop, **options)

    monkeypatch.setattr("onnx.shape_inference.infer_shapes", infer)
    scalars = [
        numpy_helper.from_array(np.array(v, np.int64), n)
        for n, v in (("zero", 0), ("many", 10**9), ("two", 2))
    ]
    one = numpy_helper.from_array(np.array([1] if nodes[0].op_type == "Concat" else 1, np.int64), "one")
    proto = model(
        [*nodes, helper.make_node("Not", ["x"], ["z"])],
        [helper.make_tensor_value_info("x", TensorProto.BOOL, [1])],
        ["y", "z"],
        [*scalars, one, numbers("length", 10**9)],
    )
    proto.graph.value_info.extend(says)
    graph = read(proto)
    assert followed == ["", ""]
    assert "Not" in graph.kinds
    assert not any("could not infer" in warning for warning in graph.warnings)


def test_the_elements_followed_are_limited_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_shapes, "MOST_FOLLOWED", 25)
    nodes = [helper.make_node("Mul", [f"x{i}", "two"], [f"x{i + 1}"]) for i in range(4)]
    start = helper.make_tensor_value_info("x0", INT64, [5])
    proto = onnx.shape_inference.infer_shapes(model(nodes, [start], ["x4"], [numbers("two", 2)]))
    onnx_shapes._hide_lists(proto)
    assert [node.domain == "" for node in proto.graph.node] == [True, True, False, False]


def test_the_constant_parts_of_a_shape_are_known(read: Any) -> None:
    nodes = [
        helper.make_node("NonZero", ["x"], ["where"]),
        helper.make_node("Transpose", ["where"], ["found"], perm=[1, 0]),
        helper.make_node("GatherND", ["x", "found"], ["chosen"]),
        helper.make_node("Shape", ["chosen"], ["s"]),
        helper.make_node("Concat", ["s", "sizes"], ["shape"], axis=0),
        helper.make_node("Expand", ["row", "shape"], ["wide"]),
        helper.make_node("MatMul", ["wide", "w"], ["y"]),
    ]
    graph = read(
        model(nodes, [info("x", 4, 5)], ["y"], [numbers("sizes", 6, 8), array("w", 8, 3), array("row", 1)])
    )
    assert graph.macs[-1] == 6 * 8 * 3


def test_scan_slices_what_it_scans(read: Any) -> None:
    body = helper.make_graph(
        [
            helper.make_node("MatMul", ["row", "w"], ["p"], name="step"),
            helper.make_node("Add", ["p", "s"], ["next"]),
        ],
        "body",
        [info("s", 1, 8), info("row", 1, 8)],
        [info("next", 1, 8), info("p", 1, 8)],
    )
    scan = helper.make_node(
        "Scan", ["start", "rows"], ["end", "all"], name="scan", body=body, num_scan_inputs=1
    )
    graph = read(
        model([scan], [info("start", 1, 8), info("rows", 12, 1, 8)], ["end", "all"], [array("w", 8, 8)])
    )
    assert graph.macs[2] == 12 * 64
    assert graph.params[2] == 64
    assert graph.tensor_shapes[2:] == ((1, 8), (12, 1, 8))


def test_every_form_of_constant_folds(read: Any) -> None:
    sparse = helper.make_sparse_tensor(array("values", 3), numbers("indices", 0, 5, 9), [12])
    nodes = [
        helper.make_node("Constant", [], ["i"], value_int=3),
        helper.make_node("Constant", [], ["f"], value_float=0.5),
        helper.make_node("Constant", [], ["fs"], value_floats=[1.0] * 12),
        helper.make_node("Constant", [], ["s"], value_string="text"),
        helper.make_node("Constant", [], ["sp"], sparse_value=sparse),
        helper.make_node("Size", ["x"], ["size"]),
        helper.make_node("Mul", ["x", "f"], ["a"], name="scale"),
        helper.make_node("Add", ["a", "fs"], ["b"], name="bias"),
        helper.make_node("Add", ["b", "sp"], ["y"], name="sparse"),
        helper.make_node("Cast", ["size"], ["z"], to=FLOAT),
    ]
    graph = read(model(nodes, [info("x", 2, 12)], ["y", "z"]))
    assert graph.op_ids == ("x", "scale", "bias", "sparse")
    assert graph.params.tolist() == [0, 0, 12, 3]  # a literal number is no parameter
    assert graph.tensor_shapes == ((2, 12),) * 4


def test_names_that_are_not_text_are_refused(tmp_path: Path) -> None:
    proto = model([helper.make_node("Relu", ["xx"], ["yy"], name="NAME")], [info("xx", 1)], ["yy"])
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString().replace(b"NAME", b"N\xff\xfeE"))
    with pytest.raises(ModelError, match=r"model.onnx .*UTF-8"):
        read_graph(path)
