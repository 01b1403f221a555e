"""Topological orders of neurons in which connected neurons are close: the bandwidth of Corollary 1.

A network has bandwidth k if some topological order of its neurons keeps every two connected neurons at most k places apart;
a memory of k + 2 values then reaches W + N + S. The least k is as hard to find as that of a matrix, so what is here are good orders.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np

from planner.model.graph import Ints
from planner.model.network import Longs, Network


def bandwidth(network: Network, neurons: Ints) -> int:
    """The farthest that two connected neurons are apart in an order of all neurons (int32[N])."""
    place = np.empty(network.neuron_count, np.int64)
    place[neurons] = np.arange(network.neuron_count)
    return int(np.abs(place[network.target] - place[network.source]).max())


def neuron_orders(network: Network) -> Iterator[tuple[str, Ints]]:
    """Topological orders of all neurons (int32[N]), each with a few words, made one by one as they are asked for."""
    yield "layer by layer", np.argsort(network.rank).astype(np.int32)
    yield "breadth first", breadth_first(network)
    middle = cuthill_mckee(network)
    for words, places in (("Cuthill-McKee", middle), ("reverse Cuthill-McKee", middle[::-1])):
        preference = np.empty(network.neuron_count, np.int64)
        preference[places] = np.arange(network.neuron_count)
        yield words, by_preference(network, preference)


def by_preference(network: Network, preference: Longs) -> Ints:
    """The topological order that always goes on with the ready neuron of the least preference (int64[N]); inputs come when first read."""
    offsets, connections = network.outgoing
    targets = network.target[connections]
    before, sources = network.incoming[0], network.source[network.incoming[1]]
    missing = network.in_degree - np.bincount(
        network.target, weights=network.is_input[network.source], minlength=network.neuron_count
    ).astype(np.int32)
    computed = ~network.is_input
    ready = [(int(preference[v]), int(v)) for v in np.flatnonzero(computed & (missing == 0))]
    heapq.heapify(ready)
    placed = np.zeros(network.neuron_count, np.bool_)
    order: list[int] = []
    while ready:
        v = heapq.heappop(ready)[1]
        for a in sources[before[v] : before[v + 1]].tolist():
            if not placed[a]:
                placed[a] = True
                order.append(a)
        placed[v] = True
        order.append(v)
        # A source may have several connections to one target.
        for b in targets[offsets[v] : offsets[v + 1]].tolist():
            missing[b] -= 1
            if missing[b] == 0:
                heapq.heappush(ready, (int(preference[b]), b))
    return np.array(order, np.int32)


def breadth_first(network: Network) -> Ints:
    """An order of the connections (int32[W]) in which the oldest neuron that is still read goes on.

    Its readers follow, fewest missing sources first, each behind what it lacks.
    """
    offsets, connections = network.outgoing
    targets = network.target[connections]
    before, sources = network.incoming[0], network.source[network.incoming[1]]
    missing = network.in_degree.copy()
    placed = np.zeros(network.neuron_count, np.bool_)
    order: list[int] = []

    def place(v: int) -> None:
        placed[v] = True
        order.append(v)
        np.subtract.at(missing, targets[offsets[v] : offsets[v + 1]], 1)

    def place_behind(v: int) -> None:
        """Place a neuron and, before it, all that it is computed from."""
        stack = [v]
        while stack:
            lacking = sources[before[stack[-1]] : before[stack[-1] + 1]]
            lacking = lacking[~placed[lacking]] if missing[stack[-1]] else lacking[:0]
            if len(lacking):
                stack.append(int(lacking[0]))
                continue
            u = stack.pop()
            if not placed[u]:
                place(u)

    at = 0
    for start in network.inputs[np.argsort(network.out_degree[network.inputs], kind="stable")].tolist():
        if not placed[start]:
            place(start)
        while at < len(order):
            readers = targets[offsets[order[at]] : offsets[order[at] + 1]]
            readers = readers[~placed[readers]]
            for b in readers[np.argsort(missing[readers], kind="stable")].tolist():
                if not placed[b]:
                    place_behind(b)
            at += 1
    return np.array(order, np.int32)


def cuthill_mckee(network: Network) -> Ints:
    """All neurons in reverse Cuthill-McKee order (int32[N]), directions forgotten, so not topological."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    ends = np.concatenate([network.source, network.target]), np.concatenate([network.target, network.source])
    count = network.neuron_count
    matrix = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(count, count)).tocsr()
    return np.asarray(reverse_cuthill_mckee(matrix, symmetric_mode=True), np.int32)
