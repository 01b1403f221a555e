"""Runs of ops, as profiles record them: their medians, and how far they spread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from planner.errors import ModelError
from planner.model.times import OpTime

LEAST_FOR_SPREAD = 4
"""Runs from which quartiles say anything."""
LONGEST = 1e9
"""Seconds that no op of a model takes: what is beyond is damaged."""


def op_time(seconds: Sequence[float], shared: bool = False) -> OpTime:
    """The time of an op from its runs in seconds."""
    runs = np.asarray(seconds, float)
    spread = np.nan
    if len(runs) >= LEAST_FOR_SPREAD:
        low, high = np.percentile(runs, (25.0, 75.0))
        spread = float(high - low) / 2.0
    return OpTime(float(np.median(runs)), spread, shared)


def op_times(runs: Mapping[str, Iterable[float]]) -> dict[str, OpTime]:
    """The times of ops from their runs in seconds."""
    return {name: op_time(list(seconds)) for name, seconds in runs.items()}


def checked(seconds: object, what: str) -> float:
    """Seconds that an op can have taken. Raises :class:`ModelError`."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0.0 <= seconds <= LONGEST:
        said = repr(seconds)[:40]
        raise ModelError(f"{what} is {said}; times are numbers of seconds from 0 to {LONGEST:g}")
    return float(seconds)
