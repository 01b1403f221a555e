"""The modules that PyTorch's exporter names in the metadata of nodes become the scopes of ops."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import NodeProto, TensorProto, helper

from planner.errors import ModelError
from planner.export.sources import own_name
from planner.formats import read_graph, read_models
from planner.formats.graphs.stageboard_json import read as read_json
from planner.formats.graphs.stageboard_json import write as write_json
from planner.formats.onnx.modules import NAME_SCOPES, NAMESPACE, module_path
from planner.machines.pipeline.target import Pipeline
from planner.model.blocks import named_blocks
from planner.model.graph import Graph
from planner.model.groups import by_scope
from planner.plan_files.plan_json import open_plan, write_plan
from planner.printable import LONGEST_ID
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance


def node(name: str, *, last: str = "", **metadata: str) -> NodeProto:
    """A node as PyTorch's exporter writes it, reading what the one called ``last`` puts out."""
    made = helper.make_node("Relu", [last or "x"], [name], name=f"node_{name}")
    for key, value in metadata.items():
        entry = made.metadata_props.add()
        entry.key, entry.value = {"scopes": NAME_SCOPES}.get(key, key), value
    return made


def model(path: Path, nodes: list[NodeProto]) -> Path:
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])] for name in ("x", nodes[-1].output[0])
    ]
    path.write_bytes(helper.make_model(helper.make_graph(nodes, "g", *ends)).SerializeToString())
    return path


def layers(told: bool = True) -> list[NodeProto]:
    """Two layers of three ops, and one outside of any module."""
    nodes, last = [], ""
    for layer in range(2):
        for part in ("attention.query", "attention.query", "norm"):
            name = f"relu_{len(nodes)}"
            module, *inner = part.split(".")
            path = [f"layers.{layer}", f"layers.{layer}.{module}", *(f"layers.{layer}.{part}" for _ in inner)]
            metadata = {"scopes": repr(["", *path, name])} if told else {}
            nodes.append(node(name, last=last, **metadata))
            last = name
    nodes.append(node("end", last=last, **({"scopes": "['', 'end']"} if told else {})))
    return nodes


def scoped(folder: Path) -> Graph:
    return read_graph(model(folder / "m.onnx", layers()))


def test_scopes_stand_before_names(tmp_path: Path) -> None:
    graph = scoped(tmp_path)
    assert graph.op_ids[1:] == (*(f"node_relu_{i}" for i in range(6)), "node_end")
    assert graph.op_names == ("x", "layers.0/attention/query/relu_0", "layers.0/attention/query/relu_1", "layers.0/norm/relu_2",
                              "layers.1/attention/query/relu_3", "layers.1/attention/query/relu_4", "layers.1/norm/relu_5", "node_end")  # fmt: skip
    assert graph.scopes[1:3] == ("layers.0/attention/query",) * 2 and graph.scopes[7] == ""


def test_such_a_model_is_grouped_by_layer(tmp_path: Path) -> None:
    graph = scoped(tmp_path)
    groups, blocks = by_scope(graph, 1), named_blocks(graph)
    assert groups is not None and groups.names == ("x", "layers.0", "layers.1", "node_end")
    assert blocks is not None and blocks.names == ("x", "layers.0", "layers.1", "node_end")
    without = by_scope(read_graph(model(tmp_path / "without.onnx", layers(told=False))))
    assert without is not None and without.names == ("x", "node_relu", "node_end")


def test_ops_outside_of_modules_are_in_no_scope(tmp_path: Path) -> None:
    nodes = layers()
    nodes.append(node("end_1", last="end", scopes="['', 'end_1']"))
    groups = by_scope(read_graph(model(tmp_path / "m.onnx", nodes)))
    assert groups is not None and groups.names[-2:] == ("node_end", "node_end_1")


def test_plans_made_without_scopes_are_of_the_same_graph(tmp_path: Path) -> None:
    graph, before = scoped(tmp_path), read_graph(model(tmp_path / "m.onnx", layers(told=False)))
    assert graph.fingerprint == before.fingerprint and graph.structure == before.structure
    graph, before = (read_models([model(tmp_path / "m.onnx", layers(told))]) for told in (True, False))
    plan = Problem(before, Pipeline(2)).plan([0] * 4 + [1] * 4, Provenance("by hand"))
    opened = open_plan(write_plan(tmp_path / "p.json", plan), graph)
    assert opened.plan.decision.device_of.tolist() == [0] * 4 + [1] * 4 and not opened.notes


def test_stageboards_own_file_keeps_them(tmp_path: Path) -> None:
    graph = scoped(tmp_path)
    again = read_json(write_json(graph, tmp_path / "m.json"))
    assert again.op_names == graph.op_names and again.structure == graph.structure
    assert again.scopes == graph.scopes and again.own_names == graph.own_names
    long = '{"format": "stageboard-graph", "version": 1, "ops": [{"id": "a", "scope": "%s"}], "tensors": []}'
    (tmp_path / "long.json").write_text(long % ("s" * LONGEST_ID + "/t"))
    with pytest.raises(ModelError):
        read_json(tmp_path / "long.json")


def test_several_models_keep_them(tmp_path: Path) -> None:
    paths = [model(tmp_path / name, layers(name != "c.onnx")) for name in ("a.onnx", "b.onnx", "c.onnx")]
    graph = read_models(paths)
    assert graph.op_names[1] == "a/layers.0/attention/query/relu_0" and graph.op_names[17] == "c/node_relu_0"
    assert graph.scopes[9] == "b/layers.0/attention/query" and graph.scopes[17] == ""
    assert own_name(graph, 9) == own_name(graph, 1) == own_name(graph, 17) == "node_relu_0"
    again = read_json(write_json(graph, tmp_path / "m.json"))
    assert again.op_names == graph.op_names


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({"scopes": "['', 'emb', 'embedding']"}, "emb"),
        ({"scopes": "['', 'h.0', \"h.0.it's\", 'mul']"}, "h.0/it's"),
        ({"scopes": "['', 'a', 'a', 'b.c', 'mul']"}, "a/b.c"),
        ({"scopes": "['', 'mul']"}, ""),
        (
            {"scopes": "", NAMESPACE: ": m.Model/h.0: m.Block/h.0.mlp: m.MLP/mul_1: aten.mul.Tensor"},
            "h.0/mlp",
        ),
        ({NAMESPACE: "mul"}, ""),
        ({"scopes": "__import__('os').system('true')"}, "os"),  # quoted texts are all that is looked for
        ({"scopes": "['" * 50_000}, ""),
        ({"scopes": "['', 'a\x1b\u202e', 'x']"}, r"a\x1b\u202e"),
        ({}, ""),
    ],
)
def test_what_metadata_may_say(metadata: dict[str, str], path: str) -> None:
    found = module_path(node("n", **metadata))
    assert found == path or (len(metadata.get("scopes", "")) > 5000 and len(found) <= 5000)


def test_what_is_no_text_says_nothing(tmp_path: Path) -> None:
    path = model(tmp_path / "m.onnx", layers())
    path.write_bytes(path.read_bytes().replace(b"'layers.0.norm'", b"'layers.0.nor\xff'"))
    graph = read_graph(path)
    assert graph.scopes[3] == "" and graph.scopes[4] == "layers.1/attention/query"
