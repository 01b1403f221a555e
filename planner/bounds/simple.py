"""The simple bound: no machine can beat its share of the work nor its largest op."""

from __future__ import annotations

import time
from typing import ClassVar, cast

import numpy as np

from planner.graph import Floats
from planner.partition.chip_least import least_cost
from planner.problem import Problem
from planner.search import BoundMethod, Search, Source
from planner.targets.edge_tpu_inference import InferenceEvaluator
from planner.targets.kernels import SUM


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


def longest_path(problem: Problem) -> float:
    """The longest path of the graph, each op on the fastest device that support and pins leave it."""
    e = problem.evaluator
    fastest = np.where(e.allowed, e.work[e.class_of].T, np.inf).min(axis=1, initial=np.inf)
    finish = fastest.copy()
    for v in problem.graph.topological_order.tolist():
        before = e.pred_idx[e.pred_ptr[v] : e.pred_ptr[v + 1]]
        if len(before):
            finish[v] += finish[before].max()
    return float(finish.max(initial=0.0))


def replicated_part(problem: Problem, work: Floats) -> float:
    """The bound under replication (work float64[k, groups], inf = not allowed).

    A stage of r devices costs each of them 1 / r of its work, so work is still shared out among devices of one kind. A
    stage's cost grows with its work and its weights, so none is below that of one of its groups alone on as many
    devices as suit this group best.
    """
    e = problem.evaluator
    params = np.bincount(problem.groups.group_of, weights=e.params, minlength=work.shape[1])
    classes = np.unique(e.class_of)
    table = np.empty_like(work)
    least = np.full(work.shape[1], np.inf)
    for c in classes.tolist():
        of_class = np.flatnonzero(e.class_of == c)
        fastest = work[of_class].min(axis=0)
        table[of_class] = fastest
        for copies in range(1, len(of_class) + 1):
            sync = (copies - 1) * params / (copies * e.sync_rate) if e.pays[of_class[0]] else 0.0 * params
            share = fastest / copies
            cost = share + sync if e.communication == SUM else np.maximum(share, sync)
            least = np.minimum(least, cost)
    largest = float(least.max())
    return largest if np.isinf(largest) else max(largest, fractional_share(table, e.class_of))


def fractional_share(work: Floats, class_of: np.ndarray) -> float:
    """Least possible largest load when pieces may be cut up (work float64[k, pieces], inf = not allowed).

    Pieces confined to one device by a pin load that device; the others are shared over the (at most two) classes of
    equal devices. The relaxation treats a class as one device of its size, which is exact for two classes: at the
    optimum pieces go to the class where they are relatively cheapest.
    """
    classes = np.unique(class_of)
    sizes = np.array([np.count_nonzero(class_of == c) for c in classes], float)
    best = np.stack([work[class_of == c].min(axis=0) for c in classes])
    pinned_floor = 0.0
    alone = np.isfinite(work).sum(axis=0) == 1
    for row in work:
        own = alone & np.isfinite(row)
        pinned_floor = max(pinned_floor, float(row[own].sum()))
    if len(classes) == 1:
        return max(pinned_floor, float(best[0].sum() / sizes[0]))
    a, b = best
    only_a, only_b = np.isfinite(a) & ~np.isfinite(b), np.isfinite(b) & ~np.isfinite(a)
    both = np.isfinite(a) & np.isfinite(b)
    load_a, load_b = float(a[only_a].sum()), float(b[only_b].sum())
    x, y = a[both], b[both]
    order = np.argsort(np.where(y > 0, x / np.where(y > 0, y, 1.0), np.inf), kind="stable")
    x, y = x[order], y[order]
    # Pieces before the cut go to class a, the rest to b; the best cut balances the two average loads.
    on_a = load_a + np.concatenate([[0.0], np.cumsum(x)])
    on_b = load_b + np.concatenate([np.cumsum(y[::-1])[::-1], [0.0]])
    left, right = on_a / sizes[0], on_b / sizes[1]
    i = int(np.searchsorted(left - right, 0.0))
    if i == 0:
        return max(pinned_floor, float(left[0]))
    if i > len(x):
        return max(pinned_floor, float(right[-1]))
    lo, hi = i - 1, i
    drop, rise = right[lo] - right[hi], left[hi] - left[lo]
    share = (right[lo] - left[lo]) / (drop + rise) if drop + rise > 0 else 0.0
    return max(pinned_floor, float(left[lo] + share * rise))
