"""REGAL-like graphs: the same seed gives the same graph, and it is what the documentation says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.cli import main
from planner.errors import ModelError, PlannerRefusal
from planner.formats import read_model
from planner.generate.catalogue import kind
from planner.generate.regal_like import FEWEST, KINDS, MOST, generate


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_a_graph_costs_what_the_published_example_says(seed: int) -> None:
    graph = generate(seed)
    assert FEWEST <= graph.n <= MOST
    assert "watts-strogatz" in graph.name and graph.time_unit is None
    sizes = graph.tensor_bytes
    assert graph.tensor_count == graph.n and (sizes >= 1).all() and np.array_equal(sizes, np.rint(sizes))
    assert np.array_equal(graph.tensor_time, sizes) and np.array_equal(graph.work, np.rint(graph.work))
    src, dst = graph.edges
    assert (src < dst).all()
    assert (np.abs(graph.work / sizes - 1) < 0.6).all()


def test_graphs_have_the_mean_degree_sizes_and_costs_that_were_calibrated() -> None:
    graphs = [generate(seed) for seed in range(40)]
    degrees = [2 * len(graph.edges[0]) / graph.n for graph in graphs]
    assert min(degrees) > 1.9 and max(degrees) <= 2.0
    sizes = np.concatenate([graph.tensor_bytes for graph in graphs])
    assert abs(sizes.mean() - 50) < 1 and abs(sizes.std() - 10) < 1
    ratio = np.concatenate([graph.work / graph.tensor_bytes for graph in graphs])
    assert abs(ratio.mean() - 1) < 0.01 and abs(ratio.std() - 0.1) < 0.01
    consumers = np.concatenate([np.diff(graph.preds[0]) for graph in graphs])
    assert consumers.max() <= 6  # no hubs among those that read


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("degree", [2, 3, 4])
def test_every_kind_has_the_degree_asked_for(name: str, degree: int) -> None:
    graphs = [generate(s, {"kind": name, "degree": degree, "nodes": 80}) for s in range(12)]
    assert np.mean([2 * len(g.edges[0]) / g.n for g in graphs]) == pytest.approx(degree, rel=0.1)


@pytest.mark.parametrize("name", ["watts-strogatz", "barabasi-albert"])
def test_a_graph_may_have_as_many_ops_as_the_window_is_made_for(name: str) -> None:
    graph = generate(1, {"kind": name, "nodes": 20_001})
    assert graph.n == 20_001 and len(graph.edges[0]) > 15_000
    with pytest.raises(PlannerRefusal, match="between 0 and 100000"):
        generate(1, {"nodes": 100_001})


def test_mixed_takes_the_next_kind_with_each_seed() -> None:
    for seed in range(5):
        assert KINDS[seed % 4] in generate(seed, {"kind": "mixed"}).name


def test_the_same_seed_gives_the_same_graph() -> None:
    assert generate(5).fingerprint == generate(5).fingerprint
    assert generate(5).fingerprint != generate(9).fingerprint
    # A change of these values means that graphs of earlier versions cannot be made again.
    graph = generate(0, {"nodes": 50})
    assert (graph.edges[0].sum(), graph.tensor_bytes.sum(), graph.work.sum()) == (764, 2520, 2509)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("degree", [0, 2, 4, 99])
def test_every_kind_has_as_many_nodes_as_asked_for(name: str, nodes: int, degree: int) -> None:
    graph = generate(1, {"kind": name, "nodes": nodes, "degree": degree})
    assert graph.n == nodes


def test_bad_settings_are_refused_in_one_sentence() -> None:
    with pytest.raises(PlannerRefusal, match="has no option 'size_of'"):
        generate(0, {"size_of": 3})
    with pytest.raises(PlannerRefusal, match="choose from mixed"):
        generate(0, {"kind": "erdos"})
    with pytest.raises(ModelError, match="did you mean 'regal-like'"):
        kind("regal")


def test_the_command_writes_a_graph_that_reads_back_the_same(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    file = f"{tmp_path}/graph.json"
    assert main(["generate", "regal-like", "--seed", "6", "--set", "nodes=20", "-o", file, "--json"]) == 0
    assert '"ops": 20' in capsys.readouterr().out
    assert read_model(file).fingerprint == generate(6, {"nodes": "20"}).fingerprint
    assert main(["generate", "mesh", "-o", file]) == 2
