"""What kernels of a pipeline need to run the blocks of units, whose activations count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.machines.pipeline.activations import ActivationEvaluator
from planner.methods.units import Units
from planner.model.graph import Floats, Ints, csr


class Running(NamedTuple):
    """The ops of each unit (``ptr`` int32[m + 1], ``ops`` int32[n]), the order in which a block runs them (``choice``, -1: activations do not count),
    ``touches`` float64[n]: bytes of all tensors that an op reads or makes, which running it takes at least."""

    ptr: Ints
    ops: Ints
    choice: int
    touches: Floats


def running_of(units: Units) -> tuple[Running, tuple[np.ndarray, ...]]:
    """What kernels need to run a block, and the graph's arrays for it (those of the evaluator's ``flows``); zeros (float64[n]) where activations do not count."""
    e = units.problem.evaluator
    ptr, ops = csr(units.unit_of, np.arange(e.n, dtype=np.int32), units.count)
    nothing = np.zeros(e.n)
    if not isinstance(e, ActivationEvaluator):
        flows = (
            e.size, e.tensor_producer, np.zeros(e.n, bool), e.consumer_ptr, e.consumer_idx, e.in_ptr, e.in_idx, e.out_ptr,
            e.out_idx, e.succ_ptr, e.succ_idx, e.pred_ptr, e.pred_idx,
        )  # fmt: skip
        return Running(ptr, ops, -1, nothing), flows
    reads = np.bincount(np.repeat(np.arange(e.n), np.diff(e.in_ptr)), e.size[e.in_idx], e.n)
    touches = np.asarray(reads + np.bincount(e.tensor_producer, e.size, e.n), np.float64)
    return Running(ptr, ops, e.choice, touches), e.flows()
