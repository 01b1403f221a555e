"""A linear program that grows by columns, solved under a search in a process that ends with it."""

from __future__ import annotations

import contextlib
import io
import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from subprocess import Popen

import numpy as np

from planner.errors import StageboardError
from planner.methods.mip.child import Child
from planner.methods.mip.lp_child import read, write
from planner.methods.mip.outcome import WATCH_SECONDS
from planner.model.graph import Bools, Floats, Ints


class LpFailure(StageboardError):
    """HiGHS found no solution of a linear program that has one."""


@dataclass(frozen=True, eq=False)
class LpSolution:
    """``objective``, the ``duals`` of the rows (float64[m]) and the ``values`` of the columns (float64[columns])."""

    objective: float
    duals: Floats
    values: Floats


class GrowingLp:
    """Minimise ``cost x`` with ``A x = 1``, ``x >= 0``: ``rows`` rows, and columns that are added between solutions.

    To be used in a ``with`` block, at whose end the process is killed. ``check`` is called while one waits, and may raise.
    """

    def __init__(self, rows: int, check: Callable[[], None]) -> None:
        self._rows = rows
        self._check = check
        self._cost: list[float] = []
        self._columns: list[tuple[Ints, Floats]] = []
        self._told = 0
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._child = Child("lp", "lp", self._write, self._read)

    def __enter__(self) -> GrowingLp:
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.put(None)
        self._child.end()

    def column(self, rows: Ints, factors: Floats | float = 1.0, cost: float = 1.0) -> int:
        """A new column with ``factors`` (float64[r], or one for all) in ``rows`` (int32[r], each once); returns its number."""
        values = np.broadcast_to(np.asarray(factors, np.float64), rows.shape)
        self._columns.append((rows.astype(np.int32), values))
        self._cost.append(cost)
        return len(self._cost) - 1

    def solve(self, opened: Bools | Sequence[bool], recost: Floats | None = None) -> LpSolution:
        """Solve over the columns that are ``opened`` (bool[columns]), the first of which cost ``recost`` (float64[r]) from now on.

        Raises :class:`LpFailure` where HiGHS fails.
        """
        new = self._columns[self._told :]
        ptr = np.zeros(len(new) + 1, np.int32)
        np.cumsum([len(rows) for rows, _ in new], out=ptr[1:])
        nothing = np.zeros(0)
        buffer = io.BytesIO()
        np.savez(
            buffer,
            rows=self._rows,
            cost=np.array(self._cost[self._told :], np.float64),
            ptr=ptr,
            idx=np.concatenate([nothing.astype(np.int32), *(rows for rows, _ in new)]),
            value=np.concatenate([nothing, *(values for _, values in new)]),
            open=np.asarray(opened, bool),
            recost=nothing if recost is None else recost,
        )
        self._told = len(self._columns)
        self._requests.put(buffer.getvalue())
        while True:
            try:
                answer = self._answers.get(timeout=WATCH_SECONDS)
                break
            except queue.Empty:
                self._check()
        if not answer:
            raise LpFailure("HiGHS failed to solve a linear program")
        numbers = np.frombuffer(answer)
        return LpSolution(float(numbers[0]), numbers[1 : 1 + self._rows], numbers[1 + self._rows :])

    def _write(self, process: Popen[bytes]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it ended early: the reader sees that too
            while (request := self._requests.get()) is not None:
                write(process.stdin, request)

    def _read(self, process: Popen[bytes]) -> None:
        assert process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while (answer := read(process.stdout)) is not None:
                self._answers.put(answer)
        self._answers.put(None)
