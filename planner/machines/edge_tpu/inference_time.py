"""The objective ``inference-time``: how long measured pipelines of Edge TPUs take from one inference to the next.

    time per inference = sum_k streaming_k + max_k (receive + compute + send)_k      with one host link
                       = max_k (streaming + receive + compute + send)_k              without

where what a stage streams depends on the activations that share its cache (:mod:`planner.machines.edge_tpu.times`).
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from planner.machines.edge_tpu.evaluator import EdgeTpuEvaluator, StreamingLive
from planner.machines.edge_tpu.target import INFERENCE_TIME, EdgeTpuPipeline
from planner.machines.edge_tpu.times import interval, scratch_of
from planner.model.graph import Bools, Floats, Ints
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Evaluator, Live
from planner.problem.problem import Problem


class InferenceEvaluator(EdgeTpuEvaluator):
    """The objective is the reciprocal of the estimated throughput."""

    @property
    def plain(self) -> bool:
        """False: under one link the sum of what all stages stream counts."""
        return False

    def components(self, device_of: Ints) -> tuple[float, ...]:
        """Seconds from one inference to the next, rules unchecked (int32[n] in)."""
        device_of = np.ascontiguousarray(device_of, np.int32)
        _, receive, busy, send, _, held = self.raw(device_of)
        rest = receive.sum(axis=1) + busy.sum(axis=1) + send.sum(axis=1)
        return (self.period(held, scratch_of(self.sets, device_of, self.k), rest),)

    def period(self, held: Floats, scratch: Floats, rest: Floats) -> float:
        """Seconds from one inference to the next, from bytes held, bytes of scratch and seconds (float64[k] each)."""
        return interval(self.streamed_beside(held, scratch), rest, self.target.shared_link)

    def _values(self, base: Evaluation, entering: Floats, period: float) -> tuple[float, ...]:
        return (period,)

    def _by_stage(self, base: Evaluation, streaming: Floats, rest: Floats) -> dict[str, Any]:
        """What each stage streams, what activations push out included, and its time with that; the largest is the objective unless
        others stream over the same link as well."""
        cost = streaming + rest
        longer = interval(streaming, rest, self.target.shared_link) > cost.max(initial=0.0) * (1.0 + 1e-9)
        return {"streaming": streaming, "cost": cost, "pace": cost, "rests": rest if longer else None}

    def live(self, device_of: Ints) -> Live:
        """Live evaluation that starts from an assignment (int32[n])."""
        return InferenceLive(self, device_of)


class InferenceLive(StreamingLive):
    """An assignment under edit, compared by its time from one inference to the next."""

    evaluator: InferenceEvaluator

    def _price(self, costs: Floats) -> float:
        e = self.evaluator
        rest = self.receive.sum(axis=1) + self.busy.sum(axis=1) + self.send.sum(axis=1)
        scratch = scratch_of(e.sets, self.device_of, e.k)
        costs[:] = rest + e.streamed_beside(self.held, scratch)
        return e.period(self.held, scratch, rest)

    def _delta_into(self, ops: Ints, objective: Floats, cost: Floats, memory: Floats) -> None:
        super()._delta_into(ops, objective, cost, memory)
        scratch, rest = self._stages_after(ops, cost, memory)
        for d in range(self.evaluator.k):
            objective[d] = self.evaluator.period(memory[d], scratch[d], rest[d])

    def _movable(self) -> Bools:
        """All ops: every stage may stream less."""
        return np.ones(self.evaluator.n, bool)


def evaluator(problem: Problem) -> Evaluator:
    """The evaluator of a problem on Edge TPUs, whatever its objective."""
    target = cast(EdgeTpuPipeline, problem.target)
    make = InferenceEvaluator if problem.objective == INFERENCE_TIME else EdgeTpuEvaluator
    return make(problem, target)
