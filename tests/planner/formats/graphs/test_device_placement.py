"""Device-placement workloads and split files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.errors import ModelError, PlanError
from planner.formats import read_graph
from planner.formats.graphs.device_placement import kind_of, read_split, read_split_file
from tests.shared_files import shared

DATA = Path(__file__).resolve().parents[3] / "data"
WORKLOADS = "workloads/device-placement"


def test_a_small_workload() -> None:
    graph = read_graph(DATA / "workload.json")
    assert graph.op_ids == ("0", "1", "3", "10")
    assert graph.kinds == ("Parameter", "Conv", "Add", "ConvGrad")
    assert graph.work.tolist() == [0, 2, 1.5, 2]
    assert graph.work_cpu.tolist() == [0, 20, 5, 2]
    assert graph.memory.tolist() == [64, 32, 16, 32]
    assert graph.param_bytes.tolist() == [64, 0, 0, 0]
    assert graph.params[0] == 16
    assert graph.backward.tolist() == [False, False, False, True]
    assert graph.colour_class.tolist() == [2, -1, 2, -1]
    assert graph.layer.tolist() == [-1, 4, -1, -1]
    assert graph.time_unit is None
    assert dict(graph.deployment) == {"accelerators": 2.0, "cpus": 1.0, "memory": 1000.0}
    # op 1's edges cost differently: one tensor each (Appendix B)
    assert graph.tensor_producer.tolist() == [0, 1, 1, 2]
    assert graph.tensor_time.tolist() == [0.25, 0.5, 0.75, 0.5]
    assert graph.tensor_bytes.tolist() == [64, 32, 48, 16]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("MatMul39", "MatMul"), ("Gelu_10", "Gelu"), ("Softmax", "Softmax"), ("node12", "Layer"),
        ("node12grad", "LayerGradient"), ("LayerNormalization12_Grad/LayerNormalizationGrad_0_930_grad", "LayerNormalizationGrad"),
        ("AdamOptimizer_74_transposed", "AdamOptimizer"), ("AccumulateGrad_1064_grad", "AccumulateGrad"),
        ("TrainableDropout17_909", "TrainableDropout"), ("Next_Sentence_Loss_nsp_loss", "op"), ("99", "op"),
    ],
)  # fmt: skip
def test_kinds_come_from_names(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_sources_are_inputs_or_parameters() -> None:
    assert kind_of("node1", source=True) == "Input"
    assert kind_of("26_transposed", source=True, weight=True) == "Parameter"


@pytest.mark.parametrize(
    ("workload", "ops", "parameter_megabytes"),
    [
        ("LayerGraphs/resnet50_inference", 177, 102.7), ("OperatorGraphs/resnet50_training", 1243, 102.2),
        ("OperatorGraphs/bert_L-12_training", 2012, 516.0), ("LayerGraphs/inceptionv3_training", 652, 109.2),
        ("OperatorGraphs/bert_l-3_inference", 235, 29.6), ("LayerGraphs/bert24_training", 64, 1594.9),
    ],
)  # fmt: skip
def test_published_workloads(workload: str, ops: int, parameter_megabytes: float) -> None:
    path = shared(f"{WORKLOADS}/throughput/{workload}.json")
    graph = read_graph(path)
    raw = json.loads(path.read_text())
    assert graph.n == ops == len(raw["nodes"])
    assert graph.profiled
    assert graph.param_bytes.sum() / 1e6 == pytest.approx(parameter_megabytes, abs=0.05)
    assert graph.work.sum() == pytest.approx(sum(node["fpgaLatency"] for node in raw["nodes"]), rel=1e-12)
    assert {(int(graph.op_ids[u]), int(graph.op_ids[v])) for u, v in zip(*graph.edges, strict=True)} == {
        (edge["sourceId"], edge["destId"]) for edge in raw["edges"]
    }
    assert not graph.warnings


@pytest.mark.parametrize(
    "name",
    ["bert24_inference", "bert24_training", "gnmt_inference", "inceptionv3_inference", "resnet50_inference"],
)
def test_expert_splits_cover_their_workloads(name: str) -> None:
    graph = read_graph(shared(f"{WORKLOADS}/throughput/LayerGraphs/{name}.json"))
    split = read_split_file(shared(f"{WORKLOADS}/expert-splits/{name}_expert.json"), graph)
    assert (split.accelerators, split.cpus) == (6, 1)
    assert set(split.device_of.tolist()) == set(range(6))


def _write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def test_split_files(tmp_path: Path) -> None:
    graph = read_graph(DATA / "workload.json")
    good = {"fpgas": [{"nodes": [0, 1], "load": -1}, {"nodes": []}], "cpus": [{"nodes": [10, "3"]}]}
    split = read_split(_write(tmp_path / "s.json", good), graph)
    assert split.tolist() == [0, 0, 2, 2]
    assert split.dtype == np.int32
    for bad, says in (
        ({"nodes": []}, "not a split file"),
        ({"fpgas": [{"nodes": [0, 1, 3]}]}, "without a device"),
        ({"fpgas": [{"nodes": [0, 1, 3, 10, 99]}]}, "99"),
        ({"fpgas": [{"nodes": [0, 1, 3, 10]}], "cpus": [{"nodes": [3]}]}, "another place"),
        ({"fpgas": [{"nodes": [0, 1, 3, 1.5]}]}, "whole number"),
        ({"fpgas": 6}, "must be a list"),
        ([], "must be an object"),
    ):
        with pytest.raises(PlanError, match=says):
            read_split(_write(tmp_path / "bad.json", bad), graph)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.update(nodes=[]), "no nodes"),
        (lambda d: d["nodes"][0].pop("id"), "id is missing; it must be a whole number"),
        (lambda d: d["nodes"][0].update(id=10), "unique"),
        (lambda d: d["nodes"][0].update(fpgaLatency=-1), "fpgaLatency"),
        (lambda d: d["nodes"][0].update(colorClass=10**12), "colorClass"),
        (lambda d: d["edges"][0].pop("cost"), "cost"),
        (lambda d: d["edges"][0].update(destId=77), "77"),
        (lambda d: d["edges"][3].update(destId=1), "cycle"),
        (lambda d: d.update(maxFPGAs=-2), "maxFPGAs"),
        (lambda d: d.update(edges="none"), "must be a list"),
    ],
)
def test_malformed_workloads_are_refused(tmp_path: Path, change: Any, says: str) -> None:
    data = json.loads((DATA / "workload.json").read_text())
    change(data)
    with pytest.raises(ModelError, match=says):
        read_graph(_write(tmp_path / "workload.json", data))


def test_optional_fields_may_be_missing(tmp_path: Path) -> None:
    data = {
        "nodes": [{"id": 1}, {"id": 0, "fpgaLatency": 2}],
        "edges": [{"sourceId": 0, "destId": 1, "cost": 0}],
    }
    graph = read_graph(_write(tmp_path / "bare.json", data))
    assert graph.op_names == ("0", "1")
    assert np.isnan(graph.work[1])
    assert graph.supported.all()
