"""Background solves: they stream, stop softly, survive being killed, and leave no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from multiprocessing import active_children
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from planner.machines.catalogue import planner
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.several.bounds.simple import Simple
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.runs.messages import Begun, Compiling, Ended, Failed, Incumbent, Message, Order, Proven, Told
from planner.runs.worker import CAN_HOLD, Worker, _tells_of_compiling, stop_for
from planner.search.run import run, run_bound
from planner.search.stop import AnyOf, Progress

PATIENCE = 60.0


def problem(pool: bool = False) -> Problem:
    rng = np.random.default_rng(3)
    n = 80
    ops = [Op(str(i), str(i), work=float(rng.integers(1, 30)), work_cpu=99.0) for i in range(n)]
    tensors = [
        Tensor(
            str(i), tuple(sorted({str(j) for j in rng.integers(i + 1, n, 2)})), 1.0, float(rng.integers(1, 9))
        )
        for i in range(n - 1)
    ]
    target = DevicePool(4, 1, contiguous=False) if pool else Pipeline(4)
    return Problem(Graph.build("random", ops, tensors), target)


ENDLESS = Order("slice-random", problem(), options={"orders": 10_000_000}, seed=1)


@pytest.fixture
def worker() -> Generator[Worker]:
    worker = Worker()
    yield worker
    if not worker.finished:
        worker.close()
    assert active_children() == []


def until(worker: Worker, wanted: type[Message], seen: list[Message]) -> Message:
    """Poll until a message of a kind arrives; everything goes to ``seen``."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        arrived = worker.poll(0.1)
        seen.extend(arrived)
        for message in arrived:
            if isinstance(message, wanted):
                return message
    raise AssertionError(f"no {wanted.__name__} in {PATIENCE} s, only {seen}")


def test_incumbents_stream_and_a_cancel_ends_the_run_with_its_best(worker: Worker) -> None:
    worker.start(ENDLESS)
    seen: list[Message] = []
    until(worker, Incumbent, seen)
    until(worker, Told, seen)
    worker.cancel()
    worker.cancel()
    ended = until(worker, Ended, seen)
    assert isinstance(ended, Ended)
    result = ended.result
    assert result.stop_reason == "cancelled"
    assert result.problem == ENDLESS.problem
    incumbents = [m for m in seen if isinstance(m, Incumbent)]
    objectives = [m.objective for m in incumbents]
    assert objectives == sorted(objectives, reverse=True)
    assert result.objective == objectives[-1]
    assert ENDLESS.problem.evaluate(incumbents[-1].device_of).objective == pytest.approx(objectives[-1])
    assert worker.finished and worker.poll() == []
    worker.cancel()


def test_a_killed_process_leaves_its_best_plan_and_says_so(worker: Worker) -> None:
    worker.start(ENDLESS)
    seen: list[Message] = []
    best = until(worker, Incumbent, seen)
    assert isinstance(best, Incumbent) and ENDLESS.problem.evaluate(best.device_of).valid
    assert worker._process.pid is not None
    os.kill(worker._process.pid, signal.SIGKILL)
    failed = until(worker, Failed, seen)
    assert isinstance(failed, Failed) and "best plan so far was kept" in failed.sentence
    assert worker.finished


def test_bounds_are_proven_in_the_background_too(worker: Worker) -> None:
    worker.start(Order("simple", problem(), is_bound=True))
    seen: list[Message] = []
    ended = until(worker, Ended, seen)
    assert isinstance(ended, Ended)
    assert [m.bound.value for m in seen if isinstance(m, Proven)] == [
        run_bound(Simple(), problem()).bounds[0].value
    ]
    assert ended.result.problem.strongest_bound(ended.result.bounds) is not None


def test_a_refusal_arrives_as_a_sentence(worker: Worker) -> None:
    worker.start(Order("dpl", problem()))
    failed = until(worker, Failed, [])
    assert failed == Failed("'dpl' does not plan for a pipeline")


def test_an_iteration_limit_and_warm_starts_reach_the_planner(worker: Worker) -> None:
    start = np.zeros(80, np.int32)
    worker.start(
        Order("local-search", problem(pool=True), iterations=1, starts=[start], options={"restarts": 50})
    )
    seen: list[Message] = []
    ended = until(worker, Ended, seen)
    assert isinstance(ended, Ended) and ended.result.stop_reason == "iterations"
    first = next(m for m in seen if isinstance(m, Incumbent))
    assert (first.device_of == start).all()


def test_where_there_is_no_plan_to_start_from_a_quick_one_comes_first(worker: Worker) -> None:
    pool = problem(pool=True)
    worker.start(Order("dpl", pool, quick=True))
    seen: list[Message] = []
    ended = until(worker, Ended, seen)
    incumbents = [m for m in seen if isinstance(m, Incumbent)]
    assert incumbents[0].origin is not None and incumbents[0].origin.planner == "memory-fill"
    assert [m.objective for m in incumbents] == sorted({m.objective for m in incumbents}, reverse=True)
    assert sum(isinstance(m, Begun) for m in seen) == 1
    assert isinstance(ended, Ended) and ended.result.objective == incumbents[-1].objective
    # The planner searched as if it were alone.
    assert np.array_equal(ended.result.device_of, run(planner("dpl"), pool).device_of)


def test_a_plan_to_start_from_needs_no_quick_one(worker: Worker) -> None:
    pool = problem(pool=True)
    worker.start(Order("dpl", pool, quick=True, starts=[np.zeros(pool.graph.n, np.int32)]))
    seen: list[Message] = []
    until(worker, Ended, seen)
    assert all(m.origin is None for m in seen if isinstance(m, Incumbent))


def test_a_planner_that_finds_nothing_leaves_the_quick_plan(worker: Worker) -> None:
    contiguous = Problem(problem().graph, DevicePool(4, 1))
    worker.start(Order("ideals-dp", contiguous, quick=True, time_limit=1e-9))
    seen: list[Message] = []
    ended = until(worker, Ended, seen)
    assert (
        isinstance(ended, Ended) and ended.result.status == "feasible" and ended.result.stop_reason == "time"
    )
    assert ended.result.planner == "memory-fill"


def test_a_worker_that_never_got_work_ends_without_trace(worker: Worker) -> None:
    assert worker.poll() == []
    worker.close()
    assert worker.finished


def test_stop_criteria_of_an_order() -> None:
    flag = {"on": False}
    stop = stop_for(Order("x", problem(), time_limit=5.0, gap=0.1, iterations=7), lambda: flag["on"])
    assert isinstance(stop, AnyOf)
    assert not stop(Progress(iterations=6, seconds=4.9, gap=0.2))
    for progress, reason in (
        (Progress(iterations=7), "iterations"),
        (Progress(seconds=5.0), "time"),
        (Progress(gap=0.05), "gap"),
    ):
        assert stop(progress) and stop.reason == reason
    flag["on"] = True
    assert stop(Progress()) and stop.reason == "cancelled"


def test_a_bound_proven_elsewhere_ends_a_search_that_has_met_it(worker: Worker) -> None:
    worker.start(ENDLESS)
    seen: list[Message] = []
    until(worker, Incumbent, seen)
    worker.tell(ENDLESS.problem.bound("bottleneck", 1.0, "weak", frozenset()))
    best = min(m.objective for m in seen if isinstance(m, Incumbent))
    # No valid bound can be above a plan; this one is made up to end the search wherever it is.
    worker.tell(ENDLESS.problem.bound("bottleneck", best, "made up", frozenset()))
    ended = until(worker, Ended, seen)
    assert isinstance(ended, Ended)
    assert ended.result.stop_reason == "gap"
    assert ended.result.status == "optimal"
    assert [b.method for b in ended.result.bounds] == ["weak", "made up"]
    worker.tell(ended.result.bounds[0])  # too late, and no harm done


LEFT_HELD = """
import sys
sys.path[:0] = {paths!r}
from planner.runs.worker import Worker
from tests.planner.runs.test_worker import ENDLESS, Incumbent, until

if __name__ == "__main__":
    worker = Worker(pausable=True)
    worker.start(ENDLESS)
    until(worker, Incumbent, [])
    assert worker.pause()
    print(worker._process.pid, flush=True)
"""
"""A program that ends while it holds a worker."""

RACE_LEFT_HELD = """
import sys, time
sys.path[:0] = {paths!r}
from planner.problem.provenance import Entrant
from planner.runs.race import Race
from tests.planner.runs.test_worker import ENDLESS, PATIENCE

if __name__ == "__main__":
    options = {{"orders": "10000000"}}
    race = Race(ENDLESS.problem, [Entrant("slice-random", options=options, seed=s) for s in (1, 2)], cores=1)
    race.start()
    until = time.monotonic() + PATIENCE
    while "paused" not in (states := [s.state for s in race.standings]):
        assert time.monotonic() < until, states
        race.poll(0.1)
    held = race._runners[states.index("paused")].worker
    print(held._process.pid, flush=True)
    {end}
"""
"""A program that ends in the middle of a race, which holds one of its workers."""


def gone(pid: int) -> bool:
    """Whether there is no such process, or only what is left of one that nobody asked for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who is there")
@pytest.mark.parametrize(
    "program",
    [LEFT_HELD, RACE_LEFT_HELD.replace("{end}", "pass"), RACE_LEFT_HELD.replace("{end}", "race.close()")],
    ids=["worker", "race", "closed race"],
)
def test_a_program_ends_while_a_worker_is_held(program: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(program.format(paths=[str(Path(__file__).resolve().parents[3])]))
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=2 * PATIENCE, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert gone(int(ended.stdout))


def test_a_held_worker_is_closed_like_any_other() -> None:
    worker = Worker(pausable=True)
    worker.start(ENDLESS)
    until(worker, Incumbent, [])
    pid = worker._process.pid
    assert worker.pause() == CAN_HOLD
    worker.close(grace=0.0)
    assert active_children() == [] and pid is not None


def test_that_it_compiles_is_said_once_for_all_kernels_in_a_row() -> None:
    sent: list[object] = []
    told = _tells_of_compiling(SimpleNamespace(send=sent.append))  # type: ignore[arg-type]
    for kernels in (1, 2, 3, 0, 4, 0):
        told(kernels)
    assert sent == [Compiling(True), Compiling(False)] * 2
