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
def test_a_graph_costs_what_the_paper_says(seed: int) -> None:
    graph = generate(seed)
    assert FEWEST <= graph.n <= MOST
    assert KINDS[seed % 4] in graph.name and graph.time_unit is None
    sizes = graph.tensor_bytes
    assert graph.tensor_count == graph.n and (sizes >= 1).all()
    assert np.array_equal(graph.tensor_time, sizes)
    src, dst = graph.edges
    assert (src < dst).all()
    inputs = np.zeros(graph.n)
    np.add.at(inputs, dst, sizes[src])
    noise = graph.work - inputs - sizes
    assert (noise >= -1e-9).all() and noise.max() < sizes.sum()


def test_the_same_seed_gives_the_same_graph() -> None:
    assert generate(5).fingerprint == generate(5).fingerprint
    assert generate(5).fingerprint != generate(9).fingerprint
    # A change of this value means that graphs of earlier versions cannot be made again.
    assert generate(0, {"nodes": 50}).edges[0].sum() == 839


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5, 60])
def test_every_kind_has_as_many_nodes_as_asked_for(name: str, nodes: int) -> None:
    graph = generate(1, {"kind": name, "nodes": nodes})
    assert graph.n == nodes
    if nodes == 60:
        count = len(graph.edges[0])
        expected = {"erdos-renyi": 88, "barabasi-albert": 116, "watts-strogatz": 120, "block-model": 139}
        assert abs(count - expected[name]) < 40


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
