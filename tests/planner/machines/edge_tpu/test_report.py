"""The Edge TPU report: a small example checked by hand, several models, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.errors import StageboardError
from planner.formats import read_model
from planner.formats.merge import merge
from planner.machines.edge_tpu.report import edge_tpu_report, report_text, to_edge_tpu
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target

ROOT = Path(__file__).resolve().parents[4]
MIB = 1 << 20


def network(name: str = "net") -> Graph:
    """image -> a -> b -> d -> e, a skips to d and e; parameters 3, 6, 1 and 9 MiB once they take a byte each."""
    ops = [
        Op("image", "image", "InputLayer"),
        Op("a", "a", "Conv2D", params=3 * MIB, param_bytes=12 * MIB, macs=1e6),
        Op("b", "b", "Conv2D", params=6 * MIB, param_bytes=24 * MIB, macs=1e6),
        Op("d", "d", "Add", params=MIB, param_bytes=4 * MIB, supported=False),
        Op("e", "e", "Dense", params=9 * MIB, param_bytes=36 * MIB, macs=1e6),
    ]
    f = "float32"
    tensors = [
        Tensor("image", ("a",), 4096.0, shape=(1, 32, 32), dtype=f, name="image"),
        Tensor("a", ("b", "d", "e"), 2 * MIB, shape=(1, 512, 1024), dtype=f, name="skip me"),
        Tensor("b", ("d",), 4 * MIB, shape=(1, 1024, 1024), dtype=f, name="b:0"),
        Tensor("d", ("e",), 400.0, shape=(100,), dtype=f),
        Tensor("e", (), 40.0, shape=(10,), dtype=f, name="y"),
    ]
    return fill(Graph.build(name, ops, tensors))


def planned(graph: Graph, device_of: list[int], target: Target | None = None) -> Plan:
    problem = Problem(graph, target or EdgeTpuPipeline(count=4))
    return problem.plan(np.array(device_of, np.int32), Provenance("by hand"))


def test_memory_and_cuts_of_a_small_network() -> None:
    # Stage 2 stays empty: segments are numbered without it.
    report = edge_tpu_report(planned(network(), [0, 0, 1, 1, 3]), ["some/net.tflite"])
    assert [stage["operations"] for stage in report["stages"]] == [1, 2, 0, 1]
    assert [stage["on_chip_used"] / MIB for stage in report["stages"]] == [3, 7, 0, 8]
    assert [stage["on_chip_remaining"] / MIB for stage in report["stages"]] == [5, 1, 8, 0]
    assert [stage["off_chip"] / MIB for stage in report["stages"]] == [0, 0, 0, 1]
    assert [stage["bytes_in"] for stage in report["stages"]] == [0, MIB / 2, 0, MIB / 2 + 100]
    assert [stage["bytes_out"] for stage in report["stages"]] == [MIB / 2, 100, 0, 0]
    assert report["components"] == {
        "max-memory": 9 * MIB, "dram": MIB, "max-communication": MIB / 2 + 100,
    }  # fmt: skip
    (model,) = report["models"]
    assert [(s["segment"], s["stage"], s["operations"]) for s in model["segments"]] == [
        ("net_segment_0_of_3", "stage 0", 1),
        ("net_segment_1_of_3", "stage 1", 2),
        ("net_segment_2_of_3", "stage 3", 1),
    ]
    skip = {
        "tensor": "skip me", "shape": [1, 512, 1024], "dtype": "float32", "bytes": MIB / 2, "producer": "a",
        "from": 0, "to": [1, 2],
    }  # fmt: skip
    first, second = model["cuts"]
    assert first["tensors"] == [skip] and first["bytes"] == MIB / 2
    assert first["argument"] == "--intermediate_tensors 'skip me'"
    # The skip passes the second cut too; a tensor without a name has its op's.
    assert [t["tensor"] for t in second["tensors"]] == ["skip me", "d"]
    assert second["after"] == "net_segment_1_of_3" and second["tensors"][1]["from"] == 1
    assert second["command"] == "edgetpu_compiler --intermediate_tensors 'skip me,d' net.tflite"
    assert {"kind": "Add", "count": 1, "runs_on": "host"} in model["operations"]
    assert {"kind": "Conv2D", "count": 2, "runs_on": "Edge TPU"} in model["operations"]
    assert "quantised to INT8" in report["notes"][0]
    assert "operations are the ops that compute, 4 of 5: the other is a model input" in report["notes"]


def test_the_text_says_the_same(tmp_path: Path) -> None:
    plan = planned(network(), [0, 0, 1, 1, 3])
    files = to_edge_tpu(plan, [], tmp_path / "report.json")
    assert (files.text.name, files.data.name) == ("report.txt", "report.json")
    assert json.loads(files.data.read_text()) == edge_tpu_report(plan)
    text = files.text.read_text()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "memory-1-2-3: max-memory 9.00 MiB, dram 1.00 MiB, max-communication 512.1 KiB" in lines
    assert "stage 3 1 8.00 MiB 0 B 1.00 MiB 512.1 KiB 0 B" in lines
    assert "net_segment_1_of_3 stage 1 2 1 1 7.00 MiB" in lines
    assert "Cut after net_segment_0_of_3: 1 tensor, 512.0 KiB" in lines
    assert "0 to 1, 2 1x512x1024 float32 524288 skip me" in lines
    assert text == report_text(edge_tpu_report(plan)) and not any(line.endswith(" ") for line in lines)
    assert to_edge_tpu(plan, [], tmp_path / "other").text == tmp_path / "other.txt"


@pytest.mark.parametrize(
    ("asked", "other"), [("r.txt", "r.json"), ("r", "r.json"), ("r.json", "r.txt"), ("r", "r.txt")]
)
def test_nothing_else_is_lost_that_nobody_named(tmp_path: Path, asked: str, other: str) -> None:
    plan = planned(network(), [0, 0, 1, 1, 3])
    (tmp_path / other).write_text('{"format": "stageboard-plan"}')
    with pytest.raises(
        StageboardError, match=rf"{other} is there already, is something else .* choose another name"
    ):
        to_edge_tpu(plan, [], tmp_path / asked)
    assert (tmp_path / other).read_text() == '{"format": "stageboard-plan"}' and len(
        list(tmp_path.iterdir())
    ) == 1
    (tmp_path / other).unlink()
    for _ in range(2):  # a report takes the place of an earlier one
        to_edge_tpu(plan, [], tmp_path / asked)


def test_an_objective_of_one_number_is_said_once() -> None:
    plan = planned(network(), [0, 0, 1, 1, 3])
    fastest = replace(plan.problem, objective="inference-time")
    heading = report_text(
        edge_tpu_report(fastest.plan(plan.decision.device_of, plan.provenance, ""))
    ).splitlines()[1]
    assert heading.startswith("inference-time ") and heading.count("inference-time") == 1


def test_only_tflite_files_can_be_cut_as_they_are() -> None:
    plan = planned(network(), [0, 0, 1, 1, 3])
    text = report_text(edge_tpu_report(plan, ["net.tflite"]))
    assert "To compile: export the plan as tflite-stages" in text
    report = edge_tpu_report(plan, ["nets/net.onnx"])
    assert "To compile: convert net.onnx to an INT8 .tflite file" in report_text(report)
    assert report["models"][0]["cuts"][0]["command"].endswith(" net.tflite")
    # Floating-point tensors with the bytes they will have, and with those they have.
    assert "INT8 bytes" in text
    as_stored = planned(network(), [0, 0, 1, 1, 3], EdgeTpuPipeline(count=4, precision="file"))
    assert "INT8 bytes" not in report_text(edge_tpu_report(as_stored))


def test_models_deployed_together_keep_their_names() -> None:
    graph = fill(merge([network("one"), network("two")]))
    report = edge_tpu_report(planned(graph, [0, 0, 1, 1, 3, 0, 0, 0, 0, 1]))
    one, two = report["models"]
    assert one["model"] == "one" and two["segments"][1]["segment"] == "two_segment_1_of_2"
    assert [t["producer"] for t in one["cuts"][0]["tensors"]] == ["a"]
    assert [t["producer"] for t in two["cuts"][0]["tensors"]] == ["a", "d"]
    # A stage's cache holds the parameters of both.
    assert report["stages"][0]["on_chip_used"] + report["stages"][0]["off_chip"] == 13 * MIB
    assert "share each stage's cache" in report["notes"][-1]


def test_a_cut_that_nothing_passes_has_no_argument() -> None:
    ops = [
        Op(i, i, kind, params=1, param_bytes=4)
        for i, kind in (("x", "Input"), ("a", "Conv2D"), ("b", "Conv2D"))
    ]
    tensors = [Tensor("x", ("a", "b"), 4.0), Tensor("a", (), 4.0), Tensor("b", (), 4.0)]
    report = edge_tpu_report(planned(fill(Graph.build("two", ops, tensors)), [0, 0, 1]))
    (cut,) = report["models"][0]["cuts"]
    assert (cut["tensors"], cut["bytes"], cut["argument"], cut["command"]) == ([], 0, "", "")
    text = report_text(report)
    assert "0 tensors, 0 B" in text and "--intermediate_tensors" not in text


def test_broken_rules_are_counted_by_place() -> None:
    target = EdgeTpuPipeline(count=4, shared_children=True)
    note = edge_tpu_report(planned(network(), [0, 0, 1, 1, 3], target))["notes"][-1]
    assert note.startswith("the plan breaks a rule: b and e both read from a")


def test_a_time_is_no_size() -> None:
    problem = Problem(network(), EdgeTpuPipeline(count=2), "stage-time")
    plan = problem.plan(np.array([0, 0, 0, 1, 1], np.int32), Provenance("by hand"))
    assert f"\nstage-time {1e3 * plan.objective:.3f} ms" in report_text(edge_tpu_report(plan))


def test_what_is_refused() -> None:
    with pytest.raises(StageboardError, match=r"the plan is for pipeline:2, which has no Edge TPU segments"):
        edge_tpu_report(planned(network(), [0, 0, 0, 0, 1], Pipeline(count=2)))
    with pytest.raises(StageboardError, match="repair the plan, then export the report"):
        edge_tpu_report(planned(network(), [0, 0, 2, 1, 1]))


def test_totals_of_a_real_network() -> None:
    graph = read_model(ROOT / "sample_models" / "resnet50.json")
    order = np.empty(graph.n, np.int32)
    order[graph.topological_order] = np.arange(graph.n) * 4 // graph.n
    problem = Problem(graph, EdgeTpuPipeline(count=4))
    report = edge_tpu_report(problem.plan(order, Provenance("by hand")))
    (model,) = report["models"]
    assert sum(s["parameter_bytes"] for s in model["segments"]) == graph.params.sum() == 25_636_712
    assert sum(s["operations"] for s in model["segments"]) == 176  # all but the input layer
    assert len(model["cuts"]) == 3 and all(cut["tensors"] for cut in model["cuts"])
    assert [stage["bytes_in"] for stage in report["stages"]][1:] == [cut["bytes"] for cut in model["cuts"]]


def test_what_activations_push_out_is_told() -> None:
    ops = [Op(f"n{i}", f"n{i}", param_bytes=4.0 * 2**20, params=2**20, macs=1e6) for i in range(4)]
    edges = [Tensor(f"n{i}", (f"n{i + 1}",), 1000.0) for i in range(3)]
    graph = fill(Graph.build("chain", ops, edges, time_unit="s"))
    told = []
    for cache in (8, 9):
        plan = planned(graph, [0, 0, 1, 1], EdgeTpuPipeline(2, cache=cache * 2.0**20))
        told.append([note for note in edge_tpu_report(plan)["notes"] if "push" in note])
    (pushed,), nothing = told
    assert pushed.endswith("streamed like those off-chip: stage 0 2.0 KiB, stage 1 2.0 KiB")
    assert not nothing
