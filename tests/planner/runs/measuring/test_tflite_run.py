"""What is timed under LiteRT, and on what state of the caches."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.export.tflite.runtime import TfliteModel
from planner.runs.measuring.tflite_run import time_operators
from planner.runs.measuring.timed import Order

MODEL = Path(__file__).resolve().parents[4] / "sample_models" / "branchy_int8.tflite"


def test_every_operator_has_just_run_when_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would wait for weights that stages, which run again and again, have in the processor's caches."""
    called: list[tuple[str, bool]] = []

    def seconds(self: TfliteModel, clock: Callable[[], float] = time.perf_counter) -> float:
        called.append((self.what, clock is time.thread_time))
        return 1.0

    monkeypatch.setattr(TfliteModel, "seconds", seconds)
    timed = time_operators(Order(str(MODEL), runs=2))
    by_processor = [i for i, (_, own) in enumerate(called) if own]
    assert len(by_processor) > timed.kernels.shape[0]
    assert all(called[i - 1] == (called[i][0], False) for i in by_processor)
