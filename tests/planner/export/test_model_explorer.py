"""The Model Explorer export: the fields that program reads, edges that lead somewhere, every op in its device's colour."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.export.dot import FILLS
from planner.export.model_explorer import collection, node_data, to_model_explorer
from planner.formats import read_graph
from planner.formats.merge import merge
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance

DATA = Path(__file__).resolve().parents[2] / "data"
NODE = {"id", "label", "namespace", "attrs", "incomingEdges", "outputsMetadata", "style"}


def planned(*names: str) -> Plan:
    graph = fill(merge([read_graph(DATA / name) for name in names]))
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.arange(graph.n) * 3 // graph.n
    return Problem(graph, Pipeline(count=3)).plan(device_of, Provenance("by hand"))


@pytest.mark.parametrize("names", [("small.json",), ("control_flow.onnx",), ("small.json", "small.json")])
def test_graphs_hold_every_op_and_edge(tmp_path: Path, names: tuple[str, ...]) -> None:
    plan = planned(*names)
    graph = plan.problem.graph
    files = to_model_explorer(plan, tmp_path / "plan.json")
    assert [file.name for file in files] == ["plan.json", "plan.node-data.json"]
    written, data = (json.loads(file.read_text()) for file in files)
    assert written == collection(plan) and data == node_data(plan)
    assert set(written) == {"label", "graphs"} and len(written["graphs"]) == len(names)
    nodes = [node for one in written["graphs"] for node in one["nodes"]]
    assert [node["label"] for node in nodes] == list(graph.kinds)
    edges = 0
    for one in written["graphs"]:
        made = {node["id"]: len(node["outputsMetadata"]) for node in one["nodes"]}
        assert len(made) == len(one["nodes"])
        for node in one["nodes"]:
            assert set(node) == NODE
            assert all(isinstance(pair["value"], str) for pair in node["attrs"])
            edges += len(node["incomingEdges"])
            assert all(
                int(edge["sourceNodeOutputId"]) < made[edge["sourceNodeId"]] for edge in node["incomingEdges"]
            )
    assert edges == len(graph.consumer_idx)
    for node, device in zip(nodes, plan.decision.device_of.tolist(), strict=True):
        assert node["namespace"].split("/")[0] == plan.problem.devices[device].title
        assert node["style"] == {"backgroundColor": FILLS[device]}
        model = graph.model_names[graph.model[int(node["id"].removeprefix("op "))]]
        results = (data if len(names) == 1 else data[model])["results"]
        assert results[node["id"]]["value"] == device
        for output in node["outputsMetadata"]:
            name = next((pair["value"] for pair in output["attrs"] if pair["key"] == "tensor_name"), None)
            assert name is None or results[name]["value"] == device


def test_names_of_scopes_become_layers() -> None:
    nodes = collection(planned("control_flow.onnx"))["graphs"][0]["nodes"]
    assert any(node["namespace"].endswith("/stem") for node in nodes)
    named = {pair["value"] for node in nodes for pair in node["attrs"] if pair["key"] == "name"}
    assert "/stem/MatMul" in named


def test_bytes_and_times_are_those_of_the_machine() -> None:
    ops = [
        Op("a", "a", kind="Conv", macs=9e9, params=16.0, param_bytes=64.0),
        Op("b", "b"),
    ]
    tensor = Tensor("a", ("b",), bytes=8.0, dtype="float32")
    graph = fill(Graph.build("floating", ops, [tensor]))
    plan = Problem(graph, EdgeTpuPipeline(2)).plan(np.array([0, 1], np.int32), Provenance("by hand"))
    first = next(node for one in collection(plan)["graphs"] for node in one["nodes"])
    assert {"key": "parameter bytes", "value": "16 B"} in first["attrs"]
    assert {"key": "work", "value": "10.00 ms"} in first["attrs"], (
        "as the Edge TPU works, not the model's time"
    )
    assert {"key": "bytes", "value": "2 B"} in first["outputsMetadata"][0]["attrs"]


def test_nothing_else_is_lost_that_nobody_named(tmp_path: Path) -> None:
    plan, kept = planned("small.json"), tmp_path / "r.json"
    kept.write_text('{"format": "stageboard-plan", "graph": {}}')
    with pytest.raises(StageboardError, match=r"r\.json is there already"):
        to_model_explorer(plan, tmp_path / "r")
    assert "stageboard-plan" in kept.read_text()
    for _ in range(2):  # who names a file is asked about it elsewhere
        to_model_explorer(plan, kept)
        to_model_explorer(plan, tmp_path / "r")
