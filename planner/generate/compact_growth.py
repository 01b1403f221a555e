"""Networks by Compact Growth: what a fast memory of a given size can run without an I/O on temporary values.

Appendix A-B of the paper on I/O-efficient sparse inference: a bag starts with M_g - 2 inputs. Each of the ``neurons`` steps
adds a neuron, connects ``draws`` different others of the bag to it, and removes the last of these; in the end one output reads
all that are left in the bag. So at most M_g - 1 values are needed at a time, and with the connections in the order of the
construction, which is the order here, a memory of M_g values takes W + N reads and S writes (Theorem 2). All ``draws`` connections
exist; the paper's Figure 3 speaks of an in-degree of 4, its appendix of 5 draws. Weights are ours, as for ``mlp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import NetworkError
from planner.generate.sizes import check_size
from planner.generate.weights import drawn
from planner.model.network_building import network_of
from planner.options import Option, parse_options

if TYPE_CHECKING:
    from planner.model.network import Network

NAME = "compact-growth"
WHAT = "a network that a memory of M_g values runs with the fewest I/Os (appendix A-B)"
OPTIONS: tuple[Option, ...] = (
    Option("memory", 100, "M_g: values that fit into the fast memory it is made for", low=3, high=1_000_000),
    Option("neurons", 1000, "neurons added", low=1, high=1_000_000),
    Option("draws", 5, "connections into each", low=1, high=1_000),
)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Network:
    """The network of a seed (>= 0), its connections in the order of its construction.

    Raises :class:`planner.errors.StageboardError` on unknown or bad settings.
    """
    values = parse_options(OPTIONS, settings or {}, NAME)
    size, neurons, draws = values["memory"] - 2, values["neurons"], values["draws"]
    if draws > size:
        raise NetworkError(
            f"'{NAME}' draws {draws} of the {size} neurons in a bag for a memory of {size + 2}; set memory to at least"
            f" {draws + 2} or draws to at most {size}"
        )
    check_size(NAME, draws * neurons + size, "neurons, draws or memory")
    rng = np.random.default_rng(seed)
    bag = np.arange(size)
    source = np.empty(draws * neurons + size, np.int64)
    for i in range(neurons):
        places = rng.choice(size, draws, replace=False)
        source[i * draws : (i + 1) * draws] = bag[places]
        bag[places[-1]] = size + i
    source[draws * neurons :] = bag
    output = size + neurons
    target = np.concatenate([np.repeat(np.arange(size, output), draws), np.full(size, output)])
    weight, bias = drawn(target, output + 1, size, rng)
    activation = np.full(output + 1, "relu", "U8")
    activation[output] = "identity"
    return network_of(
        f"{NAME} {size + 2}, {neurons} neurons, seed {seed}",
        source,
        target,
        weight,
        bias,
        activation=activation,
        inputs=np.arange(size),
        outputs=[output],
    )
