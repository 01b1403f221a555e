"""The least time per inference of a pipeline of Edge TPUs over chains of ideals: exact, with a bound that rises on the way.

For plans whose stages all have a rest (receive + compute + send) below R, let S(R) be the least that all stages together
stream: a shortest path over the arcs within R, which also tells the least largest rest r(R) of such a plan. No plan with a
largest rest from r(R) to R is faster than this one, since it streams no less. What is left are plans with a smaller
largest rest, which stream more, and so on downwards: a range of rests [low, high) whose plans stream at least s cannot
hold a plan faster than s + low, and none at all is of interest from ``best - s`` on. Ranges are cut, the one that promises most
first, until none promises more than the best plan.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planner.machines.edge_tpu.fastest.arcs import (
    FAR,
    STEPS_PER_CALL,
    Arcs,
    Costs,
    arcs_of,
    chain_of,
    extend,
    least_time,
    streaming_ahead,
)
from planner.machines.edge_tpu.memory.lattice import EdgeTpuLattice
from planner.model.graph import Ints
from planner.search.search import Search

CLOSE = 1e-10
"""Plans that are faster by less than this share are not looked for."""


@dataclass(order=True)
class Range:
    """Plans with a largest rest in [low, high) that are not yet known; they stream at least ``streamed``.

    ``promise``: none is faster. ``halve``: whether to look at the lower half next, or at all of it.
    """

    promise: float
    number: int
    low: float = field(compare=False)
    high: float = field(compare=False)
    streamed: int = field(compare=False)
    halve: bool = field(compare=False)


@dataclass(frozen=True, eq=False)
class Found:
    """A plan of the units (int32[m]), or None, and what no plan of the ideals looked at is faster than (seconds)."""

    stage_of: Ints | None
    bound: float


class Fastest:
    """The search over the chains of one lattice. Methods may raise :class:`planner.search.search.Stopped`."""

    def __init__(self, ideals: EdgeTpuLattice, costs: Costs, limit: float, search: Search) -> None:
        """``limit``: the time per inference that a plan has to be below. Raises :class:`TooLarge`."""
        self._ideals, self._costs, self._search = ideals, costs, search
        self._best = limit
        self._arcs: Arcs = arcs_of(ideals, costs, self._goal, search)
        self._kept_for = limit
        self._allowed = np.ascontiguousarray(ideals.allowed)
        self._ahead = streaming_ahead(ideals, costs)
        shape = self._ahead.shape
        self._total, self._largest = np.empty(shape, np.int64), np.empty(shape)
        self._came = np.empty(shape, np.int32)
        self._made = 0

    @property
    def _goal(self) -> float:
        return self._best * (1.0 - CLOSE)

    def steps(self) -> Iterator[Found]:
        """Plans, each faster than those before and than the limit, and bounds; the last meets the fastest plan, or the limit."""
        low, streamed = least_time(self._costs, self._ideals.tpus.stages)
        ranges: list[Range] = []
        self._push(ranges, low, math.inf, streamed, False)
        while ranges and ranges[0].promise < self._goal:
            now = heapq.heappop(ranges)
            top = min(now.high, self._best - now.streamed * self._costs.stream)
            middle = (now.low + top) / 2 if now.halve else top
            halved = now.low < middle < top
            below = middle if halved else top
            value = self._least(below, now)
            stage_of = None
            if value < FAR:
                rest = float(self._largest[-1, -1])
                time = value * self._costs.stream + rest
                if time < self._best:
                    self._best = time
                    stage_of = chain_of(self._ideals, self._came)
                self._push(ranges, now.low, rest, value + 1, not now.halve)
            if halved and now.streamed < value:
                self._push(ranges, middle, top, now.streamed, not now.halve)
            yield Found(stage_of, min(self._goal, ranges[0].promise if ranges else math.inf))
            self._thin_out()

    def _push(self, ranges: list[Range], low: float, high: float, streamed: int, halve: bool) -> None:
        promise = streamed * self._costs.stream + low
        if low < high and promise < self._goal:
            self._made += 1
            heapq.heappush(ranges, Range(promise, self._made, low, high, streamed, halve))

    def _least(self, below: float, among: Range) -> int:
        """S(``below``) in parts of bytes, FAR where no plan of interest is left."""
        self._total.fill(FAR)
        self._largest.fill(np.inf)
        self._total[0, 0], self._largest[0, 0] = 0, 0.0
        stream = self._costs.stream
        room = (self._best - among.low) / stream if stream else math.inf
        cutoff = FAR if room >= FAR else max(0, math.ceil(room)) + 1
        arcs, count, at = self._arcs, self._ideals.count, 0
        while at < count:
            at = extend(
                at, STEPS_PER_CALL, arcs.begin, arcs.upper, arcs.streamed, arcs.rest, below, self._allowed,
                self._ahead, cutoff, self._total, self._largest, self._came,
            )  # fmt: skip
            self._search.check()
        return int(self._total[-1, -1])

    def _thin_out(self) -> None:
        """Forget arcs that no faster plan has, now and then."""
        if self._best < self._kept_for:
            floor = int(self._ahead[0, 0])
            self._arcs = self._arcs.below(self._best, floor, self._costs.stream, self._search)
            self._kept_for = self._best
