"""How many neurons an order of connections keeps in use at once, and so the least memory at which it reads nothing twice.

A neuron is live from the first connection that touches it to the last. With room for all live neurons MIN reads each once and writes
outputs only; with less room some neuron leaves fast memory between two uses and is read again (docs/io-theory.md has the proof).
"""

from __future__ import annotations

import numpy as np

from planner.model.graph import Ints
from planner.model.network import Longs, Network

LEAST_MEMORY = 3
"""Both ends of a connection, and the connection."""


def live_counts(network: Network, order: Ints) -> Longs:
    """Neurons that are live at each position of an order (int32[W]), int64[W]. O(W)."""
    count = network.connection_count
    source, target = network.source[order], network.target[order]
    positions = np.arange(count)
    # Of several values for one neuron the one assigned last stays.
    first = np.empty(network.neuron_count, np.int64)
    first[target[::-1]] = positions[::-1]
    first_as_source = np.full(network.neuron_count, count)
    first_as_source[source[::-1]] = positions[::-1]
    first = np.where(network.in_degree > 0, np.minimum(first, first_as_source), first_as_source)
    last = np.full(network.neuron_count, -1)
    last[target] = positions
    last_as_source = np.full(network.neuron_count, -1)
    last_as_source[source] = positions
    last = np.maximum(last, last_as_source)
    begins = np.bincount(first, minlength=count + 1)
    ends = np.bincount(last + 1, minlength=count + 1)
    return np.cumsum(begins - ends)[:count]


def memory_of(network: Network, order: Ints) -> int:
    """The least fast memory at which MIN reaches W + N + S on this order (int32[W], topological)."""
    return max(LEAST_MEMORY, int(live_counts(network, order).max()) + 1)


def block_order(network: Network, neurons: Ints) -> Ints:
    """The connections of one neuron after those of another, in a topological order of neurons (int32[N]): int32[W].

    Within the block of a neuron first come sources that are live and last used here, then those first and last used here,
    which so take turns in one place, then the other live ones, and last those that stay from here on.
    """
    count = network.neuron_count
    place = np.empty(count, np.int64)
    place[neurons] = np.arange(count)
    block = place[network.target]
    first = np.full(count, count)
    np.minimum.at(first, network.source, block)
    last = np.full(count, -1)
    np.maximum.at(last, network.source, block)
    computed = ~network.is_input[network.source]
    begins = (first[network.source] == block) & ~computed
    ends = last[network.source] == block
    turn = np.where(ends, np.where(begins, 1, 0), np.where(begins, 3, 2))
    # Parallel connections stay together.
    return np.lexsort((network.source, turn, block)).astype(np.int32)
