"""The simple bound: no machine can beat its share of the work nor its largest op."""

from __future__ import annotations

import time
from typing import ClassVar, cast

import numpy as np

from planner.evaluation.simple_bounds import fractional_share, longest_path, replicated_part
from planner.machines.edge_tpu.inference_time import InferenceEvaluator
from planner.machines.mcm.exact.least import least_cost
from planner.model.graph import Floats
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Simple(BoundMethod):
    """max(largest piece, work / devices), the work split over CPUs and accelerators as well as it could be.

    MTPP, Lemma 3.3, where pieces are ops; ops that must share a device count as one piece. On a pool each piece
    costs what its device makes of it, so the share is the optimum of a fractional assignment between the two kinds of
    devices; for ``gpipe`` the forward and the backward pass are bounded one by one and added. Under replication any device
    of its kind may do a share of a piece, so the largest piece counts as what its best number of copies makes of it, and
    pins only say the kind of device. For ``latency`` the bound is the longest path of the graph, each op as fast as
    the fastest device that may hold it: ops on a path never run at the same time, in one subgraph or in several.

    For the memory objectives of Edge TPUs the pieces are parameter bytes: some stage holds the largest piece and an equal
    share of all bytes, and what exceeds the caches together, or one cache under the largest piece, is off chip. Such
    bytes take their time to stream in every inference, which is added to the bound on the work for ``inference-time``.

    On a multi-chip module the pieces are what the one-way links keep together; a single sample also takes the longest path.
    Under the triangle rule a dependency and all between its ends are on two chips, so half of their work is a bound of its own.
    """

    name: ClassVar[str] = "simple"
    title: ClassVar[str] = "Simple"
    summary: ClassVar[str] = "largest op or equal share of the work, whichever is more"
    source: ClassVar[Source] = Source("MTPP", "Lemma 3.3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu", "pool", "mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset(
        {"bottleneck", "stage-time", "inference-time", "max-load", "gpipe", "latency", "chip-latency"}
        | {"memory-1-2-3", "memory-1-3", "memory-2-1-3", "memory-2-3"}
    )

    def prove(self, problem: Problem, search: Search) -> None:
        """One bound at once; one for each component that counts parameter bytes, and one that needs the triangle rule."""
        began = time.perf_counter()
        confined: float | None = None
        used: tuple[str, ...] = (
            "rule:support",
            "pin:",
            "together:",
            "rule:colocation",
            "rule:shared_children",
        )
        if problem.target.kind == "mcm":
            least = least_cost(problem)
            values = {problem.objective: least.in_order}
            used = ("rule:order", *used)
            if least.under_triangle > least.in_order:
                confined = least.under_triangle
        elif problem.objective == "latency":
            values = {problem.objective: longest_path(problem)}
            used = used[:2]
        elif problem.unit(problem.components[0]) == "B":
            values = self._bytes(problem)
        elif problem.objective == "inference-time":
            values = {problem.objective: self._inference(problem)}
        else:
            parts = (0, 1) if problem.objective == "gpipe" else (None,)
            work = problem.evaluator.work
            values = {problem.objective: sum(self._part(problem, work, part) for part in parts)}
        assumes = frozenset(t for t in problem.assumptions if t.startswith(used))
        for component, value in values.items():
            search.prove(problem.bound(component, value, self.name, assumes, time.perf_counter() - began))
        if confined is not None:
            assumes |= {"rule:triangle"}
            seconds = time.perf_counter() - began
            search.prove(problem.bound(problem.objective, confined, self.name, assumes, seconds))

    def _bytes(self, problem: Problem) -> dict[str, float]:
        """The bounds on the components that count parameter bytes."""
        share, over = self._memory(problem)
        found = {"max-memory": share, "dram": over}
        return {name: value for name, value in found.items() if name in problem.components}

    def _memory(self, problem: Problem) -> tuple[float, float]:
        """Bytes that some stage of an Edge TPU pipeline holds, and bytes that all caches leave over."""
        e = problem.evaluator
        share = self._part(problem, e.memory[None, :], None)
        return share, max(float(e.memory.sum() - e.budget.sum()), share - float(e.budget.max()), 0.0)

    def _inference(self, problem: Problem) -> float:
        """The bound on the time per inference of an Edge TPU pipeline.

        What all caches leave over is streamed, through one link before the slowest stage does the rest, or by the stages at
        once: then they share work and streaming. Activations in a cache only make it smaller.
        """
        e = cast(InferenceEvaluator, problem.evaluator)
        rest = self._part(problem, e.work, None)
        over = self._memory(problem)[1] / e.streaming_rate
        if e.target.shared_link:
            return rest + over
        return max(rest, (over + float(e.work.sum())) / e.k)

    @staticmethod
    def _part(problem: Problem, amount: Floats, part: int | None) -> float:
        """The bound on ``amount`` (float64[c, n], by class of device) of one part (None = all ops)."""
        e = problem.evaluator
        groups = problem.groups
        chosen = np.ones(e.n, bool) if part is None else e.part == part
        work = np.zeros((e.k, groups.count))
        for d in range(e.k):
            column = np.where(e.allowed[:, d], amount[e.class_of[d]], np.inf)
            inside = np.where(chosen, column, 0.0)
            # A group that holds a forbidden op of the other part cannot go there either.
            inside = np.where(~chosen & ~e.allowed[:, d], np.inf, inside)
            np.add.at(work[d], groups.group_of, inside)
        if groups.count == 0:
            return 0.0
        if e.sync_rate > 0.0:
            return replicated_part(problem, work)
        largest = float(work.min(axis=0).max())
        if not np.isfinite(largest):
            return float("inf")
        return max(largest, fractional_share(work, e.class_of))
