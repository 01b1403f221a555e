"""A neuron's block, which is all connections into it, and moving it within an order of connections.

An order is topological where every connection into a neuron comes before every connection out of it (section II of the paper
on I/O-efficient sparse inference). So a block may stand anywhere from where the last of its producers is complete to the first
use of its own neuron: one range, never empty in a topological order, whatever the eviction policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.model.graph import Ints
from planner.model.network import Network

Longs = NDArray[np.int64]

PLACES_AT_ONCE = 24
"""How many places :func:`best_place` tries before it looks closer around the best of them."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Connections in a row that lead into one neuron: ``begin`` int64[R + 1] (the last entry is W), ``neuron`` int32[R]."""

    begin: Longs
    neuron: Ints

    def __len__(self) -> int:
        return len(self.neuron)

    @property
    def end(self) -> Longs:
        """The position after each run, int64[R]."""
        return self.begin[1:]

    def at(self, position: int) -> int:
        """The run that holds a position, 0 <= position < W."""
        return int(np.searchsorted(self.begin, position, side="right")) - 1


def blocks_of(network: Network, order: Ints) -> Runs:
    """The runs of one output in an order (int32[W]), or in any part of one."""
    into = network.target[order]
    cuts = np.flatnonzero(into[1:] != into[:-1]) + 1
    begin = np.concatenate(([0], cuts, [len(into)])) if len(into) else np.zeros(1, np.int64)
    return Runs(begin.astype(np.int64), into[begin[:-1]].astype(np.int32))


class BlockMove:
    """What can be done with one neuron's block in one order. Positions count the block as gathered, in its present sequence.

    ``block`` int32[d] (its connections), ``rest`` int32[W - d] (all others, in order), ``first`` and ``last``: the block may
    start at any position from ``first`` to ``last`` of the new order, which is the number of other connections before it.
    ``at`` int64[d] are its present positions. Raises :class:`PlanError` where the neuron has no block.
    """

    def __init__(self, network: Network, order: Ints, neuron: int) -> None:
        if not 0 <= neuron < network.neuron_count:
            raise PlanError(
                f"there is no neuron {neuron}; {network.name} has neurons 0 to {network.neuron_count - 1}"
            )
        self.network, self.order, self.neuron = network, order, neuron
        into = network.target[order]
        mine = into == neuron
        self.at: Longs = np.flatnonzero(mine)
        if not len(self.at):
            raise PlanError(
                f"{network.neuron_name(neuron)} is an input: no connection leads into it, so it has no block to move"
            )
        self.block: Ints = order[self.at]
        self.rest: Ints = order[~mine]
        reads = np.zeros(network.neuron_count, bool)
        reads[network.source[self.block]] = True
        completing = np.flatnonzero(reads[network.target[self.rest]])
        using = np.flatnonzero(network.source[self.rest] == neuron)
        self.first = int(completing[-1]) + 1 if len(completing) else 0
        self.last = int(using[0]) if len(using) else len(self.rest)

    @property
    def start(self) -> int:
        """Where the gathered block would start if it kept the place of its first connection."""
        return int(self.at[0])

    @property
    def gathered(self) -> bool:
        """Whether its connections stand in a row now."""
        return int(self.at[-1]) - int(self.at[0]) + 1 == len(self.at)

    def legal(self, position: int) -> bool:
        """Whether the block may start there."""
        return self.first <= position <= self.last

    def why_not(self, position: int) -> str:
        """Why the block may not start there, naming the neuron in the way; empty where it may."""
        network = self.network
        if not 0 <= position <= len(self.rest):
            return f"the block can start as connection 1 to {len(self.rest) + 1:,} of the order"
        if position < self.first:
            producer = network.neuron_name(int(network.target[self.rest[self.first - 1]]))
            return (
                f"{producer}, which {network.neuron_name(self.neuron)} reads, is complete only after connection"
                f" {self.first:,}"
            )
        if position > self.last:
            consumer = network.neuron_name(int(network.target[self.rest[self.last]]))
            return f"{consumer} uses {network.neuron_name(self.neuron)} from connection {self.last + 1:,} on"
        return ""

    def order_at(self, position: int) -> Ints:
        """The order with the block gathered and started at ``position`` (int32[W]). Raises :class:`PlanError` if illegal."""
        reason = self.why_not(position)
        if reason:
            raise PlanError(f"the block cannot start as connection {position + 1:,} of the order: {reason}")
        return np.concatenate([self.rest[:position], self.block, self.rest[position:]])

    def place_of(self, position: int) -> int:
        """The start that stands for a place in the present order: the other connections before it, 0 <= position <= W."""
        return position - int(np.searchsorted(self.at, position))

    def position_of(self, place: int) -> int:
        """The place in the present order that a start stands for: where the connection is that would follow the block."""
        # Of the block's connections those stand before it that have at most ``place`` others before them.
        others_before = self.at - np.arange(len(self.at))
        return place + int(np.searchsorted(others_before, place, side="right"))

    def places(self) -> Longs:
        """Legal starts that split no other run, and both ends of the legal range: ascending, int64[P]."""
        runs = blocks_of(self.network, self.rest)
        inside = runs.begin[(runs.begin >= self.first) & (runs.begin <= self.last)]
        ends = [self.first, self.last] if self.first <= self.last else []
        return np.unique(np.concatenate([inside, np.array(ends, np.int64)]))

    def places_beside(self, side: int) -> Longs:
        """Those of :meth:`places` before the block (side -1) or behind it (1), the nearest first (int64[places]).

        A scattered block begins first.
        """
        places = self.places()
        return places[places < self.start][::-1] if side < 0 else places[places > self.start]


def moved(network: Network, order: Ints, neuron: int, position: int) -> Ints:
    """The order (int32[W]) with the neuron's block gathered and started at ``position``. Raises :class:`PlanError` where that is illegal."""
    return BlockMove(network, order, neuron).order_at(position)


def placed_like(network: Network, order: Ints, model: Ints, neuron: int) -> Ints:
    """The order (int32[W]) with the neuron's block where ``model`` (int32[W]) completes it: before the same neuron's first connection.

    As near to there as is legal. Raises :class:`PlanError` where the neuron has no block.
    """
    move, there = BlockMove(network, order, neuron), BlockMove(network, model, neuron)
    after = there.rest[there.place_of(int(there.at[-1])) :][:1]
    follower = np.flatnonzero(np.isin(network.target[move.rest], network.target[after]))
    wanted = int(follower[0]) if len(follower) else len(move.rest)
    return move.order_at(min(max(wanted, move.first), move.last))


class Place(NamedTuple):
    """A start of a block and the total I/Os of the order with it there."""

    position: int
    total: float


def best_place(
    move: BlockMove,
    total: Callable[[Ints], float],
    stopped: Callable[[], bool] = lambda: False,
    budget: int = 400,
) -> Place | None:
    """The best start found for a block among :meth:`BlockMove.places`, by ``total`` of an order (int32[W]).

    Tries places evenly over the range, then closer and closer around the best one, at most ``budget`` in all: exact where there
    are no more than that, else a good one. None where the range is empty or nothing was tried before ``stopped``.
    """
    places = move.places()
    known: dict[int, float] = {}

    def look(indices: Longs) -> bool:
        for i in indices.tolist():
            if i in known:
                continue
            if stopped() or len(known) >= budget:
                return False
            known[i] = total(move.order_at(int(places[i])))
        return True

    if len(places) <= budget:
        look(np.arange(len(places)))
    else:
        low, high = 0, len(places) - 1
        while look(np.unique(np.linspace(low, high, PLACES_AT_ONCE).round().astype(np.int64))):
            best = min(known, key=lambda i: (known[i], i))
            tried = np.array(sorted(known))
            at = int(np.searchsorted(tried, best))
            low, high = int(tried[max(0, at - 1)]), int(tried[min(len(tried) - 1, at + 1)])
            if high - low < PLACES_AT_ONCE:
                look(np.arange(low, high + 1))
                break
    if not known:
        return None
    best = min(known, key=lambda i: (known[i], i))
    return Place(int(places[best]), known[best])
