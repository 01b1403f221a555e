"""Arcs between ideals: the stages that an Edge TPU pipeline may have, what each costs, and sweeps over all of them.

An arc from I to I' at place k of a chain stands for stage k with the units of I' that are not in I. Sweeps go through the
pairs of ideals at neighbouring places in slices, so that a search can be stopped in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.machines.edge_tpu.memory.lattice import EdgeTpuLattice
from planner.machines.edge_tpu.memory.units import Whole
from planner.model.graph import Ints

ANY, LARGEST, OVERFLOW, ENTERING, TRAFFIC = 0, 1, 2, 3, 4
"""What an arc costs and how a chain adds it up: nothing, m (maximum), DRAM (sum), bytes that enter (maximum, sum)."""
FAR = 2**61
"""No chain leads here. Two of them and a sum of costs still fit into 64 bits."""
Sweep = Callable[..., Any]
PAIRS_PER_CALL = 2_000_000
"""Pairs looked at between two looks at the stop criteria: some twenty milliseconds."""


class Field(NamedTuple):
    """The arrays of an :class:`planner.machines.edge_tpu.memory.lattice.EdgeTpuLattice` and of its tensors."""

    bits: NDArray[np.uint64]
    potential: Whole
    lowest: Ints
    highest: Ints
    far: Ints
    border_size: Whole
    border_ptr: Whole
    border_idx: Ints
    size: Whole
    consumer_ptr: Ints
    consumer_idx: Ints


class Limits(NamedTuple):
    """Arcs in question: m of at most ``top``, at most ``entering`` bytes, and least DRAM of a chain with it at most ``dram``."""

    top: int
    entering: int
    dram: int
    cache: int


def field_of(ideals: EdgeTpuLattice) -> Field:
    """The arrays of ``ideals`` for the kernels."""
    tpus = ideals.tpus
    return Field(
        ideals.lattice.bits, ideals.potential, ideals.lowest, ideals.highest, ideals.far, ideals.border_size,
        ideals.border_ptr, ideals.border_idx, tpus.size, tpus.consumer_ptr, tpus.consumer_idx,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def inside(field, a, b):
    """Whether ideal ``a`` is a part of ideal ``b``."""
    low, high = field.lowest[b], field.highest[a]
    if high < low:
        return True
    outside = np.uint64(0)
    for word in range(low >> 6, (high >> 6) + 1):
        outside |= field.bits[a, word] & ~field.bits[b, word]
    return outside == 0


@njit(cache=True, nogil=True)
def entering(field, a, b):
    """Bytes that enter the stage of the units in ``b`` that are not in ``a``, each tensor once."""
    if field.far[a] <= field.lowest[b]:
        return field.border_size[a]
    one = np.uint64(1)
    found = np.int64(0)
    for x in range(field.border_ptr[a], field.border_ptr[a + 1]):
        t = field.border_idx[x]
        for y in range(field.consumer_ptr[t], field.consumer_ptr[t + 1]):
            c = field.consumer_idx[y]
            shift = np.uint64(c & 63)
            if (field.bits[b, c >> 6] >> shift) & one and not (field.bits[a, c >> 6] >> shift) & one:
                found += field.size[t]
                break
    return found


@njit(cache=True, nogil=True)
def arc(field, limits, kind, a, b, done, ahead):
    """What the arc from ideal ``a`` to ``b`` costs, -1 where there is none within the limits.

    ``done`` and ``ahead``: least DRAM before and after it, or less.
    """
    held = field.potential[b] - field.potential[a]
    if held > limits.top:
        return np.int64(-1)
    over = max(np.int64(0), held - limits.cache)
    if done + over + ahead > limits.dram or not inside(field, a, b):
        return np.int64(-1)
    if kind == LARGEST:
        return held
    if kind == OVERFLOW:
        return over
    if kind == ANY and limits.entering >= FAR:
        return np.int64(0)
    bytes_in = entering(field, a, b)
    if bytes_in > limits.entering:
        return np.int64(-1)
    return np.int64(0) if kind == ANY else bytes_in


@njit(cache=True, nogil=True)
def joined(kind, value, cost):
    """The value of a chain with one more arc."""
    if kind in (OVERFLOW, TRAFFIC):
        return value + cost
    return max(value, cost)


@njit(cache=True, nogil=True)
def sweep_up(
    first, most, field, limits, kind, bound, lower, upper, upper_potential, done, ahead, values, found
):
    """Extend the chains that end at the ideals ``lower`` from number ``first`` on to those in ``upper``.

    Values below ``bound`` only; returns where to go on once ``most`` pairs were seen. ``values`` int64 are those of the
    chains so far (FAR = none), ``found`` those of the longer ones; ``done`` and ``ahead``: least DRAM, by number.
    """
    pairs = 0
    for i in range(first, len(lower)):
        if pairs >= most:
            return i
        pairs += 1
        value = values[i]
        if value >= bound:
            continue
        a = lower[i]
        here = field.potential[a]
        j = np.searchsorted(upper_potential, here)
        while j < len(upper) and upper_potential[j] - here <= limits.top:
            pairs += 1
            if found[j] > value:
                cost = arc(field, limits, kind, a, upper[j], done[i], ahead[j])
                if cost >= 0:
                    joint = joined(kind, value, cost)
                    if joint < bound and joint < found[j]:
                        found[j] = joint
            j += 1
    return len(lower)


@njit(cache=True, nogil=True)
def sweep_down(
    first, most, field, limits, kind, bound, lower, upper, upper_potential, done, ahead, values, found
):
    """Extend the chains from the ideals ``upper`` to the end by those in ``lower`` (``values`` and ``found``), as :func:`sweep_up` does."""
    pairs = 0
    for i in range(first, len(lower)):
        if pairs >= most:
            return i
        pairs += 1
        a = lower[i]
        here = field.potential[a]
        best = np.int64(FAR)
        j = np.searchsorted(upper_potential, here)
        while j < len(upper) and upper_potential[j] - here <= limits.top:
            pairs += 1
            if values[j] < min(best, bound):
                cost = arc(field, limits, kind, a, upper[j], done[i], ahead[j])
                if cost >= 0:
                    best = min(best, joined(kind, values[j], cost))
            j += 1
        found[i] = best
    return len(lower)


@njit(cache=True, nogil=True)
def before(field, limits, kind, lower, b, value, done, ahead, values):
    """The number in ``lower`` of an ideal from which an arc to ``b`` makes a chain of at most ``value``, else -1."""
    for i in range(len(lower)):
        if values[i] <= value:
            cost = arc(field, limits, kind, lower[i], b, done[i], ahead)
            if cost >= 0 and joined(kind, values[i], cost) <= value:
                return i
    return -1


@njit(cache=True, nogil=True)
def pair_count(lower_potential, upper_potential, top):
    """How many pairs a sweep looks at (within the limit of m, part of each other or not)."""
    found = np.int64(0)
    for p in lower_potential:
        begin = np.searchsorted(upper_potential, p)
        found += np.searchsorted(upper_potential, p + top, side="right") - begin
    return found
