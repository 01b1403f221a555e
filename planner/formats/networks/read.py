"""Files of sparse networks, and one door through which every network comes in.

:func:`read_network` reads array files of connections (Stageboard's own), weight matrices, and the fully connected layers of
ONNX models, pruned to a density where one is given. Whatever is wrong with a file is a
:class:`planner.errors.NetworkError` of one sentence.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import NetworkError
from planner.files import GZIP, ZIP
from planner.formats import Format
from planner.guard import guarded
from planner.model.network import ACTIVATIONS, Network

if TYPE_CHECKING:
    from planner.formats.networks.weights import Weights

NETWORK_FORMATS: tuple[Format, ...] = (
    Format(
        "network", "Stageboard network", (".npz",), "connections, weights and biases as arrays, in an order"
    ),
    Format(
        "weights", "Weight matrices", (".npz",), "one dense matrix per layer, or one of scipy's sparse ones"
    ),
    Format(
        "matrix-market", "Matrix Market", (".mtx", ".mtx.gz"), "one sparse or dense matrix per file and layer"
    ),
    Format("onnx", "ONNX", (".onnx",), "the fully connected layers of a model, pruned to a density"),
)
NETWORK_SUFFIXES = (".npz", ".mtx", ".mtx.gz")
"""Suffixes of files that can only be networks."""
PRUNINGS = ("layer", "global")
"""Where magnitudes are compared: within each matrix, or over all of them."""
ORIENTATIONS = ("auto", "in-out", "out-in")
"""What the rows and columns of weight matrices are."""


def is_network_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds a network and nothing else, told by its first bytes and its directory; never raises.

    A file that can be told by neither, being damaged, is told by its suffix. An ONNX file does not count: without more being
    said, it is a graph of ops.
    """
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as stream:
            start = stream.read(4)
    except (OSError, ValueError):
        return False
    found = False
    # Neither reader is imported for what begins otherwise, as most models do.
    if start == ZIP:
        from planner.formats.networks.zip import names_of

        found = bool(names_of(path))
    elif start.startswith((b"%%", GZIP)):
        from planner.formats.networks.mtx import is_matrix_market

        found = is_matrix_market(path)
    return found or Path(path).name.lower().endswith(NETWORK_SUFFIXES)


def read_network(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    density: float | None = None,
    *,
    block: str = "",
    prune: str = "layer",
    orientation: str = "auto",
    activation: str = "relu",
) -> Network:
    """The network in a file, or in several of weight matrices that follow each other.

    ``density`` (0 to 1) keeps that share of the connections that there could be, the largest weights: of each matrix, or
    with ``prune="global"`` of all together; those that tie are kept in order of target, then source. ``block`` chooses among
    the blocks of dense layers of an ONNX model, by number or part of a name (default: the largest). For files of weights alone
    ``orientation`` says which way round matrices lie, and ``activation`` what hidden neurons apply.

    Raises :class:`NetworkError`: one sentence naming the file, what is wrong with it and what to do.
    """
    files = [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(p) for p in paths]
    if not files:
        raise NetworkError("no file was given; name a network file (.npz, .mtx or .onnx)")
    _check_options(density, prune, orientation, activation)
    name = files[0].name
    with guarded(name, NetworkError, smaller="prune it further before it is saved"):
        try:
            return _read(files, density, block, prune, orientation, activation)
        except NetworkError as error:
            sentence = str(error)
            for file in files:
                sentence = sentence.replace(str(file), file.name)
            known = any(file.name in sentence for file in files)
            raise NetworkError(sentence if known else f"{name}: {sentence}") from error.__cause__


def _check_options(density: float | None, prune: str, orientation: str, activation: str) -> None:
    if density is not None and not 0.0 < density <= 1.0:
        raise NetworkError(
            f"the density is {density:g}; it must be above 0 and at most 1 (0.1 keeps a tenth)"
        )
    for what, value, known in (
        ("prune", prune, PRUNINGS),
        ("orientation", orientation, ORIENTATIONS),
        ("activation", activation, ACTIVATIONS),
    ):
        if value not in known:
            raise NetworkError(f"{what} is '{value}'; choose from {', '.join(known)}")


def _read(
    files: list[Path], density: float | None, block: str, prune: str, orientation: str, activation: str
) -> Network:
    from planner.formats.networks.layers import network_of_layers, pruned
    from planner.formats.networks.npz import from_arrays, is_array_file
    from planner.formats.networks.weights import layered_of, weights_in
    from planner.formats.networks.zip import ArrayFile

    first = files[0]
    if len(files) == 1 and first.suffix.lower() == ".onnx":
        from planner.formats.networks import onnx as network_onnx

        return network_of_layers(network_onnx.read(first, block), density, prune)
    if block:
        raise NetworkError(
            f"{first.name} has no blocks to choose from; only of an ONNX model one can be named"
        )
    layers: list[Weights] = []
    for file in files:
        if _is_zip(file):
            arrays = ArrayFile(file)
            if is_array_file(set(arrays.headers)):
                if len(files) > 1:
                    raise NetworkError(
                        f"{file.name} is a whole network; several files must be matrices that follow each other"
                    )
                network = from_arrays(arrays, str(file), file.name.removesuffix(".npz"))
                return network if density is None else pruned(network, density, prune)
            layers += weights_in(arrays)
        else:
            layers.append(_matrix(file))
    name = first.name.removesuffix(".gz").rpartition(".")[0] or first.name
    layered = layered_of(layers, first.name, str(first), name, orientation, activation)
    return network_of_layers(layered, density, prune)


def _is_zip(file: Path) -> bool:
    try:
        if not file.is_file():
            return False
        with file.open("rb") as stream:
            return stream.read(4) == ZIP
    except OSError:
        return False


def _matrix(file: Path) -> Weights:
    from planner.files import read_bytes
    from planner.formats.networks.mtx import is_matrix_market, read_matrix

    if is_matrix_market(file):
        return read_matrix(file)
    if not file.is_file():
        read_bytes(file, 1 << 40, error=NetworkError)  # says what is wrong with the path
    if file.suffix.lower() == ".onnx":
        raise NetworkError(f"{file.name} is a model; of several files each must be a matrix of weights")
    raise NetworkError(
        f"{file.name} holds no network that is known here; known are .npz (connections or weight matrices), .mtx and .onnx"
    )
