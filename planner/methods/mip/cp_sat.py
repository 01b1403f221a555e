"""CP-SAT under a search: solutions and bounds stream out, a stop criterion ends it within a moment."""

from __future__ import annotations

import atexit
import math
import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from planner.methods.mip import loading
from planner.methods.mip.outcome import GRACE_SECONDS, WATCH_SECONDS, Outcome, Status
from planner.search.search import Search

EXIT_SECONDS = 10.0
"""How long the interpreter waits at its end for a solver that was told to stop."""

Value = Callable[[Any], int]
"""The value of a variable (or of its negation) in a solution."""


def solve(
    model: Any,
    search: Search,
    *,
    on_solution: Callable[[Value], None],
    on_bound: Callable[[float], None],
    gap: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    log: bool = False,
    parameters: Mapping[str, Any] | None = None,
) -> Outcome:
    """Solve a ``cp_model.CpModel`` that minimises, until it is solved, ``seconds`` passed or the search stops.

    ``on_solution`` and ``on_bound`` are called in the caller's own thread: they may use ``search`` freely, and an
    exception they raise stops the solver and is passed on. ``gap`` is relative, ``workers`` None = 1; the random seed is
    the search's; ``parameters`` are further fields of CP-SAT's parameters. Hints are set on the model by the caller.
    """
    cp_model: Any = loading.load_cp_model(search.check)
    began = time.perf_counter()
    solver = cp_model.CpSolver()
    settings = solver.parameters
    settings.num_workers = workers or 1
    settings.random_seed = search.seed % (2**31 - 1)
    settings.log_search_progress = log
    # Ctrl-C is the program's: CP-SAT would take it over, and leave it to end the process once it has solved.
    settings.catch_sigint_signal = False
    if gap is not None:
        settings.relative_gap_limit = gap
    if seconds is not None:
        settings.max_time_in_seconds = seconds
    for name, value in (parameters or {}).items():
        setattr(settings, name, value)

    reports: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    class Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            reports.put(("solution", list(self.response_proto.solution)))

    def run() -> None:
        try:
            status = solver.solve(model, Listener())
        except Exception as error:  # handed to the caller's thread
            reports.put(("failed", error))
        else:
            reports.put(("ended", status))

    solver.best_bound_callback = lambda bound: reports.put(("bound", float(bound)))
    thread = threading.Thread(target=run, name="cp-sat", daemon=True)
    best = -math.inf
    thread.start()
    stopping: float | None = None
    try:
        while True:
            try:
                kind, what = reports.get(timeout=WATCH_SECONDS)
            except queue.Empty:
                kind, what = "", None
            if kind == "solution":
                on_solution(_reader(what))
            elif kind == "bound" and what > best:
                best = what
                on_bound(best)
            elif kind == "failed":
                raise what
            elif kind == "ended":
                return _outcome(cp_model, solver, what, best, on_bound, time.perf_counter() - began)
            now = time.perf_counter()
            if stopping is None and search.stopped():
                solver.stop_search()
                stopping = now
            elif stopping is not None and now - stopping > GRACE_SECONDS:
                # It will see the request; what it has found so far has been passed on.
                return Outcome("unknown", math.inf, best, now - began)
    finally:
        solver.stop_search()
        thread.join(GRACE_SECONDS if stopping is None else 0.0)
        if thread.is_alive():
            atexit.register(_end, solver, thread)


def _end(solver: Any, thread: threading.Thread) -> None:
    """Let a solver that was told to stop end before the interpreter does, which would abort the process otherwise."""
    until = time.perf_counter() + EXIT_SECONDS
    while thread.is_alive() and time.perf_counter() < until:
        solver.stop_search()
        thread.join(WATCH_SECONDS)


def _reader(solution: list[int]) -> Value:
    def value(variable: Any) -> int:
        index = variable.index
        return solution[index] if index >= 0 else 1 - solution[-index - 1]

    return value


def _outcome(
    cp_model: Any, solver: Any, status: Any, best: float, on_bound: Callable[[float], None], seconds: float
) -> Outcome:
    names: dict[Any, Status] = {
        cp_model.OPTIMAL: "optimal",
        cp_model.FEASIBLE: "feasible",
        cp_model.INFEASIBLE: "infeasible",
    }
    if status == cp_model.MODEL_INVALID:
        raise ValueError("CP-SAT was given an invalid model")
    name: Status = names.get(status, "unknown")
    if name == "infeasible":
        return Outcome(name, math.inf, math.inf, seconds)
    found = name in ("optimal", "feasible")
    bound = max(best, float(solver.best_objective_bound)) if found else best
    if bound > best:
        on_bound(bound)
    return Outcome(name, float(solver.objective_value) if found else math.inf, bound, seconds)
