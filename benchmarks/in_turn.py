"""Many short runs, one after another in one process: a process for each would spend most of its time on imports.

A run's time limit is of processor time, of solver processes included, so that rows do not depend on what else the machine does.

``python -m benchmarks.in_turn`` is that process: each line of JSON that it reads is a run, each that it writes an outcome. It
ends when its standard input ends, so that nothing is left behind by a benchmark that is killed.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict

from planner.runs.sweep.execute import GRACE, Outcome, perform
from planner.runs.sweep.spec import Run
from planner.search.stop import Stop, WorkBudget

PATIENCE = 20.0
"""Wall time that a run may take, as a multiple of its processor time: on a machine that is shared it waits."""
MOST = 200
"""Runs after which a new process is taken, so that what solvers keep does not pile up."""


def perform_in_turn(runs: Sequence[Run], base: str) -> Iterator[tuple[Run, Outcome]]:
    """The outcomes of all runs in order, one process at a time. One that dies or does not end in time is an outcome, too."""
    helper: _Helper | None = None
    try:
        for run in runs:
            if helper is None or helper.worn:
                if helper is not None:
                    helper.close()
                helper = _Helper()
            yield run, helper.perform(run, base)
    finally:
        if helper is not None:
            helper.close()


class _Helper:
    """A process and the line that it says next."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.in_turn"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._left = MOST

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    @property
    def worn(self) -> bool:
        """Whether another process must take over."""
        return self._left <= 0

    def perform(self, run: Run, base: str) -> Outcome:
        """The outcome of a run."""
        assert self._process.stdin is not None
        self._left -= 1
        try:
            self._process.stdin.write(json.dumps({"run": asdict(run), "base": base}) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(
                timeout=None if run.time_limit is None else PATIENCE * run.time_limit + GRACE
            )
        except BrokenPipeError:
            line = ""
        except queue.Empty:
            self._left = 0
            return {"status": "error", "message": "it did not end in time"}
        if not line:
            self._left = 0
            return {"status": "error", "message": f"its process died: exit status {self._process.wait()}"}
        outcome: Outcome = json.loads(line)
        return outcome

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        self._listener.join()
        self._process.stdout.close()
        with suppress(BrokenPipeError):  # a run that it did not live to read
            self._process.stdin.close()


def processor_time(seconds: float) -> Stop:
    """A stop criterion for so many seconds of processor time from now on."""
    return WorkBudget(seconds, PATIENCE * seconds).stop()


def _answer() -> None:
    """What the process does."""
    tasks: queue.Queue[str] = queue.Queue()
    # Solvers that print would spoil the answers, so whatever they print goes to the error stream.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def listen() -> None:
        for line in sys.stdin:
            tasks.put(line)
        os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        task = json.loads(tasks.get())
        task["run"]["options"] = tuple((k, v) for k, v in task["run"]["options"])
        outcome = perform(Run(**task["run"]), task["base"], processor_time)
        answers.write(json.dumps(outcome) + "\n")
        answers.flush()


if __name__ == "__main__":
    _answer()
