"""What the difference of two ideals costs, from potentials of the two and a correction on their common border.

Let H be the units that a tensor touches: its producer and its consumers. A device that holds the units S pays the tensor
once exactly when S meets H and H is not inside S: as a send where it has the producer, else as a receive. With ``cut(I)``
the time of the tensors that touch both I and its complement,

    transfers(I \\ I') = cut(I) + cut(I') - correction,

where the correction sums over the tensors that both ideals cut: their time once where I \\ I' touches them (it was
counted twice), twice where it does not. Adding a unit to I changes the correction by its own tensors only. Once I has
closed every tensor that I' cuts, the correction is zero and the cost separates into a part of I and a part of I'.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.methods.ideals.lattice import Lattice
from planner.methods.units import Units
from planner.model.graph import Floats, Ints, csr
from planner.search.search import Search

IDEALS_PER_CALL = 50_000
"""Ideals looked at between two looks at the stop criteria."""


class Touches(NamedTuple):
    """Which units each tensor touches (h tensors): ``time`` float64[h]; both directions as CSR, int32.

    ``unit_ptr``, ``unit_tensor``: the tensors of each unit; ``tensor_ptr``, ``tensor_unit``: the units of each tensor.
    Tensors that touch the same units are one.
    """

    time: Floats
    unit_ptr: Ints
    unit_tensor: Ints
    tensor_ptr: Ints
    tensor_unit: Ints


def touches(units: Units, tensor_time: Floats | None = None) -> Touches:
    """The tensors between ``units``, merged where they touch the same ones, in the same order for all times.

    ``tensor_time`` float64[t]: what a tensor costs, by default what it costs to receive.
    """
    if tensor_time is None:
        tensor_time = units.tensor_time
    owner = np.repeat(np.arange(units.count, dtype=np.int32), np.diff(units.entry_ptr))
    ptr, idx = csr(units.entry_tensor, owner, len(units.tensor_time))
    number: dict[bytes, int] = {}
    ends = ptr.tolist()
    same = np.array(
        [number.setdefault(idx[a:b].tobytes(), len(number)) for a, b in pairwise(ends)],
        np.int32,
    )
    h = len(number)
    time = np.bincount(same, weights=tensor_time, minlength=h).astype(np.float64)
    first = np.zeros(h, np.int32)
    first[same[::-1]] = np.arange(len(same), dtype=np.int32)[::-1]
    kept = np.concatenate([idx[ends[t] : ends[t + 1]] for t in first.tolist()] or [np.empty(0, np.int32)])
    tensor = np.repeat(np.arange(h, dtype=np.int32), np.diff(ptr)[first]) if h else np.empty(0, np.int32)
    return Touches(time, *csr(kept, tensor, units.count), *csr(tensor, kept, h))


@njit(cache=True, nogil=True)
def _sums(first, last, parent, parent_unit, values, out):
    """``out`` float64[count, x]: the sum of ``values`` (float64[m, x]) over the units of each ideal from ``first``."""
    for i in range(first, last):
        u = parent_unit[i]
        for x in range(values.shape[1]):
            out[i, x] = out[parent[i], x] + values[u, x]


@njit(cache=True, nogil=True)
def _cuts(
    first, last, parent, parent_unit, bits, time, unit_ptr, unit_tensor, tensor_ptr, tensor_unit, cut, size
):  # fmt: skip
    """Fill ``cut`` float64[count] and ``size`` int64[count]: time and number of the tensors that each ideal cuts."""
    one = np.uint64(1)
    for i in range(first, last):
        u = parent_unit[i]
        value, number = cut[parent[i]], size[parent[i]]
        for e in range(unit_ptr[u], unit_ptr[u + 1]):
            t = unit_tensor[e]
            inside = 0
            for x in range(tensor_ptr[t], tensor_ptr[t + 1]):
                v = tensor_unit[x]
                if (bits[i, v >> 6] >> np.uint64(v & 63)) & one != 0:
                    inside += 1
            if inside > 1:
                value -= time[t]
                number -= 1
            if inside < tensor_ptr[t + 1] - tensor_ptr[t]:
                value += time[t]
                number += 1
        # What is left of a sum of differences when nothing is cut is rounding.
        cut[i] = value if number > 0 else 0.0
        size[i] = number


@njit(cache=True, nogil=True)
def _borders(
    first, last, parent, parent_unit, bits, unit_ptr, unit_tensor, tensor_ptr, tensor_unit, ptr, border
):  # fmt: skip
    """Fill ``border``: the tensors that each ideal cuts, at ``ptr`` int64[count+1]."""
    one = np.uint64(1)
    for i in range(first, last):
        u = parent_unit[i]
        place = ptr[i]
        for e in range(ptr[parent[i]], ptr[parent[i] + 1]):
            t = border[e]
            mine = False
            for x in range(unit_ptr[u], unit_ptr[u + 1]):
                mine = mine or unit_tensor[x] == t
            if not mine:
                border[place] = t
                place += 1
        for e in range(unit_ptr[u], unit_ptr[u + 1]):
            t = unit_tensor[e]
            for x in range(tensor_ptr[t], tensor_ptr[t + 1]):
                v = tensor_unit[x]
                if (bits[i, v >> 6] >> np.uint64(v & 63)) & one == 0:
                    border[place] = t
                    place += 1
                    break


class Potentials(NamedTuple):
    """What each ideal adds up to (i ideals, c cost classes).

    ``work`` float64[i, c], ``memory`` float64[i], ``cut`` float64[i]; the tensors across its border as a CSR:
    ``border_ptr`` int64[i+1], ``border`` int32 (numbers of :class:`Touches`).
    """

    touches: Touches
    work: Floats
    memory: Floats
    cut: Floats
    border_ptr: NDArray[np.int64]
    border: Ints


def _sliced(lattice: Lattice, search: Search, each: int = 1) -> Iterator[tuple[int, int]]:
    """Ranges of ideals, the empty one left out, small enough for one call of a kernel that takes ``each`` steps for one."""
    count = max(1, IDEALS_PER_CALL // max(each, 1))
    for first in range(1, lattice.count, count):
        search.check()
        yield first, min(first + count, lattice.count)


def ideal_sums(lattice: Lattice, values: Floats, search: Search) -> Floats:
    """float64[i, x]: the sum of ``values`` (float64[m, x]) over the units of each ideal."""
    sums = np.zeros((lattice.count, values.shape[1]))
    values = np.ascontiguousarray(values)
    for first, last in _sliced(lattice, search):
        _sums(first, last, lattice.parent, lattice.parent_unit, values, sums)
    return sums


def borders(lattice: Lattice, found: Touches, search: Search) -> tuple[Floats, NDArray[np.int64], Ints]:
    """The tensors across the border of each ideal: their time (float64[i]), and themselves as a CSR (int64[i+1], int32)."""
    pairs = (found.unit_ptr, found.unit_tensor, found.tensor_ptr, found.tensor_unit)
    cover = (lattice.parent, lattice.parent_unit, lattice.bits)
    cut, size = np.zeros(lattice.count), np.zeros(lattice.count, np.int64)
    for first, last in _sliced(lattice, search):
        _cuts(first, last, *cover, found.time, *pairs, cut, size)
    ptr = np.zeros(lattice.count + 1, np.int64)
    np.cumsum(size, out=ptr[1:])
    border = np.empty(int(ptr[-1]), np.int32)
    for first, last in _sliced(lattice, search, int(ptr[-1]) // lattice.count // 8):
        _borders(first, last, *cover, *pairs, ptr, border)
    return cut, ptr, border


def potentials(lattice: Lattice, search: Search) -> Potentials:
    """Sum up work, memory and border of every ideal. Raises :class:`planner.search.search.Stopped`."""
    units = lattice.units
    found = touches(units)
    cut, ptr, border = borders(lattice, found, search)
    return Potentials(
        found,
        ideal_sums(lattice, units.work.sum(axis=2).T, search),
        ideal_sums(lattice, units.memory[:, None], search)[:, 0].copy(),
        cut,
        ptr,
        border,
    )
