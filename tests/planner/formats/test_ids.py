"""Ids of any length stay whole and apart, in every format; what is too long is refused in a short sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from onnx import TensorProto, helper

from planner.errors import ModelError
from planner.export.csv import csv_text
from planner.export.dot import dot_text
from planner.formats import read_graph
from planner.formats.graphs.stageboard_json import write
from planner.machines.pipeline.target import Pipeline
from planner.model.cost_model import fill
from planner.plan_files.plan_json import open_plan, write_plan
from planner.printable import LONGEST_ID, UNPRINTABLE
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance

LONG = "x" * 5000


def own(folder: Path, first: str, second: str) -> Path:
    ops = [{"id": first}, {"id": second}]
    tensors = [{"from": first, "to": [second], "bytes": 8}]
    path = folder / "m.json"
    path.write_text(json.dumps({"format": "stageboard-graph", "version": 1, "ops": ops, "tensors": tensors}))
    return path


def device_placement(folder: Path, first: str, second: str) -> Path:
    nodes = [
        {"id": i, "name": name, "fpgaLatency": 1, "cpuLatency": 2} for i, name in enumerate((first, second))
    ]
    path = folder / "m.json"
    path.write_text(
        json.dumps({"nodes": nodes, "edges": [{"sourceId": 0, "destId": 1, "cost": 1, "size": 8}]})
    )
    return path


def dot(folder: Path, first: str, second: str) -> Path:
    path = folder / "m.dot"
    path.write_text(f'digraph {{ "{first}" -> "{second}" [bytes=8] }}')
    return path


def graphml(folder: Path, first: str, second: str) -> Path:
    path = folder / "m.graphml"
    nodes = "".join(f'<node id="{name}"/>' for name in (first, second))
    edge = f'<edge source="{first}" target="{second}"/>'
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">{nodes}{edge}</graph></graphml>'
    )
    return path


def onnx(folder: Path, first: str, second: str) -> Path:
    nodes = [
        helper.make_node("Relu", ["i"], ["a"], name=first),
        helper.make_node("Relu", ["a"], ["o"], name=second),
    ]
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])] for name in ("i", "o")]
    path = folder / "m.onnx"
    path.write_bytes(helper.make_model(helper.make_graph(nodes, "g", *ends)).SerializeToString())
    return path


FORMATS = [own, device_placement, dot, graphml, onnx]
Made = Callable[[Path, str, str], Path]


@pytest.mark.parametrize("make", FORMATS)
def test_long_ids_that_differ_at_their_end_are_two(tmp_path: Path, make: Made) -> None:
    graph = read_graph(make(tmp_path, f"{LONG}1", f"{LONG}2"))
    assert {f"{LONG}1", f"{LONG}2"} <= set(graph.op_names)
    assert len(set(graph.op_ids)) == graph.n


@pytest.mark.parametrize("make", [own, device_placement, dot, onnx])  # XML has no such characters
def test_ids_that_differ_in_what_cannot_be_shown_are_two(tmp_path: Path, make: Made) -> None:
    graph = read_graph(make(tmp_path, "a\u202e", "a\u202d"))
    assert {r"a\u202e", r"a\u202d"} <= set(graph.op_names)


@pytest.mark.parametrize("make", FORMATS)
def test_ids_beyond_the_limit_are_refused_in_a_sentence(tmp_path: Path, make: Made) -> None:
    assert read_graph(make(tmp_path, "y" * LONGEST_ID, "b")).n >= 2
    with pytest.raises(ModelError, match=r"has .*65,537 characters; at most 65,536 are read") as caught:
        read_graph(make(tmp_path, "y" * (LONGEST_ID + 1), "b"))
    assert len(str(caught.value)) <= 500


@pytest.mark.parametrize("make", [own, graphml])
def test_two_long_ids_that_are_the_same_are_said_shortly(tmp_path: Path, make: Made) -> None:
    with pytest.raises(ModelError, match=r"two .* have the id .*ids must be unique") as caught:
        read_graph(make(tmp_path, LONG, LONG))
    assert len(str(caught.value)) <= 500


def test_plans_and_exports_keep_long_ids(tmp_path: Path) -> None:
    graph = fill(read_graph(own(tmp_path, f"{LONG}1\x1b", f"{LONG}2\u202e")))
    plan = Problem(graph, Pipeline(2)).plan([0, 1], Provenance("by hand"))
    assert open_plan(write_plan(tmp_path / "p.json", plan), graph).plan.decision.device_of.tolist() == [0, 1]
    (tmp_path / "again.dot").write_text(dot_text(graph, plan))
    write(graph, tmp_path / "again.json")
    for again in ("again.dot", "again.json"):
        assert read_graph(tmp_path / again).op_ids == graph.op_ids
    for text in (csv_text(plan), dot_text(graph, plan)):
        assert not UNPRINTABLE.search(text.replace("\n", ""))
