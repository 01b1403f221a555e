"""When the chips of a module work on a single sample."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.methods.alone import Alone
from planner.model.graph import Ints


def alone(e: McmEvaluator, device_of: Ints) -> Alone:
    """The chips that an assignment (int32[n]) uses, as pieces; a chip begins when all that it reads is there."""
    found = e.evaluate(device_of)
    used, piece_of = np.unique(device_of, return_inverse=True)
    times = np.stack([found.receive, found.streaming, found.work, found.send], axis=1)[used]
    begin = e.starts(device_of, found.cost)[used]
    finish = begin + times.sum(axis=1)
    return Alone(
        piece_of.astype(np.int32), used.astype(np.int32), np.zeros(len(used), np.int8), begin, times, finish,
        float(finish.max(initial=0.0)), e.hop,
    )  # fmt: skip
