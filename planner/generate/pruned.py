"""A network file pruned by magnitude: what :func:`planner.formats.networks.read.read_network` makes of a file and a density."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planner.errors import NetworkError
from planner.formats.networks.read import ORIENTATIONS, PRUNINGS, read_network
from planner.model.network import ACTIVATIONS
from planner.options import Option, parse_options

if TYPE_CHECKING:
    from planner.model.network import Network

NAME = "pruned"
WHAT = "a network from a file, pruned by magnitude; the seed plays no part"
OPTIONS: tuple[Option, ...] = (
    Option("file", "", "ONNX model, weight matrices (.npz, .mtx) or network; several are joined by ','"),
    Option("density", 0.1, "share of the possible connections that is kept", low=1e-9, high=1.0),
    Option("prune", "layer", "where magnitudes are compared: in each matrix or all", choices=PRUNINGS),
    Option("block", "", "which block of dense layers of an ONNX model: its number or part of a name"),
    Option(
        "orientation",
        "auto",
        "how matrices lie: inputs by outputs or the other way round",
        choices=ORIENTATIONS,
    ),
    Option("activation", "relu", "of hidden neurons, where the file does not say", choices=ACTIVATIONS),
)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Network:
    """The pruned network. Raises :class:`planner.errors.StageboardError` on bad settings or a bad file."""
    values = parse_options(OPTIONS, settings or {}, NAME)
    if not values["file"]:
        raise NetworkError(f"'{NAME}' needs a file to prune; give --set file=MODEL.onnx")
    return read_network(
        values["file"].split(","),
        values["density"],
        block=values["block"],
        prune=values["prune"],
        orientation=values["orientation"],
        activation=values["activation"],
    )
