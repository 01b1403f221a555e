"""Carrying out runs: each in a process of its own, which gets the run as one line of JSON and answers with one.

That process is the program ``sweep`` (:mod:`planner.processes.programs`). It ends when its standard input ends, so that nothing is left behind
by a sweep that is killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.errors import ConstraintError, PlannerRefusal, StageboardError
from planner.formats import read_model
from planner.formats.networks.read import read_network
from planner.formats.times.named import named_times, places
from planner.generate.catalogue import KINDS, NETWORKS
from planner.machines.catalogue import bound_method, immediate_bound, planner
from planner.machines.spec import is_for_networks, parse_target
from planner.machines.two_level_memory.problem import NetworkProblem, check_memory
from planner.model.cost_model import fill
from planner.model.network import Network
from planner.problem.device_times import on_devices
from planner.problem.grouping import kept_together
from planner.problem.problem import Problem
from planner.processes.programs import command_of
from planner.runs.sweep.spec import Run
from planner.runs.warm_up import like, warm_planner
from planner.search.run import run as plan
from planner.search.run import run_bound
from planner.search.stop import AnyOf, GapReached, Stop, TimeLimit

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.model.graph import Graph
    from planner.model.network import Network
    from planner.problem.problem import Problem

GRACE = 120.0
"""Seconds beyond its time limit after which a process is given up: reading, compiling and evaluating come on top."""

Outcome = dict[str, Any]
_WARM: set[tuple[str, str]] = set()
"""Bound methods that have run in this process, each with the class of target: all that they compile is compiled."""


# ---------------------------------------------------------------------- in the process of a run
def perform(run: Run, base: str = ".", limit: Callable[[float], Stop] = TimeLimit) -> Outcome:
    """Carry out one run here. Models are found from the folder ``base``. The outcome has the columns of the CSV.

    ``limit`` makes a stop criterion of the run's time limit, wall time unless it says otherwise.
    """
    try:
        return _perform(run, base, limit)
    except (PlannerRefusal, ConstraintError) as refusal:
        return {"status": "refused", "message": str(refusal)}
    except StageboardError as error:
        return {"status": "error", "message": str(error)}
    except MemoryError:
        return {"status": "error", "message": "there was not enough memory"}


def _perform(run: Run, base: str, limit: Callable[[float], Stop]) -> Outcome:
    problem = problem_of(run, base)
    options = dict(run.options)
    quick = immediate_bound(problem)
    known = () if quick is None else run_bound(quick, problem).bounds
    if run.is_bound:
        method = bound_method(run.method)
        tiny = like(problem)
        warm = (run.method, type(problem.target).__name__)
        if warm not in _WARM and method.refusal(tiny) is None:
            run_bound(method, tiny, TimeLimit(5.0), options=options)  # compilation is not part of the time
            _WARM.add(warm)
        began, used = time.perf_counter(), _cpu_seconds()
        result = run_bound(method, problem, _stop(run, limit), options=options, seed=run.seed, bounds=known)
    else:
        chosen = planner(run.method)
        warm_planner(chosen, problem, options)
        began, used = time.perf_counter(), _cpu_seconds()
        result = plan(chosen, problem, _stop(run, limit), seed=run.seed, options=options, bounds=known)
    seconds, cpu_seconds = time.perf_counter() - began, _cpu_seconds() - used
    bound = problem.strongest_bound(result.bounds)
    value = None if bound is None else bound.value
    status = result.status
    if run.is_bound:
        status = "no_bound" if bound is None else "infeasible" if value == float("inf") else "proven"
    return {
        "name": problem.name,
        "ops": problem.size,
        "status": status,
        "objective": result.objective,
        "lower_bound": value,
        "bound_method": None if bound is None else bound.method,
        "gap": None if result.components is None else problem.standing(result.components, result.bounds).gap,
        "stop_reason": result.stop_reason,
        "seconds": round(seconds, 6),
        "cpu_seconds": round(cpu_seconds, 6),
        "iterations": result.iterations,
        "message": result.message,
    }


def _stop(run: Run, limit: Callable[[float], Stop]) -> Stop:
    """When the run ends, counted from now."""
    criteria: list[Stop] = []
    if run.time_limit is not None:
        criteria.append(limit(run.time_limit))
    if run.gap is not None:
        criteria.append(GapReached(run.gap))
    return AnyOf(criteria)


def _cpu_seconds() -> float:
    """CPU time of this process and of the solver processes that it started and that have ended."""
    return time.process_time() + sum(os.times()[2:4])


def problem_of(run: Run, base: str) -> Problem | NetworkProblem:
    """What a run plans. Raises :class:`StageboardError`."""
    model = load(run.model, base, network=is_for_networks(run.target), times=run.times)
    if isinstance(model, Network):
        if run.granularity != "op":
            raise ConstraintError(
                "granularity is about graphs of operators; leave it out for a sparse network"
            )
        target = parse_target(run.target)
        return NetworkProblem(model, check_memory(model, target), run.objective)
    target = parse_target(run.target, model)
    model = on_devices(model, target, places(run.times, base))
    return Problem(model, target, run.objective, kept_together(model, run.granularity))


def load(model: str, base: str, *, network: bool = False, times: Sequence[str] = ()) -> Graph | Network:
    """A run's ``model``, a file or ``KIND:seed=N,...``: a profiled graph, with the ``times`` of profiles, or a sparse network.

    ``network``: a file that could be either is read as a network. Raises :class:`StageboardError`.
    """
    kind, colon, rest = model.partition(":")
    if not (colon and kind in (*KINDS, *NETWORKS)):
        if not network:
            return read_model(Path(base) / model, times=named_times(times, base))
        if times:
            raise StageboardError(
                f"{model} is read as a sparse network, which has no op times; leave {times[0]} out"
            )
        return read_network(Path(base) / model)
    pairs = dict(pair.partition("=")[::2] for pair in rest.split(",") if pair)
    seed = pairs.pop("seed", "0")
    if not seed.isdigit():
        raise StageboardError(f"the model '{model}' has no whole number as its seed")
    if pairs.get("file"):  # as all that a sweep names, from its own folder on
        pairs["file"] = str(Path(base) / pairs["file"])
    if kind in NETWORKS:
        return NETWORKS[kind].generate(int(seed), pairs)
    return fill(KINDS[kind].generate(int(seed), pairs), None)


def _answer() -> None:
    """What the process of a run does."""
    task = json.loads(sys.stdin.readline())
    task["run"]["options"] = tuple((k, v) for k, v in task["run"]["options"])
    task["run"]["times"] = tuple(task["run"]["times"])
    # Solvers that print would spoil the answer, so whatever they print goes to the error stream.
    answer = os.dup(1)
    os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    outcome = perform(Run(**task["run"]), task["base"])
    with os.fdopen(answer, "w") as stream:
        stream.write(json.dumps(outcome) + "\n")


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


# ---------------------------------------------------------------------- in the process of the sweep
def perform_apart(run: Run, base: str = ".", stopping: Callable[[], bool] = lambda: False) -> Outcome:
    """Carry out one run in a new process. A process that crashes or does not end has an outcome, too.

    Where ``stopping`` turns true the process is ended and the outcome's status is ``stopped``.
    """
    limit = None if run.time_limit is None else time.monotonic() + run.time_limit + GRACE
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command_of("sweep"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            bufsize=0,  # nothing may be left to write when a process has died
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        with process:
            try:
                process.stdin.write((json.dumps({"run": asdict(run), "base": str(base)}) + "\n").encode())
                while process.poll() is None:
                    if stopping() or (limit is not None and time.monotonic() > limit):
                        process.kill()
                        late = not stopping()
                        return {
                            "status": "error" if late else "stopped",
                            "message": "it did not end in time" if late else "",
                        }
                    with_patience(process, 0.05)
            except BrokenPipeError:
                process.wait()
            except BaseException:
                process.kill()
                raise
            line = process.stdout.readline()
        if line:
            outcome: Outcome = json.loads(line)
            return outcome
        log.seek(0)
        said = log.read().strip().splitlines()
        why = said[-1] if said else f"exit status {process.returncode}"
        return {"status": "error", "message": f"its process died: {why}"}


def with_patience(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for a process for a moment."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def perform_all(runs: Sequence[Run], base: str, workers: int) -> Iterator[tuple[Run, Outcome]]:
    """The outcomes of all runs as they come, ``workers`` processes at a time. Closing the iterator ends them all."""
    stop = threading.Event()
    pool = ThreadPoolExecutor(workers)
    pending: dict[Future[Outcome], Run] = {}
    todo = iter(runs)
    try:
        while True:
            while len(pending) < workers and (run := next(todo, None)) is not None:
                pending[pool.submit(perform_apart, run, base, stop.is_set)] = run
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), future.result()
    finally:
        stop.set()
        pool.shutdown()


def perform_on_cluster(runs: Sequence[Run], base: str, address: str) -> Iterator[tuple[Run, Outcome]]:
    """The outcomes of all runs from the workers of a dask scheduler, which must see the same files under ``base``.

    Raises :class:`StageboardError` where dask is missing or the scheduler does not answer.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise StageboardError(
            "--scheduler needs dask's distributed, which is not installed; pip install distributed"
        ) from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise StageboardError(f"no dask scheduler answers at {address} ({error}); start one there") from error
    with client:
        futures = {client.submit(perform_apart, run, base, pure=False): run for run in runs}
        for future in as_completed(futures):
            yield futures[future], future.result()


if __name__ == "__main__":
    _answer()
