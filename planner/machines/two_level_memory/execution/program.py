"""An order of connections as a program: runs of one neuron each, whose sums stay in registers, and places for values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.errors import PlanError
from planner.model.network import ACTIVATIONS, Codes, Longs, Network, Singles

TILE = 160
"""Sources that a wave of neurons reads before it goes on to others: with 64 columns of a batch, 40 KiB."""
SHORTEST = 14
"""Connections that a run has on average before waves are cut into tiles; each run loads and stores its neuron once."""
SEGMENT = 16384
"""Connections that are executed for one block of columns before the next block's turn: 128 KiB of indices and weights."""


@dataclass(frozen=True, eq=False)
class Program:
    """A network's connections as R runs; what :class:`planner.machines.two_level_memory.execution.runner.Runner` runs.

    ``stream`` (int32[W]) are the connection ids as executed: itself an order in which every neuron is complete before it is
    read. Run r has the connections ``begins[r]`` to ``begins[r + 1]``; ``places`` (int32[R]) is the slot of its neuron, or
    its row of the result, ``flags`` as in :mod:`planner.machines.two_level_memory.execution.emission`; ``biases`` (float32[R]) where its sum begins and ``floors`` (float32[R])
    its least value; ``codes`` (uint8[R]) an activation to apply after it, 0 for none. ``sources`` (int32[W]): the slot that each
    connection reads, or the batch's column. ``segments`` are runs at which one block of columns gives way to the next.
    ``constants`` (slots int32[K], values float32[K]) are there from the start; ``copies`` (slots, rows) of outputs that others read.
    """

    network: Network
    stream: NDArray[np.int32]
    begins: Longs
    places: NDArray[np.int32]
    flags: Codes
    biases: Singles
    floors: Singles
    codes: Codes
    sources: NDArray[np.int32]
    weights: Singles
    segments: Longs
    slots: int
    constants: tuple[NDArray[np.int32], Singles]
    copies: tuple[NDArray[np.int32], NDArray[np.int32]]

    @property
    def runs(self) -> int:
        """R."""
        return len(self.places)

    def run(self, batch: ArrayLike, threads: int = 1) -> Singles:
        """The outputs (float32[S, B]) for a batch (float32[features, B], a column per sample). Raises :class:`PlanError`.

        To run more than one batch make a :class:`planner.machines.two_level_memory.execution.runner.Runner`, which keeps its memory and threads.
        """
        from planner.machines.two_level_memory.execution.runner import Runner

        batch = np.asarray(batch, np.float32)
        if batch.ndim != 2:
            raise PlanError(f"a batch has two dimensions, features x samples, not {batch.ndim}")
        with Runner(self, batch.shape[1], threads) as runner:
            return runner.run(batch).copy()


def compile_order(network: Network, order: ArrayLike, tile: int = TILE, shortest: int = SHORTEST) -> Program:
    """The program that computes neurons as ``order`` (int32[W], connection ids) completes them.

    A neuron's connections are gathered into one run at the place of its last one, which needs nothing that is not
    complete there; long ones are cut again into tiles (:func:`planner.machines.two_level_memory.execution.emission.emit`). Raises :class:`PlanError`
    where the order is no permutation or reads a neuron before it is complete.
    """
    from planner.machines.two_level_memory.execution import emission
    from planner.machines.two_level_memory.execution.activations import IDENTITY, RELU
    from planner.machines.two_level_memory.kernels import first_breach

    n, w = network.neuron_count, network.connection_count
    order = np.asarray(order)
    if order.shape != (w,) or order.dtype.kind not in "iu":
        raise PlanError(f"an order of this network holds {w} connection ids, one row of whole numbers")
    if w and (order.min() < 0 or order.max() >= w or np.bincount(order, minlength=w).max() > 1):
        raise PlanError(f"the order does not hold each of the connections 0 to {w - 1} once")
    order = np.ascontiguousarray(order, np.int32)
    source, target = network.source, network.target
    breach = first_breach(order, source, target, network.in_degree)
    if breach >= 0:
        raise PlanError(
            f"connection {breach + 1:,} of the order reads {network.neuron_name(int(source[order[breach]]))} before it is complete"
        )
    row, column = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    row[network.outputs] = np.arange(len(network.outputs), dtype=np.int32)
    column[network.inputs] = network.feature
    fed = column >= 0
    constants = network.inputs[network.feature < 0]
    place, sequence = emission.ready_places(order, source, target, n)
    offsets, ids = emission.into_each(order, target, n)
    waves = emission.waves_of(sequence, offsets, ids, source, n)
    stream = emission.emit(sequence, waves, offsets, ids, source, place, fed, tile, shortest)
    begins = emission.cut_runs(stream, source, target, fed)
    neuron = target[stream[begins[:-1]]]
    places, flags, last, sources, slot, slots = emission.give_places(
        begins, stream, source, target, fed, row, column, constants, network.out_degree.astype(np.int64),
        np.bincount(neuron, minlength=n),
    )  # fmt: skip
    code = np.where(last, network.activation[neuron], IDENTITY).astype(np.uint8)
    read = network.outputs[network.out_degree[network.outputs] > 0]
    bounds = np.searchsorted(begins, np.arange(0, w, SEGMENT)[1:])
    return Program(
        network=network,
        stream=stream,
        begins=begins,
        places=places,
        flags=flags,
        biases=network.bias[neuron],
        floors=np.where(code == RELU, np.float32(0.0), np.float32(-np.inf)),
        codes=np.where(code == RELU, IDENTITY, code).astype(np.uint8),
        sources=sources,
        weights=network.weight[stream],
        segments=np.unique(np.concatenate(([0], bounds, [len(neuron)]))).astype(np.int64),
        slots=int(slots),
        constants=(slot[constants], constant_values(network)),
        copies=(slot[read], row[read]),
    )


def constant_values(network: Network) -> Singles:
    """The values of the inputs that no column feeds, in the order of ``inputs``: their activated biases (float32[K])."""
    from planner.machines.two_level_memory.execution.activations import activate

    neurons = network.inputs[network.feature < 0]
    values = network.bias[neurons]
    for code in range(len(ACTIVATIONS)):
        chosen = network.activation[neurons] == code
        some = values[chosen]
        activate(some, code)
        values[chosen] = some
    return values
