"""Profiles of PipeDream: nodes in any order, times in milliseconds, sizes in bytes, friendly and hostile."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.cli import main
from planner.errors import ModelError
from planner.formats import read_graph, read_model
from planner.formats.graphs.pipedream import is_pipedream

DATA = Path(__file__).resolve().parents[3] / "data"
NODE = "a -- Linear(1, 1) -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=8.0, parameter_size=4.0"


def read_text(folder: Path, text: str) -> object:
    path = folder / "graph.txt"
    path.write_text(text)
    return read_graph(path)


def test_a_small_file() -> None:
    graph = read_graph(DATA / "small.txt")
    assert graph.format == "pipedream" and graph.time_unit == "s"
    assert graph.op_ids == ("node3", "node1", "node2", "node4")
    assert graph.kinds == ("LSTM", "Input", "Conv2d", "getitem")
    assert graph.work.tolist() == pytest.approx([4e-3, 0, 9.375e-3, 0])
    assert graph.param_bytes.tolist() == [2304, 0, 6912, 0] and graph.params.tolist() == [576, 0, 1728, 0]
    sent = {graph.op_ids[p]: s for p, s in zip(graph.tensor_producer, graph.tensor_bytes, strict=True)}
    assert sent == {"node3": 4224, "node1": 2048, "node2": 8192, "node4": 4096}
    assert sorted(zip(*(ends.tolist() for ends in graph.edges), strict=True)) == [
        (0, 3),
        (1, 2),
        (2, 0),
        (2, 3),
    ]
    assert graph.attrs[2]["backward_time"] == pytest.approx(6.125e-3) and graph.attrs[2]["stage"] == 0
    assert graph.attrs[2]["module"] == "Conv2d(3, 64, kernel_size=(3, 3), bias=False)"
    assert len(graph.warnings) == 1 and "gradients" in graph.warnings[0]


def test_a_profile_of_inference_says_nothing_of_gradients(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_text(f"{NODE.replace('=2.0', '=0.0')}\r\n")
    graph = read_model(path)
    assert not graph.warnings and graph.profiled and graph.work.tolist() == [1e-3]


def test_it_is_told_by_its_content() -> None:
    assert is_pipedream((DATA / "small.txt").read_bytes()[:4096])
    assert is_pipedream(b"\xef\xbb\xbf\n\ta -- b\n") and not is_pipedream(b"digraph { a -> b }")


def test_it_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(DATA / "small.txt"), "--target", "pipeline:2", "--time-limit", "1"]) == 0
    assert "bottleneck" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{NODE}\n{NODE}\n", "line 2: there is a node 'a' above"),
        (f"{NODE}\n\ta -- b\n", "line 2: no line tells of the node 'b'"),
        (f"{NODE}\n\ta\n", "an edge is two ids"),
        (f"{NODE}\n\ta -- a\n", "consumes its own output"),
        (f"{NODE}\n{NODE.replace('a --', 'b --', 1)}\n\ta -- b\n\tb -- a\n", "cycle"),
        (f"{NODE}\n\n\n\n\n", ""),
        (NODE.replace("1.0", "nan"), "must be finite"),
        (NODE.replace("1.0", "-1"), "must be between 0"),
        (NODE.replace("1.0", "1e400"), "must be finite"),
        (NODE.replace("1.0", "fast"), "it must be a number"),
        (NODE.replace("=8.0", "=[8.0; ]"), "it must be a number"),
        (NODE.replace("activation_size", "size"), "its third part must be"),
        (f"{NODE} -- stage_id=one", "a fourth part must be stage_id"),
        (f"{NODE} -- stage_id=1 -- 2", "has 5 parts"),
        (f"{NODE}\nhello", "line 2 has 1 parts"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    if not says:
        read_text(tmp_path, text)
        return
    with pytest.raises(ModelError) as caught:
        read_text(tmp_path, text)
    assert says in str(caught.value) and "graph.txt" in str(caught.value) and len(str(caught.value)) < 400


def test_other_texts_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model that is known here"):
        read_text(tmp_path, "some words\n")
