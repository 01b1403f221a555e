"""Whatever bytes a model file holds, reading it gives a graph or one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import ModelError
from planner.formats import read_graph
from planner.model.cost_model import fill

DATA = Path(__file__).resolve().parents[2] / "data"
FILES = ("small.json", "workload.json", "small.graphml", "small.dot", "small.pbtxt", "control_flow.onnx")


def reads_or_says_why(path: Path) -> None:
    try:
        graph = fill(read_graph(path))
    except ModelError as error:
        sentence = str(error)
        assert "\n" not in sentence
        assert len(sentence) < 600
        assert "not foreseen" not in sentence, sentence
    else:
        assert graph.profiled
        assert graph.fingerprint
        assert len(graph.topological_order) == graph.n > 0


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60)
@given(data=st.data())
def test_mutated_files(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    content = bytearray((DATA / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 5), "mutations")):
        at = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(0, 4))
        content[at : at + length] = data.draw(
            st.one_of(st.binary(max_size=4), st.sampled_from([b"-", b"1e999", b'"', b"9" * 30]))
        )
        content = content or bytearray(b"x")
    path = tmp_path_factory.mktemp("hostile") / name
    path.write_bytes(bytes(content))
    reads_or_says_why(path)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25)
@given(data=st.data())
def test_truncated_files(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    content = (DATA / name).read_bytes()
    path = tmp_path_factory.mktemp("hostile") / name
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    reads_or_says_why(path)


@pytest.mark.parametrize("suffix", [".onnx", ".tflite", ".json", ".graphml", ".dot", ".pbtxt", ".bin"])
@settings(max_examples=25)
@given(content=st.binary(max_size=200))
def test_garbage(tmp_path_factory: pytest.TempPathFactory, suffix: str, content: bytes) -> None:
    path = tmp_path_factory.mktemp("hostile") / f"garbage{suffix}"
    path.write_bytes(content)
    reads_or_says_why(path)
