"""Processes of the server: there at once, with what they need and nothing else, and gone with whoever wanted them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import planner
from planner.processes.question import Aside
from planner.processes.start import end_server, has_server, start_process

PATIENCE = 60.0
ROOT = Path(planner.__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not has_server(), reason="processes are spawned here")


def asked(function: Callable[..., Any], *arguments: Any) -> Any:
    aside = Aside(function, *arguments)
    deadline = time.monotonic() + PATIENCE
    while (answer := aside.poll()) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    aside.close()
    assert answer is not None and not answer.sentence, answer and answer.detail
    return answer.value


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def server_id() -> int:
    return int(asked(os.getppid))


def children_of(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()


def gone(pid: int) -> bool:
    """Whether a process is no more, or is only waiting to be counted by whoever inherited it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def program(script: str, *arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


# ---------------------------------------------------------------------- what is in them
# Words, since a function of this module would import it there, and pytest with it.
MODULES = "sorted(__import__('sys').modules)"
ENVIRONMENT = "dict(__import__('os').environ)"
THREADS = "__import__('numba').config.NUMBA_NUM_THREADS"


def test_they_have_what_planners_need_and_no_planner_no_solver_no_window_and_no_thread() -> None:
    modules = asked(eval, MODULES)
    assert {"numba", "planner.search.run", "planner.runs.worker", "planner.runs.warm_up"} <= set(modules)
    assert not {"ortools", "highspy", "pulp", "onnx", "PySide6", "gui", "pytest"} & set(modules)
    assert not any(".planners." in name for name in modules), "a process needs one or two"
    assert len(list(Path(f"/proc/{server_id()}/task").iterdir())) == 1


def test_they_have_the_environment_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    server = server_id()
    before = asked(eval, ENVIRONMENT)
    assert before.items() >= dict(os.environ).items() and before.get("PYTHONSAFEPATH") is None
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    monkeypatch.setenv("STAGEBOARD_TEST", "x")
    assert asked(eval, ENVIRONMENT)["STAGEBOARD_TEST"] == "x" and asked(eval, THREADS) == 1
    monkeypatch.delenv("STAGEBOARD_TEST")
    assert "STAGEBOARD_TEST" not in asked(eval, ENVIRONMENT)
    assert server_id() == server


def test_they_take_this_package_and_none_of_its_name_where_the_program_was_started(tmp_path: Path) -> None:
    for name in ("planner", "numba"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('a stranger was imported')")
    script = f"""
import sys
sys.path[:] = [path for path in sys.path if path] + [{str(ROOT)!r}]
from tests.planner.processes.test_processes import MODULES, asked
print("planner.runs.worker" in asked(eval, MODULES))
"""
    done = program(script, folder=tmp_path)
    assert (done.stdout.strip(), done.stderr) == ("True", "")


# ---------------------------------------------------------------------- how they end
def test_one_that_is_given_up_before_it_is_there_never_runs() -> None:
    end_server()
    aside = Aside(time.sleep, 600)
    big = Aside(len, bytes(5_000_000))  # more than the pipe holds, with nobody there to read it
    began = time.monotonic()
    aside.close()
    big.close()
    assert time.monotonic() - began < PATIENCE / 4
    server = server_id()
    until(lambda: not children_of(server))


def test_one_that_runs_is_ended_and_its_exit_code_told() -> None:
    process = start_process(time.sleep, 600)
    until(lambda: process.pid is not None)
    assert process.is_alive() and process.exitcode is None
    process.join(0.01)
    assert process.is_alive()
    process.terminate()
    process.join(PATIENCE)
    assert process.exitcode == -signal.SIGTERM and gone(process.pid or 0)
    process.close()


def test_one_that_was_ended_is_gone_and_the_next_process_gets_another() -> None:
    server = server_id()
    end_server()
    assert gone(server)
    end_server()
    assert server_id() != server


def test_without_its_server_the_next_one_gets_another() -> None:
    server = server_id()
    os.kill(server, signal.SIGKILL)
    until(lambda: gone(server))
    assert server_id() != server


RACING = """
import os, signal, sys
from planner.runs.race import Entrant, Race, turns
from tests.planner.runs.race.examples import pipeline
turns.FIRST_TURN = turns.GROWTH = 0.05
race = Race(pipeline(), [Entrant("slice-random", options={"orders": 10_000_000}, seed=i) for i in range(2)])
race.start()
def ids():
    return [runner.worker and runner.worker._process.pid for runner in race._runners]
while not (all(ids()) and any(standing.state == "paused" for standing in race.standings)):
    race.poll(0.1)
from planner.processes.forking import server_id
print(server_id(), *ids(), flush=True)
os.kill(os.getpid(), getattr(signal, sys.argv[1]))
"""


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM"])
def test_a_program_that_is_ended_leaves_nothing_behind_not_even_what_it_held(end: str) -> None:
    done = program(RACING, end)
    assert done.returncode == -getattr(signal, end), done.stderr
    processes = [int(word) for word in done.stdout.split()]
    assert len(processes) == 3
    until(lambda: all(gone(pid) for pid in processes))


HOLDING = """
import os, signal
from planner.processes.forking import server_id
from planner.runs.messages import Begun, Order
from planner.runs.worker import Worker
from tests.planner.runs.race.examples import pipeline
worker = Worker(pausable=True)
worker.start(Order("slice-random", pipeline(), options={"orders": 10_000_000}))
while not any(isinstance(message, Begun) for message in worker.poll(0.1)):
    pass
print(worker._process.pid, flush=True)
assert worker.pause()
os.kill(server_id(), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_program_that_is_ended_as_it_begins_to_hold_a_process_leaves_it_not_behind() -> None:
    held = int(program(HOLDING).stdout)
    until(lambda: gone(held))


def test_a_program_that_ends_waits_for_no_import() -> None:
    script = """
from planner.runs.worker import Worker
Worker()
from planner.processes.forking import server_id
print(server_id())
"""
    done = program(script)
    assert done.returncode == 0 and done.stderr == ""
    assert gone(int(done.stdout))
