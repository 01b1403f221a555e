"""An order of connections as a program: runs of one neuron each, whose sums stay in registers, and places for values."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.errors import PlanError
from planner.machines.two_level_memory.execution import emission
from planner.machines.two_level_memory.execution.activations import IDENTITY, RELU, activate
from planner.machines.two_level_memory.execution.kernels import execute
from planner.machines.two_level_memory.kernels import first_breach
from planner.model.network import ACTIVATIONS, Codes, Longs, Network, Singles

TILE = 160
"""Sources that a wave of neurons reads before it goes on to others: with 64 columns of a batch, 40 KiB."""
SHORTEST = 14
"""Connections that a run has on average before waves are cut into tiles; each run loads and stores its neuron once."""
SEGMENT = 16384
"""Connections that are executed for one block of columns before the next block's turn: 128 KiB of indices and weights."""


@dataclass(frozen=True, eq=False)
class Program:
    """A network's connections as R runs; what :class:`Runner` runs.

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
        """R, the number of runs."""
        return len(self.places)

    def run(self, batch: ArrayLike, threads: int = 1) -> Singles:
        """The outputs (float32[S, B]) for a batch (float32[features, B], a column per sample). Raises :class:`PlanError`.

        To run more than one batch make a :class:`Runner`, which keeps its memory and threads.
        """
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
    neurons = network.inputs[network.feature < 0]
    values = network.bias[neurons]
    for code in range(len(ACTIVATIONS)):
        chosen = network.activation[neurons] == code
        some = values[chosen]
        activate(some, code)
        values[chosen] = some
    return values


LINE = 64
"""Bytes of a cache line; rows that begin on one are read without crossing another."""
WIDTHS = (16, 32, 64, 128)
"""Columns that a block may have: sums of the widest fill eight vector registers of 16 floats."""

WORTH = 2_000_000
"""Multiplications that are worth a thread of their own: to wake it takes as long as some hundred thousand."""


class Runner:
    """Runs a program over batches of one size. Close it, or use it as a context: it holds threads where it has more than one.

    ``samples`` (B) is the number of columns of every batch; ``width`` (16, 32, 64 or 128) that of a block, for trials. The
    threads share the blocks of columns; no more are used than the work is worth. Raises :class:`PlanError` where a number is not positive.
    """

    def __init__(self, program: Program, samples: int, threads: int = 1, width: int | None = None) -> None:
        if samples < 1 or threads < 1:
            raise PlanError("a batch has at least one sample, and it is run by at least one thread")
        # The kernel goes by addresses: it would write beyond the end of narrower blocks.
        if width not in (None, *WIDTHS):
            raise PlanError(f"a block has 16, 32, 64 or 128 columns, not {width}")
        self.program, self.samples = program, samples
        network = program.network
        work = (network.connection_count + network.neuron_count) * samples
        threads = max(1, min(threads, work // WORTH))
        self.width = width or block_width(samples, threads)
        blocks = -(-samples // self.width)
        self.threads = min(threads, blocks)
        self._blocks = blocks
        self._values = aligned((blocks, program.slots, self.width))
        slots, constants = program.constants
        self._values[:, slots] = constants[None, :, None]
        self._result = aligned((len(network.outputs), blocks * self.width))
        self._copy: Singles | None = None
        self._pool = ThreadPoolExecutor(self.threads - 1, "inference") if self.threads > 1 else None

    def run(self, batch: Singles) -> Singles:
        """The outputs (float32[S, B]) for a batch (float32[features, B]). The next call overwrites them.

        A batch whose rows are contiguous and begin on cache lines (:func:`aligned`) is read where it stands, another one is
        copied first. Raises :class:`PlanError` for a batch of another shape.
        """
        shape = (self.program.network.features, self.samples)
        if batch.shape != shape or batch.dtype != np.float32:
            raise PlanError(f"the batch must be float32 of {shape[0]} features x {shape[1]} samples")
        if self.samples % self.width or not on_lines(batch):
            if self._copy is None:
                self._copy = aligned((shape[0], self._result.shape[1]))
            self._copy[:, : self.samples] = batch
            batch = self._copy
        p = self.program
        arguments: tuple[Any, ...] = (
            batch.ctypes.data, self._values.reshape(-1), self._result.reshape(-1), self._blocks, self.width, p.slots, p.begins,
            p.places, p.flags, p.biases, p.floors, p.codes, p.sources, p.weights, p.segments, *p.copies,
        )  # fmt: skip
        if self._pool is None:
            execute(*arguments, 0, 1)
        else:
            others = [
                self._pool.submit(execute, *(*arguments, i, self.threads)) for i in range(1, self.threads)
            ]
            execute(*arguments, 0, self.threads)
            for other in others:
                other.result()
        return self._result[:, : self.samples]

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def block_width(samples: int, threads: int) -> int:
    """Columns of a block: those of a thread, no more than the registers hold."""
    share = -(-samples // threads)
    return next((width for width in WIDTHS if width >= share), WIDTHS[-1])


def aligned(shape: tuple[int, ...]) -> Singles:
    """Zeros (float32) of a shape that begin on a cache line."""
    size = int(np.prod(shape)) * 4
    raw = np.zeros(size + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size].view(np.float32).reshape(shape)


def on_lines(array: Singles) -> bool:
    """Whether an array (of any shape) is contiguous and begins on a cache line."""
    return bool(array.flags.c_contiguous) and array.ctypes.data % LINE == 0
