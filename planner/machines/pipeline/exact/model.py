"""What every bound and exact model of a pipeline starts from: units, tensors between them, windows of stages.

Units are ops that every valid plan keeps together (:func:`planner.methods.units.forced_units`). Tensors that
stay inside a unit cost nothing and are dropped; tensors with the same producer and the same consumers are added up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.errors import PlannerRefusal
from planner.evaluation.kernels import DUPLEX, SUM
from planner.methods.mip.model import unchecked
from planner.methods.units import build_units, forced_units, unit_edges
from planner.model.graph import Bools, Floats, Ints, csr
from planner.problem.problem import Problem

MOST_UNITS = 10_000
"""The matrix of ancestors takes a byte per pair: 100 MB."""
UNITS_PER_CHECK = 64
"""Units or tensors between two looks at the stop criteria."""


@dataclass(frozen=True, eq=False)
class StageModel:
    """A pipeline problem on units in topological order (m units, t tensors, k stages).

    ``unit_of`` int32[n]; ``work`` and ``params`` float64[m]; ``earliest`` and ``latest`` int32[m] (stages that pins
    leave, order rule included); ``src``, ``dst`` int32 (transitively reduced edges, src < dst); ``before`` bool[m, m]
    (before[v, u]: u is an ancestor of v); ``near_src`` and ``near_dst`` int32 (edges that may not lead past a stage, the reduced ones
    among them; none without the path rule). Tensors: ``time`` and ``send_time`` float64[t] (what each receiving stage and what
    the sending one pays), ``producer`` int32[t], consumers outside the
    producer as CSR ``ptr`` int32[t+1], ``idx`` int32. ``budget`` bytes of parameters fit a stage, the rest streams at
    ``rate``. Where stages are not alike, ``stage_work`` float64[k, m] and ``budgets`` float64[k] are those of each, while ``work`` is the least of all stages and
    ``budget`` the largest: with these no plan costs more than it does, so what is proven with them holds. ``assumes`` are the tokens of what was used. ``possible`` is False where pins contradict each other.
    """

    problem: Problem
    k: int
    unit_of: Ints
    work: Floats
    params: Floats
    earliest: Ints
    latest: Ints
    src: Ints
    dst: Ints
    before: Bools
    near_src: Ints
    near_dst: Ints
    time: Floats
    send_time: Floats
    producer: Ints
    ptr: Ints
    idx: Ints
    budget: float
    rate: float
    stage_work: Floats
    budgets: Floats
    assumes: frozenset[str]

    @property
    def count(self) -> int:
        """Number of units."""
        return len(self.work)

    @property
    def summed(self) -> bool:
        """Whether a stage pays the sum of its work and transfers, and not the most of them."""
        return self.problem.evaluator.communication == SUM

    @property
    def duplex(self) -> bool:
        """Whether receiving and sending do not add up."""
        return self.problem.evaluator.communication == DUPLEX

    @property
    def possible(self) -> bool:
        """Whether every unit has a stage left."""
        return bool((self.earliest <= self.latest).all())

    @property
    def streams(self) -> bool:
        """Whether a stage of the largest budget could have to stream parameters."""
        return bool(self.params.sum() > self.budget)

    @property
    def some_stream(self) -> bool:
        """Whether some stage could have to stream parameters."""
        return bool(self.params.sum() > self.budgets.min())

    @property
    def alike(self) -> bool:
        """Whether all stages have the same speed and memory."""
        return self.problem.evaluator.alike

    @property
    def idle(self) -> float:
        """What the dearest stage pays in any plan: what is reserved beyond its memory is streamed even if it holds nothing."""
        return max(0.0, -float(self.budgets.min())) / self.rate

    @property
    def run_of(self) -> Ints:
        """The run of each stage (int32[k]), from 0 on: stages in a row that are alike are one."""
        c = self.problem.evaluator.class_of
        return np.cumsum(np.concatenate([[0], c[1:] != c[:-1]])).astype(np.int32)

    def members(self, tensor: int) -> Ints:
        """The consumers of a tensor (int32[consumers], units)."""
        return self.idx[self.ptr[tensor] : self.ptr[tensor + 1]]

    def windows(self, bottleneck: float, check: Callable[[], None] = unchecked) -> tuple[Ints, Ints]:
        """Earliest and latest stage of each unit in any plan whose stages cost at most ``bottleneck`` (int32[m] each).

        A unit and its ancestors fill all stages up to its own, so their work (and streaming) over ``bottleneck``,
        rounded up, is a stage number; descendants likewise. A crossing window proves that there is no such plan.
        ``check`` is called every few milliseconds and may raise to end it.
        """
        if self.count == 0 or not 0 < bottleneck < np.inf:
            return self.earliest.copy(), self.latest.copy()
        slack = bottleneck * (1 + 1e-9)
        shares = [self.work / slack]
        room = slack + self.budget / self.rate
        if self.streams and self.alike and room > 0:
            # c stages hold c * budget bytes; what is left streams: work + params/rate <= c (slack + budget/rate).
            shares.append((self.work + self.params / self.rate) / room)
        share = np.stack(shares, axis=1)
        above, below = share.copy(), share.copy()
        for v in range(0, self.count, UNITS_PER_CHECK):
            check()
            rows = self.before[v : v + UNITS_PER_CHECK].astype(np.float64)
            above[v : v + UNITS_PER_CHECK] += rows @ share
            below += rows.T @ share[v : v + UNITS_PER_CHECK]
        pace = self.paces
        stages_before = _stages(above.max(axis=1), pace)
        stages_after = _stages(below.max(axis=1), pace[::-1])
        earliest = np.maximum(self.earliest, stages_before - 1)
        latest = np.minimum(self.latest, self.k - stages_after)
        return earliest.astype(np.int32), latest.astype(np.int32)

    @property
    def paces(self) -> Floats:
        """The most of ``work`` that each stage does in the time in which it does one of its own, 1 at most (float64[k])."""
        if self.alike:
            return np.ones(self.k)
        pace = np.zeros_like(self.stage_work)
        np.divide(self.work, self.stage_work, out=pace, where=self.stage_work > 0)
        return pace.max(axis=1, initial=0.0)


def _stages(share: Floats, pace: Floats) -> Ints:
    """Stages needed for that many stages' worth of work (float64[m]), of stages that do so much of one (float64[k]); rounding never adds one."""
    if (pace == 1.0).all():
        return np.maximum(1, np.ceil(share - 1e-9)).astype(np.int32)
    return (1 + np.searchsorted(np.cumsum(pace) * (1 + 1e-12), share - 1e-9, side="left")).astype(np.int32)


def stage_model(problem: Problem, check: Callable[[], None] = unchecked) -> StageModel:
    """Contract, sort and reduce a pipeline problem. Raises :class:`PlannerRefusal` beyond ``MOST_UNITS`` units.

    ``check`` is called every few milliseconds and may raise to end it.
    """
    e = problem.evaluator
    forced = forced_units(problem)
    if len(forced) and int(forced.max()) >= MOST_UNITS:
        raise PlannerRefusal(
            f"{problem.graph.name} has more than {MOST_UNITS} ops that can be placed apart, too many for exact methods"
            " and superblocks; use the simple bound, or keep ops together"
        )
    src, dst = unit_edges(forced, e.edge_src, e.edge_dst)
    m = int(forced.max()) + 1 if len(forced) else 0
    order = topological(m, src, dst, check)
    place = np.empty(m, np.int32)
    place[order] = np.arange(m, dtype=np.int32)
    unit_of = place[forced] if len(forced) else forced
    units = build_units(problem, unit_of)
    check()
    src, dst = place[src], place[dst]
    before, kept = _reduced(m, src, dst, check)
    near = np.full(len(src), "path" in problem.target.beyond)
    near_src, near_dst = src[near], dst[near]
    src, dst = src[kept], dst[kept]
    earliest, latest = _pinned(units.allowed, before, e.k)
    producer, time, send_time, ptr, idx = _tensors(unit_of, problem, check)
    stage_work = np.ascontiguousarray(units.work.sum(axis=2)[e.class_of])
    return StageModel(
        problem=problem,
        k=e.k,
        unit_of=unit_of,
        work=stage_work.min(axis=0),
        params=units.params,
        earliest=earliest,
        latest=latest,
        src=src,
        dst=dst,
        before=before,
        near_src=near_src,
        near_dst=near_dst,
        time=time,
        send_time=send_time,
        producer=producer,
        ptr=ptr,
        idx=idx,
        budget=float(e.budget.max()),
        rate=e.streaming_rate,
        stage_work=stage_work,
        budgets=e.budget,
        assumes=problem.assumptions,
    )


def topological(count: int, src: Ints, dst: Ints, check: Callable[[], None] = unchecked) -> Ints:
    """A topological order of ``count`` nodes, longest distance from the sources first (int32[count])."""
    rank = np.zeros(count, np.int64)
    while len(src):
        check()
        longer = rank[src] + 1
        if not (longer > rank[dst]).any():
            break
        np.maximum.at(rank, dst, longer)
    return np.argsort(rank, kind="stable").astype(np.int32)


def _reduced(count: int, src: Ints, dst: Ints, check: Callable[[], None]) -> tuple[Bools, Bools]:
    """The ancestor matrix, and which edges no longer path replaces; nodes are in topological order."""
    before = np.zeros((count, count), bool)
    kept = np.zeros(len(src), bool)
    ptr, edge = csr(dst, np.arange(len(src), dtype=np.int32), count)
    for v in range(count):
        if v % UNITS_PER_CHECK == 0:
            check()
        edges = edge[ptr[v] : ptr[v + 1]]
        # The nearest predecessors first: a predecessor that is already an ancestor is implied.
        for x in edges[np.argsort(-src[edges], kind="stable")]:
            u = src[x]
            if not before[v, u]:
                kept[x] = True
                before[v] |= before[u]
                before[v, u] = True
    return before, kept


def _pinned(allowed: Bools, before: Bools, k: int) -> tuple[Ints, Ints]:
    """Windows that pins and the order rule leave."""
    m = len(allowed)
    if m == 0:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    some = allowed.any(axis=1)
    first = np.where(some, allowed.argmax(axis=1), k)
    last = np.where(some, k - 1 - allowed[:, ::-1].argmax(axis=1), -1)
    earliest, latest = first.copy(), last.copy()
    for v in np.flatnonzero(first > 0):
        after = before[:, v]
        earliest[after] = np.maximum(earliest[after], first[v])
    for v in np.flatnonzero(last < k - 1):
        latest[before[v]] = np.minimum(latest[before[v]], last[v])
    return earliest.astype(np.int32), latest.astype(np.int32)


def _tensors(
    unit_of: Ints, problem: Problem, check: Callable[[], None]
) -> tuple[Ints, Floats, Floats, Ints, Ints]:
    """Producer, times to receive and to send, and consumers of what leaves a unit, equal ones added up."""
    e = problem.evaluator
    summed: dict[tuple[int, ...], tuple[float, float]] = {}
    for t in np.flatnonzero((e.tensor_time > 0) | (e.send_time > 0)).tolist():
        if t % UNITS_PER_CHECK == 0:
            check()
        home = int(unit_of[e.tensor_producer[t]])
        consumers = set(unit_of[e.consumer_idx[e.consumer_ptr[t] : e.consumer_ptr[t + 1]]].tolist()) - {home}
        if consumers:
            key = (home, *sorted(consumers))
            time, send_time = summed.get(key, (0.0, 0.0))
            summed[key] = time + float(e.tensor_time[t]), send_time + float(e.send_time[t])
    keys = sorted(summed)
    ptr = np.zeros(len(keys) + 1, np.int32)
    np.cumsum([len(key) - 1 for key in keys], out=ptr[1:])
    return (
        np.array([key[0] for key in keys], np.int32),
        np.array([summed[key][0] for key in keys], np.float64),
        np.array([summed[key][1] for key in keys], np.float64),
        ptr,
        np.array([u for key in keys for u in key[1:]], np.int32),
    )
