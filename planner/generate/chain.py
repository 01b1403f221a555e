"""Chains that meet in one input and one output: where an order layer after layer is arbitrarily bad.

Proposition 2 of the paper on I/O-efficient sparse inference: one input, ``layers`` hidden layers of 2 M neurons, one output; each
hidden neuron has one connection in and one out. Layer after layer, a memory of M values must write at least M of each
hidden layer; chain after chain, one write is enough. The connections are in the order that is bad. Weights are ours, as for
``mlp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import NetworkError
from planner.generate.weights import drawn
from planner.model.network_building import network_of
from planner.options import Option, parse_options

if TYPE_CHECKING:
    from planner.model.network import Network

NAME = "chain"
WHAT = "chains that meet in one input and one output (proposition 2)"
OPTIONS: tuple[Option, ...] = (
    Option("memory", 100, "M: half the number of chains", low=1, high=100_000),
    Option("layers", 4, "c: hidden layers", low=1, high=10_000),
)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Network:
    """The network; the ``seed`` draws its weights. Raises :class:`planner.errors.PlannerRefusal` on unknown or bad settings."""
    values = parse_options(OPTIONS, settings or {}, NAME)
    width, layers = 2 * values["memory"], values["layers"]
    if width * layers > 20_000_000:
        raise NetworkError(
            f"'{NAME}' would have {width * layers:,} hidden neurons; set memory or layers lower"
        )
    hidden = np.arange(1, 1 + width * layers)
    output = 1 + width * layers
    source = np.concatenate([np.zeros(width, np.int64), hidden])
    target = np.concatenate([hidden, np.full(width, output)])
    weight, bias = drawn(target, output + 1, 1, np.random.default_rng(seed))
    activation = np.full(output + 1, "relu", "U8")
    activation[output] = "identity"
    return network_of(
        f"{NAME} {width} x {layers}",
        source,
        target,
        weight,
        bias,
        activation=activation,
        inputs=[0],
        outputs=[output],
    )
