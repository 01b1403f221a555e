"""The array file of a sparse network: an ``.npz`` with one entry per connection and one per neuron.

Per connection, in their order: ``source``, ``target`` (neurons, int32), ``weight`` (float32). Per neuron: ``bias``
(float32), ``activation`` (names, or codes into :data:`planner.model.network.ACTIVATIONS`), ``layer`` and ``ids`` (whole
numbers). ``inputs`` and ``outputs`` are neurons; ``feature`` says which of the ``features`` columns of a batch feeds each
input, -1 for none. ``name`` is text, ``stageboard_network`` the version of the file. Only ``source`` and ``target`` must be
there. An export of an order is the same file with the connections in that order.
"""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError
from planner.files import write_atomically
from planner.formats.checks import shown
from planner.formats.networks.zip import ArrayFile
from planner.model.network import ACTIVATIONS, Network
from planner.model.network_building import network_of
from planner.printable import clean

FORMAT = "network"
VERSION = 1
MARKER = "stageboard_network"
_PER_CONNECTION = ("source", "target", "weight")
_PER_NEURON = ("bias", "activation", "layer", "ids")
_ROWS = (*_PER_CONNECTION, *_PER_NEURON, "inputs", "outputs", "feature")
_SINGLE = (MARKER, "features", "name")
_LONGEST_NAME = 64
"""Characters of a name of an activation, at most."""
MOST_CONNECTIONS = 1 << 25
"""Connections that are read from one file, at most."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def is_array_file(names: frozenset[str] | set[str]) -> bool:
    """Whether arrays of these names make a network of connections."""
    return {"source", "target"} <= names


def from_arrays(arrays: ArrayFile, path: str, stem: str) -> Network:
    """The network of an opened file, its connections in their order there. Raises :class:`NetworkError`."""
    file = arrays.file
    _check_shapes(arrays)
    data = arrays.read((*_ROWS, *_SINGLE))
    _check_numbers(arrays, data)
    version = _whole(data.pop(MARKER, None), VERSION, MARKER, file)
    if version != VERSION:
        raise NetworkError(
            f"{file} is of version {version}, and version {VERSION} is known here; open it with a newer Stageboard"
        )
    features = _whole(data.pop("features", None), None, "features", file)
    name = _text(data.pop("name", None)) or stem
    notes = []
    if "weight" not in data:
        notes.append("the file has no weights; every connection has the weight 1")
        data["weight"] = np.ones(len(data["source"]), np.float32)
    return network_of(
        name,
        data.pop("source"),
        data.pop("target"),
        data.pop("weight"),
        data.pop("bias", None),
        neurons=_neurons(arrays),
        activation=_activations(data.pop("activation", None), file),
        features=features,
        path=path,
        format=FORMAT,
        warnings=notes,
        **_whole_rows(data, file),
    )


def _check_shapes(arrays: ArrayFile) -> None:
    """All rows as long as they must be, before anything is unpacked."""
    for name in _ROWS:
        header = arrays.headers.get(name)
        if header is None:
            continue
        if len(header.shape) != 1 and not (name == "activation" and header.shape == ()):
            raise NetworkError(
                f"{arrays.file}: '{name}' has the shape {shown(header.shape)}; it must be one row"
            )
        if header.dtype.kind in "US" and (
            name != "activation" or header.dtype.kind != "U" or header.dtype.itemsize > 4 * _LONGEST_NAME
        ):
            raise NetworkError(
                f"{arrays.file}: '{name}' holds {shown(header.dtype)}; save it again as numbers"
            )
    for group, what in (
        (_PER_CONNECTION, "connection"),
        (_PER_NEURON, "neuron"),
        (("inputs", "feature"), "input"),
    ):
        sizes = {n: arrays.headers[n].size for n in group if n in arrays and arrays.headers[n].shape != ()}
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
            raise NetworkError(f"{arrays.file}: there must be one entry per {what}, but there are {listed}")
    if "feature" in arrays and "inputs" not in arrays:
        raise NetworkError(f"{arrays.file} has 'feature' but not the 'inputs' it speaks of; add them")
    for name in _SINGLE:
        if name in arrays and arrays.headers[name].size != 1:
            raise NetworkError(f"{arrays.file}: '{name}' must be a single value")


def _check_numbers(arrays: ArrayFile, data: dict[str, NDArray[Any]]) -> None:
    """No more connections than can be handled, and not many more neurons than these could reach.

    A few bytes can claim any number of neurons, each of which takes memory.
    """
    count = arrays.headers["source"].size
    if count > MOST_CONNECTIONS:
        raise NetworkError(
            f"{arrays.file} has {count:,} connections; at most {MOST_CONNECTIONS:,} are read, so prune it further"
        )
    for name in ("source", "target"):
        if data[name].dtype.kind not in "iu":
            raise NetworkError(f"{arrays.file}: '{name}' must hold whole numbers, one per connection")
    neurons = _neurons(arrays)
    if neurons is None:
        neurons = 1 + max((int(data[n].max()) for n in ("source", "target") if data[n].size), default=0)
    if neurons > 4 * count + 1_000_000:
        raise NetworkError(
            f"{arrays.file} speaks of {neurons:,} neurons, of which its {count:,} connections reach only a few; number"
            " the neurons from 0 on, without gaps"
        )


def _neurons(arrays: ArrayFile) -> int | None:
    return next(
        (arrays.headers[n].size for n in _PER_NEURON if n in arrays and arrays.headers[n].shape), None
    )


def _whole_rows(data: dict[str, NDArray[Any]], file: str) -> dict[str, NDArray[Any]]:
    """The rows that number things; those beyond 64 bits with a sign are refused."""
    for name, row in data.items():
        if row.dtype.kind not in "iu" or (row.dtype == np.uint64 and row.size and row.max() >= 2**63):
            raise NetworkError(f"{file}: '{name}' must hold whole numbers of at most 63 bits")
        if name == "layer" and row.size and not -(2**31) <= row.min() <= row.max() < 2**31:
            raise NetworkError(f"{file}: 'layer' must hold whole numbers of at most 31 bits")
    return data


def _activations(values: NDArray[Any] | None, file: str) -> str | NDArray[Any]:
    if values is None:
        return "relu"
    if values.shape == ():  # one for all neurons that have connections into them
        if values.dtype.kind == "U":
            return _text(values)
        code = _whole(values, 0, "activation", file)
        return ACTIVATIONS[code] if 0 <= code < len(ACTIVATIONS) else str(code)
    if values.dtype.kind == "U":
        # Names of a damaged file may hold what is no text at all.
        known = np.isin(values, ACTIVATIONS)
        if not known.all():
            first = int(np.flatnonzero(~known)[0])
            raise NetworkError(
                f"{file}: neuron {first} has the activation {_unknown(values[first : first + 1])}; known are"
                f" {', '.join(ACTIVATIONS)}"
            )
    return values


def _unknown(one: NDArray[Any]) -> str:
    points = one.view(np.uint32)
    points = points[: int(np.flatnonzero(points)[-1]) + 1] if points.any() else points[:0]
    return "'" + clean("".join(chr(p) if p <= 0x10FFFF else "\ufffd" for p in points.tolist())) + "'"


def _whole(value: NDArray[Any] | None, default: Any, what: str, file: str) -> Any:
    if value is None:
        return default
    if value.dtype.kind not in "iu":
        raise NetworkError(f"{file}: '{what}' must be a whole number")
    return int(value.reshape(()))


def _text(value: NDArray[Any] | None) -> str:
    if value is None or value.dtype.kind != "U":
        return ""
    return _unknown(np.atleast_1d(value))[1:-1].strip()


# ---------------------------------------------------------------------- writing
def write_network(
    network: Network, path: str | os.PathLike[str], order: NDArray[np.integer[Any]] | None = None
) -> Path:
    """Write a network, its connections in ``order`` (ids, int[W]; default: as they are), whole or not at all.

    The same network and order give the same bytes. Raises :class:`planner.errors.StageboardError` where the system refuses.
    """
    pick = slice(None) if order is None else np.asarray(order)
    arrays: dict[str, NDArray[Any]] = {
        MARKER: np.array(VERSION, np.int32),
        "name": np.array(clean(network.name)),
        "source": network.source[pick],
        "target": network.target[pick],
        "weight": network.weight[pick],
        "bias": network.bias,
        "activation": np.array(ACTIVATIONS)[network.activation],
        "inputs": network.inputs,
        "feature": network.feature,
        "features": np.array(network.features, np.int64),
        "outputs": network.outputs,
        "layer": network.layer,
        "ids": network.ids,
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=2) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
    return write_atomically(path, content.getvalue())
