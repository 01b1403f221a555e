"""Random small networks and orders of their connections."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Ints
from planner.model.network import Network
from planner.model.network_building import network_of
from tests.planner.machines.two_level_memory.reference import Link


def links_of(network: Network, order: Ints | None = None) -> list[Link]:
    """The connections as pairs, in an order or in the file's."""
    order = np.arange(network.connection_count) if order is None else order
    return list(zip(network.source[order].tolist(), network.target[order].tolist(), strict=True))


def small(links: list[Link], outputs: list[int] | None = None) -> Network:
    """A network of these connections."""
    source, target = [a for a, _ in links], [b for _, b in links]
    return network_of("small", source, target, np.ones(len(links)), outputs=outputs)


@st.composite
def networks(draw: st.DrawFn, most_neurons: int = 8, most_connections: int = 16) -> Network:
    """DAGs with connections beside each other, with skips, with outputs that are read and neurons that nobody needs."""
    count = draw(st.integers(2, most_neurons))
    names = draw(st.permutations(range(count)))
    pairs = st.tuples(st.integers(0, count - 2), st.integers(1, count - 1)).filter(lambda e: e[0] < e[1])
    drawn = draw(st.lists(pairs, min_size=1, max_size=most_connections))
    links = [(names[a], names[b]) for a, b in drawn]
    fed = sorted({b for _, b in links})
    outputs = draw(st.none() | st.lists(st.sampled_from(fed), min_size=1, unique=True))
    return small(links, outputs)


@st.composite
def orders_of(draw: st.DrawFn, network: Network) -> Ints:
    """A topological order of the connections, any of them."""
    missing = network.in_degree.copy()
    left = list(range(network.connection_count))
    order = []
    while left:
        ready = [c for c in left if missing[network.source[c]] == 0]
        taken = draw(st.sampled_from(ready))
        left.remove(taken)
        missing[network.target[taken]] -= 1
        order.append(taken)
    return np.array(order, np.int32)


@st.composite
def cases(draw: st.DrawFn, most_neurons: int = 8, most_connections: int = 16) -> tuple[NetworkProblem, Ints]:
    """A problem of a small memory and an order."""
    network = draw(networks(most_neurons, most_connections))
    machine = TwoLevelMemory(draw(st.integers(3, 7)), draw(st.sampled_from(["min", "lru", "rr"])))
    return NetworkProblem(network, machine), draw(orders_of(network))
