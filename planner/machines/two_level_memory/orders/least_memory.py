"""The smallest fast memory known to reach the least reads and writes of a network, W + N + S."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.machines.two_level_memory.orders.bandwidth import bandwidth, neuron_orders
from planner.machines.two_level_memory.orders.live import LEAST_MEMORY, block_order, memory_of
from planner.machines.two_level_memory.orders.live_kernels import few_live
from planner.machines.two_level_memory.orders.theorem_1 import is_topological
from planner.model.graph import Ints
from planner.model.network import Network
from planner.model.network_building import network_of

RATE = 1e-6
"""Seconds that a greedy order takes per connection, about: none is begun that would not end in time."""


@dataclass(frozen=True, eq=False)
class LeastMemory:
    """``order`` (int32[W]) reaches W + N + S under MIN with ``memory`` values of fast memory and no fewer.

    Another order may need less still, unless ``memory`` is 3, the least there can be. ``method`` says in a few words how the order was found.
    ``bandwidth`` is the smallest found of a topological order of neurons; Corollary 1 promises ``bandwidth`` + 2.
    """

    memory: int
    order: Ints
    method: str
    bandwidth: int


def least_memory(
    network: Network,
    seconds: float = 1.0,
    seed: int = 0,
    rounds: int = 20,
    known: Sequence[Ints] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> LeastMemory:
    """Look for an order of few live neurons, for ``seconds`` at most, about, or until ``stopped``.

    Candidates are the file's order and those ``known`` (int32[W]), where they are topological; one neuron after another in
    orders of small bandwidth; and greedy orders, with random ties in all ``rounds`` but two. Read
    backwards, an order keeps as many neurons live in the network whose connections all point the other way, so each method is
    tried on that, too. At least one order is always found.
    """
    began = time.perf_counter()

    def over(needed: float = 0.0) -> bool:
        return stopped() or time.perf_counter() - began + needed > seconds

    best: LeastMemory | None = None
    least_bandwidth = network.neuron_count
    for method, order, width in _candidates(network, seed, rounds, known, over):
        least_bandwidth = min(least_bandwidth, width or least_bandwidth)
        memory = memory_of(network, order)
        if best is None or memory < best.memory:
            best = LeastMemory(memory, order, method, 0)
        if best.memory == LEAST_MEMORY or over():
            break
    assert best is not None
    order = np.array(best.order, np.int32)
    order.setflags(write=False)
    return LeastMemory(best.memory, order, best.method, least_bandwidth)


def backwards(network: Network) -> Network:
    """The network whose connections point the other way, neurons and connections numbered as before."""
    return network_of(
        network.name, network.target, network.source, network.weight, neurons=network.neuron_count
    )


def _candidates(
    network: Network, seed: int, rounds: int, known: Sequence[Ints], over: Callable[[float], bool]
) -> Iterator[tuple[str, Ints, int]]:
    """(how it was found, order, bandwidth of the order of neurons that it follows or 0)."""
    both = (("", network), (", backwards", backwards(network)))
    for i, (words, view) in enumerate(both):
        for method, neurons in neuron_orders(view):
            order = block_order(view, neurons)
            yield method + words, order if i == 0 else order[::-1], bandwidth(view, neurons)
    for i, order in enumerate([np.arange(network.connection_count, dtype=np.int32), *known]):
        if is_topological(network, order):
            yield "the file's order" if i == 0 else "a known order", order, 0
    cost = RATE * network.connection_count
    greedy = greedy_orders(network, both[1][1], seed, rounds)
    while not over(cost) and (made := next(greedy, None)) is not None:
        yield "fewest live neurons, greedily" + made[0], made[1], 0


def greedy_orders(network: Network, turned: Network, seed: int, rounds: int) -> Iterator[tuple[str, Ints]]:
    """Greedy orders (int32[W]) of few live neurons, two in each of ``rounds``: forwards, and backwards on the network ``turned`` round.

    Equal steps are taken latest first, then earliest first, then at random. Each order takes a kernel some :data:`RATE` seconds per connection at most.
    """
    for i in range(rounds):
        yield "", _greedy(network, min(i, 2), seed + i)
        yield ", backwards", np.ascontiguousarray(_greedy(turned, min(i, 2), seed + i)[::-1])


def _greedy(network: Network, ties: int, seed: int) -> Ints:
    in_offsets, incoming = network.incoming
    out_offsets, outgoing = network.outgoing
    return few_live(
        network.source, network.target, in_offsets, incoming, out_offsets, outgoing, ties, seed & 0x7FFFFFFF
    )
