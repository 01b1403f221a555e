"""The order of Theorem 1's proof: neuron after neuron, each finished before the next begins."""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.kernels import first_breach
from planner.model.graph import Ints
from planner.model.network import Network


def theorem_1_order(network: Network) -> Ints:
    """All connections, int32[W], by the rank of the neuron they lead into, then of the one they leave (figure 1).

    Under MIN it takes at most 2 (W + N - I) I/Os at every memory (I/O paper, Theorem 1).
    """
    rank = network.rank
    return np.lexsort((rank[network.source], rank[network.target])).astype(np.int32)


def is_topological(network: Network, order: Ints) -> bool:
    """Whether every connection of ``order`` (int32[W]) comes after all those into the neuron it leaves."""
    return bool(first_breach(order, network.source, network.target, network.in_degree) < 0)
