"""CBC, the executable that PuLP brings, under a search."""

from __future__ import annotations

import contextlib
import math
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.methods.mip import loading
from planner.methods.mip.model import ROWS_PER_CHECK, Arrays, load_pulp
from planner.methods.mip.outcome import WATCH_SECONDS, Outcome, Status
from planner.model.graph import Floats
from planner.search.search import Search

NUMBER = r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)"
# What CBC says of its bound, and the absolute rounding of how it prints it; the first two have six digits.
BOUNDS = (
    (re.compile(rf"best possible {NUMBER}", re.IGNORECASE), 0.0),
    (re.compile(rf"Continuous objective value is {NUMBER}", re.IGNORECASE), 0.0),
    (re.compile(rf"^Lower bound:\s+{NUMBER}", re.IGNORECASE), 5e-4),
)
DIGITS = 5e-6
WRITE_SECONDS = 0.1
"""How long CBC, told to stop, may take to write down its solution, which it does not do before."""
INFINITE = 1e49
"""CBC shows 1e+50 before it knows a bound."""


def solve(
    arrays: Arrays,
    search: Search,
    on_solution: Callable[[dict[str, float]], None],
    on_bound: Callable[[float], None],
    start: Mapping[str, float] | None,
    gap: float | None,
    seconds: float | None,
    threads: int,
) -> Outcome:
    """As :func:`planner.methods.mip.mip.solve`; the solution comes at the end, bounds as CBC's log tells them."""
    path = loading.load(load_pulp, search.check).PULP_CBC_CMD.pulp_cbc_path
    if not path or not Path(path).exists():
        raise StageboardError("PuLP's CBC executable is missing; choose another solver")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="stageboard-cbc-", ignore_cleanup_errors=True) as folder:
        model, answer, first = (Path(folder) / name for name in ("model.mps", "answer.sol", "start.mst"))
        with model.open("w") as file:
            for line in mps_lines(arrays):
                search.check()
                file.write(line)
        command = [path, str(model), "-threads", str(threads), "-randomCbcSeed", str(search.seed % 10**8 + 1)]
        if start:
            rows = [f"{i} c{i} {start[name]:.17g}" for i, name in enumerate(arrays.names) if name in start]
            first.write_text("MIP start\n" + "\n".join(rows) + "\n")
            command += ["-mips", str(first)]
        if gap is not None:
            command += ["-ratio", f"{gap:.17g}"]
        if seconds is not None:
            command += ["-sec", f"{seconds:.17g}", "-timeMode", "elapsed"]
        command += ["-branch", "-printingOptions", "all", "-solution", str(answer)]
        bound = _run(command, search, arrays.offset, on_bound, seconds)
        text = answer.read_text() if answer.exists() else ""
    status, values = read_solution(text, {f"c{i}": name for i, name in enumerate(arrays.names)})
    took = time.perf_counter() - began
    if status == "infeasible":
        return Outcome(status, math.inf, math.inf, took)
    if not values:
        return Outcome("unknown", math.inf, bound, took)
    found = np.array([values.get(name, 0.0) for name in arrays.names])
    objective = arrays.offset + float(arrays.cost @ found)
    on_solution(values)
    if status == "optimal" and gap is None and objective > bound:
        bound = objective
        on_bound(bound)
    return Outcome(status, objective, bound, took)


def mps_lines(arrays: Arrays) -> Iterator[str]:
    """A model in the free MPS format, some hundreds of lines at a time; columns are c0, c1..., rows r0, r1...

    The offset of the objective is left out. Of a row's two sides one is infinite, or both are equal.
    """
    rows = len(arrays.row_lower)
    equal = arrays.row_lower == arrays.row_upper
    above = np.isinf(arrays.row_upper)
    yield "NAME model FREE\nROWS\n N cost\n"
    kinds = np.where(equal, "E", np.where(above, "G", "L")).tolist()
    yield from _joined(f" {kind} r{i}\n" for i, kind in enumerate(kinds))
    yield "COLUMNS\n"
    order = np.argsort(arrays.idx, kind="stable")
    row = np.repeat(np.arange(rows), np.diff(arrays.ptr))[order]
    ends = np.searchsorted(arrays.idx[order], np.arange(len(arrays.names) + 1))
    yield from _joined(_columns(arrays, row, arrays.value[order], ends))
    yield "RHS\n"
    sides = np.where(above, arrays.row_lower, arrays.row_upper).tolist()
    yield from _joined(f" rhs r{i} {side:.17g}\n" for i, side in enumerate(sides) if side)
    yield "BOUNDS\n"
    yield from _joined(
        (f" MI b c{i}\n" if math.isinf(low) else f" LO b c{i} {low:.17g}\n")
        + (f" PL b c{i}\n" if math.isinf(high) else f" UP b c{i} {high:.17g}\n")
        for i, (low, high) in enumerate(zip(arrays.lower.tolist(), arrays.upper.tolist(), strict=True))
    )
    yield "ENDATA\n"


def _columns(arrays: Arrays, row: Any, value: Floats, ends: Any) -> Iterator[str]:
    """The columns one by one; whole ones stand between markers."""
    whole = False
    for i, (cost, integer) in enumerate(zip(arrays.cost.tolist(), arrays.integer.tolist(), strict=True)):
        lines = []
        if integer != whole:
            whole = integer
            lines.append(f" m{i} 'MARKER' '{'INTORG' if whole else 'INTEND'}'\n")
        here = slice(int(ends[i]), int(ends[i + 1]))
        lines.append(f" c{i} cost {cost:.17g}\n")
        lines += [
            f" c{i} r{r} {x:.17g}\n" for r, x in zip(row[here].tolist(), value[here].tolist(), strict=True)
        ]
        yield "".join(lines)
    if whole:
        yield " end 'MARKER' 'INTEND'\n"


def _joined(lines: Iterable[str]) -> Iterator[str]:
    left = iter(lines)
    while some := "".join(islice(left, ROWS_PER_CHECK)):
        yield some


def _run(
    command: list[str],
    search: Search,
    offset: float,
    on_bound: Callable[[float], None],
    seconds: float | None,
) -> float:
    """Run CBC to its end or that of the search, passing on bounds from its log; returns the best."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        errors="replace", env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                lines.put(line)
        except (OSError, ValueError):
            pass
        lines.put(None)

    reader = threading.Thread(target=read, name="cbc-log", daemon=True)
    reader.start()
    best = -math.inf
    limit = math.inf if seconds is None else time.perf_counter() + seconds + 1.0
    stopping: float | None = None
    try:
        while True:
            line: str | None = ""
            with contextlib.suppress(queue.Empty):
                line = lines.get(timeout=WATCH_SECONDS)
            if line is None:
                return best
            for bound in bounds_in(line):
                if bound + offset > best:
                    best = bound + offset
                    on_bound(best)
            now = time.perf_counter()
            if stopping is None and (search.stopped() or now > limit):
                stopping = now
                process.send_signal(signal.SIGINT)  # CBC then writes down the best it has
            elif stopping is not None and now - stopping > WRITE_SECONDS:
                return best
    finally:
        process.kill()

        def reap() -> None:
            process.wait()
            reader.join()
            assert process.stdout is not None
            process.stdout.close()

        # A process with much memory takes a moment to be gone; nobody need wait for that.
        threading.Thread(target=reap, name="cbc-end").start()


def bounds_in(line: str) -> list[float]:
    """The dual bounds that a line of CBC's log tells, rounded down by as much as printing may have rounded up."""
    found = []
    for pattern, rounding in BOUNDS:
        match = pattern.search(line)
        if match and abs(float(match[1])) < INFINITE:
            value = float(match[1])
            found.append(value - rounding - DIGITS * abs(value))
    return found


def read_solution(text: str, original: Mapping[str, str]) -> tuple[Status, dict[str, float]]:
    """Status and values of a solution file whose columns are called by the keys of ``original``."""
    head, _, rows = text.partition("\n")
    if head.startswith(("Infeasible", "Integer infeasible")):
        return "infeasible", {}
    if not head or "no integer solution" in head:
        return "unknown", {}
    values = {}
    for row in rows.splitlines():
        cells = row.replace("**", " ").split()
        if len(cells) >= 3 and cells[1] in original:
            values[original[cells[1]]] = float(cells[2])
    return ("optimal" if head.startswith("Optimal") else "feasible"), values
