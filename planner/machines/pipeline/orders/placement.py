"""Where the units of a pipeline are and what its blocks cost, kept while single units move: O(degree of the unit) a move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation import kernels
from planner.machines.pipeline.orders.layout import Network
from planner.methods.units import Units
from planner.model.graph import Floats, Ints


class Placement(NamedTuple):
    """Blocks of the units and what they cost (m units, k blocks, t tensors).

    ``block_of`` int32[m]; ``uses`` int32[t, k] (units per block that use a tensor), ``total`` int32[t]; ``work``, ``held``
    (parameters), ``peak`` (of activations, 0 where these do not count or cannot make the block stream), ``io``, ``send`` (its part that is sent), ``cost`` float64[k].
    """

    block_of: Ints
    uses: Ints
    total: Ints
    work: Floats
    held: Floats
    peak: Floats
    io: Floats
    send: Floats
    cost: Floats


def placement_of(units: Units, network: Network) -> Placement:
    """Room for placements of ``units``; everything is 0."""
    t, k = len(units.tensor_time), network.blocks
    return Placement(
        np.zeros(units.count, np.int32),
        np.zeros((t, k), np.int32),
        np.zeros(t, np.int32),
        *(np.zeros(k) for _ in range(6)),
    )


@njit(cache=True, nogil=True)
def block_cost(network, d, work, held, io, send):
    """The cost of block ``d`` from its parts; ``io`` is what it receives and sends, ``send`` the latter."""
    streaming = kernels.streaming_time(held, network.block_budget[d], network.rate)
    if network.communication == kernels.SUM:
        return work + io + streaming
    return kernels.combine(io - send, work, send, streaming, network.communication)


@njit(cache=True, nogil=True)
def renew_cost(network, placement, d):
    """Make the cost of block ``d`` that of its parts."""
    held = placement.held[d] + placement.peak[d]
    placement.cost[d] = block_cost(network, d, placement.work[d], held, placement.io[d], placement.send[d])


@njit(cache=True, nogil=True)
def sum_up(network, placement):
    """Fill everything but ``block_of`` and ``peak`` from these."""
    placement.uses[:] = 0
    placement.total[:] = 0
    placement.work[:] = 0.0
    placement.held[:] = 0.0
    placement.io[:] = 0.0
    placement.send[:] = 0.0
    k = network.blocks
    for u in range(len(network.work)):
        d = placement.block_of[u]
        placement.work[d] += network.class_work[u, network.class_of[d]]
        placement.held[d] += network.params[u]
        for y in range(network.use_ptr[u], network.use_ptr[u + 1]):
            placement.uses[network.use_tensor[y], d] += 1
            placement.total[network.use_tensor[y]] += 1
    for t in range(len(network.tensor_time)):
        h = placement.block_of[network.tensor_producer[t]]
        if placement.uses[t, h] < placement.total[t]:
            placement.io[h] += network.send_time[t]
            placement.send[h] += network.send_time[t]
            for d in range(k):
                if d != h and placement.uses[t, d] > 0:
                    placement.io[d] += network.tensor_time[t]
    for d in range(k):
        renew_cost(network, placement, d)


@njit(cache=True, nogil=True)
def io_changes(network, placement, u, b):
    """What a move of unit ``u`` to block ``b`` adds to the transfers of the block it leaves and of ``b``."""
    a = placement.block_of[u]
    leave, enter = 0.0, 0.0
    for y in range(network.use_ptr[u], network.use_ptr[u + 1]):
        t = network.use_tensor[y]
        h = placement.block_of[network.tensor_producer[t]]
        receive, send = network.tensor_time[t], network.send_time[t]
        uses_a, uses_b = placement.uses[t, a], placement.uses[t, b]
        if h == a:
            if uses_a == placement.total[t]:
                leave += send
        elif uses_a == 1:
            leave -= receive
        if h == b:
            if uses_b == placement.total[t] - 1:
                enter -= send
        elif uses_b == 0:
            enter += receive
    for y in range(network.made_ptr[u], network.made_ptr[u + 1]):
        t = network.made_tensor[y]
        receive, send = network.tensor_time[t], network.send_time[t]
        uses_a, uses_b = placement.uses[t, a], placement.uses[t, b]
        if uses_a < placement.total[t]:
            leave -= send
        if uses_a > 0:
            leave += receive
        if uses_b > 0:
            enter -= receive
        if uses_b < placement.total[t]:
            enter += send
    return leave, enter


@njit(cache=True, nogil=True)
def send_changes(network, placement, u, b):
    """What a move of unit ``u`` to block ``b`` adds to what the block it leaves and ``b`` send."""
    a = placement.block_of[u]
    leave, enter = 0.0, 0.0
    for y in range(network.use_ptr[u], network.use_ptr[u + 1]):
        t = network.use_tensor[y]
        h = placement.block_of[network.tensor_producer[t]]
        if h == a and placement.uses[t, a] == placement.total[t]:
            leave += network.send_time[t]
        if h == b and placement.uses[t, b] == placement.total[t] - 1:
            enter -= network.send_time[t]
    for y in range(network.made_ptr[u], network.made_ptr[u + 1]):
        t = network.made_tensor[y]
        if placement.uses[t, a] < placement.total[t]:
            leave -= network.send_time[t]
        if placement.uses[t, b] < placement.total[t]:
            enter += network.send_time[t]
    return leave, enter


@njit(cache=True, nogil=True)
def move(network, placement, u, b, leave, enter, send_leave, send_enter):
    """Make the move whose changes are given; peaks are those after it."""
    a = placement.block_of[u]
    for y in range(network.use_ptr[u], network.use_ptr[u + 1]):
        t = network.use_tensor[y]
        placement.uses[t, a] -= 1
        placement.uses[t, b] += 1
    placement.block_of[u] = b
    placement.work[a] -= network.class_work[u, network.class_of[a]]
    placement.work[b] += network.class_work[u, network.class_of[b]]
    placement.held[a] -= network.params[u]
    placement.held[b] += network.params[u]
    placement.io[a] += leave
    placement.io[b] += enter
    placement.send[a] += send_leave
    placement.send[b] += send_enter
    renew_cost(network, placement, a)
    renew_cost(network, placement, b)
