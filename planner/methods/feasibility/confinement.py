"""How few chips a part of a network has under the triangle rule.

Where u feeds v directly and w lies on another way from u to v, w is on the chip of u or on that of v: on a third chip, there
would be an indirect way between the two chips beside the direct one (MCM paper, equation 4). So all ops between the ends of a
direct dependency have two chips, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planner.methods.feasibility.wording import listed
from planner.methods.units import forced_units, unit_edges
from planner.model.graph import Bools, Floats, Ints, csr
from planner.problem.problem import Problem

MOST_UNITS = 1 << 13
"""Reachability is kept as bits, so that memory grows as the square of the ops; beyond this nothing is looked at."""


@dataclass
class Units:
    """The ops of a problem as units that every valid plan keeps together, and which of them lie between others."""

    problem: Problem
    unit_of: Ints = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        e = self.problem.evaluator
        self.unit_of = forced_units(self.problem)
        self.count = int(self.unit_of.max(initial=-1)) + 1
        self.src, self.dst = unit_edges(self.unit_of, e.edge_src, e.edge_dst)
        ptr, idx = csr(self.src, self.dst, self.count)
        self.low, self.high = np.zeros(self.count, int), np.full(self.count, e.k - 1)
        for v in np.flatnonzero(e.pinned >= 0).tolist():
            u = self.unit_of[v]
            self.low[u] = max(self.low[u], e.pinned[v])
            self.high[u] = min(self.high[u], e.pinned[v])
        self.below = _reach(ptr, idx, self.count)
        self.above = _reach(*csr(self.dst, self.src, self.count), self.count)

    @staticmethod
    def of(problem: Problem) -> Units | None:
        """The units, None where there are too many."""
        return Units(problem) if problem.graph.n <= MOST_UNITS else None

    def between(self, u: int, v: int) -> Ints:
        """Units on a way from ``u`` to ``v``, both left out (int32[found])."""
        bits = self.below[u] & self.above[v]
        return np.flatnonzero(np.unpackbits(bits, count=self.count)).astype(np.int32)

    def windows(self) -> tuple[Ints, Ints]:
        """First and last possible chip of each unit (int32[m] each), by pins along dependencies."""
        low, high = self.low.copy(), self.high.copy()
        for u in np.flatnonzero(self.low > 0).tolist():
            below = np.unpackbits(self.below[u], count=self.count).astype(bool)
            low[below] = np.maximum(low[below], self.low[u])
        for u in np.flatnonzero(self.high < self.problem.evaluator.k - 1).tolist():
            above = np.unpackbits(self.above[u], count=self.count).astype(bool)
            high[above] = np.minimum(high[above], self.high[u])
        return low.astype(np.int32), high.astype(np.int32)


def _reach(ptr: Ints, idx: Ints, count: int) -> np.ndarray:
    """Bit rows: which units each unit leads to (uint8[count, ceil(count / 8)], first unit in the highest bit)."""
    rows = np.zeros((count, (count + 7) // 8), np.uint8)
    waiting = np.diff(ptr).copy()
    before_ptr, before = csr(idx, np.repeat(np.arange(count, dtype=np.int32), np.diff(ptr)), count)
    ready = np.flatnonzero(waiting == 0).tolist()
    while ready:
        v = ready.pop()
        for u in before[before_ptr[v] : before_ptr[v + 1]].tolist():
            rows[u] |= rows[v]
            rows[u, v >> 3] |= 128 >> (v & 7)
            waiting[u] -= 1
            if waiting[u] == 0:
                ready.append(u)
    return rows


@dataclass(frozen=True, eq=False)
class Direct:
    """A direct dependency of units ``feeder`` and ``reader`` with the units ``inner`` between them."""

    feeder: int
    reader: int
    inner: Ints


def direct_dependencies(units: Units) -> list[Direct]:
    """Direct dependencies that confine others, those with most ops between their ends first."""
    found = [
        Direct(u, v, inner)
        for u, v in zip(units.src.tolist(), units.dst.tolist(), strict=True)
        if len(inner := units.between(u, v))
    ]
    return sorted(found, key=lambda d: (-len(d.inner), d.feeder, d.reader))


def fillable(units: Units, directs: list[Direct]) -> Iterator[tuple[int, list[Direct]]]:
    """Ever smaller upper bounds on the chips that can hold an op, each with the direct dependencies that it follows from.

    Every unit between the ends of a direct dependency is on the chip of one of them, so it fills no further chip. An end
    may itself be between others; what counts is that, in the end, every such unit is on the chip of one that is not.
    """
    roots = [{u} for u in range(units.count)]
    holders = [{u} for u in range(units.count)]
    free = units.count
    used: list[Direct] = []
    for d in directs:
        ends = roots[d.feeder] | roots[d.reader]
        inner = [w for w in d.inner.tolist() if roots[w] == {w} and w not in ends]
        if not inner:
            continue
        for w in inner:
            for holder in holders[w]:
                roots[holder] = (roots[holder] - {w}) | ends
            for end in ends:
                holders[end] |= holders[w]
            holders[w] = set()
        free -= len(inner)
        used.append(d)
        yield free, list(used)


@dataclass(frozen=True, eq=False)
class Confined:
    """Ops that a direct dependency keeps on two chips: bool[n] ``ops``, with the ``total`` of what was added up.

    ``feeder`` and ``reader`` (ops) are its ends, ``readers`` all ops among ``ops`` that the feeder feeds directly.
    """

    total: float
    feeder: int
    reader: int
    readers: tuple[int, ...]
    ops: Bools

    def text(self, names: tuple[str, ...]) -> str:
        """Why they are on two chips, as a part of a sentence."""
        return (
            f"{names[self.feeder]} feeds {listed([names[v] for v in self.readers])} directly; the triangle rule forbids any way"
            f" over a third chip beside that, so the {int(self.ops.sum())} ops from {names[self.feeder]} to {names[self.reader]}"
            " are on two chips"
        )


def heaviest(units: Units, amount: Floats) -> Confined | None:
    """The direct dependency that keeps most of ``amount`` (float64[n]) on two chips; the fuller one has at least half of it."""
    by_unit = np.bincount(units.unit_of, amount, units.count)
    best: tuple[float, int, int, Ints] | None = None
    for d in direct_dependencies(units):
        held = np.concatenate([d.inner, [d.feeder, d.reader]])
        total = float(by_unit[held].sum())
        if best is None or total > best[0]:
            best = (total, d.feeder, d.reader, held)
    if best is None:
        return None
    total, first, last, held = best
    e, ops = units.problem.evaluator, np.isin(units.unit_of, held)
    at = np.flatnonzero((units.unit_of[e.edge_src] == first) & (units.unit_of[e.edge_dst] == last))
    feeder = int(e.edge_src[at[0]])
    following = e.succ_idx[e.succ_ptr[feeder] : e.succ_ptr[feeder + 1]].tolist()
    return Confined(total, feeder, int(e.edge_dst[at[0]]), tuple(v for v in following if ops[v]), ops)
