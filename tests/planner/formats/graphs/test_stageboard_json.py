"""Stageboard's own graph JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import ModelError
from planner.formats import read_graph
from planner.formats.graphs import stageboard_json
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.printable import clean

DATA = Path(__file__).resolve().parents[3] / "data"
SAMPLES = Path(__file__).resolve().parents[4] / "sample_models"


def test_every_field_arrives() -> None:
    graph = read_graph(DATA / "small.json")
    assert (graph.name, graph.n, graph.tensor_count, graph.time_unit) == ("small", 5, 5, "s")
    assert graph.op_names[1] == "conv"
    assert graph.kinds == ("Input", "Conv", "Relu", "Relu", "Add")
    assert graph.work.tolist() == [0, 0.002, 0.001, 0.001, 0.003]
    assert graph.work_cpu[1] == 0.02
    assert (graph.params[1], graph.param_bytes[1], graph.macs[1]) == (100, 400, 5000)
    assert graph.memory.tolist() == [600, 1400, 1000, 1000, 64]
    assert graph.supported.tolist() == [True, True, False, True, True]
    assert graph.backward.tolist() == [False] * 4 + [True]
    assert graph.layer.tolist() == [-1, 1, 2, 2, -1]
    assert graph.colour_class[3] == 7
    assert graph.tensor_shapes[0] == (1, 3, 10, 5)
    assert graph.tensor_names[0] == "x"
    assert graph.tensor_time[1] == 0.0005
    assert math.isnan(graph.tensor_time[0])
    assert graph.attrs[1] == {"kernel": [3, 3]}
    assert graph.edges[1].tolist() == [1, 2, 3, 4, 4]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(1, 8))
    size = st.one_of(st.floats(0, 1e12), st.integers(0, 10**9))
    maybe = st.one_of(st.none(), st.floats(0, 10))
    label = st.one_of(st.none(), st.integers(0, 5))
    names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8)
    ops = [
        Op(f"op{i}", draw(names.map(clean)), draw(st.sampled_from(["Conv", "Add"])),
           work=draw(maybe), work_cpu=draw(maybe), params=draw(size), param_bytes=draw(size), macs=draw(size),
           memory=draw(st.one_of(st.none(), size)), supported=draw(st.booleans()), backward=draw(st.booleans()),
           colour_class=draw(label), layer=draw(label))
        for i in range(n)
    ]  # fmt: skip
    tensors = [
        Tensor(
            f"op{i}", tuple(f"op{j}" for j in range(i + 1, n) if draw(st.booleans())), draw(size), draw(maybe)
        )
        for i in range(n)
        for _ in range(draw(st.integers(0, 2)))
    ]
    return Graph.build("drawn", ops, tensors)


@given(graphs())
def test_writing_and_reading_keep_the_fingerprint(
    tmp_path_factory: pytest.TempPathFactory, graph: Graph
) -> None:
    path = tmp_path_factory.mktemp("graph") / "drawn.json"
    stageboard_json.write(graph, path, source="a test")
    assert read_graph(path).fingerprint == graph.fingerprint
    stageboard_json.write(fill(graph), path)  # estimates are not written
    again = read_graph(path)
    assert again.fingerprint == graph.fingerprint
    assert np.array_equal(again.work, graph.work, equal_nan=True)


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json")), ids=lambda p: p.stem)
def test_samples_can_be_read(sample: Path) -> None:
    graph = read_graph(sample)
    assert graph.n > 100
    assert graph.macs.sum() > 1e9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.update(version=2), "version 2"),
        (lambda d: d.update(time_unit="ms"), "time_unit"),
        (lambda d: d.update(ops=[]), "no ops"),
        (lambda d: d.update(ops={}), "must be a list"),
        (lambda d: d.update(tensors=None), "must be a list"),
        (lambda d: d["ops"].append(3), "must be an object"),
        (lambda d: d["ops"][1].update(id="in"), "ids must be unique"),
        (lambda d: d["ops"][1].pop("id"), "must be text"),
        (lambda d: d["ops"][1].update(work=-1), "work"),
        (lambda d: d["ops"][1].update(work="fast"), "must be a number"),
        (lambda d: d["ops"][1].update(work=True), "must be a number"),
        (lambda d: d["ops"][1].update(work=1e400), "is inf; it must be a number from 0 to 1e+30"),
        (lambda d: d["ops"][1].update(macs=10**400), "must be a number from 0 to 1e+30"),
        (lambda d: d["ops"][1].update(layer=2**40), "whole number"),
        (lambda d: d["ops"][1].update(layer=1.5), "whole number"),
        (lambda d: d["ops"][1].update(supported="no"), "true or false"),
        (lambda d: d["tensors"][0].update(bytes=-4), "bytes"),
        (lambda d: d["tensors"][0].update(shape=["x"]), "whole number"),
        (lambda d: d["tensors"][0].update({"to": "conv"}), "must be a list"),
        (lambda d: d["tensors"][0].update({"to": ["nowhere"]}), "nowhere"),
        (lambda d: d["tensors"][0].update({"from": "nowhere"}), "nowhere"),
        (lambda d: d["tensors"][4].update({"to": ["conv"]}), "cycle"),
        (lambda d: d["tensors"][4].update({"to": ["add"]}), "acyclic"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: Any, says: str) -> None:
    data = json.loads((DATA / "small.json").read_text())
    change(data)
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(data).replace("Infinity", "1e400"))
    with pytest.raises(ModelError) as caught:
        read_graph(path)
    assert says in str(caught.value)
    assert "broken.json" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_broken_text_is_cleaned(tmp_path: Path) -> None:
    data = json.loads((DATA / "small.json").read_text())
    data["ops"][1]["name"] = "a\x00b\ud800\n"
    data["ops"][1]["attrs"] = {"deep": {"x": 1}, "nan": 1e400, "ok": "yes\x07"}
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(data).replace("Infinity", "1e400"))
    graph = read_graph(path)
    assert graph.op_names[1] == r"a\x00b\ud800\x0a"
    assert graph.attrs[1] == {"ok": r"yes\x07"}
    assert graph.fingerprint
