"""In which layers and at which neurons two orders of one network differ in reads and writes, up to a moment, and that in words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.look.numbers import plural, signed
from planner.machines.two_level_memory.trace import Trace
from planner.model.graph import Ints
from planner.model.network import Network
from planner.reports.comparison.orders import Displacement, completed, displacement

LARGEST = 40
"""How many neurons are listed."""


@dataclass(frozen=True, eq=False)
class Differences:
    """Reads and writes of neurons' values by orders A and B.

    ``layers`` int64[depth + 1, 2, 2]: per layer, order, and kind (reads, writes). ``neurons`` int64[k] are those that differ most in
    their sum, ``changes`` int64[k, 2] what B reads and writes more at each.
    """

    layers: np.ndarray
    neurons: np.ndarray
    changes: np.ndarray

    @property
    def totals(self) -> np.ndarray:
        """int64[2, 2]: per order and kind."""
        return np.asarray(self.layers.sum(axis=0))


def traffic(trace: Trace, neurons: int, position: int) -> np.ndarray:
    """Reads and writes of each neuron's value while the first ``position`` connections are used: int64[N, 2].

    The connections' own reads are no part of it: they are the same in every order. The last moment includes what is written at the end.
    """
    from planner.machines.two_level_memory.kernels import READ, WRITE

    end = int(np.searchsorted(trace.position, position)) if position < len(trace.reads) - 1 else None
    kind, neuron = trace.kind[:end], trace.neuron[:end]
    return np.stack([np.bincount(neuron[kind == k], minlength=neurons) for k in (READ, WRITE)], axis=1)


def differences(network: Network, first: Trace, second: Trace, position: int) -> Differences:
    """What orders A (``first``) and B (``second``) have read and written when so many connections are done."""
    counts = np.stack([traffic(trace, network.neuron_count, position) for trace in (first, second)], axis=1)
    layers = np.zeros((network.depth + 1, 2, 2), np.int64)
    np.add.at(layers, network.layer, counts)
    change = counts[:, 1] - counts[:, 0]
    sums = np.abs(change.sum(axis=1))
    differing = np.flatnonzero(sums)
    largest = differing[np.argsort(-sums[differing], kind="stable")[:LARGEST]]
    return Differences(layers, largest, change[largest])


def moved_neurons(network: Network, first: Ints, second: Ints) -> Displacement:
    """The fewest neurons that must move to make order B (``second``, int32[W]) from A (``first``)."""
    sequences = completed(network, first), completed(network, second)
    return displacement(network, sequences, (first, second))


def counter_words(trace: Trace, position: int) -> str:
    """``reads 24,311 of 109,800   writes 12 of 401``."""
    reads, writes = int(trace.reads[position]), int(trace.writes[position])
    return f"reads {reads:,} of {int(trace.reads[-1]):,}   writes {writes:,} of {int(trace.writes[-1]):,}"


def difference_words(change: np.ndarray, position: int, count: int) -> str:
    """What B has read and written more than A at a moment."""
    when = "in the end" if position == count else f"after {position:,} of {count:,} connections"
    reads, writes = int(change[0]), int(change[1])
    return (
        f"B − A {when}: reads {signed(reads)}, writes {signed(writes)}, total {signed(reads + writes)} I/Os"
    )


def moves_words(found: Displacement) -> str:
    """How far apart two orders are: ``12 neurons must move, 340 connections displaced``."""
    if not len(found.neurons):
        return "both complete their neurons in the same order"
    moved = plural(len(found.neurons), "neuron")
    verb = "moves" if len(found.neurons) == 1 else "must move"
    return f"{moved} {verb}, {plural(found.connections, 'connection')} displaced"
