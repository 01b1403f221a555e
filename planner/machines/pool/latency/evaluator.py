"""Evaluation of single-sample latency: full, and live by evaluating every destination afresh.

Where the objective is a schedule, a move has no local consequence: each destination is scheduled anew, O(n + m) each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.live import LiveEvaluation
from planner.evaluation.pieces import pieces
from planner.machines.pool.latency.evaluation import schedule
from planner.machines.pool.latency.kernels import delta_latency, device_times
from planner.model.graph import Floats, Ints
from planner.problem.decision import Evaluation


class Times(NamedTuple):
    """When everything runs for one sample: the ops of p pieces (see :func:`planner.evaluation.pieces.pieces`).

    ``piece_of`` int32[n], ``piece_device`` int32[p], ``piece_part`` int8[p]; ``start`` and ``finish`` float64[n] of an op's
    piece; ``begin``, ``receive``, ``work``, ``send`` and ``end`` float64[p]; ``cuts``: how many pieces more than contiguous
    subgraphs would be.
    """

    piece_of: Ints
    piece_device: Ints
    piece_part: np.ndarray
    cuts: int
    start: Floats
    finish: Floats
    begin: Floats
    receive: Floats
    work: Floats
    send: Floats
    end: Floats
    latency: float


class LatencyEvaluator(AssignmentEvaluator):
    """The objective is when the last op finishes; a device costs the time it is busy (a CPU: its cores together)."""

    def arrays(self) -> tuple[np.ndarray, ...]:
        """What the kernels of this module need beside an assignment, in their order.

        Of :class:`planner.problem.evaluator.Evaluator`'s arrays of ops, devices and tensors, with the dtype and the shape that each has there.
        """
        return (
            self.part, self.succ_ptr, self.succ_idx, self.pred_ptr, self.pred_idx, self.pays, self.owner, self.work,
            self.class_of, self.tensor_producer, self.tensor_time, self.consumer_ptr, self.consumer_idx,
        )  # fmt: skip

    def schedule(self, device_of: Ints) -> Times:
        """When each op and each subgraph runs, for an assignment (int32[n]), contiguous or not."""
        device_of = self.checked(device_of)
        piece_of, piece_device, piece_part, cuts = pieces(
            device_of, self.part, self.succ_ptr, self.succ_idx, self.pred_ptr, self.pred_idx, self.pays, self.owner
        )  # fmt: skip
        times = schedule(
            piece_of, piece_device, device_of, self.work, self.class_of, self.tensor_producer, self.tensor_time,
            self.send_time, self.consumer_ptr, self.consumer_idx, self.pred_ptr, self.pred_idx, self.pays, self.owner,
        )  # fmt: skip
        return Times(piece_of, piece_device, piece_part, int(cuts), *times)

    def objective(self, device_of: Ints) -> float:
        """The latency alone, rules unchecked (for planners)."""
        return self.busy_times(np.ascontiguousarray(device_of, np.int32))[0]

    def busy_times(self, device_of: Ints) -> tuple[float, int, Floats]:
        """``(latency, cuts, sums)`` of a checked assignment; ``sums`` float64[3, k] as in :func:`device_times`."""
        sums = np.empty((3, self.k))
        latency, cuts = device_times(device_of, *self.arrays(), sums)
        return float(latency), int(cuts), sums

    def evaluate(self, device_of: Ints) -> Evaluation:
        """Latency, what keeps each device busy, and violations of a complete assignment (int32[n])."""
        device_of = self.checked(device_of)
        latency, _, (receive, work, send) = self.busy_times(device_of)
        used = self.held_memory(device_of)
        parts = (receive, work, np.zeros(self.k), send)
        there = self.occupied(device_of) > 0
        serves = np.where(there, np.arange(self.k), -1).astype(np.int32)
        return self.summary(
            device_of, parts, receive + work + send, used, latency, there.astype(np.int32), serves
        )

    def live(self, device_of: Ints) -> LatencyLive:
        """Live evaluation that starts from an assignment (int32[n])."""
        return LatencyLive(self, device_of)


class LatencyLive(LiveEvaluation):
    """An assignment under edit; its latency and the consequences of a move are found when asked for."""

    evaluator: LatencyEvaluator

    def _resync(self) -> None:
        e = self.evaluator
        self.used = e.held_memory(self.device_of)
        self._changed()

    def _move(self, ops: Ints, targets: Ints) -> None:
        self.device_of[ops] = targets
        self._resync()

    def _price(self, costs: Floats) -> float:
        latency, cuts, sums = self.evaluator.busy_times(self.device_of)
        costs[:] = sums.sum(axis=0)
        self._cyclic = cuts
        return latency

    def cyclic_devices(self) -> int:
        """How often a subgraph has to be cut or run out of turn now."""
        if self._cyclic is None:
            self._price(np.empty(self.evaluator.k))
        assert self._cyclic is not None
        return self._cyclic

    def contiguity_after(self, ops: Ints) -> Ints:
        """How often a subgraph would have to be cut after a move to each device (int32[k])."""
        k = self.evaluator.k
        cuts = np.empty(k, np.int32)
        delta_latency(ops, self.device_of, *self.evaluator.arrays(), np.empty(k), np.empty((k, k)), cuts)
        return cuts

    def _delta_into(self, ops: Ints, objective: Floats, cost: Floats, memory: Floats) -> None:
        e = self.evaluator
        delta_latency(ops, self.device_of, *e.arrays(), objective, cost, np.empty(e.k, np.int32))
        memory[:] = e.by_memory(self.used - e.held_memory(self.device_of, ops))
        memory += np.where(e.shares_memory, e.memory[ops].sum(), 0.0)
