"""A multi-chip module without its own rules is a contiguous pool of equal accelerators, which ideals solve exactly.

Chips in a row are devices whose quotient has no cycle, so every plan that keeps the order rule is a contiguous plan of the
pool, and costs the same there: a tensor is paid once by each device whose border it crosses. What copies of sources cost is left
out. So the optimum of the pool is a bound, and its plans, devices put in order, keep the order rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import cast

import numpy as np

from planner.machines.mcm import kernels as mcm_kernels
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.exact.model import Chord, McmModel
from planner.machines.pool.ideals.solver import IdealsSearch
from planner.machines.pool.target import DevicePool
from planner.methods.ideals.lattice import DEFAULT_LIMIT
from planner.model.graph import Bools, Graph, Ints
from planner.model.ops import Op, Tensor
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.search.search import Callbacks, Search, Stopped
from planner.search.stop import Cancel, Progress

USED = ("rule:order", "rule:colocation", "together:")
"""Tokens of what the relaxation keeps, by how they begin."""


def pool_problem(problem: Problem, chips: int, inside: Bools | None = None) -> Problem:
    """The relaxation: a pool of ``chips`` accelerators, colocation where the problem ties ops.

    ``inside`` (bool[n]): the ops that are looked at, all of them without.
    """
    e = cast(McmEvaluator, problem.evaluator)
    graph = problem.graph
    ops = [
        Op(i, i, work=float(e.work[0, v]), work_cpu=0.0, colour_class=int(problem.groups.group_of[v]))
        for v, i in enumerate(graph.op_ids)
        if inside is None or inside[v]
    ]
    tensors = []
    for t, u in enumerate(e.tensor_producer.tolist()):
        readers = e.consumer_idx[e.consumer_ptr[t] : e.consumer_ptr[t + 1]].tolist()
        if inside is not None:
            readers = [v for v in readers if inside[v]] if inside[u] else []
        if readers and not e.copied[u]:
            time = float(e.tensor_time[t])
            tensors.append(Tensor(graph.op_ids[u], tuple(graph.op_ids[v] for v in readers), 0.0, time))
    relaxed = Graph.build(graph.name, ops, tensors, time_unit=graph.time_unit)
    return Problem(relaxed, DevicePool(chips, 0), "max-load")


def in_order(e: McmEvaluator, device_of: Ints) -> Ints:
    """An assignment (int32[n]) with its chips renumbered along the dependencies, those in use first (int32[n])."""
    arcs = mcm_kernels.chip_arcs(device_of, e.edge_src, e.edge_dst, e.k)
    feeds = [[b for b in range(e.k) if int(arcs[a]) >> b & 1] for a in range(e.k)]
    waits = np.bincount([b for row in feeds for b in row], minlength=e.k)
    used = e.occupied(device_of) > 0
    ready = [d for d in range(e.k - 1, -1, -1) if used[d] and waits[d] == 0]
    number = np.zeros(e.k, np.int32)
    placed = 0
    while ready:
        d = ready.pop()
        number[d] = placed
        placed += 1
        for b in feeds[d]:
            waits[b] -= 1
            if waits[b] == 0:
                ready.append(b)
    return number[device_of]


class _Forward(Callbacks):
    """Passes on what is proven and found about the relaxation."""

    def __init__(self, on_bound: Callable[[float], None], on_plan: Callable[[Ints], object]) -> None:
        self._on_bound, self._on_plan = on_bound, on_plan

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        """Hand on a better plan of the pool (int32[n])."""
        self._on_plan(device_of)

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        """Hand on a stronger bound of the pool."""
        self._on_bound(bound.value)


def prove_pool(
    problem: Problem, search: Search, method: str, seconds: float, on_plan: Callable[[Ints], object]
) -> None:
    """Solve the relaxation for ``seconds`` at most; ``on_plan`` gets its plans in the order of the chips (int32[n])."""
    e = cast(McmEvaluator, problem.evaluator)
    _prove(
        problem,
        pool_problem(problem, e.k),
        USED,
        search,
        method,
        seconds,
        lambda found: on_plan(in_order(e, found)),
    )


def prove_chord(model: McmModel, chord: Chord, search: Search, method: str, seconds: float) -> None:
    """Solve the relaxation of the ops of a chord alone, which are on two chips at most, for ``seconds`` at most."""
    problem, unit_of = model.problem, model.stages.unit_of
    units = np.zeros(model.stages.count, bool)
    units[chord.units] = True
    relaxed = pool_problem(problem, min(2, model.stages.k), units[unit_of])
    _prove(problem, relaxed, (*USED, "rule:triangle"), search, method, seconds, lambda device_of: None)


def _prove(
    problem: Problem,
    relaxed: Problem,
    used: tuple[str, ...],
    search: Search,
    method: str,
    seconds: float,
    on_plan: Callable[[Ints], object],
) -> None:
    assumes = frozenset(t for t in problem.assumptions if t.startswith(used))
    until = search.seconds + seconds

    def on_bound(value: float) -> None:
        if math.isfinite(value):
            search.prove(problem.bound(problem.objective, value, method, assumes, search.seconds))

    own = Search(
        relaxed,
        Cancel(lambda: search.stopped() or search.seconds >= until),
        _Forward(on_bound, on_plan),
        search.seed,
        {},
    )
    with suppress(Stopped):
        IdealsSearch(relaxed, own, DEFAULT_LIMIT, method, propose=True, near=False).run()
    search.check()
