"""Random small networks and orders of their connections, for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from planner.machines.two_level_memory.orders.ready_first import ready_first
from planner.model.network import Network
from planner.model.network_building import network_of


@st.composite
def networks(draw: st.DrawFn, most_neurons: int = 10, most_connections: int = 30) -> Network:
    """DAGs with connections that skip layers, parallel connections, and outputs that others read."""
    n = draw(st.integers(2, most_neurons))
    pairs = [(a, b) for b in range(n) for a in range(b)]
    ends = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=most_connections))
    source, target = zip(*ends, strict=True)
    outputs = None
    if draw(st.booleans()):
        fed = sorted(set(target))
        extra = draw(st.lists(st.sampled_from(fed), unique=True))
        outputs = sorted(set(extra) | (set(target) - set(source)))
    return network_of("random", source, target, np.arange(1, len(ends) + 1) / 8, neurons=n, outputs=outputs)


@st.composite
def orders(draw: st.DrawFn, network: Network) -> np.ndarray:
    """Topological orders: the nearest to a random permutation."""
    shuffled = np.array(draw(st.permutations(range(network.connection_count))), np.int32)
    return ready_first(shuffled, network.source, network.target, network.in_degree, *network.outgoing)
