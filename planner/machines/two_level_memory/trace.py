"""What happens while an order runs on a two-level memory, made to be looked at moment by moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.machines.two_level_memory.kernels import EVICT, READ, WRITE
from planner.model.graph import Bools, Ints

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trace:
    """Events in the order in which they happen, and what follows from them. Arrays of E events, R residencies.

    ``position`` (int32[E]) is the index in the order of the connection at which an event happens; ``kind`` (uint8[E]) is READ,
    WRITE or EVICT; ``neuron``, ``slot`` (int32[E]) whose value it is and where. ``reads``, ``writes`` (int64[W + 1]) are the
    I/Os of the first p connections, connections' own reads included. A residency is a stay of a value in fast memory:
    ``resident_neuron``, ``resident_slot`` (int32[R]), from position ``begin`` on and before ``end`` (int32[R]): at the
    connection at which a value is dropped after its last use it is still there.
    """

    position: Ints
    kind: NDArray[np.uint8]
    neuron: Ints
    slot: Ints
    reads: Longs
    writes: Longs
    resident_neuron: Ints
    resident_slot: Ints
    begin: Ints
    end: Ints

    def resident(self, position: int) -> Ints:
        """Residencies (indices) during the connection at ``position``, by slot: int32[at most M - 1]."""
        here = np.flatnonzero((self.begin <= position) & (position < self.end)).astype(np.int32)
        return here[np.argsort(self.resident_slot[here], kind="stable")]


def trace_of(events: NDArray[np.int32], order: Ints, source: Ints, target: Ints) -> Trace:
    """The trace of the events (int32[4, E]) that the kernels recorded for an order."""
    w = len(order)
    position, kind, neuron, slot = (np.ascontiguousarray(row) for row in events)
    reads = np.arange(w + 1, dtype=np.int64)
    reads[1:] += np.cumsum(np.bincount(position[kind == READ], minlength=w))
    writes = np.zeros(w + 1, np.int64)
    writes[1:] = np.cumsum(np.bincount(position[kind == WRITE], minlength=w))

    # The stays of one value follow each other: its reads and its evictions alternate, a last eviction may be missing.
    came, went = np.flatnonzero(kind == READ), np.flatnonzero(kind == EVICT)
    came = came[np.argsort(neuron[came], kind="stable")]
    went = went[np.argsort(neuron[went], kind="stable")]
    stays, gone = np.bincount(neuron[came]), np.bincount(neuron[went], minlength=int(neuron.max()) + 1)
    starts, ends = np.concatenate([[0], np.cumsum(stays)]), np.concatenate([[0], np.cumsum(gone)])
    nth = np.arange(len(came)) - starts[neuron[came]]
    left = nth < gone[neuron[came]]
    end = np.full(len(came), w, np.int32)
    which = went[(ends[neuron[came]] + nth)[left]]
    # A value that leaves at the connection that used it last was there during it; a victim made room for its ends.
    own = used_at(order, source, target, position[which], neuron[which])
    end[left] = position[which] + own
    by_time = np.argsort(came, kind="stable")
    return Trace(
        position,
        kind.astype(np.uint8),
        neuron,
        slot,
        reads,
        writes,
        neuron[came][by_time],
        slot[came][by_time],
        position[came][by_time],
        end[by_time],
    )


def used_at(order: Ints, source: Ints, target: Ints, position: Ints, neuron: Ints) -> Bools:
    """bool[p]: whether each ``neuron`` (int32[p]) is an end of the connection at each ``position`` (int32[p]) of an order.

    ``order``, ``source`` and ``target`` int32[W].
    """
    connection = order[position]
    ends: Bools = (source[connection] == neuron) | (target[connection] == neuron)
    return ends
