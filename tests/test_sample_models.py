"""The sample models are what their README says: the paper's graphs, real sizes, no weights, nothing broken."""

from __future__ import annotations

import functools
import importlib
import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from ai_edge_litert import schema_py_generated
from onnx import numpy_helper

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_models"
CONTROL_FLOW = Path(__file__).parent / "data" / "control_flow.onnx"

LARGEST_JSON = 250_000  # bytes
LARGEST_ONNX = 400_000
LARGEST_TFLITE = 250_000

# The Edge TPU paper's Table III: nodes, largest in-degree, depth. Then the exact parameter totals of Keras's
# `model.summary()`, which the table on https://keras.io/api/applications rounds (25.6M for ResNet50).
PAPER = {
    "resnet50.json": ("ResNet50", 177, 2, 168, 25_636_712),
    "xception.json": ("Xception", 134, 2, 125, 22_910_480),
    "resnet101.json": ("ResNet101", 347, 2, 338, 44_707_176),
    "resnet152.json": ("ResNet152", 517, 2, 508, 60_419_944),
    "resnet50_v2.json": ("ResNet50V2", 192, 2, 184, 25_613_800),
    "resnet101_v2.json": ("ResNet101V2", 379, 2, 371, 44_675_560),
    "densenet121.json": ("DenseNet121", 429, 2, 428, 8_062_504),
    "densenet169.json": ("DenseNet169", 597, 2, 596, 14_307_880),
    "densenet201.json": ("DenseNet201", 709, 2, 708, 20_242_984),
    "resnet152_v2.json": ("ResNet152V2", 566, 2, 558, 60_380_648),
    "inception_resnet_v2.json": ("InceptionResNetV2", 782, 4, 571, 55_873_736),
}

# Multiply-adds in the ResNet paper's Table 1, rounded there to one decimal.
RESNET_GMACS = {"resnet50.json": 3.8, "resnet101.json": 7.6, "resnet152.json": 11.3}

# Ops, edges, largest in-degree, depth, and the parameters that transformers counts in BertForPreTraining of this size; encoder layers.
BERT = {"bert_large.json": (1930, 2370, 3, 1246, 336226108), "bert_3.json": (292, 354, 3, 196, 71705404)}
BERT_LAYERS = {"bert_large.json": 24, "bert_3.json": 3}
LARGEST_BERT = 600_000

# Parameters in the file; the encoder's position table holds the 128 positions in use, and batch normalisation is
# folded into the convolutions of the U-Net and the detector.
ONNX = {
    "transformer_encoder.onnx": (421, 109_187_328),
    "transformer_decoder.onnx": (429, 124_439_808),
    "unet.onnx": (49, 31_031_810),
    "denoiser.onnx": (744, 30_064_387),
    "fpn_detector.onnx": (215, 11_144_828),
}

# Ops with the input, edges, largest in-degree, depth, parameters, their bytes.
TFLITE = {"branchy_int8.tflite": (45, 52, 4, 36, 165_078, 171_816)}

# Neurons, connections, inputs, outputs, layers.
NETWORKS = {
    "mlp_100.npz": (401, 3_264, 100, 1, 5),
    "compact_growth_50.npz": (549, 2_548, 48, 1, 91),
    "digits_pruned.npz": (391, 3_392, 190, 10, 4),
}
LARGEST_NETWORK = 50_000


class Shape(NamedTuple):
    """Counts of one graph."""

    ops: int
    edges: int
    degree: int
    depth: int


def refuse_constant(text: str) -> float:
    """Called by the JSON reader for NaN and infinities, which JSON does not have."""
    raise ValueError(f"{text} is not a number a graph file may hold")


@functools.cache
def graph_file(name: str) -> dict[str, Any]:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"), parse_constant=refuse_constant)


def producers(content: dict[str, Any]) -> dict[str, list[str]]:
    """Op id -> ids of the ops whose tensors it reads."""
    found: dict[str, list[str]] = {op["id"]: [] for op in content["ops"]}
    for tensor in content["tensors"]:
        for consumer in tensor["to"]:
            found[consumer].append(tensor["from"])
    return found


def shape_of(content: dict[str, Any]) -> Shape:
    sources = producers(content)
    depth: dict[str, int] = {}
    for op in content["ops"]:
        depth[op["id"]] = 1 + max((depth[source] for source in sources[op["id"]]), default=-1)
    edges = sum(map(len, sources.values()))
    return Shape(len(sources), edges, max(map(len, sources.values())), max(depth.values()))


@pytest.mark.parametrize("name", sorted(PAPER))
class TestKerasGraphs:
    def test_equals_the_paper_s_table(self, name: str) -> None:
        model, nodes, degree, depth, parameters = PAPER[name]
        content = graph_file(name)
        counted = shape_of(content)
        assert (content["name"], counted.ops, counted.degree, counted.depth) == (model, nodes, degree, depth)
        assert sum(op["params"] for op in content["ops"]) == parameters

    def test_header_and_fields(self, name: str) -> None:
        content = graph_file(name)
        assert (content["format"], content["version"]) == ("stageboard-graph", 1)
        assert content["time_unit"] is None  # no profile: the cost model works from MACs and bytes
        assert "Keras" in content["source"] and "Apache-2.0" in content["source"]
        for op in content["ops"]:
            assert op["name"] and op["kind"]
            assert not {"work", "work_cpu", "memory"} & set(op)
            assert op["param_bytes"] == 4 * op["params"] >= 0
            assert isinstance(op["macs"], int) and op["macs"] >= 0
            assert all(isinstance(value, str | int | float) for value in op["attrs"].values())

    def test_ids_are_unique_and_in_topological_order(self, name: str) -> None:
        content = graph_file(name)
        position = {op["id"]: index for index, op in enumerate(content["ops"])}
        assert len(position) == len(content["ops"])
        for tensor in content["tensors"]:
            assert all(position[tensor["from"]] < position[consumer] for consumer in tensor["to"])

    def test_every_op_has_one_tensor_of_known_size(self, name: str) -> None:
        content = graph_file(name)
        ids = [op["id"] for op in content["ops"]]
        assert [tensor["from"] for tensor in content["tensors"]] == ids
        for tensor in content["tensors"]:
            assert set(tensor["to"]) <= set(ids)
            assert len(set(tensor["to"])) == len(tensor["to"])
            assert tensor["dtype"] == "float32"
            assert tensor["shape"][0] == 1 and min(tensor["shape"]) > 0
            assert tensor["bytes"] == 4 * math.prod(tensor["shape"])
        ends = [tensor["from"] for tensor in content["tensors"] if not tensor["to"]]
        assert ends == ["predictions"]

    def test_macs_agree_with_weights_and_output_pixels(self, name: str) -> None:
        """Each weight of a convolution or dense layer works once per output pixel; a bias does not count."""
        content = graph_file(name)
        counted = 0
        for op, tensor in zip(content["ops"], content["tensors"], strict=True):
            if op["kind"] in ("Conv2D", "SeparableConv2D", "Dense"):
                *pixels, channels = tensor["shape"]
                per_pixel, remainder = divmod(op["macs"], math.prod(pixels))
                assert remainder == 0
                assert per_pixel in (op["params"], op["params"] - channels), op["id"]
                counted += 1
            else:
                assert op["macs"] == 0, op["id"]
        assert counted > 10

    def test_blocks_are_numbered_from_input_to_output(self, name: str) -> None:
        """No edge leads back to an earlier block, so folding blocks leaves an acyclic graph."""
        content = graph_file(name)
        block = {op["id"]: op["layer"] for op in content["ops"]}
        names = {op["layer"]: op["attrs"]["block"] for op in content["ops"]}
        assert sorted(names) == list(range(len(names)))
        assert len(set(names.values())) == len(names) > 10
        for tensor in content["tensors"]:
            assert all(block[tensor["from"]] <= block[consumer] for consumer in tensor["to"])
        assert all(names[op["layer"]] == op["attrs"]["block"] for op in content["ops"])

    def test_is_small_and_diffable(self, name: str) -> None:
        raw = (SAMPLES / name).read_bytes()
        assert len(raw) < LARGEST_JSON
        lines = raw.decode("utf-8").splitlines()
        assert len(lines) > 2 * PAPER[name][1] and max(map(len, lines)) < 400


@pytest.mark.parametrize("name", sorted(BERT))
class TestBert:
    def test_counts(self, name: str) -> None:
        content = graph_file(name)
        assert (*shape_of(content), sum(op.get("params", 0) for op in content["ops"])) == BERT[name]
        assert all(op.get("param_bytes", 0) == 4 * op.get("params", 0) for op in content["ops"])
        assert (SAMPLES / name).stat().st_size < LARGEST_BERT

    def test_its_layers_are_alike_and_follow_one_another(self, name: str) -> None:
        content = graph_file(name)
        layer = {op["id"]: op.get("layer") for op in content["ops"]}
        inside = [number for number in layer.values() if number is not None]
        count = BERT_LAYERS[name]
        assert {inside.count(number) for number in range(1, count + 1)} == {78}
        assert set(inside) == set(range(count + 2))
        for tensor in content["tensors"]:
            for consumer in tensor["to"]:
                before, after = layer[tensor["from"]], layer[consumer]
                assert before is None or 0 <= after - before <= 1

    def test_one_mask_feeds_all_layers(self, name: str) -> None:
        readers = {tensor["from"]: len(tensor["to"]) for tensor in graph_file(name)["tensors"]}
        count = BERT_LAYERS[name]
        assert readers.pop("attention_mask") == count and max(readers.values()) == 4

    def test_carries_no_weights_and_no_traces_of_the_machine(self, name: str) -> None:
        raw = (SAMPLES / name).read_text(encoding="utf-8")
        assert not re.search(r"/(home|tmp|root|usr|work|Users)/", raw)
        assert {key for op in graph_file(name)["ops"] for key in op} == {
            "id", "kind", "params", "param_bytes", "macs", "layer",
        }  # fmt: skip


def test_the_small_bert_is_cut_from_the_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    tool = importlib.import_module("make_bert_3")
    assert tool.main([str(tmp_path)]) == 0
    assert (tmp_path / "bert_3.json").read_bytes() == (SAMPLES / "bert_3.json").read_bytes()


@pytest.mark.parametrize("name", sorted(RESNET_GMACS))
def test_resnets_need_the_multiply_adds_of_their_paper(name: str) -> None:
    gmacs = sum(op["macs"] for op in graph_file(name)["ops"]) / 1e9
    assert gmacs == pytest.approx(RESNET_GMACS[name], rel=0.02)


def computing_nodes(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """The nodes that depend on an input of the model; all others are constants."""
    live = {value.name for value in graph.input}
    found = []
    for node in graph.node:
        if live & set(node.input):
            live.update(node.output)
            found.append(node)
    return found


def weight_sizes(graph: onnx.GraphProto) -> dict[str, int]:
    """Number of values of every weight, from the shape its ConstantOfShape node asks for."""
    shapes = {tensor.name: numpy_helper.to_array(tensor).tolist() for tensor in graph.initializer}
    return {
        node.output[0]: math.prod(shapes[node.input[0]])
        for node in graph.node
        if node.op_type == "ConstantOfShape"
    }


@pytest.mark.parametrize("name", sorted(ONNX))
class TestOnnxFiles:
    def test_loads_and_checks(self, name: str) -> None:
        path = SAMPLES / name
        assert path.stat().st_size < LARGEST_ONNX
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 17)]

    def test_counts(self, name: str) -> None:
        ops, parameters = ONNX[name]
        graph = onnx.load(SAMPLES / name).graph
        assert len(computing_nodes(graph)) == ops
        assert sum(weight_sizes(graph).values()) == parameters

    def test_all_shapes_are_known_once_the_batch_is(self, name: str) -> None:
        model = onnx.load(SAMPLES / name)
        for value in [*model.graph.input, *model.graph.output]:
            batch, *rest = value.type.tensor_type.shape.dim
            assert batch.dim_param == "batch"
            assert all(size.dim_value > 0 for size in rest)
            batch.dim_value = 3
        graph = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
        known = {
            value.name: [size.dim_value for size in value.type.tensor_type.shape.dim]
            for value in [*graph.value_info, *graph.output]
        }
        for node in computing_nodes(graph):
            for output in node.output:
                assert output in known, node.name
                assert all(size > 0 for size in known[output]), node.name

    def test_carries_no_weights_and_no_traces_of_the_machine(self, name: str) -> None:
        model = onnx.load(SAMPLES / name)
        assert sum(math.prod(tensor.dims) for tensor in model.graph.initializer) < 5_000
        assert all(not tensor.external_data for tensor in model.graph.initializer)
        assert all(not node.doc_string for node in model.graph.node)
        assert not model.graph.value_info
        raw = (SAMPLES / name).read_bytes()
        assert not re.search(rb"/(home|tmp|root|usr|work|Users)/", raw)

    def test_nodes_have_unique_scoped_names(self, name: str) -> None:
        nodes = computing_nodes(onnx.load(SAMPLES / name).graph)
        names = [node.name for node in nodes]
        assert len(set(names)) == len(names)
        scoped = [node_name for node_name in names if node_name.count("/") >= 2]
        assert len(scoped) > 0.9 * len(names)


def test_each_onnx_file_shows_what_it_is_there_for() -> None:
    """A mask and a time embedding that feed many layers, ops with several outputs, several model outputs."""
    graphs = {name: onnx.load(SAMPLES / name).graph for name in ONNX}

    def largest_fan_out(graph: onnx.GraphProto) -> int:
        read = [name for node in computing_nodes(graph) for name in set(node.input)]
        made = {name for node in computing_nodes(graph) for name in node.output}
        return max(read.count(name) for name in made)

    def splits(graph: onnx.GraphProto) -> set[int]:
        return {len(node.output) for node in graph.node if node.op_type == "Split"}

    assert largest_fan_out(graphs["transformer_encoder.onnx"]) == 12
    assert largest_fan_out(graphs["transformer_decoder.onnx"]) == 12
    assert largest_fan_out(graphs["denoiser.onnx"]) == 22
    assert splits(graphs["transformer_decoder.onnx"]) == splits(graphs["denoiser.onnx"]) == {3}
    assert splits(graphs["fpn_detector.onnx"]) == {2}
    assert len(graphs["transformer_encoder.onnx"].output) == 2
    assert len(graphs["fpn_detector.onnx"].output) == 6
    # The decoder's head reads the transposed embedding: one weight, two readers.
    decoder = graphs["transformer_decoder.onnx"]
    assert sum("wte.weight" in node.input for node in decoder.node) == 2


@pytest.mark.parametrize("name", sorted(TFLITE))
class TestTfliteFiles:
    def test_counts(self, name: str) -> None:
        """Straight from the file: operators, the tensors between them, what its weights and biases hold."""
        model = schema_py_generated.ModelT.InitFromPackedBuf((SAMPLES / name).read_bytes())
        (graph,) = model.subgraphs
        made_by = {int(t): 0 for t in graph.inputs}
        sources: list[list[int]] = [[]]
        params = size = 0
        for number, operator in enumerate(graph.operators, 1):
            sources.append(sorted({made_by[int(t)] for t in operator.inputs if int(t) in made_by}))
            made_by.update((int(t), number) for t in operator.outputs)
            for t in operator.inputs[1:]:
                tensor = graph.tensors[int(t)]
                if tensor.name.endswith((b"/weights", b"/bias")):
                    params += math.prod(tensor.shape.tolist())
                    size += len(model.buffers[tensor.buffer].data)
        depth = [0] * len(sources)
        for number, before in enumerate(sources):
            depth[number] = 1 + max((depth[source] for source in before), default=-1)
        edges = sum(map(len, sources))
        assert (len(sources), edges, max(map(len, sources)), max(depth), params, size) == TFLITE[name]

    def test_is_small_and_carries_no_traces_of_the_machine(self, name: str) -> None:
        raw = (SAMPLES / name).read_bytes()
        assert len(raw) <= LARGEST_TFLITE
        assert not re.search(rb"/(home|tmp|root|usr|work|Users)/", raw)

    def test_stored_data_is_aligned(self, name: str) -> None:
        """The runtime reads weights in place; the schema asks for multiples of 16 bytes."""
        raw = (SAMPLES / name).read_bytes()
        model = schema_py_generated.Model.GetRootAs(raw)
        for i in range(model.BuffersLength()):
            data = model.Buffers(i).DataAsNumpy()
            if not isinstance(data, int):
                assert (data.ctypes.data - np.frombuffer(raw, np.uint8).ctypes.data) % 16 == 0


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_networks(name: str) -> None:
    """Straight from the file: what its arrays hold."""
    assert (SAMPLES / name).stat().st_size < LARGEST_NETWORK
    with np.load(SAMPLES / name, allow_pickle=False) as arrays:
        source, target, layer = arrays["source"], arrays["target"], arrays["layer"]
        counts = (
            len(arrays["bias"]),
            len(source),
            len(arrays["inputs"]),
            len(arrays["outputs"]),
            layer.max() + 1,
        )
        assert counts == NETWORKS[name]
        assert (layer[source] < layer[target]).all() and len(arrays["weight"]) == len(source)
        assert set(arrays["activation"].tolist()) == {"relu", "identity"}
    assert not re.search(rb"/(home|tmp|root|usr|work|Users)/", (SAMPLES / name).read_bytes())


def test_readme_lists_every_file_with_its_counts() -> None:
    text = (SAMPLES / "README.md").read_text(encoding="utf-8")
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        match = re.fullmatch(r"`([\w.]+)`", cells[0])
        if match:
            rows[match[1]] = cells[1:]
    present = {path.name for path in SAMPLES.iterdir() if path.name != "README.md"}
    assert set(rows) == present == set(PAPER) | set(BERT) | set(ONNX) | set(TFLITE) | set(NETWORKS)
    for name in PAPER:
        counted = shape_of(graph_file(name))
        parameters = sum(op["params"] for op in graph_file(name)["ops"])
        gmacs = sum(op["macs"] for op in graph_file(name)["ops"]) / 1e9
        assert rows[name][1:] == [f"{value:,}" for value in (*counted, parameters)] + [f"{gmacs:.2f}"], name
    for name, counts_and_parameters in BERT.items():
        gmacs = sum(op.get("macs", 0) for op in graph_file(name)["ops"]) / 1e9
        assert rows[name][1:] == [*(f"{value:,}" for value in counts_and_parameters), f"{gmacs:.2f}"], name
    for name in ONNX:
        graph = onnx.load(SAMPLES / name).graph
        counts = (len(computing_nodes(graph)), len(graph.node), sum(weight_sizes(graph).values()))
        assert rows[name][1:4] == [f"{value:,}" for value in counts], name
    for name, counted_ones in TFLITE.items():
        assert rows[name][1:7] == [f"{value:,}" for value in counted_ones], name
    for name, counted_ones in NETWORKS.items():
        assert rows[name][1:6] == [f"{value:,}" for value in counted_ones], name


class TestControlFlow:
    """`tests/data/control_flow.onnx`, the small file with what other files do not have."""

    def test_checks_and_infers(self) -> None:
        model = onnx.load(CONTROL_FLOW)
        onnx.checker.check_model(model)
        onnx.shape_inference.infer_shapes(model)
        assert CONTROL_FLOW.stat().st_size < 5_000

    def test_holds_what_it_promises(self) -> None:
        model = onnx.load(CONTROL_FLOW)
        nodes = {node.op_type: node for node in model.graph.node}
        assert list(nodes) == ["MatMul", "If", "Loop", "Sharpen", "Relu", "ReduceSum"]
        assert nodes["Sharpen"].domain and nodes["Sharpen"].domain in {o.domain for o in model.opset_import}
        bodies = {attribute.name: attribute.g for attribute in nodes["If"].attribute}
        assert list(bodies["then_branch"].initializer[0].dims) == [8, 8]
        assert all("hidden" in body.node[0].input for body in bodies.values())
        assert "hidden" not in nodes["If"].input  # an edge that only the bodies tell
        assert len(nodes["Loop"].output) == 2
