"""Chains of ideals of graphs that fall apart, such as several networks on the same TPUs.

An ideal of such a graph is one of each part, so that there are too many to list. But a chain whose stages hold at most M
has at place k between all parameters less n - k times M and k times M, which is next to nothing where M is close to an equal share.
So ideals are listed by their parameters: M is guessed from below, and the ideals of its windows are joined from those of the parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.machines.edge_tpu.memory import arcs
from planner.machines.edge_tpu.memory.arcs import FAR, LARGEST, Limits
from planner.machines.edge_tpu.memory.chains import Chains, Place
from planner.machines.edge_tpu.memory.lattice import (
    MOST_ENTRIES,
    EdgeTpuLattice,
    TooLarge,
    pins_allow,
    reader_outside,
)
from planner.machines.edge_tpu.memory.units import EdgeTpuUnits, Whole
from planner.machines.edge_tpu.target import MEMORY
from planner.methods.ideals.lattice import Lattice, ideals_of
from planner.model.graph import Ints, csr
from planner.search.search import Search

MOST_OF_PART = 50_000
"""Ideals of one part."""
MOST_JOINED = 4_000_000
"""Ideals of the parts on one side: 32 MB of sums."""
MOST_LISTED = 300_000
"""Ideals in all windows of a guess."""
LISTED_PER_CALL = 20_000
"""Ideals that are described between two looks at the stop criteria: some ten milliseconds."""
WIDER = 4
"""How many times as far above an equal share the next guess is."""


@njit(cache=True, nogil=True)
def borders(
    first, last, bits, weight, producer, size, consumer_ptr, consumer_idx,
    potential, lowest, highest, border_ptr, border_idx, border_size, far,
):  # fmt: skip
    """Describe the ideals ``first`` to ``last`` by their bits alone, as :func:`planner.machines.edge_tpu.memory.lattice.describe` does.

    Borders go to ``border_idx``, or are only counted where that is empty.
    """
    one = np.uint64(1)
    m = len(weight)
    for i in range(first, last):
        low, high = m, -1
        held = np.int64(0)
        for u in range(m):
            if (bits[i, u >> 6] >> np.uint64(u & 63)) & one:
                high = u
                held += weight[u]
            elif low == m:
                low = u
        potential[i], lowest[i], highest[i] = held, low, high
        place = border_ptr[i]
        crossing = np.int64(0)
        reach = 0
        for t in range(len(producer)):
            p = producer[t]
            if (bits[i, p >> 6] >> np.uint64(p & 63)) & one == 0:
                continue
            c = reader_outside(bits[i], t, consumer_ptr, consumer_idx)
            if c >= 0:
                if len(border_idx):
                    border_idx[place] = t
                place += 1
                crossing += size[t]
                reach = max(reach, c + 1)
        border_ptr[i + 1] = place
        border_size[i] = crossing
        far[i] = reach


@dataclass(frozen=True, eq=False)
class _Side:
    """The ideals of some parts together, by increasing ``potential`` (int64[s]).

    ``bits``: uint64[ideals of a part, words] of each part; ``number`` int64[s] says which ideal of each, the first part's slowest.
    """

    potential: Whole
    number: NDArray[np.int64]
    bits: tuple[NDArray[np.uint64], ...]

    def bits_of(self, place: NDArray[np.int64], words: int) -> NDArray[np.uint64]:
        """The units inside each of some ideals (by place in the order): uint64[p, words]."""
        found = np.zeros((len(place), words), np.uint64)
        number = self.number[place]
        for bits in reversed(self.bits):
            found |= bits[number % len(bits)]
            number = number // len(bits)
        return found


class Parts:
    """The ideals of a graph that falls apart, as two sides whose ideals are joined by their parameters. Raises :class:`TooLarge`."""

    def __init__(self, tpus: EdgeTpuUnits, search: Search) -> None:
        self.tpus = tpus
        self.words = max(1, (tpus.count + 63) // 64)
        part_of = _part_of(tpus)
        count = int(part_of.max(initial=-1)) + 1
        if count < 2:
            raise TooLarge
        parts = [
            self._ideals(np.flatnonzero(part_of == part).astype(np.int32), search) for part in range(count)
        ]
        parts.sort(key=lambda part: -len(part[0]))
        sides: list[list[tuple[Whole, NDArray[np.uint64]]]] = [[], []]
        for part in parts:
            min(sides, key=lambda side: math.prod(len(sums) for sums, _ in side)).append(part)
        self.sides = tuple(self._side(side) for side in sides)

    def _ideals(self, members: Ints, search: Search) -> tuple[Whole, NDArray[np.uint64]]:
        """The ideals of one part (int32[p], its units): their parameters int64[i], and their units as bits of all."""
        tpus = self.tpus
        local = np.full(tpus.count, -1, np.int32)
        local[members] = np.arange(len(members), dtype=np.int32)
        inside = local[tpus.units.src] >= 0
        src, dst = local[tpus.units.src[inside]], local[tpus.units.dst[inside]]
        found = ideals_of(csr(src, dst, len(members)), csr(dst, src, len(members)), MOST_OF_PART, search)
        if found is None:
            raise TooLarge
        rows = np.unpackbits(found[-1].astype("<u8").view(np.uint8), axis=1, bitorder="little")[
            :, : len(members)
        ]
        whole = np.zeros((len(rows), self.words * 64), np.uint8)
        whole[:, members] = rows
        bits = np.packbits(whole, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        return rows.astype(np.int64) @ tpus.weight[members], bits

    @staticmethod
    def _side(parts: list[tuple[Whole, NDArray[np.uint64]]]) -> _Side:
        if math.prod(len(sums) for sums, _ in parts) > MOST_JOINED:
            raise TooLarge
        potential = np.zeros(1, np.int64)
        for sums, _ in parts:
            potential = (potential[:, None] + sums[None, :]).ravel()
        order = np.argsort(potential, kind="stable")
        return _Side(potential[order], order, tuple(bits for _, bits in parts))

    def between(self, low: int, high: int) -> NDArray[np.uint64]:
        """The ideals with parameters from ``low`` to ``high``, as bits of their units: uint64[i, words]. Raises :class:`TooLarge`."""
        one, other = self.sides
        begin = np.searchsorted(other.potential, low - one.potential, side="left")
        counts = np.maximum(np.searchsorted(other.potential, high - one.potential, side="right") - begin, 0)
        if int(counts.sum()) > MOST_LISTED:
            raise TooLarge
        first = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        second = np.repeat(begin, counts) + within
        return one.bits_of(first, self.words) | other.bits_of(second, self.words)


def _part_of(tpus: EdgeTpuUnits) -> Ints:
    """The part of each unit (int32[m]): units between which edges lead, either way, are of one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    src, dst = tpus.units.src, tpus.units.dst
    links = coo_array((np.ones(len(src), np.int8), (src, dst)), shape=(tpus.count, tpus.count))
    found: Ints = connected_components(links, directed=False)[1]
    return found


class ChainsApart(Chains):
    """The chains of a graph that falls apart, near the least largest m. Raises :class:`TooLarge` where more would have to be looked at."""

    def __init__(self, parts: Parts, search: Search, plan: Ints) -> None:
        """``plan`` int32[m]: any plan, to begin with."""
        self._parts = parts
        self._begun = False
        super().__init__(self._listed(0, search), search, plan)

    def _restart(self) -> None:
        if self._begun:
            raise TooLarge
        self._begun = True
        self._limits = Limits(self._tpus.total, FAR, FAR, self._tpus.cache)
        self._bottom, self._tight = 0, False
        self._places = []

    def _memory(self) -> int:
        """Guess how far above an equal share the least largest m is, until a chain keeps the guess."""
        tpus = self._tpus
        low, high = tpus.simple_bound(MEMORY), tpus.measures(self._plan)[MEMORY]
        slack = 0
        while True:
            top = min(low + slack, high)
            self._search.progress(None, f"chains with at most {tpus.value(MEMORY, top):.0f} bytes a stage")
            self.ideals = self._listed(top, self._search)
            self._field = arcs.field_of(self.ideals)
            self._limits = Limits(top, FAR, FAR, tpus.cache)
            self._places = [self._place(k, top) for k in range(tpus.stages + 1)]
            values = self._up(LARGEST, FAR)
            if values[-1][0] < FAR:
                least = int(values[-1][0])
                self._plan = self._chain(LARGEST, values, least)
                self._narrow(least)
                return least
            slack = slack * WIDER or tpus.weight_step

    def _narrow(self, top: int) -> None:
        """Keep the chains whose m is at most ``top``, no more than before, on each stage; least DRAM is forgotten."""
        self._limits = self._limits._replace(top=top, dram=FAR)
        self._places = [self._place(k, top) for k in range(self._tpus.stages + 1)]
        done, ahead = self._up(LARGEST, top + 1), self._down(LARGEST, top + 1)
        self._places = [
            place.only((before < FAR) & (after < FAR))
            for place, before, after in zip(self._places, done, ahead, strict=True)
        ]

    def _window(self, k: int, top: int) -> tuple[int, int]:
        """The least and the most parameters at place ``k`` of a chain of stages with at most ``top``."""
        tpus = self._parts.tpus
        return max(0, tpus.total - (tpus.stages - k) * top), min(tpus.total, k * top)

    @property
    def _one_sided(self) -> bool:
        return False

    def _place(self, k: int, top: int) -> Place:
        low, high = self._window(k, top)
        potential = self.ideals.potential
        numbers = np.flatnonzero(self.ideals.allowed[k] & (potential >= low) & (potential <= high))
        order = np.argsort(potential[numbers], kind="stable")
        nothing = np.zeros(len(order), np.int64)
        return Place(numbers[order].astype(np.int32), potential[numbers[order]], nothing, nothing.copy())

    def _listed(self, top: int, search: Search) -> EdgeTpuLattice:
        """The ideals at the places of chains of stages with at most ``top``, the empty one first and the whole one last."""
        tpus = self._parts.tpus
        found = [np.zeros((0, self._parts.words), np.uint64)]
        for k in range(1, tpus.stages):
            found.append(self._parts.between(*self._window(k, top)))
        return _described(tpus, np.unique(np.concatenate(found), axis=0), search)


def _described(tpus: EdgeTpuUnits, bits: NDArray[np.uint64], search: Search) -> EdgeTpuLattice:
    """Some ideals (uint64[i, words], each once) as those of a lattice without covers, the empty one first and the whole one last."""
    inside = np.zeros(bits.shape[1] * 64, np.uint8)
    whole = inside.copy()
    whole[: tpus.count] = 1
    ends = [np.packbits(row, bitorder="little").view("<u8").astype(np.uint64) for row in (inside, whole)]
    between = bits[(bits != ends[0]).any(axis=1) & (bits != ends[1]).any(axis=1)]
    bits = np.concatenate([ends[0][None, :], between, ends[1][None, :]])
    count = len(bits)
    rows = np.arange(count, dtype=np.int32)
    lattice = Lattice(tpus.units, np.zeros(count + 1, np.int64), rows[:0], rows[:0], rows, rows, bits)
    potential, border_size = np.zeros(count, np.int64), np.empty(count, np.int64)
    lowest, highest, far = (np.empty(count, np.int32) for _ in range(3))
    border_ptr, border_idx = np.zeros(count + 1, np.int64), rows[:0]
    for write in (False, True):
        if write:
            if border_ptr[-1] > MOST_ENTRIES:
                raise TooLarge
            border_idx = np.empty(int(border_ptr[-1]), np.int32)
        for first in range(0, count, LISTED_PER_CALL):
            borders(
                first, min(first + LISTED_PER_CALL, count), bits, tpus.weight, tpus.producer, tpus.size,
                tpus.consumer_ptr, tpus.consumer_idx, potential, lowest, highest, border_ptr, border_idx, border_size, far,
            )  # fmt: skip
            search.check()
    return EdgeTpuLattice(
        tpus, lattice, potential, lowest, highest, far, border_size, border_ptr, border_idx,
        pins_allow(tpus, lattice, search),
    )  # fmt: skip
