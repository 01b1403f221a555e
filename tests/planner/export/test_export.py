"""Exports: split files and DOT read back, CSV adds up."""

from __future__ import annotations

import csv
import json
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from planner.cli import main
from planner.errors import StageboardError
from planner.export import to_csv, to_device_placement, to_dot
from planner.formats import read_graph, read_model
from planner.formats.graphs.device_placement import read_split_file
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.graph import Graph
from planner.model.ops import Op
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from tests.shared_files import shared

DATA = Path(__file__).resolve().parents[2] / "data"
FILES = ("small.json", "workload.json", "small.graphml", "small.dot", "small.pbtxt", "control_flow.onnx")


def make(name: str, target: Target | None = None, seed: int = 1) -> Plan:
    graph = read_model(DATA / name)
    problem = Problem(graph, target or DevicePool(accelerators=2, cpus=1))
    return problem.plan(np.random.default_rng(seed).integers(0, 3, graph.n), Provenance("by hand"))


@pytest.mark.parametrize("name", FILES)
def test_a_split_reads_back(tmp_path: Path, name: str) -> None:
    plan = make(name)
    split = read_split_file(to_device_placement(plan, tmp_path / "split.json"), plan.problem.graph)
    assert (split.accelerators, split.cpus) == (2, 1)
    assert split.device_of.tolist() == plan.decision.device_of.tolist()


def test_a_split_has_the_formats_own_ids_and_loads(tmp_path: Path) -> None:
    plan = make("workload.json")
    data = json.loads(to_device_placement(plan, tmp_path / "split.json").read_text())
    assert sorted(node for device in data["fpgas"] + data["cpus"] for node in device["nodes"]) == [
        0,
        1,
        3,
        10,
    ]
    assert data["maxLoad"] == plan.evaluation.cost.max()
    assert [d["load"] for d in data["fpgas"] + data["cpus"]] == plan.evaluation.cost.tolist()
    stages = json.loads(
        to_device_placement(make("small.json", Pipeline(count=3)), tmp_path / "s.json").read_text()
    )
    assert (len(stages["fpgas"]), len(stages["cpus"])) == (3, 0)


def test_an_expert_split_round_trips(tmp_path: Path) -> None:
    graph = read_graph(shared("workloads/device-placement/throughput/LayerGraphs/gnmt_inference.json"))
    expert = read_split_file(
        shared("workloads/device-placement/expert-splits/gnmt_inference_expert.json"), graph
    )
    plan = Problem(graph, DevicePool(accelerators=6, cpus=1)).plan(expert.device_of, Provenance("expert"))
    again = read_split_file(to_device_placement(plan, tmp_path / "split.json"), graph)
    assert again.device_of.tolist() == expert.device_of.tolist()
    assert plan.objective == pytest.approx(46.21, abs=0.005)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("planned", [False, True])
def test_dot_reads_back(tmp_path: Path, name: str, planned: bool) -> None:
    plan = make(name)
    graph = plan.problem.graph
    again = read_graph(to_dot(graph, plan if planned else None, tmp_path / "graph.dot"))
    assert sorted(again.op_ids) == sorted(graph.op_ids)
    back = np.array([again.index[op] for op in graph.op_ids])
    assert [again.op_names[v] for v in back] == list(graph.op_names)
    assert [again.kinds[v] for v in back] == list(graph.kinds)
    for attribute in (
        "params",
        "param_bytes",
        "macs",
        "memory",
        "layer",
        "colour_class",
        "supported",
        "backward",
    ):
        assert np.array_equal(getattr(again, attribute)[back], getattr(graph, attribute)), attribute
    for given, then in zip(again.given_times, graph.given_times, strict=True):
        assert np.array_equal(given[back], then, equal_nan=True)

    def tensors(g: object) -> list[tuple[object, ...]]:
        return sorted(
            (g.op_ids[g.tensor_producer[t]], sorted(g.op_ids[c] for c in g.consumer_idx[g.consumer_ptr[t] : g.consumer_ptr[t + 1]]), g.tensor_bytes[t])  # type: ignore[attr-defined]
            for t in range(g.tensor_count)  # type: ignore[attr-defined]
            if g.consumer_ptr[t + 1] > g.consumer_ptr[t]  # type: ignore[attr-defined]
        )  # fmt: skip

    assert tensors(again) == tensors(graph)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".PDF", b"%PDF"), (".png", b"\x89PNG")])
def test_graphviz_draws_pictures_of_dot(tmp_path: Path, suffix: str, start: bytes) -> None:
    plan = make("small.json")
    drawn = to_dot(plan.problem.graph, plan, tmp_path / f"g{suffix}").read_bytes()
    assert drawn.startswith(start)
    if suffix == ".svg":
        text = drawn.decode()
        assert text.count('class="node"') == plan.problem.graph.n and text.count('class="cluster"') == len(
            set(plan.decision.device_of.tolist())
        )
    assert (
        main(["export", str(DATA / "small.json"), "--to", "dot", "-o", str(tmp_path / f"whole{suffix}")]) == 0
    )
    assert (tmp_path / f"whole{suffix}").read_bytes().startswith(start)


def test_without_graphviz_a_sentence_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make("small.json")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        StageboardError, match=r"drawn by Graphviz's 'dot', which is not installed; install Graphviz"
    ):
        to_dot(plan.problem.graph, plan, tmp_path / "g.svg")
    (tmp_path / "dot").write_text("#!/bin/sh\necho it broke >&2\nexit 3\n")
    (tmp_path / "dot").chmod(0o755)
    with pytest.raises(StageboardError, match=r"does not draw small \(it broke\); write a .dot file"):
        to_dot(plan.problem.graph, plan, tmp_path / "g.svg")
    assert not list(tmp_path.glob("g.svg*"))


def test_large_graphs_are_not_given_to_graphviz(tmp_path: Path) -> None:
    graph = Graph.build("large", [Op(str(i), str(i)) for i in range(1001)], [])
    with pytest.raises(
        StageboardError, match=r"large has 1,001 ops, and Graphviz draws 1,000 in bearable time"
    ):
        to_dot(graph, None, tmp_path / "g.svg")
    assert to_dot(graph, None, tmp_path / "g.dot").exists()


def test_dot_needs_no_plan(tmp_path: Path) -> None:
    assert main(["export", str(DATA / "small.json"), "--to", "dot", "-o", str(tmp_path / "g.dot")]) == 0
    assert read_graph(tmp_path / "g.dot").n == read_graph(DATA / "small.json").n


def test_dot_groups_ops_by_device(tmp_path: Path) -> None:
    plan = make("small.json")
    text = to_dot(plan.problem.graph, plan, tmp_path / "g.dot").read_text()
    assert text.count("subgraph") == 3
    assert 'label="Accelerator 0"' in text
    with pytest.raises(ValueError, match="not of"):
        to_dot(read_graph(DATA / "workload.json"), plan, tmp_path / "g.dot")


@pytest.mark.parametrize("name", FILES)
def test_csv_adds_up(tmp_path: Path, name: str) -> None:
    plan = make(name)
    graph, device_of = plan.problem.graph, plan.decision.device_of
    with to_csv(plan, tmp_path / "plan.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == list(graph.op_ids)
    assert [row["device"] for row in rows] == [plan.problem.devices[d].name for d in device_of]
    load: dict[str, float] = defaultdict(float)
    for row in rows:
        load[row["device"]] += float(row["work"])
        assert row["work"] == row["work_cpu" if row["device_kind"] == "cpu" else "work_accelerator"]
    for d, device in enumerate(plan.problem.devices):
        assert load[device.name] == pytest.approx(plan.evaluation.work[d])
    sent = received = 0.0
    for t in range(graph.tensor_count):
        consumers = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
        away = device_of[consumers] != device_of[graph.tensor_producer[t]]
        sent += graph.tensor_bytes[t] * bool(away.any())
        received += graph.tensor_bytes[t] * away.sum()
    assert sum(float(row["sent_bytes"]) for row in rows) == sent
    assert sum(float(row["received_bytes"]) for row in rows) == received
    assert sum(float(row["output_bytes"]) for row in rows) == graph.tensor_bytes.sum()


def test_csv_has_the_times_of_the_machine(tmp_path: Path) -> None:
    """An Edge TPU has rates of its own: those of the model stand beside its times, and are not they."""
    graph = fill(Graph.build("two", [Op(f"o{i}", f"o{i}", kind="Conv", macs=1e9) for i in (0, 1)], []))
    plan = Problem(graph, EdgeTpuPipeline(2)).plan(np.array([0, 1], np.int32), Provenance("by hand"))
    with to_csv(plan, tmp_path / "plan.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["work"]) for row in rows] == pytest.approx(plan.evaluation.work.tolist())
    assert [row["work"] for row in rows] == [row["estimated"] for row in rows]
    assert [float(row["work_accelerator"]) for row in rows] == graph.work.tolist()
    assert rows[0]["work"] != rows[0]["work_accelerator"]


def test_csv_holds_no_formulas(tmp_path: Path) -> None:
    (tmp_path / "evil.dot").write_text('digraph { "=cmd()" -> b }')
    graph = read_model(tmp_path / "evil.dot")
    plan = Problem(graph, Pipeline(count=1)).plan(np.zeros(2), Provenance("by hand"))
    assert to_csv(plan, tmp_path / "plan.csv").read_text().splitlines()[1].startswith("'=cmd()")


def test_exports_say_where_they_cannot_write(tmp_path: Path) -> None:
    plan = make("small.json")
    for path in (tmp_path, tmp_path / "no" / "such" / "folder.csv"):
        with pytest.raises(StageboardError):
            to_csv(plan, path)
