"""GraphML and DOT, friendly and hostile."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest

from planner.errors import ModelError
from planner.formats import read_graph

DATA = Path(__file__).resolve().parents[3] / "data"


def test_graphml() -> None:
    graph = read_graph(DATA / "small.graphml")
    assert graph.op_ids == ("a", "b", "c")
    assert graph.kinds == ("Conv", "op", "op")
    assert graph.work.tolist() == [0.5, 1, 1]
    assert graph.work_cpu.tolist() == [5, 1, 2]
    assert graph.param_bytes.tolist() == [400, 0, 0]
    assert graph.tensor_bytes.tolist() == [128, 64]
    assert graph.consumer_idx.tolist() == [1, 2, 2]


def test_graphml_as_networkx_writes_it(tmp_path: Path) -> None:
    made = networkx.DiGraph()
    made.add_node(1, work=2.0, bytes=77)
    made.add_edge(1, 2, weight=10)
    made.add_edge(1, 3)
    networkx.write_graphml(made, tmp_path / "made.graphml")
    graph = read_graph(tmp_path / "made.graphml")
    assert graph.n == 3
    assert sorted(graph.tensor_bytes.tolist()) == [10, 77]


def test_dot() -> None:
    graph = read_graph(DATA / "small.dot")
    assert graph.op_ids == ("a", "b", "c", "d")
    assert graph.op_names[0] == 'a "quoted" name'
    assert graph.kinds == ("Conv", "Relu", "Relu", "Relu")
    assert graph.work.tolist() == [1e-3, 1e-3, 2, 1e-3]
    assert graph.work_cpu[0] == 0.5
    assert np.isnan(graph.work_cpu[1])
    found = {
        (graph.op_ids[graph.tensor_producer[t]], *(graph.op_ids[c] for c in graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]])): size
        for t, size in enumerate(graph.tensor_bytes.tolist())
    }  # fmt: skip
    assert found == {("a", "b", "c"): 64, ("a", "d"): 128, ("b", "d"): 64, ("c", "d"): 64}


def test_twenty_thousand_edges_of_dot_need_no_patience(tmp_path: Path) -> None:
    lines = [f"n{i} -> n{i + 1} [bytes={i}];" for i in range(20_000)]
    (tmp_path / "long.dot").write_text("digraph {" + "\n".join(lines) + "}")
    assert read_graph(tmp_path / "long.dot").depth == 20_000


GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("g.graphml", '<!DOCTYPE graphml [<!ENTITY a "b">]>' + GRAPHML.format("<graph/>"), "document type"),
        ("g.graphml", GRAPHML.format("<data>" * 5000 + "</data>" * 5000), "levels deep"),
        ("g.graphml", GRAPHML.format("<data>" * 1_000_000), "levels deep"),
        ("g.graphml", GRAPHML.format('<graph edgedefault="directed"><node id="a"><graph/></node></graph>'), "ungroup"),
        ("g.graphml", GRAPHML.format('<graph edgedefault="directed"><node id="a"/><node id="a"/></graph>'), "unique"),
        ("g.graphml", GRAPHML.format('<graph edgedefault="undirected"><node id="a"/></graph>'), "no direction"),
        ("g.graphml", GRAPHML.format("<graph/><graph/>"), "several graphs"),
        ("g.graphml", GRAPHML.format('<graph edgedefault="directed"/>'), "no nodes"),
        ("g.graphml", GRAPHML.format('<graph edgedefault="directed"><node id="a"><data key="?">1</data></node></graph>'), "not GraphML"),
        ("g.graphml", GRAPHML.format('<graph edgedefault="directed"><node id="a">'), "not complete"),
        ("g.graphml", GRAPHML.format('<graph edgedefault="directed"><edge source="a" target="b"/><edge source="b" target="a"/></graph>'), "cycle"),
        ("g.xml", "<html/>", "not GraphML"),
        ("g.dot", "digraph { a -> ", "a name was expected"),
        ("g.dot", "digraph { a -> b", "'}' was expected"),
        ("g.dot", "digraph { a [work=NaN] }", "finite"),
        ("g.dot", "digraph { a [work=-3] }", "between 0"),
        ("g.dot", "digraph { a [work=1e999] }", "finite"),
        ("g.dot", "digraph { a [work=quick] }", "must be a number"),
        ("g.dot", "digraph { a -> a }", "acyclic"),
        ("g.dot", "digraph { a -> b -> a }", "cycle"),
        ("g.dot", "digraph { a -- b }", "without direction"),
        ("g.dot", "digraph { a } digraph { b }", "only one graph"),
        ("g.dot", "digraph {}", "no nodes"),
        ("g.dot", "digraph { " + "{" * 5000 + "a" + "}" * 5000 + " }", "deep"),
        ("g.dot", "digraph { a [label=<b }", "no end"),
        ("g.dot", "digraph { a ? }", "does not belong"),
        ("g.dot", "digraph { {" + " ".join(f"a{i}" for i in range(2000)) + "} -> {" + " ".join(f"b{i}" for i in range(2000)) + "} }", "edges"),
        ("g.dot", 'digraph { a -> b [tensor=t, bytes=1]; a -> c [tensor=t, bytes=2] }', "make them equal"),
    ],
)  # fmt: skip
def test_hostile_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, content: str, says: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ModelError) as caught:
        read_graph(path)
    assert says in str(caught.value)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
