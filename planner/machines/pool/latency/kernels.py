"""Latency of an assignment and of every move from it, in one compiled call."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.pieces import pieces
from planner.machines.pool.latency.evaluation import schedule


@njit(cache=True, nogil=True)
def device_times(
    device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, pays, owner, work, class_of,
    tensor_producer, tensor_time, consumer_ptr, consumer_idx, sums,
):  # fmt: skip
    """``(latency, cuts)``; each device's times to receive, work and send are written to ``sums`` (float64[3, k])."""
    piece_of, piece_device, _, cuts = pieces(
        device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, pays, owner
    )
    _, _, _, receive, busy, send, _, latency = schedule(
        piece_of, piece_device, device_of, work, class_of, tensor_producer, tensor_time, tensor_time, consumer_ptr,
        consumer_idx, pred_ptr, pred_idx, pays, owner,
    )  # fmt: skip
    sums[:] = 0.0
    for p in range(len(piece_device)):
        d = piece_device[p]
        sums[0, d] += receive[p]
        sums[1, d] += busy[p]
        sums[2, d] += send[p]
    return latency, cuts


@njit(cache=True, nogil=True)
def delta_latency(
    ops, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, pays, owner, work, class_of,
    tensor_producer, tensor_time, consumer_ptr, consumer_idx, out_objective, out_costs, out_cuts,
):  # fmt: skip
    """The effect of moving all ``ops`` to each device in turn: latency float64[k], costs float64[k, k], cuts int32[k]."""
    k = len(pays)
    trial = device_of.copy()
    sums = np.empty((3, k))
    for d in range(k):
        for v in ops:
            trial[v] = d
        out_objective[d], out_cuts[d] = device_times(
            trial, part, succ_ptr, succ_idx, pred_ptr, pred_idx, pays, owner, work, class_of,
            tensor_producer, tensor_time, consumer_ptr, consumer_idx, sums,
        )  # fmt: skip
        for o in range(k):
            out_costs[d, o] = sums[0, o] + sums[1, o] + sums[2, o]
