"""Numbers in few words: ascending runs as ``first-last`` (``0-15 40-43 17``)."""

from __future__ import annotations

import numpy as np

from planner.model.graph import Ints


def packed_runs(numbers: Ints) -> str:
    """Numbers (int32[n]) as ascending runs."""
    if not len(numbers):
        return ""
    ends = np.append(np.flatnonzero(np.diff(numbers) != 1), len(numbers) - 1)
    firsts = numbers[np.append(0, ends[:-1] + 1)]
    pairs = zip(firsts.tolist(), numbers[ends].tolist(), strict=True)
    return " ".join(f"{a}-{b}" if b > a else f"{a}" for a, b in pairs)
