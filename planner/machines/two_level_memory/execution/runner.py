"""A program and the memory and threads it is run with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

import numpy as np

from planner.errors import PlanError
from planner.machines.two_level_memory.execution.program import Program
from planner.model.network import Singles

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
        from planner.machines.two_level_memory.execution.kernels import execute

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
    """Zeros (float32) that begin on a cache line."""
    size = int(np.prod(shape)) * 4
    raw = np.zeros(size + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size].view(np.float32).reshape(shape)


def on_lines(array: Singles) -> bool:
    """Whether an array is contiguous and begins on a cache line."""
    return bool(array.flags.c_contiguous) and array.ctypes.data % LINE == 0
