"""Cost graphs: what TensorFlow writes as CostGraphDef text, friendly and hostile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.cli import main
from planner.errors import ModelError
from planner.formats import read_graph, read_model
from planner.formats.graphs.cost_graph import is_cost_graph
from planner.machines.spec import parse_target
from planner.model.graph import Graph
from planner.problem.problem import Problem

DATA = Path(__file__).resolve().parents[3] / "data"


def tensors(graph: Graph) -> dict[tuple[str, ...], float]:
    """Producer and consumers by name -> bytes."""
    ends = graph.consumer_ptr
    return {
        (graph.op_names[graph.tensor_producer[t]], *(graph.op_names[c] for c in graph.consumer_idx[ends[t] : ends[t + 1]])): size
        for t, size in enumerate(graph.tensor_bytes.tolist())
    }  # fmt: skip


def read_text(folder: Path, text: str) -> Graph:
    path = folder / "made.pbtxt"
    path.write_text(text)
    return read_graph(path)


def test_a_small_file() -> None:
    graph = read_graph(DATA / "small.pbtxt")
    assert graph.op_ids == ("1", "2", "3", "4", "7")  # without _SOURCE
    assert graph.op_names == ("in", "split", "left", "right", "7")
    assert graph.work.tolist() == [58, 47, 60, 40, 0]
    assert graph.param_bytes.tolist() == [0, 100, 0, 0, 0]
    assert graph.memory.tolist() == [70, 175, 55, 0, 0]
    assert tensors(graph) == {
        ("in", "split", "right"): 70,
        ("split", "left"): 30,
        ("split", "right"): 40,
        ("left",): 55,  # its output leaves the graph
        ("left", "right"): 0,  # a control input
    }
    assert np.array_equal(graph.tensor_time, graph.tensor_bytes)
    assert graph.tensor_shapes[0] == (7, 10) and graph.tensor_dtypes[:3] == ("uint8", "", "float")
    assert graph.time_unit is None
    assert graph.attrs[1] == {"device": "/device:GPU:0"} and graph.attrs[3] == {"final": True}
    assert len(graph.warnings) == 2


def test_the_example_of_the_published_set(tmp_path: Path) -> None:
    """The shape of its graphs: a start that all wait for, costs near the size of the op's own output."""
    made = 'node { name: "_SOURCE" } node { name: "node_0" id: 1 control_input: 0 }'
    for i, (size, cost) in enumerate(((70, 58), (52, 47))):
        made += f' node {{ name: "node_{i + 1}" id: {i + 2} output_info {{ size: {size} alias_input_port: -1 }} control_input: 0 compute_cost: {cost} }}'
    made += ' node { name: "node_3" id: 4 input_info { preceding_node: 2 } output_info { size: 55 } control_input: 0 compute_cost: 58 }'
    graph = read_text(tmp_path, made)
    assert graph.op_names == ("node_0", "node_1", "node_2", "node_3")
    assert tensors(graph) == {("node_1", "node_3"): 70, ("node_2",): 52, ("node_3",): 55}
    assert graph.work.tolist() == [0, 58, 47, 58]
    # MTPP, equation 1 with B = 1: what crosses costs its size on both sides.
    problem = Problem(read_model(tmp_path / "made.pbtxt"), parse_target("pipeline:2"))
    assert problem.evaluate(np.array([0, 0, 0, 1], np.int32)).cost.tolist() == [58 + 47 + 70, 58 + 70]


def test_control_inputs_order_the_ops(tmp_path: Path) -> None:
    graph = read_text(tmp_path, "node { id: 1 control_input: [2, 3] } node { id: 2 } node { id: 3 }")
    assert tensors(graph) == {("2", "1"): 0, ("3", "1"): 0}
    assert graph.topological_order.tolist() == [1, 2, 0]
    with pytest.raises(ModelError, match="has a cycle"):
        read_text(tmp_path, "node { id: 1 control_input: 2 } node { id: 2 control_input: 1 }")


def test_a_file_without_costs_gives_no_times(tmp_path: Path) -> None:
    graph = read_text(tmp_path, 'node { name: "a" output_info { size: 8 } } node { id: 1 input_info { } }')
    assert np.isnan(graph.work).all() and np.isnan(graph.tensor_time).all()
    assert read_model(tmp_path / "made.pbtxt").profiled


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 8))
    sizes = data.draw(st.lists(st.integers(1, 99), min_size=n, max_size=n))
    costs = data.draw(st.lists(st.integers(1, 99), min_size=n, max_size=n))
    edges = sorted(data.draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)))))
    edges = [(u, v) for u, v in edges if u < v]
    controls = [e for e in edges if data.draw(st.booleans())]
    text = ""
    for v in range(n):
        reads = "".join(
            f" input_info {{ preceding_node: {u} }}" for u, w in edges if w == v and (u, w) not in controls
        )
        waits = "".join(f" control_input: {u}" for u, w in controls if w == v)
        text += f'node {{ name: "n{v}" id: {v}{reads} output_info {{ size: {sizes[v]} }}{waits} compute_cost: {costs[v]} }}\n'
    graph = read_text(tmp_path_factory.mktemp("cost_graph"), text)
    assert graph.work.tolist() == costs
    assert list(zip(*(ends.tolist() for ends in graph.edges), strict=True)) == edges
    carried = {
        (int(u), size) for u, size in zip(graph.tensor_producer, graph.tensor_bytes, strict=True) if size
    }
    assert carried == set(enumerate(sizes))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cost { cost: 1 }", "the graph has no nodes"),
        ('node { name: "_SOURCE" }', "no node does anything"),
        ("node {", r"line 1: Expected"),
        ('node {\n op: "x" }', "line 2: no cost graph has a field 'op' there"),
        ('node { name: "a" } node { name: "b" }', "two nodes have the id 0"),
        ("node { input_info { preceding_node: 5 } }", "node '0' reads from node 5, which the file does not have"),
        ("node { id: 1 input_info { } } node { }", "reads output 0 of node '0', which has 0"),
        ("node { control_input: 5 }", "waits for node 5"),
        ("node { control_input: 0 }", "consumes its own output"),
        ("node { compute_cost: -1 }", "has compute_cost -1"),
        ("node { compute_cost: 1 persistent_memory_size: -3 }", "has persistent_memory_size -3"),
        ("node { output_info { size: -2 } }", "has size -2"),
        ("node { id: 3000000000 }", "out of range"),
        ("node { output_info { dtype: DT_NOTHING } }", "no value named"),
        ('node { name: "\\355\\240\\200" }', "line 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ModelError, match=says) as caught:
        read_text(tmp_path, text)
    assert "made" in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("start", "is_one"),
    [
        (b"# a comment\n\nnode {", True), (b"node: <", True), (b"node\n{", True), (b"nodes: [", False),
        (b"digraph { node [shape=box] }", False), (b"", False), (b"node [", False),
    ],
)  # fmt: skip
def test_cost_graphs_are_told_by_how_they_begin(start: bytes, is_one: bool) -> None:
    assert is_cost_graph(start) is is_one


def test_the_command_line_plans_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(DATA / "small.pbtxt"), "--target", "pipeline:2", "--planner", "slice"]) == 0
    assert "pipeline:2" in capsys.readouterr().out
