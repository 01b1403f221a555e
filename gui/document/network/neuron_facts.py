"""What one neuron has to do with an order: where its block runs, how long it is in fast memory, what it costs. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from planner.machines.two_level_memory.trace import Trace
    from planner.model.graph import Ints
    from planner.model.network import Network


@dataclass(frozen=True)
class BlockFacts:
    """Where the connections into a neuron are in an order, and where its value is used; -1 where there are none.

    ``runs`` says in how many pieces the block is; the others are positions, the last ones included.
    """

    first: int
    last: int
    runs: int
    first_use: int
    last_use: int


def block_facts(network: Network, order: Ints, neuron: int) -> BlockFacts:
    """Positions of a neuron's connections in an order (int32[W])."""
    into = np.flatnonzero(network.target[order] == neuron)
    out = np.flatnonzero(network.source[order] == neuron)
    runs = 0 if not len(into) else 1 + int(np.count_nonzero(np.diff(into) != 1))
    ends = [(int(found[0]), int(found[-1])) if len(found) else (-1, -1) for found in (into, out)]
    return BlockFacts(*ends[0], runs, *ends[1])


@dataclass(frozen=True)
class TrafficFacts:
    """What fast memory does with one value: I/Os, and stays as (begin, end) positions."""

    reads: int
    writes: int
    stays: tuple[tuple[int, int], ...]

    @property
    def resident(self) -> int:
        """For how many connections it is in fast memory."""
        return sum(end - begin for begin, end in self.stays)


def traffic_facts(trace: Trace, neuron: int) -> TrafficFacts:
    """I/Os and stays of one neuron's value, in the order in which they come."""
    from planner.machines.two_level_memory.kernels import READ, WRITE

    kinds = trace.kind[trace.neuron == neuron]
    mine = np.flatnonzero(trace.resident_neuron == neuron)
    stays = zip(trace.begin[mine].tolist(), trace.end[mine].tolist(), strict=True)
    return TrafficFacts(
        int(np.count_nonzero(kinds == READ)), int(np.count_nonzero(kinds == WRITE)), tuple(sorted(stays))
    )
