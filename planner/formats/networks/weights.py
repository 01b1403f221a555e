"""Networks from weight matrices alone: ``.npz`` files of layers, scipy's sparse ``.npz`` files, Matrix Market files.

Each matrix is a layer, inputs by rows and outputs by columns, unless the sizes (or ``orientation``) say that it is the
other way round. What such files do not hold is set: hidden neurons have the activation asked for, outputs none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError
from planner.formats.checks import INT32, shown
from planner.formats.networks.layers import (
    MOST_WEIGHTS,
    Block,
    Group,
    Layered,
    Matrix,
    dense_matrix,
    sparse_matrix,
)
from planner.formats.networks.npz import MOST_CONNECTIONS
from planner.formats.networks.zip import ArrayFile

FORMAT = "weights"
_SCIPY = {
    "csr": ("indptr", "indices", "data"),
    "csc": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
}
_WEIGHT_WORDS = re.compile(r"weights?|kernel|(?<![a-z])w(?![a-z])", re.IGNORECASE)
_BIAS_WORDS = re.compile(r"bias(?:es)?|(?<![a-z])b(?![a-z])", re.IGNORECASE)
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, eq=False)
class Entries:
    """A sparse matrix as it lies in a file."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Weights:
    """One layer as it lies in a file: a matrix, its bias where there is one, what it is called."""

    matrix: NDArray[Any] | Entries
    bias: NDArray[Any] | None
    name: str
    repeated: int = 0
    """Entries that were added to others of their place."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.matrix.shape
        return rows, columns


def weights_in(arrays: ArrayFile) -> list[Weights]:
    """The layers of an opened ``.npz`` file, in order. Raises :class:`NetworkError`."""
    if {"format", "shape", "data"} <= arrays.headers.keys():
        return [_scipy_layer(arrays)]
    return _dense_layers(arrays)


def layered_of(
    layers: Sequence[Weights], file: str, path: str, name: str, orientation: str, activation: str
) -> Layered:
    """Layers one behind the other as groups and blocks. Raises :class:`NetworkError` where their sizes do not meet."""
    turned = _turned(layers, orientation, file)
    layered = Layered(name, file, FORMAT, path)
    for i, layer in enumerate(layers):
        matrix = _matrix(layer, turned)
        if i == 0:
            layered.groups.append(Group(matrix.shape[0], fed=True))
        last = i == len(layers) - 1
        bias = _bias(layer, matrix.shape[1], file)
        layered.groups.append(
            Group(matrix.shape[1], bias, "identity" if last else activation, layer=i + 1, output=last)
        )
        layered.blocks.append(Block((i,), i + 1, matrix))
    for layer in layers:
        if layer.repeated:
            layered.notes.append(_repeated_text(layer, len(layers) > 1))
    if turned and orientation == "auto":
        layered.notes.append("the weights lie outputs by inputs, as their sizes show, and are read so")
    return layered


def _repeated_text(layer: Weights, several: bool) -> str:
    words = "1 repeated entry was" if layer.repeated == 1 else f"{layer.repeated:,} repeated entries were"
    return f"{words} added up" + (f" in {layer.name}" if several else "")


# ---------------------------------------------------------------------- which way round
def _turned(layers: Sequence[Weights], orientation: str, file: str) -> bool:
    """Whether rows are outputs. Raises where neither way makes the layers follow each other."""
    shapes = [layer.shape for layer in layers]
    biases = [None if layer.bias is None else layer.bias.size for layer in layers]

    def fits(turned: bool) -> bool:
        ways = [(s[1], s[0]) if turned else s for s in shapes]
        return all(a[1] == b[0] for a, b in pairwise(ways)) and all(
            size in (None, way[1]) for size, way in zip(biases, ways, strict=True)
        )

    if orientation == "auto":
        if fits(False):
            return False
        if fits(True):
            return True
        listed = ", ".join(f"{layer.name} {layer.shape[0]} x {layer.shape[1]}" for layer in layers[:8])
        raise NetworkError(
            f"{file}: the layers do not follow each other ({listed}{', ...' if len(layers) > 8 else ''}); give them in"
            " order, each with as many rows as the one before has columns"
        )
    turned = orientation == "out-in"
    if not fits(turned):
        raise NetworkError(
            f"{file}: read as '{orientation}' the layers do not follow each other; give them in order, or leave the"
            " orientation out"
        )
    return turned


def _matrix(layer: Weights, turned: bool) -> Matrix:
    if isinstance(layer.matrix, Entries):
        m = layer.matrix
        if turned:
            return sparse_matrix(m.columns, m.rows, m.values, (m.shape[1], m.shape[0]))
        return sparse_matrix(m.rows, m.columns, m.values, m.shape)
    return dense_matrix(layer.matrix, transposed=turned)


def _bias(layer: Weights, size: int, file: str) -> NDArray[np.float32] | None:
    if layer.bias is None:
        return None
    with np.errstate(over="ignore"):
        bias = np.asarray(layer.bias).reshape(-1).astype(np.float32)
    if len(bias) != size or not np.isfinite(bias).all():
        raise NetworkError(f"{file}: the bias of {layer.name} must hold {size} finite 32-bit numbers")
    return bias


# ---------------------------------------------------------------------- arrays of layers
def _dense_layers(arrays: ArrayFile) -> list[Weights]:
    """Two-dimensional arrays in the natural order of their names, each with the row that goes by its name."""
    names = sorted(arrays.headers, key=_natural)
    matrices = [n for n in names if len(arrays.headers[n].shape) == 2]
    rows = [n for n in names if len(arrays.headers[n].shape) == 1]
    if not matrices:
        raise NetworkError(
            f"{arrays.file} holds neither connections ('source', 'target') nor matrices of weights; save the layers as"
            " W0, b0, W1, ..."
        )
    for name in (*matrices, *rows):
        if arrays.headers[name].dtype.kind not in "biuf":
            raise NetworkError(f"{arrays.file}: the array '{name}' must hold numbers")
        if not arrays.headers[name].size:
            raise NetworkError(f"{arrays.file}: the array '{name}' is empty; save the layers again")
    _check_total(sum(arrays.headers[n].size for n in matrices), arrays.file)
    bias_of = _biases(names, matrices, rows)
    data = arrays.read([*matrices, *bias_of.values()])
    return [Weights(data[n], data.get(bias_of.get(n, "")), n) for n in matrices]


def _biases(names: Sequence[str], matrices: Sequence[str], rows: Sequence[str]) -> dict[str, str]:
    """Matrix -> its bias: the one of the same name but for the word, else the row right behind it (``arr_0``, ``arr_1``)."""
    by_stem = {_BIAS_WORDS.sub("", n): n for n in rows if _BIAS_WORDS.search(n)}
    found = {}
    for name in matrices:
        stem = _WEIGHT_WORDS.sub("", name)
        if _WEIGHT_WORDS.search(name) and stem in by_stem:
            found[name] = by_stem[stem]
    if not found:
        following = dict(pairwise(names))
        found = {n: following[n] for n in matrices if following.get(n) in rows}
    return found


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A key that puts W2 before W10. Of names of thousands of digits only the length counts."""
    return [
        (1, int(part[:18]) if len(part) < 19 else 10**18, part) if part.isdecimal() else (0, 0, part)
        for part in _DIGITS.split(name)
    ]


def _check_total(count: int, file: str) -> None:
    if count > MOST_WEIGHTS:
        raise NetworkError(
            f"{file} holds {count:,} weights; at most {MOST_WEIGHTS:,} are read, so save fewer layers or prune them first"
        )


# ---------------------------------------------------------------------- scipy's sparse files
def _scipy_layer(arrays: ArrayFile) -> Weights:
    """The matrix of a file that ``scipy.sparse.save_npz`` wrote."""
    file = arrays.file
    read = arrays.read(("format", "shape"))
    kind = read["format"]
    name = (
        b"".join(kind.astype("S").reshape(-1)[:1].tolist()).decode("ascii", "replace")
        if kind.dtype.kind in "SU"
        else ""
    )
    if name not in _SCIPY:
        raise NetworkError(
            f"{file} is a sparse matrix of the format {shown(name)}; save it as csr, csc or coo (matrix.tocsr())"
        )
    sizes = read["shape"]
    if sizes.shape != (2,) or sizes.dtype.kind not in "iu" or sizes.min() < 1 or sizes.max() > INT32:
        raise NetworkError(f"{file}: the shape of its matrix is damaged; save it again")
    shape = (int(sizes[0]), int(sizes[1]))
    keys = _SCIPY[name]
    if any(k not in arrays or len(arrays.headers[k].shape) != 1 for k in keys):
        raise NetworkError(f"{file}: a sparse matrix needs the rows {', '.join(keys)}; save it again")
    if arrays.headers["data"].size > MOST_CONNECTIONS:
        raise NetworkError(f"{file} has more than {MOST_CONNECTIONS:,} entries; prune it first")
    first, second, values = (arrays.read(keys)[k] for k in keys)
    if first.dtype.kind not in "iu" or second.dtype.kind not in "iu" or values.dtype.kind not in "biuf":
        raise NetworkError(f"{file}: the arrays of its matrix are of the wrong type; save it again")
    if name == "coo":
        rows, columns = first, second
    else:
        major = shape[0] if name == "csr" else shape[1]
        spread = _spread(first, major, len(second), file)
        rows, columns = (spread, second) if name == "csr" else (second, spread)
    entries = Entries(rows, columns, values, shape)
    check_entries(entries, file)
    entries, repeated = summed(entries)
    return Weights(entries, None, os.path.splitext(file)[0], repeated)


def _spread(offsets: NDArray[Any], count: int, entries: int, file: str) -> NDArray[np.int64]:
    """The row (or column) of each entry, from where each begins."""
    offsets = offsets.astype(np.int64)
    steps = offsets[1:] - offsets[:-1]
    if len(steps) != count or offsets[0] != 0 or offsets[-1] != entries or (steps < 0).any():
        raise NetworkError(f"{file}: the offsets of its matrix are damaged; save it again")
    return np.repeat(np.arange(count), steps)


def check_entries(entries: Entries, file: str) -> None:
    """Raise :class:`NetworkError` where an entry lies outside its matrix, or the three rows differ in length."""
    if not len(entries.rows) == len(entries.columns) == len(entries.values):
        raise NetworkError(f"{file}: its entries have no row, column and value each; save it again")
    check_places(entries.rows, entries.columns, entries.shape, file)
    if max(entries.shape) > 4 * len(entries.rows) + 1_000_000:
        raise NetworkError(
            f"{file} is a matrix of {entries.shape[0]:,} x {entries.shape[1]:,} with {len(entries.rows):,} entries; leave"
            " out rows and columns that are empty"
        )


def check_places(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int], file: str) -> None:
    """Raise :class:`NetworkError` where an entry at (``rows``, ``columns``), int[entries] each, lies outside its matrix."""
    for places, size in ((rows, shape[0]), (columns, shape[1])):
        if len(places) and (places.min() < 0 or places.max() >= size):
            raise NetworkError(
                f"{file}: an entry lies outside the matrix of {shape[0]} x {shape[1]}; save it again"
            )


def summed(entries: Entries) -> tuple[Entries, int]:
    """The entries with those of one place added up, as scipy does, and how many went into others that way.

    Without repeated ones they come back as they are, else by row, then column.
    """
    columns = entries.shape[1]
    places = entries.rows.astype(np.int64) * columns + entries.columns  # below 2^62: sizes are below 2^31
    ordered = np.sort(places)  # several times as quick as np.unique, which hashes
    distinct = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]]
    repeated = len(places) - len(distinct)
    if not repeated:
        return entries, 0
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is found later
        values = np.bincount(
            np.searchsorted(distinct, places), entries.values.astype(np.float64), len(distinct)
        )
    rows, rest = np.divmod(distinct, columns)
    return Entries(rows.astype(np.int32), rest.astype(np.int32), values, entries.shape), repeated


def joined(parts: Sequence[Entries], shape: tuple[int, int]) -> Entries:
    """The entries of several parts of one matrix."""
    none = np.empty(0, np.int32)
    return Entries(
        np.concatenate([none, *(part.rows for part in parts)]),
        np.concatenate([none, *(part.columns for part in parts)]),
        np.concatenate([np.empty(0), *(part.values for part in parts)]),
        shape,
    )
