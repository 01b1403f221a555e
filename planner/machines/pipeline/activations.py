"""Evaluation of pipelines whose blocks hold activations beside parameters: peak(S) of MTPP, section 2.2, equation 2."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from planner.evaluation.activation_kernels import BEST, DEPTH_FIRST, peak_bytes, peaks_after, run_device
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.live import LiveEvaluation
from planner.model.graph import Floats, Ints
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Live

CHOICES = {"depth-first": DEPTH_FIRST, "peak": BEST}
"""How a block orders its ops, by the value of the target's ``activations``."""


class ActivationEvaluator(AssignmentEvaluator):
    """What a block holds is its parameters and the peak of its activations; what exceeds its budget is streamed.

    ``choice`` says in which order a block runs its ops (:mod:`planner.evaluation.activation_kernels`).
    """

    def __init__(self, *args: Any, choice: int, **arrays: Any) -> None:
        super().__init__(*args, **arrays)
        self.choice = choice
        self._nothing = np.zeros(self.n, bool)

    @property
    def plain(self) -> bool:
        """No: the peak of a block is no sum over its ops."""
        return False

    def flows(self) -> tuple[np.ndarray, ...]:
        """What the kernels of activations need to follow tensors, in their order.

        ``size`` float64[t], ``tensor_producer`` int32[t], ``copied`` bool[n]; then as CSR (int32) each tensor's consumers and each op's inputs,
        outputs, successors and predecessors.
        """
        return (
            self.size, self.tensor_producer, self._nothing, self.consumer_ptr, self.consumer_idx, self.in_ptr, self.in_idx,
            self.out_ptr, self.out_idx, self.succ_ptr, self.succ_idx, self.pred_ptr, self.pred_idx,
        )  # fmt: skip

    def peaks(self, device_of: Ints) -> Floats:
        """The most bytes of activations that each block holds at once (float64[k]); ``device_of`` int32[n]."""
        found: Floats = peak_bytes(device_of, self.k, *self.flows(), self.choice)
        return found

    def running_order(self, device_of: Ints, block: int) -> Ints:
        """The ops of a block in the order of that peak (int32[m]); ``device_of`` int32[n]."""
        ops = np.flatnonzero(device_of == block).astype(np.int32)
        left, waits = np.zeros(len(self.size), np.int32), np.zeros(self.n, np.int32)
        best: tuple[float, Ints] | None = None
        for choice in range(BEST):
            if self.choice in (choice, BEST):
                order, live = np.empty(len(ops), np.int32), np.empty(len(ops))
                peak = float(
                    run_device(block, ops, device_of, *self.flows(), choice, left, waits, order, live)
                )
                if best is None or peak < best[0]:
                    best = peak, order
        assert best is not None
        return best[1]

    def raw(self, device_of: Ints) -> tuple[np.ndarray, ...]:
        """As everywhere, but ``used`` and ``held`` are parameters and the peak of activations."""
        *rest, used, held = super().raw(device_of)
        peaks = self.peaks(device_of)
        return (*rest, used + peaks, held + peaks)

    def evaluate(self, device_of: Ints) -> Evaluation:
        """Costs of an assignment (int32[n]), and what fills the memory."""
        found = super().evaluate(device_of)
        peaks = self.peaks(self.checked(device_of))
        return replace(found, details={"parameters": found.memory - peaks, "activations": peaks})

    def live(self, device_of: Ints) -> Live:
        """Live evaluation that starts from an assignment (int32[n])."""
        return ActivationLive(self, device_of)


class ActivationLive(LiveEvaluation):
    """An assignment under edit: a move runs anew the blocks that lose or gain ops, all others keep their peaks."""

    evaluator: ActivationEvaluator

    def _resync(self) -> None:
        super()._resync()
        self._peaks = self.evaluator.peaks(self.device_of)

    def _move(self, ops: Ints, targets: Ints) -> None:
        e = self.evaluator
        touched = np.union1d(self.device_of[ops], targets)
        before = self._peaks
        super()._move(ops, targets)
        if self._peaks is before:  # loads were not summed afresh
            self._peaks = before.copy()
            # Blocks beside the touched ones are as one to these: what is not on a block is elsewhere.
            place = np.full(e.k, len(touched), np.int32)
            place[touched] = np.arange(len(touched))
            found = peak_bytes(place[self.device_of], len(touched) + 1, *e.flows(), e.choice)
            self._peaks[touched] = found[:-1]
            self.used += self._peaks - before
            self.held += self._peaks - before

    def _more_held(self, ops: Ints) -> Floats:
        """How many more bytes of activations each block holds once ``ops`` (int32[m]) are on each destination (float64[k, k])."""
        e = self.evaluator
        after = np.empty((e.k, e.k))
        peaks_after(ops, self.device_of, e.k, self._peaks, *e.flows(), e.choice, after)
        return np.asarray(after - self._peaks, np.float64)
