"""A linear program that grows by columns, solved again and again by HiGHS in a process of its own. Run as a script; imports nothing of ours.

The program: minimise ``cost x`` with ``A x = 1`` and ``x >= 0``, A of noughts and ones. Standard input: requests, each a length
(uint32) and that many bytes, an ``.npz``: ``rows`` (in the first alone), new columns (``cost`` float64[c], CSC ``ptr`` int32[c + 1], ``idx``
int32, ``value`` float64), ``open`` (bool, for all columns: the others are kept at nought), and ``recost`` (float64[r]), the costs of the first r columns
from now on. Standard output, for each: the objective, the duals of the rows and the
values of the columns as float64, after a length likewise; nothing but a length of nought where HiGHS has no answer. The end
of standard input is the request to end.
"""

from __future__ import annotations

import io
import os
import struct
import sys
import threading
from typing import IO, Any

import numpy as np

LENGTH = struct.Struct("<I")
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4
"""As HiGHS numbers them."""


def read(stream: IO[bytes]) -> bytes | None:
    """The next message, or None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    payload = stream.read(length)
    return payload if len(payload) == length else None


def write(stream: IO[bytes], payload: bytes) -> None:
    """Write one message and flush it."""
    stream.write(LENGTH.pack(len(payload)) + payload)
    stream.flush()


class Program:
    """The linear program in HiGHS."""

    def __init__(self, rows: int) -> None:
        import highspy

        self._highspy = highspy
        self._highs: Any = highspy.Highs()
        self._highs.setOptionValue("log_to_console", False)
        self._highs.setOptionValue("threads", 1)
        none = np.zeros(0)
        self._highs.addRows(
            rows, np.ones(rows), np.ones(rows), 0, np.zeros(rows, np.int32), none.astype(np.int32), none
        )
        self._open = np.zeros(0, bool)

    def answer(self, request: dict[str, np.ndarray]) -> bytes:
        """Add the columns of a request (``cost`` float64[c] and the other arrays named above), open and close columns, solve."""
        count = len(request["cost"])
        if count:
            self._highs.addCols(
                count,
                request["cost"],
                np.zeros(count),
                np.full(count, np.inf),
                len(request["idx"]),
                request["ptr"][:-1],
                request["idx"],
                request["value"],
            )
        was = np.concatenate([self._open, np.ones(count, bool)])
        self._open = request["open"]
        changed = np.flatnonzero(was != self._open).astype(np.int32)
        if len(changed):
            upper = np.where(self._open[changed], np.inf, 0.0)
            self._highs.changeColsBounds(len(changed), changed, np.zeros(len(changed)), upper)
        recost = request["recost"]
        if len(recost):
            self._highs.changeColsCost(len(recost), np.arange(len(recost), dtype=np.int32), recost)
        if not self._solved():
            return b""
        solution = self._highs.getSolution()
        objective = float(self._highs.getInfo().objective_function_value)
        return np.concatenate([[objective], solution.row_dual, solution.col_value]).tobytes()

    def _solved(self) -> bool:
        """Solve from the last basis; where rounding has led astray, from nothing, then by the primal simplex."""
        optimal = self._highspy.HighsModelStatus.kOptimal
        self._highs.run()
        for strategy in (DUAL_SIMPLEX, PRIMAL_SIMPLEX):
            if self._highs.getModelStatus() == optimal:
                break
            self._highs.clearSolver()
            self._highs.setOptionValue("simplex_strategy", strategy)
            self._highs.run()
        self._highs.setOptionValue("simplex_strategy", DUAL_SIMPLEX)
        return bool(self._highs.getModelStatus() == optimal)


def main() -> None:
    """Answer requests until nobody asks any more."""
    # What the library prints must not get between the messages.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    parent = os.getppid()

    def watch() -> None:
        # A parent that is gone cannot kill a child in the middle of a long run.
        while os.getppid() == parent:
            threading.Event().wait(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    program: Program | None = None
    while (payload := read(sys.stdin.buffer)) is not None:
        with np.load(io.BytesIO(payload), allow_pickle=False) as loaded:
            request = {name: loaded[name] for name in loaded.files}
        if program is None:
            program = Program(int(request["rows"]))
        write(out, program.answer(request))
    os._exit(0)


if __name__ == "__main__":
    main()
