"""A tree of inputs that all lead to one output: the network that needs as many reads as Theorem 1 allows at most.

Lemma 2 of the paper on I/O-efficient sparse inference: with I inputs and one output any order takes 2 W + N - I reads and
2 (W + N - I) I/Os in all. Weights are ours, as for ``mlp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.generate.weights import drawn
from planner.model.network_building import network_of
from planner.options import Option, parse_options

if TYPE_CHECKING:
    from planner.model.network import Network

NAME = "tree"
WHAT = "inputs that all lead to one output (lemma 2)"
OPTIONS: tuple[Option, ...] = (Option("inputs", 1000, "I: input neurons", low=1, high=10_000_000),)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Network:
    """The network; the ``seed`` draws its weights. Raises :class:`planner.errors.PlannerRefusal` on unknown or bad settings."""
    inputs = parse_options(OPTIONS, settings or {}, NAME)["inputs"]
    target = np.full(inputs, inputs)
    weight, bias = drawn(target, inputs + 1, inputs, np.random.default_rng(seed))
    return network_of(
        f"{NAME} of {inputs} inputs", np.arange(inputs), target, weight, bias, activation="identity"
    )
