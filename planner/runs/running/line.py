"""A line: stages that run at the same time, a process each, and the queues between them."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from planner.export.stages.child import LOOK_SECONDS, Cancelled
from planner.model.graph import Floats
from planner.runs.running.order import RunFailed
from planner.runs.running.ring import Form, Ring
from planner.runs.running.stage import GONE, Did, Failed, Go, Job, serve

DEPTH = 2
"""Samples that a queue between neighbours holds: one is worked on, one comes."""


class Edge(NamedTuple):
    """Tensors that one stage hands to another, by number of the two and the tensors' keys."""

    sender: int
    receiver: int
    tensors: tuple[str, ...]


def levels(stages: int, edges: Sequence[Edge]) -> list[int] | None:
    """How many stages a sample has passed before each, at most; None where stages wait for one another."""
    level = [0] * stages
    for _ in range(stages + 1):
        before = list(level)
        for edge in edges:
            level[edge.receiver] = max(level[edge.receiver], level[edge.sender] + 1)
        if level == before:
            return level
    return None


class Line:
    """Stages of one plan, started at once; :meth:`ready` waits for them, :meth:`close` leaves nothing of them. Raises :class:`RunFailed`.

    ``edges`` must not lead in a circle. A queue over several levels has room for what is under way beside it.
    """

    def __init__(
        self, name: str, jobs: Sequence[Job], edges: Sequence[Edge], forms: Mapping[str, Form]
    ) -> None:
        self.name, self.jobs = name, tuple(jobs)
        level = levels(len(jobs), edges)
        assert level is not None, "whoever makes a line has looked"
        self.sinks = tuple(i for i in range(len(jobs)) if all(edge.sender != i for edge in edges))
        self._rings: list[Ring] = []
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        try:
            self._start(jobs, edges, forms, level)
        except BaseException:
            self.close()
            raise

    def _start(
        self, jobs: Sequence[Job], edges: Sequence[Edge], forms: Mapping[str, Form], level: Sequence[int]
    ) -> None:
        for edge in edges:
            slots = DEPTH + level[edge.receiver] - level[edge.sender] - 1
            self._rings.append(Ring({name: forms[name] for name in edge.tensors}, slots))
        rings = list(zip(edges, self._rings, strict=True))
        context = multiprocessing.get_context("spawn")
        for i, job in enumerate(jobs):
            pipe, far = context.Pipe()
            self._pipes.append(pipe)
            given = replace(
                job,
                receives=tuple(ring.receiving for edge, ring in rings if edge.receiver == i),
                sends=tuple(ring.sending for edge, ring in rings if edge.sender == i),
            )
            process = context.Process(target=serve, args=(given, far), daemon=True)
            try:
                process.start()
            finally:
                far.close()
            self._processes.append(process)
        for ring in self._rings:
            ring.handed()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes' ids, stage by stage."""
        return tuple(process.pid or 0 for process in self._processes)

    def ready(self, stopped: Callable[[], bool]) -> None:
        """Wait until all stages are loaded."""
        self._answers(stopped)
        for ring in self._rings:
            ring.forget()  # all have opened it: whatever happens now, nothing is left

    def run(self, samples: int, stopped: Callable[[], bool], keep: bool = False) -> list[Floats]:
        """So many samples through all stages: when each stage did what (float64[samples, STAMPS] each)."""
        for pipe in self._pipes:
            try:
                pipe.send(Go(samples, keep))
            except OSError:
                raise self._gone() from None
        return [answer.stamps for answer in self._answers(stopped) if isinstance(answer, Did)]

    def _answers(self, stopped: Callable[[], bool]) -> list[Any]:
        """One answer of each stage, in their order."""
        answers: dict[int, Any] = {}
        while len(answers) < len(self._pipes):
            waiting = {pipe: i for i, pipe in enumerate(self._pipes) if i not in answers}
            for pipe in wait(list(waiting), LOOK_SECONDS):
                assert isinstance(pipe, Connection)
                try:
                    answer = pipe.recv()
                except (EOFError, OSError):
                    raise self._gone() from None
                if isinstance(answer, Failed):
                    raise RunFailed(answer.sentence)
                answers[waiting[pipe]] = answer
            if stopped():
                raise Cancelled("the run was cancelled; nothing was written")
        return [answers[i] for i in range(len(self._pipes))]

    def _gone(self) -> RunFailed:
        """What to raise where a process is gone: named is the first that did not merely follow its neighbours."""
        until = time.monotonic() + 1.0
        ended: dict[int, int] = {}
        while not any(code != GONE for code in ended.values()) and time.monotonic() < until:
            ended = {
                i: code for i, process in enumerate(self._processes) if (code := process.exitcode) is not None
            }
            time.sleep(0.01)
        first = next((i for i, code in ended.items() if code != GONE), min(ended, default=0))
        code = ended.get(first)
        how = f"exit code {code}"
        if code is not None and code < 0:
            how = signal.Signals(-code).name
        return RunFailed(
            f"the process of {self.jobs[first].name} ended in the middle of the run ({how}); the others were ended and nothing was measured,"
            " run again"
        )

    def close(self) -> None:
        """End the processes, whatever they do; take away the shared memory."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
            process.close()
        for pipe in self._pipes:
            pipe.close()
        for ring in self._rings:
            ring.close()
        self._processes, self._pipes, self._rings = [], [], []
