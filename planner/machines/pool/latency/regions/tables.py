"""What a region takes at least, by what its ends are on and how many accelerators it has: the cheapest chains of pieces under flows.

Let x be a unit flow along the arcs of the region. In any plan the time between the piece of the op before and that of the op after is at least
the mean, over the paths of the flow, of what the pieces and CPU ops on a path take; since a path meets a piece in one go, that is the sum over pieces of
their time and the flow that enters them. Pieces and CPU ops, one after the other, are a chain of ideals, so the least such sum is a shortest path.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.machines.pool.latency.regions import kernels
from planner.machines.pool.latency.regions.region import Region
from planner.methods.ideals.lattice import ideals_of
from planner.model.graph import Floats, Ints
from planner.search.search import Search

MOST_OPS, MOST_IDEALS = 64, 12_000
LOOKS_PER_CALL = 6_000_000
"""Pairs of ideals between two looks at the search: some tenth of a second."""
CLASSES = 64
"""Into so many classes the memory of an accelerator is divided, to tell apart what ops at the ends of a region take of it."""


class Way(NamedTuple):
    """How a region is passed: whether the op before and the op after are on accelerators, at most how many other pieces there are, and the highest classes of
    memory that ops of the region add to the first and to the last one."""

    before: bool
    after: bool
    pieces: int
    head: int = 0
    tail: int = 0


class Passage(NamedTuple):
    """A plan of a region: the ideals that begin with the piece of the op before (``head``) and end where that of the op after begins (``tail``), and in
    between ``steps``, in their order: (mask, time, whether it is a piece)."""

    head: int
    tail: int
    steps: tuple[tuple[int, float, bool], ...]


class Values(NamedTuple):
    """The least times of a region, float64: without ends on accelerators ``free`` [k + 1], and by class of memory with the first, ``first`` [k + 1, classes], with the last,
    ``last``, and with both, of which either class is looked at, ``both_first`` and ``both_last``."""

    free: Floats
    first: Floats
    last: Floats
    both_first: Floats
    both_last: Floats

    def at(self, way: Way) -> float:
        """What is known of one way."""
        if way.before and way.after:
            return float(max(self.both_first[way.pieces, way.head], self.both_last[way.pieces, way.tail]))
        if way.before:
            return float(self.first[way.pieces, way.head])
        return float(self.last[way.pieces, way.tail] if way.after else self.free[way.pieces])


class _Steps(NamedTuple):
    """Steps from ideals, or to them, as CSRs: ``cover_ptr``, where each leads, the op that it adds; ``piece_ptr``, where, which piece."""

    cover_ptr: NDArray[np.int64]
    cover_end: Ints
    op: Ints
    piece_ptr: NDArray[np.int64]
    piece_end: Ints
    piece: NDArray[np.int64]


class Tables:
    """The pieces of one region and what is proven of it, ``values``; :meth:`prepare` comes first, then :meth:`look` takes one flow after the other.

    ``room`` is an accelerator's memory, ``unit`` that of a class, ``most`` the highest number of pieces that is told apart, which stands for more where ``unlimited``.
    """

    def __init__(self, region: Region, room: float, unit: float, most: int, unlimited: bool) -> None:
        self.region, self._room, self._unit = region, room, unit
        self._unlimited = unlimited
        shape = (most + 1, CLASSES)
        self.values = Values(np.zeros(most + 1), *(np.zeros(shape) for _ in range(4)))
        self.small = False
        self.bits: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self.low: Ints = np.zeros(0, np.int32)
        self.high: Ints = np.zeros(0, np.int32)
        self.time: Floats = np.zeros(0)

    def prepare(self, search: Search, most: int) -> Iterator[None]:
        """List ideals and pieces, a part at a time. Where there are too many, ``most`` pieces at most, the region is not ``small``, and its longest path counts alone."""
        r = self.region
        if len(r.ops) > MOST_OPS:
            return self._by_longest_path()
        found = ideals_of(r.succs, r.preds, MOST_IDEALS, search)
        if found is None:
            return self._by_longest_path()
        ptr, upper, op, _, _, bits = found
        self.bits = np.ascontiguousarray(bits[:, 0])
        n = len(self.bits)
        able = np.isfinite(r.work)
        sums = []
        for values in (r.memory, np.where(able, r.work, 0.0), r.cpu, 1.0 - able):
            sums.append(np.empty(n))
            kernels.sums(self.bits, values, sums[-1])
        self.memory = sums[0]
        lows, highs, times = [], [], []
        room = max(2 * n, 1 << 18)
        low, high, time = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room)
        at = total = 0
        while at < n:
            at, count = kernels.list_pieces(
                r, self.bits, *sums, self._room, at, LOOKS_PER_CALL, low, high, time
            )
            total += count
            if total > most:
                return self._by_longest_path()
            lows.append(low[:count].copy())
            highs.append(high[:count].copy())
            times.append(time[:count].copy())
            yield
        self.low, self.high = np.concatenate(lows), np.concatenate(highs)
        self.time = np.concatenate(times)
        self._list_steps(ptr, upper, op)
        self.head, self.tail = np.empty(n), np.empty(n)
        kernels.end_times(r, self.bits, self.head, self.tail)
        self.head_memory, self.tail_memory = self.memory, self.memory[-1] - self.memory
        self.small = True
        return None

    def _by_longest_path(self) -> None:
        """Every path takes its ops on their fastest devices at least, however the region is passed."""
        longest = _longest_path(self.region, np.minimum(self.region.work, self.region.cpu))[0]
        for values in self.values:
            values[:] = longest

    def _list_steps(self, ptr: NDArray[np.int64], upper: Ints, op: Ints) -> None:
        n = len(self.bits)
        numbers = np.arange(n + 1)
        pieces = np.arange(len(self.low))
        self._from = _Steps(ptr, upper, op, np.searchsorted(self.low, numbers), self.high, pieces)
        lower = np.repeat(np.arange(n, dtype=np.int32), np.diff(ptr))
        by_upper, by_high = np.argsort(upper, kind="stable"), np.argsort(self.high, kind="stable")
        self._to = _Steps(
            np.searchsorted(upper[by_upper], numbers), lower[by_upper], op[by_upper],
            np.searchsorted(self.high[by_high], numbers), self.low[by_high], by_high,
        )  # fmt: skip

    def first_flow(self) -> Floats:
        """All along the path that takes longest on CPUs (float64[e])."""
        r = self.region
        return _longest_path(r, np.where(np.isfinite(r.cpu), r.cpu, r.work))[1]

    def look(self, flow: Floats, way: Way) -> list[Passage]:
        """Raise ``values`` by what a unit flow (float64[e]) proves; returns the plans that are cheapest under it that way."""
        r, n = self.region, len(self.bits)
        met = np.empty(len(self.low))
        kernels.met_by_flow(r, self.bits, self.low, self.high, flow, met)
        cost = self.time * met
        through = np.bincount(r.arc_to, weights=flow, minlength=len(r.ops) + 1)[: len(r.ops)]
        may = np.isfinite(r.cpu)
        on_cpu = np.where(may, np.where(may, r.cpu, 0.0) * through, np.inf)
        number = np.arange(n)
        empty, full = np.where(number == 0, 0.0, np.inf), np.where(number == n - 1, 0.0, np.inf)
        head, tail = (
            np.where(memory <= self._room * kernels.FITS, end, np.inf)
            for end, memory in ((self.head, self.head_memory), (self.tail, self.tail_memory))
        )
        v = self.values
        chains = {}
        for forward, joined in ((False, False), (False, True), (True, False), (True, True)):
            # Forward chains may end with the op after; backward ones may begin with the op before.
            steps = self._from if forward else self._to
            last = (tail if joined else full) if forward else (head if joined else empty)
            least, how = np.empty((len(v.free), n)), np.empty((len(v.free), n), np.int64)
            kernels.cheapest_chains(
                forward, steps.cover_ptr, steps.cover_end, on_cpu[steps.op], steps.piece_ptr, steps.piece_end,
                cost[steps.piece], last, self._unlimited, least, how,
            )  # fmt: skip
            chains[forward, joined] = least, how
        np.maximum(v.free, chains[True, False][0][:, 0], out=v.free)
        for target, forward, joined in (
            (v.first, True, False), (v.last, False, False), (v.both_first, True, True), (v.both_last, False, True),
        ):  # fmt: skip
            own, memory = (head, self.head_memory) if forward else (tail, self.tail_memory)
            np.maximum(target, self._by_class(own + chains[forward, joined][0], memory), out=target)
        return list(self._passages(way, chains, head, tail))

    def _by_class(self, values: Floats, memory: Floats) -> Floats:
        """The least of ``values`` (float64[k + 1, n]) up to each class of ``memory`` (float64[n]), rounded down."""
        found = np.full((len(values), CLASSES), np.inf)
        classes = self.classes(memory, up=False)
        for row, value in zip(found, values, strict=True):
            np.minimum.at(row, classes, value)
        return np.minimum.accumulate(found, axis=1)

    def classes(self, memory: Floats, *, up: bool) -> NDArray[np.int64]:
        """The class (int64[.]) of each amount of ``memory`` (float64[.]), rounded down for bounds or up for plans."""
        share = memory / self._unit
        whole = np.ceil(share * (1 - 1e-12)) if up else np.floor(share * (1 - 1e-9))
        found: NDArray[np.int64] = np.minimum(whole, CLASSES - 1 if not up else 2 * CLASSES).astype(np.int64)
        return found

    def _passages(
        self, way: Way, chains: dict[tuple[bool, bool], tuple[Floats, NDArray[np.int64]]], head: Floats, tail: Floats
    ) -> Iterator[Passage]:  # fmt: skip
        n = len(self.bits)
        if way.before or not way.after:
            least, how = chains[True, way.after]
            begin = 0
            if way.before:
                fits = self.classes(self.head_memory, up=False) <= way.head
                begin = int(np.argmin(np.where(fits, head + least[way.pieces], np.inf)))
            if math.isfinite(least[way.pieces, begin]):
                end, steps = self._follow(how, self._from, begin, way.pieces)
                yield Passage(begin, end, tuple(steps))
        if way.after:
            least, how = chains[False, way.before]
            fits = self.classes(self.tail_memory, up=False) <= way.tail
            end = int(np.argmin(np.where(fits, tail + least[way.pieces], np.inf)))
            if math.isfinite(least[way.pieces, end]):
                begin, steps = self._follow(how, self._to, end, way.pieces)
                yield Passage(begin if way.before else 0, end if n else 0, tuple(reversed(steps)))

    def _follow(
        self, how: NDArray[np.int64], steps: _Steps, at: int, pieces: int
    ) -> tuple[int, list[tuple[int, float, bool]]]:
        """The ideal where a chain ends, and its steps."""
        found: list[tuple[int, float, bool]] = []
        top = how.shape[0] - 1
        while how[pieces, at] != -1:
            step = int(how[pieces, at])
            if step <= -2:
                op = int(steps.op[-2 - step])
                found.append((1 << op, float(self.region.cpu[op]), False))
                at = int(steps.cover_end[-2 - step])
                continue
            piece = int(steps.piece[step])
            mask = int(self.bits[self.high[piece]] & ~self.bits[self.low[piece]])
            found.append((mask, float(self.time[piece]), True))
            at = int(steps.piece_end[step])
            pieces -= not (self._unlimited and pieces == top)
        return at, found

    def row(self, passage: Passage, way: Way) -> tuple[Floats, float]:
        """What a plan costs under any flow: ``(float64[e], constant)``, the flow on arcs times these, and the constant."""
        r = self.region
        of_op = np.full(len(r.ops), -1)
        taken = [time for _, time, _ in passage.steps]
        for number, (mask, _, _) in enumerate(passage.steps):
            of_op[[v for v in range(len(r.ops)) if mask >> v & 1]] = number
        found = np.zeros(len(r.arc_from))
        for e, (u, v) in enumerate(zip(r.arc_from.tolist(), r.arc_to.tolist(), strict=True)):
            if v < len(r.ops) and of_op[v] >= 0 and (u < 0 or of_op[u] != of_op[v]):
                found[e] = taken[of_op[v]]
        return found, self.ends(passage, way)

    def ends(self, passage: Passage, way: Way) -> float:
        """What the pieces of the op before and of the op after take for their part in a plan."""
        return (float(self.head[passage.head]) if way.before else 0.0) + (
            float(self.tail[passage.tail]) if way.after else 0.0
        )

    def time_of(self, passage: Passage, way: Way) -> float:
        """How long the region takes in a plan."""
        r = self.region
        end = np.zeros(len(r.ops))
        into: list[list[int]] = [[] for _ in range(len(r.ops))]
        for u, v in zip(r.arc_from.tolist(), r.arc_to.tolist(), strict=True):
            if u >= 0 and v < len(r.ops):
                into[v].append(u)
        for mask, time, _ in passage.steps:
            members = [v for v in range(len(r.ops)) if mask >> v & 1]
            begin = max((end[u] for v in members for u in into[v] if not mask >> u & 1), default=0.0)
            end[members] = begin + time
        return float(end.max(initial=0.0)) + self.ends(passage, way)


def _longest_path(r: Region, times: Floats) -> tuple[float, Floats]:
    """``(length, flow)``: the longest path through a region by the times of its ops, and one unit of flow along it (float64[e])."""
    m = len(r.ops)
    reached = np.full(m + 1, -np.inf)
    by = np.full(m + 1, -1)
    for e, (u, v) in enumerate(zip(r.arc_from.tolist(), r.arc_to.tolist(), strict=True)):
        value = (reached[u] if u >= 0 else 0.0) + (times[v] if v < m else 0.0)
        if value > reached[v]:
            reached[v], by[v] = value, e
    flow = np.zeros(len(r.arc_from))
    at = m
    while at >= 0 and by[at] >= 0:
        flow[by[at]] = 1.0
        at = int(r.arc_from[by[at]])
    return float(max(reached[m], 0.0)), flow
