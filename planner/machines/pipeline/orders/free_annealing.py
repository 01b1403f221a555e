"""Simulated annealing on blocks that are in no order yet: any will do as long as they can be put in one.

With the blocks numbered (:mod:`planner.machines.pipeline.orders.annealing`) a unit may only go where its neighbours' numbers
allow, and on wide graphs good plans lie behind moves that are forbidden so. Here a unit joins the block of a unit that it shares a tensor
with, and the edges between blocks are kept, so that a move that closes a circle is refused. The energy counts what
blocks cost beyond a target just below the best plan, squared: all blocks within it are equally good.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation import kernels
from planner.machines.pipeline.orders.annealing import PROPOSALS_PER_CALL
from planner.machines.pipeline.orders.layout import Network
from planner.machines.pipeline.orders.placement import (
    block_cost,
    io_changes,
    move,
    placement_of,
    send_changes,
    sum_up,
)
from planner.methods.random_streams import uniform
from planner.methods.units import Units
from planner.model.graph import Ints, csr

MOST_BLOCKS = 63
"""The blocks that follow another are the bits of one whole number."""
TARGET = 0.985
"""What blocks may cost as a share of the best plan's."""
ANYWHERE = 0.05
"""Share of the moves that go to any block."""


@njit(cache=True, nogil=True)
def shift_edges(u, b, block_of, succ_ptr, succ_idx, pred_ptr, pred_idx, edges, after):
    """Make the edges between blocks (``edges`` int32[k, k], ``after`` int64[k]: their bits) those of unit u in block ``b``."""
    a = np.int64(block_of[u])
    b = np.int64(b)
    for side in range(2):
        ptr, idx = (succ_ptr, succ_idx) if side == 0 else (pred_ptr, pred_idx)
        for x in range(ptr[u], ptr[u + 1]):
            d = np.int64(block_of[idx[x]])
            for turn in range(2):
                home, change = (a, -1) if turn == 0 else (b, 1)
                if d == home:
                    continue
                tail, head = (home, d) if side == 0 else (d, home)
                edges[tail, head] += change
                if edges[tail, head] == 0:
                    after[tail] &= ~(np.int64(1) << head)
                elif edges[tail, head] == 1 and change == 1:
                    after[tail] |= np.int64(1) << head


@njit(cache=True, nogil=True)
def on_circle(b, after):
    """Whether block ``b`` follows itself."""
    reached = after[b]
    done = np.int64(0)
    while True:
        left = reached & ~done
        if left == 0:
            return False
        bit = left & -left
        done |= bit
        d = 0
        while (bit >> d) != 1:
            d += 1
        reached |= after[d]
        if (reached >> b) & 1:
            return True


@njit(cache=True, nogil=True)
def excess(cost, target):
    """What a block's cost beyond the target counts, in squares of the target."""
    return max(0.0, cost / target - 1.0) ** 2


@njit(cache=True, nogil=True)
def anneal_free(
    network, pred_ptr, pred_idx, near_ptr, near_idx, placement, best_block_of, edges, after, state, proposals, hot, cold,
    share, best,
):  # fmt: skip
    """Propose moves while the temperature falls from ``hot`` to ``cold``; returns the least maximum, its blocks in ``best_block_of``.

    ``near_ptr``, ``near_idx``: the units that each unit shares tensors with; ``share``: the target over the best maximum.
    """
    k = network.blocks
    m = len(network.work)
    succ_ptr, succ_idx = network.succ_ptr, network.succ_idx
    block_of, cost = placement.block_of, placement.cost
    target = best * share
    cool = (cold / hot) ** (1.0 / max(proposals, 1))
    temperature = hot
    for _ in range(proposals):
        temperature *= cool
        u = int(uniform(state) * m)
        a = block_of[u]
        if near_ptr[u] == near_ptr[u + 1] or uniform(state) < ANYWHERE:
            b = int(uniform(state) * k)
        else:
            b = block_of[near_idx[near_ptr[u] + int(uniform(state) * (near_ptr[u + 1] - near_ptr[u]))]]
        if a == b:
            continue
        leave, enter = io_changes(network, placement, u, b)
        send_leave, send_enter = 0.0, 0.0
        if network.communication == kernels.DUPLEX:
            send_leave, send_enter = send_changes(network, placement, u, b)
        cost_a = block_cost(
            network, a, placement.work[a] - network.class_work[u, network.class_of[a]], placement.held[a] - network.params[u], placement.io[a] + leave,
            placement.send[a] + send_leave,
        )  # fmt: skip
        cost_b = block_cost(
            network, b, placement.work[b] + network.class_work[u, network.class_of[b]], placement.held[b] + network.params[u], placement.io[b] + enter,
            placement.send[b] + send_enter,
        )  # fmt: skip
        rise = (
            excess(cost_a, target) + excess(cost_b, target) - excess(cost[a], target) - excess(cost[b], target)
        )  # fmt: skip
        if rise > 0.0 and uniform(state) >= math.exp(-rise / temperature):
            continue
        shift_edges(u, b, block_of, succ_ptr, succ_idx, pred_ptr, pred_idx, edges, after)
        if on_circle(b, after):
            block_of[u] = b
            shift_edges(u, a, block_of, succ_ptr, succ_idx, pred_ptr, pred_idx, edges, after)
            block_of[u] = a
            continue
        move(network, placement, u, b, leave, enter, send_leave, send_enter)
        worst = 0.0
        for d in range(k):
            worst = max(worst, cost[d])
        if worst < best * (1.0 - 1e-9):
            best = worst
            target = best * share
            best_block_of[:] = block_of
    return best


class FreeAnnealing:
    """Annealing of blocks of ``units`` without an order; ``block_of`` (int32[m]) and ``best`` are the best of the last run, in order.

    Not for problems that pin units, for blocks that are not alike, hold activations or form a path, nor for more than ``MOST_BLOCKS`` of
    them: see :attr:`possible`.
    """

    def __init__(self, units: Units, network: Network, rng: np.random.Generator) -> None:
        k, m = network.blocks, units.count
        self.block_of: Ints = np.zeros(m, np.int32)
        self.best = math.inf
        ruled = {"activations", "path"} & units.problem.target.beyond.keys()
        free = bool((network.fixed < 0).all()) and units.problem.evaluator.alike and not ruled
        self.possible = 2 <= k <= MOST_BLOCKS and m > 1 and free
        self._network = network
        self._preds = units.preds
        self._near = _near(units)
        self._state = rng.integers(1, 2**63, 1).astype(np.uint64)
        self._placement = placement_of(units, network)

    def run(self, start: Ints, moves: float, hot: float, cold: float) -> Iterator[None]:
        """Anneal from ``start`` (a valid placement, int32[m]) in steps of some ten milliseconds, cooling from ``hot`` to ``cold``.

        ``moves`` are proposed; a temperature is the square of an excess, as a share of the target.
        """
        network, placement = self._network, self._placement
        k = network.blocks
        placement.block_of[:] = start
        self.block_of[:] = start
        sum_up(network, placement)
        self.best = float(placement.cost.max())
        if not self.best > 0.0:
            return
        edges, after = self._between()
        done, best = 0.0, self.best
        while done < moves:
            count = int(min(PROPOSALS_PER_CALL, moves - done)) or 1
            begin = hot * (cold / hot) ** (done / moves)
            done += count
            end = hot * (cold / hot) ** (done / moves)
            found = self.block_of.copy()
            best = anneal_free(
                network, *self._preds, *self._near, placement, found, edges, after, self._state, count, begin, end,
                TARGET, self.best,
            )  # fmt: skip
            if best < self.best:
                self.best = best
                self.block_of[:] = in_order(found, self._network, k)
            sum_up(network, placement)  # afresh, so that rounding errors do not add up
            yield

    def _between(self) -> tuple[Ints, np.ndarray]:
        k, block_of, network = self._network.blocks, self._placement.block_of, self._network
        tail = block_of[np.repeat(np.arange(len(block_of)), np.diff(network.succ_ptr))]
        head = block_of[network.succ_idx]
        edges = np.zeros((k, k), np.int32)
        np.add.at(edges, (tail, head), 1)
        np.fill_diagonal(edges, 0)
        after = ((edges > 0) * (np.int64(1) << np.arange(k, dtype=np.int64))).sum(axis=1).astype(np.int64)
        return edges, after


def in_order(block_of: Ints, network: Network, k: int) -> Ints:
    """The same blocks (of each unit, int32[m]) numbered so that no edge goes back; blocks that need not wait keep their sequence."""
    tail = block_of[np.repeat(np.arange(len(block_of)), np.diff(network.succ_ptr))]
    head = block_of[network.succ_idx]
    follows = np.zeros((k, k), bool)
    follows[tail, head] = True
    np.fill_diagonal(follows, False)
    number = np.full(k, -1, np.int32)
    for i in range(k):
        ready = (number < 0) & ~(follows & (number < 0)[:, None]).any(axis=0)
        number[np.flatnonzero(ready)[0]] = i
    renumbered: Ints = number[block_of]
    return renumbered


def _near(units: Units) -> tuple[Ints, Ints]:
    """The units that each unit shares a tensor with, as CSR."""
    unit = np.repeat(np.arange(units.count), np.diff(units.entry_ptr))
    tensor = units.entry_tensor
    producer = units.tensor_producer[tensor]
    away = unit != producer
    a, b = unit[away].astype(np.int32), producer[away].astype(np.int32)
    return csr(np.concatenate([a, b]), np.concatenate([b, a]), units.count)
