"""The process of a stage: takes each sample's tensors, runs its part of the models, hands on what others read.

It is told how many samples come next, and answers with when it did what. When whoever started it is gone, it ends.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.runtime import CPU, OnnxModel
from planner.export.tflite.runtime import TfliteModel
from planner.model.graph import Floats
from planner.runs.measuring.onnx_run import LEVEL
from planner.runs.running.cores import pin
from planner.runs.running.ring import End, Receiver, Sender

STAMPS = 7
"""Of a sample, in seconds: a wait for its tensors begins, they are there, the run begins, it is over and a wait for free slots begins, they
are free, all is handed on; and last the processor time of the run."""
TFLITE = "tflite-stages"
GONE = 3
"""Exit status where the other end of a pipe is gone."""


class Program(NamedTuple):
    """A model file that a stage runs: its path, what sentences call it, its tensors by the names that all stages know them by."""

    path: str
    title: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """What a stage does for each sample: its programs one after the other.

    ``feeds``: files (.npz) of the model inputs that it reads, one a sample, in turn; ``outputs``: which of its tensors are outputs of
    the models, kept in the folder ``keeps`` where that is asked for.
    """

    name: str
    kind: str
    programs: tuple[Program, ...]
    feeds: tuple[str, ...]
    fed: tuple[str, ...]
    outputs: tuple[str, ...]
    keeps: str
    cores: tuple[int, ...]
    threads: int
    provider: str
    receives: tuple[End, ...] = ()
    sends: tuple[End, ...] = ()

    def kept(self, sample: int) -> str:
        """The file of a sample's outputs."""
        return os.path.join(self.keeps, f"{sample}.npz")


class Go(NamedTuple):
    """So many samples come next; ``keep``: write the models' outputs of each to a file."""

    samples: int
    keep: bool = False


class Ready(NamedTuple):
    """All is loaded."""


class Did(NamedTuple):
    """The samples are through: when, by sample (float64[samples, STAMPS], seconds of the system's own clock)."""

    stamps: Floats


class Failed(NamedTuple):
    """It cannot go on."""

    sentence: str


def runnable(kind: str, path: str, title: str, threads: int, provider: str) -> Any:
    """A model file, loaded with the optimisations that op times are measured with. Raises :class:`StageboardError`."""
    if kind == TFLITE:
        return TfliteModel(path, title, threads=threads)
    return OnnxModel(path, title, optimised=LEVEL, threads=threads, provider=provider or CPU)


def save_arrays(path: str, arrays: Mapping[str, Any]) -> None:
    """Keep arrays of numbers in a file, under any names."""
    values: dict[str, Any] = {f"{i}": np.asarray(value) for i, value in enumerate(arrays.values())}
    np.savez(path, **values, names=np.array(list(arrays), str))


def load_arrays(path: str) -> dict[str, Any]:
    """What :func:`save_arrays` kept."""
    with np.load(path, allow_pickle=False) as held:
        return {name: held[f"{i}"] for i, name in enumerate(held["names"].tolist())}


class _Stage:
    """What the process has loaded."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._programs = [
            (program, runnable(job.kind, program.path, program.title, job.threads, job.provider))
            for program in job.programs
        ]
        self._feeds: list[dict[str, Any]] = []
        for file in job.feeds:
            arrays = load_arrays(file)
            self._feeds.append({name: arrays[name] for name in job.fed})
        self._receivers = [Receiver(end) for end in job.receives]
        self._senders = [Sender(end) for end in job.sends]

    def run(self, order: Go) -> Did:
        """The samples that come next. Raises EOFError or OSError where a neighbour is gone, and :class:`StageboardError`."""
        stamps = np.zeros((order.samples, STAMPS))
        for i in range(order.samples):
            self._sample(i, stamps[i], order.keep)
        return Did(stamps)

    def _sample(self, i: int, stamps: Floats, keep: bool) -> None:
        clock = time.perf_counter
        stamps[0] = clock()
        for receiver in self._receivers:
            receiver.wait()
        stamps[1] = clock()
        known: dict[str, Any] = dict(self._feeds[i % len(self._feeds)]) if self._feeds else {}
        for receiver in self._receivers:
            known.update(receiver.take())
        began = time.process_time()
        stamps[2] = clock()
        for program, model in self._programs:
            values = model.run([known[name] for name in program.inputs])
            known.update(zip(program.outputs, values, strict=True))
        stamps[3] = clock()
        stamps[6] = time.process_time() - began
        for receiver in self._receivers:
            receiver.free()
        for sender in self._senders:
            sender.wait()
        stamps[4] = clock()
        for sender in self._senders:
            sender.send(known)
        stamps[5] = clock()
        if keep:
            self._keep(i, known)

    def _keep(self, i: int, known: Mapping[str, Any]) -> None:
        if self._job.outputs:
            save_arrays(self._job.kept(i), {name: known[name] for name in self._job.outputs})


def serve(job: Job, pipe: Connection) -> None:
    """The process: load, say so, and run what is ordered until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    pin(job.cores)
    orders: SimpleQueue[Go] = SimpleQueue()

    def listen() -> None:
        """In a thread, so that the end of whoever orders is noticed in the middle of a run, too."""
        try:
            while True:
                orders.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(GONE)

    try:
        stage = _Stage(job)
        pipe.send(Ready())
        threading.Thread(target=listen, name="orders", daemon=True).start()
        while True:
            pipe.send(stage.run(orders.get()))
    except (EOFError, OSError):
        os._exit(GONE)
    except StageboardError as error:
        pipe.send(Failed(str(error)))
    except MemoryError:
        pipe.send(Failed(f"{job.name} needs more memory than there is; close other programs"))
    except Exception as error:  # whoever waits must hear of every failure
        reason = " ".join(str(error).split())[:200]
        pipe.send(Failed(f"{job.name} failed unexpectedly ({type(error).__name__}: {reason})"))
    threading.Event().wait()  # ended by whoever started it; until then its queues stay open
