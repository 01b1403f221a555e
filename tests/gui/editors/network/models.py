"""Small networks for tests of the window, and a document on one."""

from __future__ import annotations

import numpy as np

from gui.document.network.document import OrderDocument
from gui.document.network.entries import OrderEntry, frozen
from gui.document.network.opening import OpenedNetwork, ready
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.network import Network
from planner.model.network_building import network_of


def layered_network(sizes: tuple[int, ...] = (6, 8, 8, 3), density: float = 0.5, seed: int = 0) -> Network:
    """A random network of fully layered form: each neuron but an input has at least one connection into it."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    pairs = []
    for layer in range(len(sizes) - 1):
        before, after = sizes[layer], sizes[layer + 1]
        used = rng.random((before, after)) < density
        used[rng.integers(before, size=after), np.arange(after)] = True
        used[np.arange(before), rng.integers(after, size=before)] = True
        a, b = np.nonzero(used)
        pairs.append((a + starts[layer], b + starts[layer + 1]))
    source, target = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return network_of(
        "layered", source, target, rng.normal(size=len(source)), layer=np.repeat(np.arange(len(sizes)), sizes)
    )


def shuffled_order(network: Network, seed: int = 0) -> np.ndarray:
    """A topological order that jumps about within each layer, far from the best (int32[W])."""
    rng = np.random.default_rng(seed)
    return np.lexsort((rng.random(network.connection_count), network.layer[network.target])).astype(np.int32)


def opened(network: Network | None = None, size: int = 6, policy: str = "min") -> OpenedNetwork:
    """A network with two orders, the better one on the canvas, and no bound; made without any planner."""
    network = network or layered_network()
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    entries = (
        OrderEntry("shuffled", frozen(shuffled_order(network)), "start"),
        OrderEntry("by neuron", frozen(theorem_1_order(network)), "start"),
    )
    bound = problem.bound(
        "ios",
        float(network.connection_count + network.neuron_count + len(network.outputs)),
        "theorem-1",
        frozenset(),
    )
    return ready(OpenedNetwork(problem, entries, (bound,)))


def document_of(network: Network | None = None, size: int = 6, policy: str = "min") -> OrderDocument:
    """A document on a network."""
    document = OrderDocument()
    document.install(opened(network, size, policy))
    return document
