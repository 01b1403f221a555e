"""A mixed-integer program solved by HiGHS or SCIP under a search, in a process that ends with it."""

from __future__ import annotations

import contextlib
import io
import json
import math
import queue
import struct
import time
from collections.abc import Callable, Mapping
from subprocess import Popen
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.methods.mip.child import Child
from planner.methods.mip.mip_child import read_frame, write_frame
from planner.methods.mip.model import Arrays, arrays_of
from planner.methods.mip.outcome import WATCH_SECONDS, Outcome
from planner.search.search import Search

SOLVERS = ("highs", "scip")
CHOICES = (*SOLVERS, "cbc")
"""What the option ``solver`` may say. CBC was a solver once, and saved plans and sweeps name it; see :func:`solver_of`."""
INSTEAD = "solver=cbc runs on HiGHS, as Stageboard no longer uses CBC"


def solver_of(search: Search) -> str:
    """The solver that the option ``solver`` asks for; ``highs`` in place of ``cbc``, which the search's message says."""
    solver = str(search.options["solver"])
    if solver != "cbc":
        return solver
    search.message = INSTEAD
    return "highs"


def solve(
    problem: Any,
    search: Search,
    *,
    solver: str,
    on_solution: Callable[[dict[str, float]], None],
    on_bound: Callable[[float], None],
    start: Mapping[str, float] | None = None,
    gap: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    threads: int = 1,
) -> Outcome:
    """Minimise ``problem`` (:class:`planner.methods.mip.model.Arrays` or a ``pulp.LpProblem``) until solved or stopped.

    It ends when it is solved, ``seconds`` passed, HiGHS has looked at ``nodes`` nodes or the search stops; raises :class:`planner.search.search.Stopped` where that
    happens before a solver has begun.

    ``on_solution(values)`` is told each better solution by variable name, ``on_bound`` each better dual bound, both in the
    caller's own thread. Bounds come as they are proven and hold up to the solver's tolerances (about 1e-6 relative to the
    numbers in the model). ``start`` is a warm start, which may be partial. Load PuLP with
    :func:`planner.methods.mip.model.load_pulp`.
    Raises :class:`StageboardError` when the solver fails, ValueError for an unknown solver or a maximisation.
    """
    if solver not in SOLVERS:
        raise ValueError(f"there is no solver '{solver}'; choose from {', '.join(SOLVERS)}")
    arrays = problem if isinstance(problem, Arrays) else arrays_of(problem, search.check)
    settings = {
        "solver": solver,
        "gap": gap,
        "seconds": seconds,
        "nodes": nodes,
        "threads": threads,
        "seed": search.seed % (2**31 - 1),
    }
    return _Solve(arrays, settings, start or {}).watch(search, on_solution, on_bound, seconds)


class _Solve:
    """One run of :mod:`planner.methods.mip.mip_child`."""

    def __init__(self, arrays: Arrays, settings: Mapping[str, Any], start: Mapping[str, float]) -> None:
        self._arrays = arrays
        self._solver = str(settings["solver"])
        self._began = time.perf_counter()
        self._frames: queue.SimpleQueue[tuple[bytes, bytes] | None] = queue.SimpleQueue()
        self._child = Child("mip", "mip", lambda process: self._write(process, settings, start), self._read)

    def _packed(self, settings: Mapping[str, Any], start: Mapping[str, float]) -> bytes:
        a = self._arrays
        given = [(i, start[name]) for i, name in enumerate(a.names) if name in start]
        buffer = io.BytesIO()
        np.savez(
            buffer,
            settings=np.frombuffer(json.dumps(dict(settings)).encode(), np.uint8),
            cost=a.cost, offset=a.offset, lower=a.lower, upper=a.upper, integer=a.integer,
            ptr=a.ptr, idx=a.idx, value=a.value, row_lower=a.row_lower, row_upper=a.row_upper,
            start_idx=np.array([i for i, _ in given], np.int32),
            start_value=np.array([x for _, x in given], np.float64),
        )  # fmt: skip
        return buffer.getvalue()

    def _write(self, process: Popen[bytes], settings: Mapping[str, Any], start: Mapping[str, float]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it ended early: the reader sees that too
            write_frame(process.stdin, b"M", self._packed(settings, start))

    def _read(self, process: Popen[bytes]) -> None:
        assert process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while (frame := read_frame(process.stdout)) is not None:
                self._frames.put(frame)
        self._frames.put(None)

    def watch(
        self,
        search: Search,
        on_solution: Callable[[dict[str, float]], None],
        on_bound: Callable[[float], None],
        seconds: float | None,
    ) -> Outcome:
        """Pass on what the child reports until it ends, or is ended."""
        objective, bound = math.inf, -math.inf
        limit = math.inf if seconds is None else self._began + seconds + 1.0
        stopping = False
        try:
            while True:
                frame: tuple[bytes, bytes] | None = (b"", b"")
                try:
                    frame = self._frames.get(timeout=0 if stopping else WATCH_SECONDS)
                except queue.Empty:
                    if stopping:
                        # All it has found has been passed on: nothing is lost if it does not end in an orderly way.
                        return self._outcome("", objective, bound)
                if frame is None:
                    return self._outcome("", objective, bound)
                kind, payload = frame
                if kind == b"S":
                    numbers = np.frombuffer(payload)
                    objective = float(numbers[0])
                    on_solution(dict(zip(self._arrays.names, numbers[1:].tolist(), strict=True)))
                elif kind == b"B":
                    bound = struct.unpack("<d", payload)[0]
                    on_bound(bound)
                elif kind == b"E":
                    return self._outcome(json.loads(payload)["status"], objective, bound)
                elif kind == b"F":
                    raise StageboardError(f"{self._solver} failed: {json.loads(payload)}")
                stopping = stopping or search.stopped() or time.perf_counter() > limit
        finally:
            self._child.end()

    def _outcome(self, status: str, objective: float, bound: float) -> Outcome:
        seconds = time.perf_counter() - self._began
        if status == "infeasible":
            return Outcome("infeasible", math.inf, math.inf, seconds)
        if status == "optimal":
            return Outcome("optimal", objective, bound, seconds)
        return Outcome("feasible" if objective < math.inf else "unknown", objective, bound, seconds)
