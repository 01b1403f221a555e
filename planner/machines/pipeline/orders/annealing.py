"""Simulated annealing on the blocks of a pipeline's units, compiled and incremental.

A move takes one unit to another block that its predecessors and successors allow. Only the two blocks change their
costs, in O(degree of the unit). The energy is a power mean of the blocks' costs: unlike their maximum it says of most
moves whether they help, and with a high power its minima are those of the maximum, nearly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.pipeline.orders.layout import Network
from planner.methods.random_streams import uniform
from planner.methods.units import Units
from planner.model.graph import Floats, Ints


class Placement(NamedTuple):
    """Blocks of the units and what they cost (m units, k blocks, t tensors).

    ``block_of`` int32[m]; ``uses`` int32[t, k] (units per block that use a tensor), ``total`` int32[t]; ``work``, ``held``,
    ``io``, ``cost`` float64[k].
    """

    block_of: Ints
    uses: Ints
    total: Ints
    work: Floats
    held: Floats
    io: Floats
    cost: Floats


@njit(cache=True, nogil=True)
def sum_up(network, placement):
    """Fill everything but ``block_of`` from it."""
    placement.uses[:] = 0
    placement.total[:] = 0
    placement.work[:] = 0.0
    placement.held[:] = 0.0
    placement.io[:] = 0.0
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
            for d in range(k):
                if d != h and placement.uses[t, d] > 0:
                    placement.io[d] += network.tensor_time[t]
    for d in range(k):
        placement.cost[d] = block_cost(network, d, placement.work[d], placement.held[d], placement.io[d])


@njit(cache=True, nogil=True)
def block_cost(network, d, work, held, io):
    """Receive, work, streaming and send of block ``d``."""
    over = held - network.block_budget[d]
    if over > 0.0:
        return work + io + over / network.rate
    return work + io


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
def move(network, placement, u, b, leave, enter):
    """Make the move whose changes are given."""
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
    placement.cost[a] = block_cost(network, a, placement.work[a], placement.held[a], placement.io[a])
    placement.cost[b] = block_cost(network, b, placement.work[b], placement.held[b], placement.io[b])


@njit(cache=True, nogil=True)
def window(network, pred_ptr, pred_idx, block_of, u):
    """Lowest and highest block that the units before and after ``u`` leave to it."""
    low, high = 0, network.blocks - 1
    for x in range(pred_ptr[u], pred_ptr[u + 1]):
        low = max(low, block_of[pred_idx[x]])
    for x in range(network.succ_ptr[u], network.succ_ptr[u + 1]):
        high = min(high, block_of[network.succ_idx[x]])
    return low, high


@njit(cache=True, nogil=True)
def anneal(
    network,
    pred_ptr,
    pred_idx,
    movable,
    placement,
    best_block_of,
    state,
    proposals,
    hot,
    cold,
    power,
    scale,
    best,
):
    """Propose moves while the temperature falls from ``hot`` to ``cold`` geometrically; returns the best maximum.

    The energy is (sum of (cost / scale) ** power) ** (1 / power), temperatures are shares of ``scale``. A new best
    goes to ``best_block_of``.
    """
    k = network.blocks
    n = len(movable)
    total = 0.0
    powers = np.empty(k)
    for d in range(k):
        powers[d] = (placement.cost[d] / scale) ** power
        total += powers[d]
    energy = total ** (1.0 / power)
    cool = (cold / hot) ** (1.0 / max(proposals, 1))
    temperature = hot
    for _ in range(proposals):
        temperature *= cool
        u = movable[int(uniform(state) * n)]
        low, high = window(network, pred_ptr, pred_idx, placement.block_of, u)
        if low == high:
            continue
        a = placement.block_of[u]
        b = low + int(uniform(state) * (high - low))
        if b >= a:
            b += 1
        leave, enter = io_changes(network, placement, u, b)
        cost_a = block_cost(
            network,
            a,
            placement.work[a] - network.class_work[u, network.class_of[a]],
            placement.held[a] - network.params[u],
            placement.io[a] + leave,
        )
        cost_b = block_cost(
            network,
            b,
            placement.work[b] + network.class_work[u, network.class_of[b]],
            placement.held[b] + network.params[u],
            placement.io[b] + enter,
        )
        power_a = max(cost_a / scale, 0.0) ** power
        power_b = max(cost_b / scale, 0.0) ** power
        new_total = total - powers[a] - powers[b] + power_a + power_b
        new_energy = max(new_total, 0.0) ** (1.0 / power)
        rise = new_energy - energy
        if rise <= 0.0 or uniform(state) < math.exp(-rise / temperature):
            move(network, placement, u, b, leave, enter)
            powers[a], powers[b] = power_a, power_b
            total, energy = new_total, new_energy
            worst = 0.0
            for d in range(k):
                worst = max(worst, placement.cost[d])
            if worst < best * (1.0 - 1e-9):
                best = worst
                best_block_of[:] = placement.block_of
    return best


PROPOSALS_PER_CALL = 60_000
"""Proposals between two looks at the stop criteria: some ten milliseconds."""


class Annealing:
    """Annealing of placements of ``units``; ``block_of`` (int32[m]) and ``best`` are the best placement of the last run."""

    def __init__(self, units: Units, network: Network, rng: np.random.Generator, power: float) -> None:
        t, k = len(units.tensor_time), network.blocks
        self.block_of: Ints = np.zeros(units.count, np.int32)
        self.best = math.inf
        self._network = network
        self._preds = units.preds
        self._power = power
        self._movable = np.flatnonzero(network.fixed < 0).astype(np.int32)
        self._state = rng.integers(1, 2**63, 1).astype(np.uint64)
        self._placement = Placement(
            np.zeros(units.count, np.int32),
            np.zeros((t, k), np.int32),
            np.zeros(t, np.int32),
            *(np.zeros(k) for _ in range(4)),
        )

    def run(self, start: Ints, scale: float, moves: float, hot: float, cold: float) -> Iterator[None]:
        """Anneal from ``start`` (a valid placement, int32[m]) in steps of some ten milliseconds, cooling from ``hot`` to ``cold``.

        ``moves`` are proposed; temperatures are shares of ``scale``, the value that costs are measured in.
        """
        network, placement = self._network, self._placement
        placement.block_of[:] = start
        self.block_of[:] = start
        sum_up(network, placement)
        self.best = float(placement.cost.max())
        if not len(self._movable) or not scale > 0.0 or network.blocks < 2:
            return
        done = 0
        while done < moves:
            count = int(min(PROPOSALS_PER_CALL, moves - done)) or 1
            begin = hot * (cold / hot) ** (done / moves)
            done += count
            end = hot * (cold / hot) ** (done / moves)
            self.best = anneal(
                network, *self._preds, self._movable, placement, self.block_of, self._state, count, begin, end,
                self._power, scale, self.best,
            )  # fmt: skip
            sum_up(network, placement)  # afresh, so that rounding errors do not add up
            yield
