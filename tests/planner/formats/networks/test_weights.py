"""Networks from weight matrices: layers in ``.npz`` files, scipy's sparse files, Matrix Market, pruned or as they are."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import NetworkError
from planner.formats.networks import mtx as network_mtx
from planner.formats.networks import weights as network_weights
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import is_network_file, read_network
from planner.generate.catalogue import generate_network
from planner.model.network import ACTIVATIONS, Network
from tests.planner.machines.two_level_memory.runner import run

SIZES = (5, 4, 3, 2)


def layers(seed: int = 0) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    weights = [rng.standard_normal((a, b)).astype(np.float32) for a, b in pairwise(SIZES)]
    return weights, [rng.standard_normal(b).astype(np.float32) for b in SIZES[1:]]


def computes(network: Network, weights: list[Any], biases: list[np.ndarray] | None) -> bool:
    x = np.random.default_rng(1).standard_normal((3, SIZES[0]))
    value = x
    for i, w in enumerate(weights):
        value = value @ (w.toarray() if scipy.sparse.issparse(w) else w) + (
            0 if biases is None else biases[i]
        )
        value = value if i == len(weights) - 1 else np.maximum(value, 0)
    return np.allclose(run(network, x), value, atol=1e-4)


def named(form: str, weights: list[np.ndarray], biases: list[np.ndarray]) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
        if form == "short":
            arrays |= {f"b{i}": b, f"W{i}": w}
        elif form == "arr":
            arrays |= {f"arr_{2 * i}": w, f"arr_{2 * i + 1}": b}
        elif form == "torch":
            arrays |= {f"net.{2 * i}.weight": w.T, f"net.{2 * i}.bias": b}
        elif form == "keras":
            arrays |= {f"dense_{i}/kernel": w, f"dense_{i}/bias": b[None].reshape(-1)}
        else:
            arrays |= {f"layer{i + 8}_weights": w, f"layer{i + 8}_biases": b}  # 10 after 9
    return arrays


@pytest.mark.parametrize("form", ["short", "arr", "torch", "keras", "long"])
def test_layers_by_any_names(tmp_path: Path, form: str) -> None:
    weights, biases = layers()
    np.savez(tmp_path / "net.npz", **named(form, weights, biases))
    network = read_network(tmp_path / "net.npz")
    assert network.layer_sizes.tolist() == list(SIZES) and network.name == "net"
    assert network.format == "weights" and computes(network, weights, biases)
    assert bool(network.warnings) == (form == "torch")  # which says that it turned them


def test_without_biases_and_with_another_activation(tmp_path: Path) -> None:
    weights, _ = layers()
    np.savez(tmp_path / "net.npz", *[w.T for w in weights])
    network = read_network(tmp_path / "net.npz")
    assert computes(network, weights, None)
    assert read_network(tmp_path / "net.npz", orientation="out-in").fingerprint == network.fingerprint
    with pytest.raises(NetworkError, match="read as 'in-out' the layers do not follow"):
        read_network(tmp_path / "net.npz", orientation="in-out")
    tanh = read_network(tmp_path / "net.npz", activation="tanh")
    assert [ACTIVATIONS[a] for a in tanh.activation[5:]] == ["tanh"] * 7 + ["identity"] * 2


def test_square_layers_are_read_inputs_by_outputs_unless_said(tmp_path: Path) -> None:
    w = np.arange(1.0, 10.0, dtype=np.float32).reshape(3, 3)
    np.savez(tmp_path / "net.npz", W0=w)
    assert read_network(tmp_path / "net.npz").weight.tolist() == w.T.ravel().tolist()
    assert read_network(tmp_path / "net.npz", orientation="out-in").weight.tolist() == w.ravel().tolist()


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"W0": np.ones((2, 3)), "W1": np.ones((4, 5))}, r"do not follow each other \(W0 2 x 3, W1 4 x 5\)"),
        ({"W0": np.ones((2, 3)), "b0": np.ones(7)}, "do not follow each other"),
        ({"W0": np.full((2, 3), np.nan)}, "not a finite"),
        ({"W0": np.ones((2, 3)), "b0": np.full(3, np.inf)}, "bias of W0"),
        ({"W0": np.zeros((2, 3))}, "only zeros"),
        ({"W0": np.ones((0, 3))}, "is empty"),
        ({"W0": np.array([["a", "b"]])}, "must hold numbers"),
        ({"b0": np.ones(3)}, "neither connections"),
        ({"format": "bsr", "shape": [2, 2], "data": np.ones(2)}, "save it as csr"),
        ({"format": 5, "shape": [2, 2], "data": np.ones(2)}, "save it as csr"),
        ({"format": "coo", "shape": [2, -2], "data": np.ones(2)}, "shape of its matrix"),
        ({"format": "coo", "shape": [2, 2], "data": np.ones(2), "row": [0, 1]}, "needs the rows"),
        ({"format": "coo", "shape": [2, 2], "data": np.ones(2), "row": [0], "col": [0]}, "row, column and value"),
        ({"format": "coo", "shape": [2, 2], "data": np.ones(1), "row": [2], "col": [0]}, "outside the matrix"),
        ({"format": "coo", "shape": [2, 2**30], "data": np.ones(1), "row": [0], "col": [0]}, "are empty"),
        ({"format": "coo", "shape": [2, 2], "data": np.ones(1), "row": [0.0], "col": [0]}, "wrong type"),
        ({"format": "csr", "shape": [2, 2], "data": [1.0], "indices": [0], "indptr": [0, 9, 1]}, "offsets"),
        ({"format": "csr", "shape": [2**30, 2], "data": [1.0], "indices": [0], "indptr": [0, 1]}, "offsets"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path: Path, arrays: dict[str, Any], says: str) -> None:
    np.savez(tmp_path / "net.npz", **arrays)
    with pytest.raises(NetworkError, match=says) as caught:
        read_network(tmp_path / "net.npz")
    assert "net.npz" in str(caught.value) and "not foreseen" not in str(caught.value)


# ---------------------------------------------------------------------- sparse files
def sparse_layers(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [
        scipy.sparse.random_array((a, b), density=0.6, rng=rng, dtype=np.float32) for a, b in pairwise(SIZES)
    ]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["csr", "csc", "coo"]), st.booleans())
def test_scipy_files_one_per_layer(
    tmp_path_factory: pytest.TempPathFactory, seed: int, form: str, packed: bool
) -> None:
    folder = tmp_path_factory.mktemp("scipy")
    weights = sparse_layers(seed)
    files = []
    for i, w in enumerate(weights):
        files.append(folder / f"layer{i}.npz")
        scipy.sparse.save_npz(files[-1], w.asformat(form), compressed=packed)
        assert is_network_file(files[-1])
    try:
        network = read_network(files)
    except NetworkError as error:
        assert "no output" in str(error) or "only zeros" in str(error)
        return
    assert network.connection_count == sum(w.nnz for w in weights)
    whole = np.random.default_rng(1).standard_normal((3, SIZES[0]))
    kept = network.ids[network.outputs] - sum(SIZES[:-1])
    value = whole
    for i, w in enumerate(weights):
        value = value @ w.toarray()
        value = value if i == len(weights) - 1 else np.maximum(value, 0)
    assert np.allclose(run(network, whole), value[:, kept], atol=1e-5)


@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz"])
def test_matrix_market_files_one_per_layer(tmp_path: Path, suffix: str) -> None:
    weights, _ = layers()
    files = []
    for i, w in enumerate(weights):
        files.append(tmp_path / f"layer{i}{suffix}")
        with (gzip.open if suffix.endswith("gz") else open)(files[-1], "wb") as stream:
            scipy.io.mmwrite(stream, w if i == 0 else scipy.sparse.coo_array(w), precision=9)
        assert is_network_file(files[-1])
    network = read_network(files)
    assert network.name == "layer0" and computes(network, weights, None)
    assert read_network(files[1:2]).layer_sizes.tolist() == [4, 3]


def test_patterns_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n% a comment\n\n2 3 2\n1 1\n2 3\n")
    network = read_network(path)
    assert network.weight.tolist() == [1.0, 1.0] and network.ids[network.target].tolist() == [2, 4]
    path.write_text("%%MatrixMarket MATRIX array Integer general\n2 1\n3\n% and one here\n4")
    assert read_network(path).weight.tolist() == [3.0, 4.0]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from(["general", "symmetric", "skew-symmetric"]),
    st.booleans(),
    st.sampled_from(["real", "integer"]),
)
def test_matrices_are_what_scipy_reads(
    tmp_path_factory: pytest.TempPathFactory, seed: int, symmetry: str, dense: bool, field: str
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    matrix = np.round(9 * rng.standard_normal((n, n if symmetry != "general" else n + 1)))
    matrix *= rng.random(matrix.shape) < 0.7
    if symmetry != "general":
        matrix = np.tril(matrix) + (1 if symmetry == "symmetric" else -1) * np.tril(matrix, -1).T
        matrix -= np.diag(np.diag(matrix)) if symmetry != "symmetric" else 0
    path = tmp_path_factory.mktemp("mtx") / "m.mtx"
    scipy.io.mmwrite(
        path, matrix if dense else scipy.sparse.coo_array(matrix), field=field, symmetry=symmetry
    )
    if not matrix.any():
        return
    network = read_network(path)
    found = np.zeros(matrix.shape)
    np.add.at(found, (network.ids[network.source], network.ids[network.target] - n), network.weight)
    assert np.array_equal(found, scipy.io.mmread(path) if dense else scipy.io.mmread(path).toarray())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "real, integer or pattern"),
        ("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "real, integer or pattern"),
        ("%%MatrixMarket vector coordinate real general\n1 1 1\n", "does not begin like"),
        ("%%MatrixMarket\n", "does not begin like"),
        ("%%MatrixMarket matrix coordinate real general\n1 1\n1 1 1\n", "line of sizes"),
        ("%%MatrixMarket matrix coordinate real general\n% only\n", "line of sizes"),
        ("%%MatrixMarket matrix coordinate real general\n1 1 999999999\n1 1 1\n", "more than it can hold"),
        ("%%MatrixMarket matrix array real general\n99999 99999\n1\n", "more than it can hold"),
        ("%%MatrixMarket matrix array real symmetric\n99999 99999\n1\n", "more than it can hold"),
        ("%%MatrixMarket matrix coordinate real general\n0 1 1\n1 1 1\n", "from 1 to"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "claims 2 entries but has 1"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "outside"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n", "damaged entry"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", "damaged entry"),
        # What scipy's reader takes without a word, or ends the process for.
        ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1 7\n2 2 2\n", "damaged entry"),
        ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1D2\n", "damaged entry"),
        ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1 7\n2 2\n", "damaged entry"),
        ("%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 2 3 4 5 6", "damaged entry"),
        ("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6 7", "damaged entry"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n\n", "has 0"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n", "not a finite"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "is symmetric but"),
        ("%%MatrixMarket matrix array pattern general\n1 1\n1\n", "real, integer or pattern"),
        ("%%MatrixMarket matrix coordinate real general\n2 999999999 1\n1 1 1\n", "are empty"),
    ],
)
def test_wrong_matrix_market_files(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "m.mtx"
    path.write_text(text)
    with pytest.raises(NetworkError, match=says) as caught:
        read_network(path)
    assert "m.mtx" in str(caught.value) and "not foreseen" not in str(caught.value)


def test_repeated_entries_are_added_up(tmp_path: Path) -> None:
    path = tmp_path / "m.mtx"
    head = "%%MatrixMarket matrix coordinate"
    path.write_text(f"{head} real general\n2 2 4\n1 1 1\n1 1 2\n1 1 3\n2 2 1\n")
    network = read_network(path)
    assert network.weight.tolist() == [6.0, 1.0]
    assert network.warnings == ("2 repeated entries were added up",)
    path.write_text(f"{head} pattern general\n1 1 2\n1 1\n1 1\n")
    network = read_network(path)
    assert network.weight.tolist() == [2.0]
    assert network.warnings == ("1 repeated entry was added up",)
    path.write_text(
        f"{head} real skew-symmetric\n2 2 2\n2 1 3\n1 2 1\n"
    )  # the second is -1 below the diagonal
    assert sorted(read_network(path).weight.tolist()) == [-2.0, 2.0]
    other = tmp_path / "n.mtx"
    other.write_text(f"{head} real general\n2 1 3\n1 1 1\n2 1 0\n2 1 0\n")
    assert read_network([path, other]).warnings == (
        "1 repeated entry was added up in m",
        "1 repeated entry was added up in n",
    )


def test_repeated_entries_of_scipy_files_are_added_up(tmp_path: Path) -> None:
    matrix = scipy.sparse.coo_matrix(([1.0, 2.0, 4.0], ([0, 1, 0], [1, 0, 1])), (2, 2))
    scipy.sparse.save_npz(tmp_path / "m.npz", matrix)
    network = read_network(tmp_path / "m.npz")
    assert sorted(network.weight.tolist()) == [2.0, 5.0]
    assert network.warnings == ("1 repeated entry was added up",)


@pytest.mark.parametrize("step", [8, 1 << 20])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("field", ["real", "pattern"])
@settings(max_examples=25)
@given(data=st.data())
def test_repeated_entries_are_what_scipy_reads(
    tmp_path_factory: pytest.TempPathFactory, step: int, symmetry: str, field: str, data: st.DataObject
) -> None:
    size = data.draw(st.integers(2, 4))
    below = symmetry != "general"
    places = [
        (r, c) for r in range(1, size + 1) for c in range(1, size + 1)
        if not below or r > c or (r == c and symmetry == "symmetric")
    ]  # fmt: skip
    entries = data.draw(st.lists(st.tuples(st.sampled_from(places), st.integers(-3, 3)), min_size=1))
    lines = [f"{r} {c}" + ("" if field == "pattern" else f" {value}") for (r, c), value in entries]
    path = tmp_path_factory.mktemp("mtx") / "m.mtx"
    head = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{size} {size} {len(lines)}\n"
    path.write_text(head + "\n".join(lines) + data.draw(st.sampled_from(["", "\n", "\n\n"])))
    with pytest.MonkeyPatch.context() as patch:  # taken apart in many small steps, which must not show
        patch.setattr(network_mtx, "_STEP", step)
        patch.setattr(network_mtx, "_WAITING", step)
        weights = network_mtx.read_matrix(path)
    matrix = weights.matrix
    assert isinstance(matrix, network_weights.Entries)
    found = np.zeros((size, size))
    found[matrix.rows, matrix.columns] = matrix.values
    np.testing.assert_array_equal(found, scipy.io.mmread(path).toarray())
    assert weights.repeated == len(entries) - len({place for place, _ in entries})


def test_packed_files_that_are_damaged_or_grow_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.mtx.gz"
    content = gzip.compress(b"%%MatrixMarket matrix array real general\n2 1\n3\n4\n" + b"%" * 5000)
    path.write_bytes(content[:-9])
    with pytest.raises(NetworkError, match="not completely packed"):
        read_network(path)
    path.write_bytes(content)
    monkeypatch.setattr(network_mtx, "LIMIT", 1000)
    with pytest.raises(NetworkError, match="when unpacked"):
        read_network(path)
    monkeypatch.setattr(network_mtx, "MOST_WEIGHTS", 1)
    monkeypatch.setattr(network_weights, "MOST_WEIGHTS", 1)
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix array real general\n2 1\n3\n4\n")
    np.savez(tmp_path / "net.npz", W0=np.ones((2, 2)))
    for name in ("m.mtx", "net.npz"):
        with pytest.raises(NetworkError, match="at most 1"):
            read_network(tmp_path / name)


def test_what_does_not_go_together(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", W0=np.ones((2, 3)))
    whole = write_network(generate_network("tree", {"inputs": 3}), tmp_path / "b.npz")
    (tmp_path / "c.onnx").write_bytes(b"x")
    (tmp_path / "d.bin").write_bytes(b"x")
    for files, says in (
        ([tmp_path / "a.npz", whole], "b.npz is a whole network"),
        ([tmp_path / "a.npz", tmp_path / "c.onnx"], "c.onnx is a model"),
        ([tmp_path / "d.bin"], "no network that is known"),
    ):
        with pytest.raises(NetworkError, match=says):
            read_network(files)
    with pytest.raises(NetworkError, match="no blocks to choose from"):
        read_network(whole, block="1")
    for options, says in (
        ({"orientation": "up"}, "orientation is 'up'"),
        ({"activation": "spline"}, "activation is 'spline'"),
        ({"density": 1.5}, "density is 1.5"),
        ({"density": float("nan")}, "density is nan"),
    ):
        with pytest.raises(NetworkError, match=says):
            read_network(whole, **options)


# ---------------------------------------------------------------------- pruning networks
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(0.02, 1.0), st.sampled_from(["layer", "global"]))
def test_networks_are_pruned_like_matrices(
    tmp_path_factory: pytest.TempPathFactory, seed: int, density: float, prune: str
) -> None:
    folder = tmp_path_factory.mktemp("pruned")
    weights, biases = layers(seed)
    np.savez(folder / "w.npz", **named("short", weights, biases))
    whole = write_network(read_network(folder / "w.npz"), folder / "net.npz")
    try:
        direct = read_network(folder / "w.npz", density, prune=prune)
    except NetworkError as error:
        assert "no output" in str(error)
        return
    assert read_network(whole, density, prune=prune).fingerprint == direct.fingerprint
    by_layer = [max(1, round(density * w.size)) for w in weights]
    expected = sum(by_layer) if prune == "layer" else max(1, round(density * sum(w.size for w in weights)))
    assert direct.connection_count == expected


def test_a_sparse_network_below_the_density_stays_as_it_is(tmp_path: Path) -> None:
    network = generate_network("mlp", {"width": 20, "density": 0.1})
    path = write_network(network, tmp_path / "net.npz")
    assert read_network(path, 0.9, prune="global").fingerprint == network.fingerprint
    less = read_network(path, 0.05)
    assert 0 < less.connection_count < network.connection_count
    assert set(less.ids.tolist()) <= set(range(network.neuron_count)) and less.features == 20
