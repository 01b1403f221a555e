"""Made-up networks: what the paper's appendix and proofs say of them holds, and the same seed gives the same network."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import ModelError, NetworkError, PlannerRefusal
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import NETWORK_FORMATS, read_network
from planner.generate.catalogue import KINDS, NETWORKS, generate_network, kind
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.network import ACTIVATIONS, Network
from tests.planner.machines.two_level_memory.runner import run


def ios(network: Network, memory: int, policy: str = "min", order: Any = None) -> tuple[int, int]:
    """(reads, writes) in the file's order unless another one is given."""
    problem = NetworkProblem(network, TwoLevelMemory(memory, policy))
    evaluation = problem.evaluate(np.arange(network.connection_count) if order is None else order)
    assert evaluation.valid
    return evaluation.reads, evaluation.writes


# ---------------------------------------------------------------------- appendix A-A
@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(1, 12),
    st.integers(1, 4),
    st.sampled_from([0.01, 0.1, 0.35, 0.5, 0.8, 1.0]),
    st.integers(1, 3),
)
def test_mlps_are_drawn_as_appendix_a_a_says(
    seed: int, width: int, depth: int, density: float, outputs: int
) -> None:
    network = generate_network(
        "mlp", {"width": width, "depth": depth, "density": density, "outputs": outputs}, seed
    )
    starts = [width * i for i in range(depth + 1)] + [width * depth + outputs]
    ids = network.ids
    source, target = ids[network.source], ids[network.target]
    layer = np.searchsorted(starts, np.arange(starts[-1]), "right") - 1
    assert (layer[target] == layer[source] + 1).all()
    assert len({*zip(source.tolist(), target.tolist(), strict=True)}) == network.connection_count
    for v in range(width * depth):
        following = outputs if layer[v] == depth - 1 else width
        most = max(1, math.ceil(round(2 * density * following, 9) - 1))
        assert 1 <= np.count_nonzero(source == v) <= min(most, following)
    # Layer by layer with respect to the neuron that a connection leads into.
    assert (np.diff(target.astype(np.int64) * starts[-1] + source) > 0).all()
    assert len(network.inputs) - np.count_nonzero(network.feature < 0) == network.features == width
    names = {ACTIVATIONS[a] for a in network.activation[network.outputs].tolist()}
    assert names == {"identity"} and np.isfinite(network.weight).all()
    if outputs == 1:
        assert network.in_degree[network.outputs].tolist() == [width]


def test_the_paper_s_baseline_has_the_connections_that_the_notes_count() -> None:
    counts = [generate_network("mlp", {}, seed).connection_count for seed in range(5)]
    assert all(abs(c - 75_500) < 5 * 643 for c in counts)  # 1500 draws of 1..99, deviation 28.6 each
    network = generate_network("mlp")
    assert network.neuron_count == 2001 and network.layer_sizes.tolist() == [500, 500, 500, 500, 1]
    assert network.features == 500 and len(network.inputs) == 500


# ---------------------------------------------------------------------- appendix A-B
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(7, 30), st.integers(1, 60), st.integers(1, 5))
def test_compact_growth_needs_the_fewest_ios_at_its_memory(
    seed: int, memory: int, neurons: int, draws: int
) -> None:
    network = generate_network("compact-growth", {"memory": memory, "neurons": neurons, "draws": draws}, seed)
    w, n, s = network.connection_count, network.neuron_count, len(network.outputs)
    assert (w, n, s) == (draws * neurons + memory - 2, memory - 2 + neurons + 1, 1)
    degrees = network.in_degree
    assert degrees[network.outputs].tolist() == [memory - 2]
    assert set(degrees[(degrees > 0) & ~network.is_output].tolist()) == {draws}
    assert ios(network, memory) == ios(network, memory + 9) == (w + n, s)


def test_compact_growth_takes_more_where_memory_is_less() -> None:
    network = generate_network("compact-growth", {"memory": 100})
    assert network.connection_count == 5098 and network.neuron_count == 1099
    assert sum(ios(network, 100)) == 5098 + 1099 + 1 < sum(ios(network, 99)) < sum(ios(network, 50))


def test_a_bag_must_hold_what_is_drawn_from_it() -> None:
    with pytest.raises(NetworkError, match="set memory to at least 7 or draws to at most 4"):
        generate_network("compact-growth", {"memory": 6})


# ---------------------------------------------------------------------- the proofs' networks
@settings(max_examples=15, deadline=None)
@given(st.integers(3, 20), st.integers(1, 5))
def test_chains_are_dear_layer_by_layer_and_cheap_one_by_one(memory: int, layers: int) -> None:
    network = generate_network("chain", {"memory": memory, "layers": layers})
    chains = 2 * memory
    w = network.connection_count
    assert (w, network.neuron_count) == (chains * (layers + 1), chains * layers + 2)
    assert network.layer_sizes.tolist() == [1, *[chains] * layers, 1]
    assert ios(network, memory)[1] >= memory * layers
    by_chain = np.arange(w).reshape(layers + 1, chains).T.ravel()
    assert ios(network, max(memory, 5), order=by_chain) == (w + network.neuron_count, 1)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 40), st.integers(3, 12), st.sampled_from(["min", "lru", "rr"]))
def test_a_tree_takes_what_lemma_2_says(inputs: int, memory: int, policy: str) -> None:
    network = generate_network("tree", {"inputs": inputs})
    w, n = network.connection_count, network.neuron_count
    reads, writes = ios(network, memory, policy)
    assert reads == 2 * w + n - inputs and reads + writes == 2 * (w + n - inputs)


# ---------------------------------------------------------------------- pruned ones
def test_the_bert_block_is_dense_normal_weights_pruned_and_says_so() -> None:
    settings = {"width": 32, "hidden": 128, "density": 0.05}
    network = generate_network("bert-block", settings, 3)
    assert network.connection_count == 2 * round(0.05 * 32 * 128) and network.features == 32
    assert "random" in network.warnings[0] and "5 % of each matrix" in network.warnings[1]
    assert {ACTIVATIONS[a] for a in network.activation[network.is_output]} == {"identity"}
    # Of normal numbers those beyond 1.96 deviations are a twentieth.
    assert np.abs(network.weight).min() == pytest.approx(0.02 * 1.96, rel=0.05)


def test_files_are_pruned_as_they_are_when_read(tmp_path: Path) -> None:
    path = write_network(generate_network("mlp", {"width": 30, "density": 0.5}), tmp_path / "a.npz")
    made = generate_network("pruned", {"file": str(path), "density": "0.1", "prune": "global"})
    assert made.fingerprint == read_network(path, 0.1, prune="global").fingerprint
    with pytest.raises(NetworkError, match="give --set file="):
        generate_network("pruned", {})


# ---------------------------------------------------------------------- the catalogue
SMALL: dict[str, dict[str, Any]] = {
    "mlp": {"width": 9, "density": 0.5},
    "compact-growth": {"memory": 12, "neurons": 30},
    "chain": {"memory": 3},
    "tree": {"inputs": 9},
    "bert-block": {"width": 8, "hidden": 32},
}


@pytest.mark.parametrize("name", SMALL)
def test_the_same_seed_gives_the_same_network(name: str) -> None:
    first = generate_network(name, SMALL[name], 5)
    assert first.fingerprint == generate_network(name, SMALL[name], 5).fingerprint
    assert first.fingerprint != generate_network(name, SMALL[name], 6).fingerprint
    with pytest.raises(PlannerRefusal, match="has no option 'wide'"):
        generate_network(name, {"wide": 3})


def test_networks_of_earlier_versions_can_be_made_again() -> None:
    # A change of these values means that they cannot.
    mlp = generate_network("mlp", {"width": 20}, 1)
    assert (mlp.connection_count, int((mlp.source * mlp.target).sum())) == (145, 341506)
    grown = generate_network("compact-growth", {"memory": 20, "neurons": 50}, 1)
    assert (grown.connection_count, int((grown.source * grown.target).sum())) == (268, 399690)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("mlp", {"width": 100_000}),
        ("mlp", {"width": 100_000, "depth": 1000, "density": 1e-6}),
        ("compact-growth", {"neurons": 1_000_000, "draws": 98}),
        ("bert-block", {"width": 8192, "hidden": 16384, "density": 0.5}),
    ],
)
def test_what_could_not_be_read_again_is_not_begun(kind: str, settings: dict[str, Any]) -> None:
    with pytest.raises(NetworkError, match=r"at most 33,554,432 can be read from a file, so set .* lower"):
        generate_network(kind, settings, 0)


def test_graphs_and_networks_are_kept_apart() -> None:
    assert not set(KINDS) & set(NETWORKS) and {*SMALL, "pruned"} == set(NETWORKS)
    with pytest.raises(ModelError, match="'mlp' makes a network of neurons"):
        kind("mlp")
    with pytest.raises(ModelError, match="did you mean 'tree'"):
        generate_network("trees", {})
    with pytest.raises(NetworkError, match="hidden neurons; set memory or layers lower"):
        generate_network("chain", {"memory": 100_000, "layers": 10_000})


# ---------------------------------------------------------------------- the documentation
PAGE = Path(__file__).resolve().parents[3] / "docs" / "networks.md"


def test_every_kind_and_option_is_documented_with_its_default() -> None:
    documented: dict[str, dict[str, str]] = {}
    kind = ""
    for line in PAGE.read_text("utf-8").split("## Generators")[1].splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0] not in ("kind", "---"):
            kind = cells[0] or kind
            documented.setdefault(kind, {}).update({cells[1]: cells[2]} if cells[1] else {})
    assert documented == {
        name: {option.name: str(option.default) for option in kind.OPTIONS} for name, kind in NETWORKS.items()
    }


def test_the_script_in_the_documentation_runs_an_exported_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = generate_network("mlp", {"width": 15, "depth": 3, "density": 0.1, "outputs": 2}, 4)
    assert (network.feature < 0).any()
    order = np.argsort(network.rank[network.target], kind="stable")
    write_network(network, tmp_path / "order.npz", order)
    script = re.search(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert script is not None
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(script[1], names)
    names["file"].close()
    assert np.allclose(names["result"][:, :1].T, run(network, np.ones((1, 15))))


def test_the_array_file_is_documented(tmp_path: Path) -> None:
    path = write_network(generate_network("tree", {"inputs": 3}), tmp_path / "a.npz")
    text = PAGE.read_text("utf-8")
    with np.load(path, allow_pickle=False) as arrays:
        assert all(f"`{name}`" in text for name in arrays.files)
    assert all(f"`{name}` ({code})" in text for code, name in enumerate(ACTIVATIONS))
    assert all(f"`{suffix}`" in text for form in NETWORK_FORMATS for suffix in form.suffixes)
