"""One door for every model: formats told apart, errors of one sentence, several models at once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from planner.errors import ModelError
from planner.formats import FORMATS, SUFFIXES, read_graph, read_model, read_models
from planner.formats.merge import merge
from planner.model.cost_model import CostModel

DATA = Path(__file__).resolve().parents[2] / "data"


def test_every_format_is_told_by_suffix_or_content(tmp_path: Path) -> None:
    for name, form in (("small.json", "stageboard-graph"), ("workload.json", "device-placement"),
                       ("small.graphml", "graphml"), ("small.dot", "dot"),
                       ("small.pbtxt", "cost-graph"), ("small.txt", "pipedream"), ("small.pt2", "torch-export"), ("small.keras", "keras"), ("small.h5", "keras")):  # fmt: skip
        assert read_graph(DATA / name).format == form
        bare = tmp_path / name.replace(".", "_")
        shutil.copy(DATA / name, bare)
        assert read_graph(bare).format == form
    assert {form.name for form in FORMATS} >= {
        "onnx",
        "tflite",
        "stageboard-graph",
        "device-placement",
        "graphml",
        "dot",
        "cost-graph",
        "pipedream",
        "torch-export",
        "keras",
    }
    assert ".onnx" in SUFFIXES


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("model.onnx", b"", "is empty"),
        ("model.json", b"   \n", "is empty"),
        ("model.json", b'{"format": "stageboard-graph", "ops": [', "not complete, valid JSON"),
        ("model.json", b"\xff\xfe\x00", "not UTF-8"),
        ("model.json", b"[" * 200_000, "nests its JSON too deeply"),
        ("model.json", b'{"nodes": [{"id": ' + b"9" * 5000 + b'}], "edges": []}', "too long"),
        ("model.json", b'{"nodes": [NaN], "edges": []}', "contains NaN"),
        ("model.json", b"[1]", "not a model"),
        ("model.json", b'{"format": "stageboard-plan"}', "open its model first"),
        ("model.json", b'{"fpgas": []}', "open its workload first"),
        ("model.onnx", b"\x00\x01garbage\xff" * 50, "not complete, valid ONNX"),
        ("model.onnx", b"\x08\x07", "no ONNX graph"),
        ("model.tflite", b"PK\x03\x04", "does not begin like a TFLite model"),
        ("model.bin", b"\0\0\0\0TFL3", "holds no subgraph"),
        ("model.graphml", b"<svg></svg>", "not GraphML"),
        ("model.gv", b"graph { a -- b }", "no direction"),
        ("model.pbtxt", b'node { name: "a" op: "Conv2D" }', "no cost graph has a field 'op'"),
        ("model.bin", b"\x7fELF", "known are"),
        ("model", b"hello", "no suffix"),
    ],
)
def test_bad_files_are_one_sentence_naming_the_file(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        read_graph(path)
    sentence = str(caught.value)
    assert says in sentence
    assert name in sentence
    assert "\n" not in sentence
    assert len(sentence) < 400


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for suffix in (".onnx", ".tflite", ".json", ".graphml", ".dot", ".pbtxt", ""):
        with pytest.raises(ModelError, match="does not exist"):
            read_graph(tmp_path / f"nothing{suffix}")
        folder = tmp_path / f"folder{suffix}"
        folder.mkdir()
        with pytest.raises(ModelError, match="is a folder"):
            read_graph(folder)


@pytest.mark.parametrize("suffix", [".json", ".onnx", ".graphml", ".dot", ".textproto"])
def test_huge_files_are_refused_unread(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"huge{suffix}"
    with path.open("wb") as file:
        file.truncate(3 << 30 if suffix == ".onnx" else 300 << 20)  # sparse: takes no space
    with pytest.raises(ModelError, match=r"MiB, more than the .* MiB"):
        read_graph(path)


@pytest.mark.parametrize("batch", [0, -1, True, 1.5, 10**9])
def test_a_senseless_batch_is_refused(batch: int) -> None:
    with pytest.raises(ModelError, match="batch"):
        read_graph(DATA / "small.json", batch=batch)


def test_read_model_is_profiled() -> None:
    graph = read_model(DATA / "small.dot", cost_model=CostModel(cpu_flops=1e9))
    assert graph.profiled
    assert graph.cost_model == CostModel(cpu_flops=1e9)


def test_several_models_share_one_graph() -> None:
    graph = read_models([DATA / "small.json", DATA / "small.json", DATA / "small.graphml"])
    assert graph.profiled
    assert graph.model_names == ("small", "small (2)", "small (3)")
    assert graph.n == 13
    assert graph.model.tolist() == [0] * 5 + [1] * 5 + [2] * 3
    assert graph.op_ids[0] == "small/in"
    assert graph.op_ids[5] == "small (2)/in"
    assert graph.colour_class[3] == 7
    assert graph.colour_class[8] == 15  # of its own model
    assert graph.layer[6] == 4
    producers, consumers = graph.edges
    assert (graph.model[producers] == graph.model[consumers]).all()
    assert len(graph.topological_order) == 13
    assert not graph.tensor_bytes.flags.writeable


def test_one_model_is_not_renamed_and_distinct_ids_stay() -> None:
    one = read_graph(DATA / "small.json")
    assert merge([one]) is one
    two = merge([one, read_graph(DATA / "small.graphml")])
    assert two.op_ids[:2] == ("in", "conv")
    with pytest.raises(ModelError, match="no model"):
        merge([])


def test_models_of_different_units_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="different units"):
        read_models([DATA / "small.json", DATA / "workload.json"])
    # A model without any time takes the other's unit only where seconds can be estimated.
    data = json.loads((DATA / "small.json").read_text())
    for op in data["ops"]:
        op.pop("work")
        op.pop("work_cpu")
    data["time_unit"] = None
    (tmp_path / "plain.json").write_text(json.dumps(data))
    assert read_models([DATA / "small.json", tmp_path / "plain.json"]).time_unit == "s"
    with pytest.raises(ModelError, match="unknown unit"):
        read_models([DATA / "workload.json", tmp_path / "plain.json"])


def test_merging_filled_models_estimates_anew() -> None:
    filled = read_model(DATA / "small.dot")
    merged = merge([filled, read_model(DATA / "small.json")])
    assert merged.cost_model is None
    assert np.isnan(merged.work_cpu[1])
