"""The kinds of graphs and of networks that can be made up."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from planner.errors import ModelError
from planner.generate import bert_block, chain, compact_growth, mlp, pruned, regal_like, tree
from planner.model.graph import Graph
from planner.options import Option

if TYPE_CHECKING:
    from planner.model.network import Network


class Kind(Protocol):
    """What the module of a kind of graphs offers."""

    NAME: str
    OPTIONS: tuple[Option, ...]

    def generate(self, seed: int, settings: Mapping[str, Any] | None = None) -> Graph:
        """The graph of a seed under settings. Raises :class:`planner.errors.StageboardError` on bad settings."""


class NetworkKind(Protocol):
    """What the module of a kind of networks offers."""

    NAME: str
    WHAT: str
    OPTIONS: tuple[Option, ...]

    def generate(self, seed: int, settings: Mapping[str, Any] | None = None) -> Network:
        """The network of a seed under settings. Raises :class:`planner.errors.StageboardError` on bad settings."""


KINDS: dict[str, Kind] = {regal_like.NAME: regal_like}
"""Kinds of graphs."""
NETWORKS: dict[str, NetworkKind] = {
    mlp.NAME: mlp,
    compact_growth.NAME: compact_growth,
    chain.NAME: chain,
    tree.NAME: tree,
    pruned.NAME: pruned,
    bert_block.NAME: bert_block,
}
"""Kinds of sparse networks."""


def kind(name: str) -> Kind:
    """A kind of graphs by name. Raises :class:`ModelError`."""
    if name in NETWORKS:
        raise ModelError(
            f"'{name}' makes a network of neurons, not a graph of ops; choose from {', '.join(KINDS)}"
        )
    if name not in KINDS:
        raise ModelError(f"there is no kind of graph '{name}'; {_hint(name, (*KINDS, *NETWORKS))}")
    return KINDS[name]


def network_kind(name: str) -> NetworkKind:
    """A kind of networks by name. Raises :class:`ModelError`."""
    if name not in NETWORKS:
        raise ModelError(f"there is no kind of network '{name}'; {_hint(name, tuple(NETWORKS))}")
    return NETWORKS[name]


def generate_network(name: str, settings: Mapping[str, Any] | None = None, seed: int = 0) -> Network:
    """The network of a kind, settings and seed (>= 0). Raises :class:`planner.errors.StageboardError`."""
    return network_kind(name).generate(seed, settings)


def _hint(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(known)}"
