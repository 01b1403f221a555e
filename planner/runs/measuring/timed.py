"""What is to be measured, and what a runtime measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.model.graph import Floats

RUNNABLE = (".onnx", ".tflite")
"""Files of models that can be run here, by their suffix."""


def all_runnable(files: Sequence[Path]) -> bool:
    """Whether there are files, and all of them can be run here."""
    return bool(files) and all(file.suffix.lower() in RUNNABLE for file in files)


MOST_RUNS, MOST_THREADS = 10_000, 256
WARM_UP = 3
"""Runs before anything is measured: memory is fetched, and the processor reaches its pace."""
USUAL_SECONDS = 10.0
"""How long measuring takes where nobody says how many runs; a run of the model is finished."""
LEAST_RUNS, USUAL_RUNS = 5, 30


@dataclass(frozen=True)
class Order:
    """What to measure: a model file with its batch, how often it runs (0: as often as :data:`USUAL_SECONDS` allow), on how many threads.

    Raises :class:`StageboardError`.
    """

    model: str
    batch: int = 1
    runs: int = 0
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.runs <= MOST_RUNS or self.runs == 1:
            raise StageboardError(
                f"a model cannot be measured in {self.runs} runs; from 2 to {MOST_RUNS:,} will do"
            )
        if not 1 <= self.threads <= MOST_THREADS:
            raise StageboardError(
                f"a model cannot run on {self.threads} threads; from 1 to {MOST_THREADS} will do"
            )

    def enough(self, runs: int, seconds: float) -> bool:
        """Whether so many runs in so much time are all that was asked for."""
        if self.runs:
            return runs >= self.runs
        return runs >= USUAL_RUNS or (runs >= LEAST_RUNS and seconds > USUAL_SECONDS)


class Timed(NamedTuple):
    """What a runtime measured.

    ``kernels``: seconds of each run of each kernel (float64[kernels, runs]); ``share`` says how it is made up of ops
    (float64[n, kernels]: the share of a kernel's time that an op has; a kernel that is of no op has none). ``shared``: ops whose kernels
    compute others, too (bool[n]). ``plain`` and ``profiled``: seconds of runs without and with profiling (float64[runs] each).
    ``processor``: what runs without profiling took of a processor, other programs left out (float64[runs]): of one thread; of several as ``plain``.
    """

    kernels: Floats
    share: Floats
    shared: np.ndarray[tuple[int], np.dtype[np.bool_]]
    plain: Floats
    profiled: Floats
    processor: Floats
    runtime: str
