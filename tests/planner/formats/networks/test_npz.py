"""The array file of networks: what is written reads back the same; whatever bytes it holds, a network or one sentence."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import ModelError, NetworkError
from planner.formats import read_graph
from planner.formats.networks import npz as network_npz
from planner.formats.networks import zip as network_zip
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import is_network_file, read_network
from planner.generate.catalogue import generate_network
from planner.model.network import ACTIVATIONS, Network
from planner.model.network_building import network_of


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """A random DAG with any activations, outputs, layers and features."""
    n = draw(st.integers(2, 8))
    pair = st.integers(0, n - 2).flatmap(lambda u: st.tuples(st.just(u), st.integers(u + 1, n - 1)))
    pairs = draw(st.lists(pair, min_size=1, max_size=20))
    source, target = zip(*pairs, strict=True)
    number = st.floats(-2, 2, width=32)
    starts = [v for v in range(n) if v not in target]
    return network_of(
        draw(st.sampled_from(["net", "größer", ""])),
        source,
        target,
        draw(st.lists(number, min_size=len(pairs), max_size=len(pairs))),
        draw(st.lists(number, min_size=n, max_size=n)),
        activation=draw(st.lists(st.sampled_from(ACTIVATIONS), min_size=n, max_size=n)),
        inputs=starts,
        feature=draw(st.permutations(range(len(starts)))),
        features=len(starts) + draw(st.integers(0, 2)),
        outputs=draw(st.permutations(sorted(set(target)))),
    )


def same(a: Network, b: Network) -> bool:
    return (
        a.fingerprint == b.fingerprint
        and np.array_equal(a.layer, b.layer)
        and np.array_equal(a.ids, b.ids)
        and np.array_equal(a.inputs, b.inputs)
    )


@settings(max_examples=40, deadline=None)
@given(networks(), st.randoms(use_true_random=False))
def test_what_is_written_reads_back_the_same_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, network: Network, random: Any
) -> None:
    path = tmp_path_factory.mktemp("net") / "a.npz"
    write_network(network, path)
    back = read_network(path)
    assert same(back, network) and back.name == (network.name or "a") and back.format == "network"
    order = list(range(network.connection_count))
    random.shuffle(order)
    write_network(network, path, np.array(order))
    back = read_network(path)
    for name in ("source", "target", "weight"):
        assert np.array_equal(getattr(back, name), getattr(network, name)[order])
    assert np.array_equal(back.outputs, network.outputs) and np.array_equal(back.feature, network.feature)


def test_numpy_reads_it_without_pickle_and_the_same_network_gives_the_same_bytes(tmp_path: Path) -> None:
    network = generate_network("mlp", {"width": 12, "density": 0.4})
    first, second = write_network(network, tmp_path / "a.npz"), write_network(network, tmp_path / "b.npz")
    assert first.read_bytes() == second.read_bytes()
    with np.load(first, allow_pickle=False) as data:
        assert {"source", "target", "weight", "bias", "activation", "inputs", "outputs"} <= set(data.files)
        assert data["source"].dtype == data["target"].dtype == np.int32
        assert data["activation"].dtype.kind == "U" and set(data["activation"].tolist()) <= set(ACTIVATIONS)
        assert int(data["stageboard_network"]) == 1


def test_a_file_of_ones_own_needs_only_the_ends_of_its_connections(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, source=np.array([0, 1], ">i8"), target=np.array([2, 2], np.uint16))
    network = read_network(path)
    assert network.name == "mine" and network.weight.tolist() == [1.0, 1.0]
    assert "no weights" in network.warnings[0]
    np.savez(path, source=[0, 1], target=[2, 2], weight=[1, 2], activation="tanh", bias=np.zeros(3))
    assert ACTIVATIONS[read_network(path).activation[2]] == "tanh"
    np.savez(path, source=[0, 1], target=[2, 2], weight=[1, 2], activation=3)
    assert ACTIVATIONS[read_network(path).activation[2]] == "sigmoid"


GOOD: dict[str, Any] = {
    "source": np.array([0, 1, 2]),
    "target": np.array([2, 2, 3]),
    "weight": np.array([1.0, 2.0, 3.0]),
    "bias": np.zeros(4),
}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"source": np.zeros((3, 1), int)}, "one row"),
        ({"source": np.array([0, 1])}, "one entry per connection"),
        ({"weight": np.array([1.0, np.nan, 2.0])}, "finite"),
        ({"weight": np.array([1.0, 1e60, 2.0])}, "finite"),
        ({"bias": np.zeros(3)}, "neuron 3"),
        ({"source": np.array([0.0, 1.0, 2.0])}, "whole numbers"),
        ({"source": np.array([0, 1, -2])}, "neuron -2"),
        ({"source": np.array([0, 1, 3])}, "to itself"),
        ({"source": np.array([3, 2, 2]), "target": np.array([2, 3, 1])}, "cycle"),
        ({"target": np.array([2, 2, 2**31])}, "4 neurons|neuron 2147483648"),
        ({"bias": None, "target": np.array([2, 2, 2_000_000_000])}, "reach only a few"),
        ({"bias": np.zeros(1_100_000)}, "reach only a few"),
        ({"activation": np.array(["relu"] * 3 + ["spline"])}, "'spline'"),
        ({"activation": np.array(["x" * 100] * 4)}, "save it again"),
        ({"activation": np.array([9] * 4)}, "codes from 0"),
        ({"activation": "spline"}, "'spline'"),
        ({"activation": 77}, "'77'"),
        ({"inputs": np.array([0, 2]), "feature": np.array([0, 1])}, "is an input"),
        ({"inputs": np.array([0, 0])}, "twice"),
        ({"feature": np.array([0, 1])}, "'inputs' it speaks of"),
        ({"inputs": np.array([0, 1]), "feature": np.array([0])}, "per input"),
        ({"features": np.array([1, 2])}, "single value"),
        ({"features": 0.5}, "whole number"),
        ({"outputs": np.array([9])}, "not between 0 and 3"),
        ({"ids": np.array([0, 1, 2, 2**64 - 1], np.uint64)}, "63 bits"),
        ({"layer": np.array([0, 0, 1, 2**40])}, "31 bits"),
        ({"layer": np.zeros(2, int)}, "per neuron"),
        ({"stageboard_network": 2}, "version 2"),
        ({"source": np.zeros(0, int), "target": np.zeros(0, int), "weight": np.zeros(0)}, "no connection"),
        ({"weight": np.array([None, {}, []], object)}, "Python objects never"),
        ({"weight": np.zeros(3, [("a", "f4")])}, "Python objects never|damaged"),
        ({"weight": np.zeros(3, complex)}, "Python objects never"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    path = tmp_path / "net.npz"
    np.savez(path, **{k: v for k, v in {**GOOD, **change}.items() if v is not None})
    with pytest.raises(NetworkError, match=says) as caught:
        read_network(path)
    assert "net.npz" in str(caught.value) and "\n" not in str(caught.value)
    assert "not foreseen" not in str(caught.value) and str(tmp_path) not in str(caught.value)


def archive(path: Path, members: dict[str, bytes], **options: Any) -> Path:
    with zipfile.ZipFile(path, "w", **options) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def npy(array: Any, claims: str = "") -> bytes:
    """The bytes of an ``.npy`` file, its shape replaced by what it is to claim."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), version=(1, 0))
    content = stream.getvalue()
    if not claims:
        return content
    shape = str(np.asarray(array).shape).encode()
    head, tail = content.split(b"\n", 1)
    assert shape in head
    changed = head.replace(shape, claims.encode())
    return changed[: len(head)].rstrip().ljust(len(head)) + b"\n" + tail


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"source.npy": npy([0], "(999999999999,)"), "target.npy": npy([1])}, "claims 999999999999"),
        ({"source.npy": npy([0], "(-1,)"), "target.npy": npy([1])}, "impossible shape|claims|damaged"),
        ({"source.npy": npy([0], "(1,) + (2,)"), "target.npy": npy([1])}, "damaged"),
        ({"source.npy": npy([0])[:20], "target.npy": npy([1])}, "damaged"),
        ({"source.npy": b"", "target.npy": npy([1])}, "damaged"),
        ({"source.npy": npy([0]), "target.npy": npy([1]), "run.py": b"print()"}, "no array of its own"),
        ({"readme.txt": b"x"}, "no array of its own"),
        ({}, "neither connections"),
    ],
)
def test_hostile_members(tmp_path: Path, members: dict[str, bytes], says: str) -> None:
    with pytest.raises(NetworkError, match=says):
        read_network(archive(tmp_path / "net.npz", members) if members else _empty(tmp_path))


def _empty(folder: Path) -> Path:
    return archive(folder / "net.npz", {"x.npy": npy([1.0])})


def test_unusual_packing_and_too_much_content_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = {"source.npy": npy([0]), "target.npy": npy([1])}
    with pytest.raises(NetworkError, match="unusual way"):
        read_network(archive(tmp_path / "a.npz", members, compression=zipfile.ZIP_LZMA))
    monkeypatch.setattr(network_zip, "CONTENT_LIMIT", 8)
    with pytest.raises(NetworkError, match="are unpacked"):
        read_network(archive(tmp_path / "b.npz", members))
    monkeypatch.setattr(network_zip, "MOST_MEMBERS", 1)
    with pytest.raises(NetworkError, match="2 members"):
        read_network(archive(tmp_path / "c.npz", members))
    monkeypatch.undo()
    monkeypatch.setattr(network_npz, "MOST_CONNECTIONS", 0)
    with pytest.raises(NetworkError, match="at most 0"):
        read_network(archive(tmp_path / "d.npz", members))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, says in (
        (tmp_path / "none.npz", "does not exist"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(NetworkError, match=says):
            read_network(path)
    for name, content in (("empty.npz", b""), ("text.npz", b"hello"), ("start.npz", b"PK\x03\x04abc")):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(NetworkError, match=name):
            read_network(path)
        # A damaged file is told by its suffix, so that it is said to be a damaged network, not an unknown model.
        assert is_network_file(path) and not is_network_file(path.rename(path.with_suffix(".bin")))
    with pytest.raises(NetworkError, match="no file was given"):
        read_network([])


def test_networks_are_told_from_other_files(tmp_path: Path) -> None:
    samples = Path(__file__).resolve().parents[4] / "sample_models"
    for path in samples.iterdir():
        assert is_network_file(path) == (path.suffix == ".npz"), path.name
    assert not is_network_file(tmp_path) and not is_network_file("\0")
    with pytest.raises(ModelError, match=r"mlp_100.npz is a sparse network, not a graph of ops"):
        read_graph(samples / "mlp_100.npz")


# ---------------------------------------------------------------------- any bytes
@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, bytes]:
    """One file packed, one stored: in the latter a changed byte is a changed number, or a wrong checksum."""
    folder = tmp_path_factory.mktemp("net")
    network = generate_network("mlp", {"width": 4, "depth": 2, "density": 0.7})
    packed = write_network(network, folder / "packed.npz")
    np.savez(folder / "stored.npz", **dict(np.load(packed)))
    return {True: packed.read_bytes(), False: (folder / "stored.npz").read_bytes()}


def reads_or_says_why(path: Path) -> None:
    try:
        network = read_network(path)
    except NetworkError as error:
        sentence = str(error)
        assert "\n" not in sentence and len(sentence) < 600
        assert "not foreseen" not in sentence, sentence
    else:
        assert network.connection_count and network.fingerprint


@settings(max_examples=80, deadline=None)
@given(st.data(), st.booleans())
def test_changed_and_cut_files(
    tmp_path_factory: pytest.TempPathFactory, content: dict[bool, bytes], data: st.DataObject, packed: bool
) -> None:
    changed = bytearray(content[packed])
    for _ in range(data.draw(st.integers(0, 4), "mutations")):
        at = data.draw(st.integers(0, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = tmp_path_factory.mktemp("hostile") / "net.npz"
    path.write_bytes(bytes(changed[: data.draw(st.integers(len(changed) // 2, len(changed)))]))
    reads_or_says_why(path)
    is_network_file(path)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_changed_arrays_with_right_checksums(
    tmp_path_factory: pytest.TempPathFactory, content: dict[bool, bytes], data: st.DataObject
) -> None:
    with zipfile.ZipFile(io.BytesIO(content[False])) as file:
        members = {name: file.read(name) for name in file.namelist()}
    for _ in range(data.draw(st.integers(1, 3), "mutations")):
        name = data.draw(st.sampled_from(sorted(members)))
        changed = bytearray(members[name])
        if not changed:
            continue
        at = data.draw(st.integers(0, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
        members[name] = bytes(changed)
    path = archive(tmp_path_factory.mktemp("hostile") / "net.npz", members)
    reads_or_says_why(path)


@settings(max_examples=30, deadline=None)
@given(
    start=st.sampled_from(
        [b"", b"PK\x03\x04", b"\x1f\x8b", b"%%MatrixMarket matrix coordinate real general\n"]
    ),
    rest=st.binary(max_size=100),
    suffix=st.sampled_from([".npz", ".mtx", ".mtx.gz", ".onnx", ".bin"]),
)
def test_garbage(tmp_path_factory: pytest.TempPathFactory, start: bytes, rest: bytes, suffix: str) -> None:
    path = tmp_path_factory.mktemp("hostile") / f"garbage{suffix}"
    path.write_bytes(start + rest)
    reads_or_says_why(path)
    is_network_file(path)
