"""What the chains of an Edge TPU pipeline need to know of each ideal: its parameters, its pins and the tensors on its border.

A plan is a chain of ideals I_0 = {} <= I_1 <= ... <= I_n = all: stage k holds I_{k+1} without I_k, m_k is the
difference of two sums, and what enters stage k are the tensors on the border of I_k that it consumes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.machines.edge_tpu.memory.units import EdgeTpuUnits, Whole
from planner.methods.ideals.lattice import Lattice
from planner.model.graph import Bools, Ints, csr
from planner.search.search import Search

IDEALS_PER_CALL = 20_000
"""Ideals that are looked at between two looks at the stop criteria: some ten milliseconds."""
MOST_ENTRIES = 100_000_000
"""Tensors on the borders of all ideals together: 400 MB."""


class TooLarge(Exception):
    """This way would take too much memory or time."""


@njit(cache=True, nogil=True)
def reader_outside(inside, t, consumer_ptr, consumer_idx):
    """The first unit that reads tensor ``t`` and is not ``inside`` (the bits of an ideal, uint64[words]), -1 where there is none."""
    for y in range(consumer_ptr[t], consumer_ptr[t + 1]):
        c = consumer_idx[y]
        if (inside[c >> 6] >> np.uint64(c & 63)) & np.uint64(1) == 0:
            return c
    return -1


@njit(cache=True, nogil=True)
def describe(
    first, last, parent, parent_unit, bits, m, weight, made_ptr, made_idx, size, consumer_ptr, consumer_idx,
    potential, lowest, highest, border_ptr, border_idx, border_size, far,
):  # fmt: skip
    """Describe the ideals ``first`` to ``last`` from the one that each covers; returns where room for borders ran out.

    ``potential``: sum of weights; ``lowest`` unit that is missing, ``highest`` one inside. ``far``: from which lowest
    missing unit on, a larger ideal consumes every tensor on the border. Borders are sorted.
    """
    one = np.uint64(1)
    for i in range(first, last):
        place = border_ptr[i]
        before = parent[i]
        if before < 0:
            potential[i], lowest[i], highest[i], far[i], border_size[i] = 0, 0, -1, 0, 0
            border_ptr[i + 1] = place
            continue
        u = parent_unit[i]
        kept = border_ptr[before + 1] - border_ptr[before]
        if place + kept + made_ptr[u + 1] - made_ptr[u] > len(border_idx):
            return i
        potential[i] = potential[before] + weight[u]
        highest[i] = max(highest[before], u)
        low = lowest[before]
        while low < m and (bits[i, low >> 6] >> np.uint64(low & 63)) & one:
            low += 1
        lowest[i] = low
        crossing = np.int64(0)
        reach = 0
        for x in range(kept + made_ptr[u + 1] - made_ptr[u]):
            if x < kept:
                t = border_idx[border_ptr[before] + x]
            else:
                t = made_idx[made_ptr[u] + x - kept]
            c = reader_outside(bits[i], t, consumer_ptr, consumer_idx)
            if c >= 0:
                slot = place
                while slot > border_ptr[i] and border_idx[slot - 1] > t:
                    border_idx[slot] = border_idx[slot - 1]
                    slot -= 1
                border_idx[slot] = t
                place += 1
                crossing += size[t]
                reach = max(reach, c + 1)
        border_ptr[i + 1] = place
        border_size[i] = crossing
        far[i] = reach
    return last


@dataclass(frozen=True, eq=False)
class EdgeTpuLattice:
    """``lattice`` of ``tpus``'s units with the arrays of :func:`describe`.

    ``potential`` int64, ``lowest``, ``highest``, ``far`` int32 and ``border_size`` int64, each [count]; ``border_ptr``
    int64[count+1], ``border_idx`` int32. ``allowed`` bool[n+1, count]: where pins let an ideal stand in a chain.
    """

    tpus: EdgeTpuUnits
    lattice: Lattice
    potential: Whole
    lowest: Ints
    highest: Ints
    far: Ints
    border_size: Whole
    border_ptr: Whole
    border_idx: Ints
    allowed: Bools

    @property
    def count(self) -> int:
        """How many ideals there are."""
        return self.lattice.count

    def stage_of(self, chain: list[int]) -> Ints:
        """The stage of each unit (int32[m]) in a chain of n + 1 ideals."""
        stage = np.full(self.tpus.count, -1, np.int32)
        for ideal in chain:
            stage += ~self.lattice.members(ideal)
        return stage


def edge_tpu_lattice(tpus: EdgeTpuUnits, lattice: Lattice, search: Search) -> EdgeTpuLattice:
    """Describe all ideals. Raises :class:`TooLarge` and, when a criterion fires, :class:`planner.search.search.Stopped`."""
    count, m = lattice.count, tpus.count
    made_ptr, made_idx = csr(tpus.producer, np.arange(len(tpus.size), dtype=np.int32), m)
    potential, border_size = np.empty(count, np.int64), np.empty(count, np.int64)
    lowest, highest, far = (np.empty(count, np.int32) for _ in range(3))
    border_ptr = np.zeros(count + 1, np.int64)
    border_idx = np.empty(4 * count + m + 64, np.int32)
    at = 0
    while at < count:
        last = min(at + IDEALS_PER_CALL, count)
        reached = describe(
            at, last, lattice.parent, lattice.parent_unit, lattice.bits, m, tpus.weight,
            made_ptr, made_idx, tpus.size, tpus.consumer_ptr, tpus.consumer_idx,
            potential, lowest, highest, border_ptr, border_idx, border_size, far,
        )  # fmt: skip
        if reached < last:
            if len(border_idx) >= MOST_ENTRIES:
                raise TooLarge
            more = min(len(border_idx) + m, MOST_ENTRIES - len(border_idx))
            border_idx = np.concatenate([border_idx, np.empty(more, np.int32)])
        at = reached
        search.check()
    return EdgeTpuLattice(
        tpus, lattice, potential, lowest, highest, far, border_size, border_ptr, border_idx,
        pins_allow(tpus, lattice, search),
    )  # fmt: skip


def pins_allow(tpus: EdgeTpuUnits, lattice: Lattice, search: Search) -> Bools:
    """bool[n+1, count]: ideal k of a chain holds the units whose latest stage is before k, and none whose earliest stage is not."""
    n = tpus.stages
    allowed = np.zeros((n + 1, lattice.count), bool)
    free = not tpus.earliest.any() and bool((tpus.latest == n - 1).all())
    for k in range(1, n):
        if free:
            allowed[k] = True
            continue
        inside, outside = _bits(tpus.latest < k, lattice), _bits(tpus.earliest >= k, lattice)
        for i in range(0, lattice.count, IDEALS_PER_CALL):
            search.check()
            some = lattice.bits[i : i + IDEALS_PER_CALL]
            fine = ((some & inside) == inside).all(axis=1) & ((some & outside) == 0).all(axis=1)
            allowed[k, i : i + IDEALS_PER_CALL] = fine
    allowed[0, 0] = allowed[n, -1] = True
    return allowed


def _bits(units: Bools, lattice: Lattice) -> NDArray[np.uint64]:
    """A set of units as a row of bits."""
    words = lattice.bits.shape[1]
    padded = np.zeros(words * 64, bool)
    padded[: len(units)] = units
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
