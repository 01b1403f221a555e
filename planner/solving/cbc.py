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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from planner.errors import StageboardError
from planner.search import Search
from planner.solving.model import load_pulp
from planner.solving.outcome import GRACE_SECONDS, WATCH_SECONDS, Outcome, Status

NUMBER = r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)"
# What CBC says of its bound, and the absolute rounding of how it prints it; the first two have six digits.
BOUNDS = (
    (re.compile(rf"best possible {NUMBER}", re.IGNORECASE), 0.0),
    (re.compile(rf"Continuous objective value is {NUMBER}", re.IGNORECASE), 0.0),
    (re.compile(rf"^Lower bound:\s+{NUMBER}", re.IGNORECASE), 5e-4),
)
DIGITS = 5e-6
INFINITE = 1e49
"""CBC shows 1e+50 before it knows a bound."""


def solve(
    problem: Any,
    search: Search,
    on_solution: Callable[[dict[str, float]], None],
    on_bound: Callable[[float], None],
    start: Mapping[str, float] | None,
    gap: float | None,
    seconds: float | None,
    threads: int,
) -> Outcome:
    """As :func:`planner.solving.mip.solve`; the solution comes at the end, bounds as CBC's log tells them."""
    pulp = load_pulp()
    path = pulp.PULP_CBC_CMD.pulp_cbc_path
    if not path or not Path(path).exists():
        raise StageboardError("PuLP's CBC executable is missing; choose another solver")
    if problem.sense != pulp.LpMinimize:
        raise ValueError("only minimisation is supported")
    began = time.perf_counter()
    offset = float(problem.objective.constant) if problem.objective is not None else 0.0
    with tempfile.TemporaryDirectory(prefix="stageboard-cbc-", ignore_cleanup_errors=True) as folder:
        model, answer, first = (Path(folder) / name for name in ("model.mps", "answer.sol", "start.mst"))
        variables, names, _, _ = problem.writeMPS(str(model), rename=1)
        # writeMPS may add a variable of its own where there is no objective, and renames those there are.
        original = {names[v.name]: v.name for v in variables if v.name in names}
        command = [path, str(model), "-threads", str(threads), "-randomCbcSeed", str(search.seed % 10**8 + 1)]
        if start:
            rows = [
                f"{i} {names[name]} {value:.17g}"
                for i, (name, value) in enumerate(start.items())
                if name in names
            ]
            first.write_text("MIP start\n" + "\n".join(rows) + "\n")
            command += ["-mips", str(first)]
        if gap is not None:
            command += ["-ratio", f"{gap:.17g}"]
        if seconds is not None:
            command += ["-sec", f"{seconds:.17g}", "-timeMode", "elapsed"]
        command += ["-branch", "-printingOptions", "all", "-solution", str(answer)]
        bound = _run(command, search, offset, on_bound, seconds)
        text = answer.read_text() if answer.exists() else ""
    status, values = read_solution(text, original)
    took = time.perf_counter() - began
    if status == "infeasible":
        return Outcome(status, math.inf, math.inf, took)
    if not values:
        return Outcome("unknown", math.inf, bound, took)
    objective = offset + sum(c * values.get(v.name, 0.0) for v, c in problem.objective.items())
    on_solution(values)
    if status == "optimal" and gap is None and objective > bound:
        bound = objective
        on_bound(bound)
    return Outcome(status, objective, bound, took)


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
            elif stopping is not None and now - stopping > GRACE_SECONDS:
                return best
    finally:
        process.kill()
        process.wait()
        reader.join()
        assert process.stdout is not None
        process.stdout.close()


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
