"""A network of the size of BERT-large's feed-forward block, 1024 x 4096 x 1024, with random weights, pruned by magnitude.

The paper on I/O-efficient sparse inference (VI-A5) prunes a pre-trained one, which is not to be had here. Weights are N(0, 0.02) as
BERT's are before training, so each connection is as likely to stay as any other, which trained weights do not promise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.formats.networks.layers import Block, Group, Layered, dense_matrix, network_of_layers
from planner.generate.sizes import check_size
from planner.options import Option, parse_options

if TYPE_CHECKING:
    from planner.model.network import Network

NAME = "bert-block"
WHAT = "the size of BERT-large's feed-forward block, random weights pruned by magnitude (section VI-A5)"
OPTIONS: tuple[Option, ...] = (
    Option("density", 0.1, "share of the connections that is kept", low=1e-6, high=1.0),
    Option("width", 1024, "inputs and outputs", low=1, high=8192),
    Option("hidden", 4096, "hidden neurons", low=1, high=16384),
    Option(
        "prune", "layer", "where magnitudes are compared: in each matrix or all", choices=("layer", "global")
    ),
)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Network:
    """The network of a seed (>= 0). Raises :class:`planner.errors.StageboardError` on unknown or bad settings."""
    values = parse_options(OPTIONS, settings or {}, NAME)
    width, hidden, density = values["width"], values["hidden"], values["density"]
    check_size(NAME, 2 * width * hidden * density, "width, hidden or density")
    rng = np.random.default_rng(seed)
    sizes = (width, hidden, width)
    layered = Layered(f"{NAME} {width} x {hidden} x {width}, seed {seed}", NAME, "network")
    layered.groups = [
        Group(width, fed=True),
        Group(hidden, _normal(hidden, rng), "gelu", 1),
        Group(width, _normal(width, rng), "identity", 2, output=True),
    ]
    layered.blocks = [
        Block((i,), i + 1, dense_matrix(_normal((sizes[i + 1], sizes[i]), rng), transposed=True))
        for i in range(2)
    ]
    layered.notes = ["the weights are random, not those of a trained model"]
    return network_of_layers(layered, density, values["prune"])


def _normal(shape: int | tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    return np.float32(0.02) * rng.standard_normal(shape, np.float32)
