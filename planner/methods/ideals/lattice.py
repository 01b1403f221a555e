"""The lattice of ideals of a small DAG: every set of units that is closed under predecessors, and what can be added to it.

A contiguous plan is a chain of ideals (device placement, fact 5.2): its devices, put in order, cut the units at ideals,
and each holds the difference of two of them. Networks are narrow, so there are few ideals; a graph that is not has
exponentially many, which is what the limit is for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.methods.units import Units
from planner.model.graph import Ints
from planner.search.search import Search

STEPS_PER_CALL = 200_000
"""Covers looked at between two looks at the stop criteria: some ten milliseconds."""
BYTES_PER_COPY = 1 << 22
"""Bytes that are copied between two looks: some milliseconds, with what the system does to provide them."""
KEYS_PER_CALL = 200_000
"""Ideals that are entered in a table between two looks."""
GROWTH = 8
"""Room is made for so many times the ideals at a time: what is not used takes no memory, and copies take as long as finding them."""
DEFAULT_LIMIT = 1_000_000
"""Ideals of a lattice that stay below 1 GB, with their covers and the tensors across their borders."""


@njit(cache=True, nogil=True)
def expand(
    at, count, covers, most_steps, succ_ptr, succ_idx, pred_ptr, pred_idx, code,
    bits, key, parent, parent_unit, ptr, upper, unit, table,
):  # fmt: skip
    """Find what covers the ideals from number ``at`` on; returns ``(at, count, covers)`` when steps or room run out.

    An ideal is a row of ``bits`` uint64[., words] with the exclusive or of its units' ``code`` as ``key``; ``table``
    (int32, a power of two, -1 = free) finds it again, by its bits. Units are numbered topologically.
    """
    m = len(code)
    words = bits.shape[1]
    mask = np.uint64(len(table) - 1)
    one = np.uint64(1)
    ready = np.empty(m, np.int32)
    steps = 0
    while at < count and steps < most_steps:
        if count + m > len(bits) or covers + m > len(upper) or 2 * (count + m) > len(table):
            break
        size = 0
        before = parent[at]
        if before < 0:
            for v in range(m):
                if pred_ptr[v] == pred_ptr[v + 1]:
                    ready[size] = v
                    size += 1
        else:
            u = parent_unit[at]
            for e in range(ptr[before], ptr[before + 1]):
                if unit[e] != u:
                    ready[size] = unit[e]
                    size += 1
            for e in range(succ_ptr[u], succ_ptr[u + 1]):
                w = succ_idx[e]
                complete = True
                for x in range(pred_ptr[w], pred_ptr[w + 1]):
                    p = pred_idx[x]
                    if (bits[at, p >> 6] >> np.uint64(p & 63)) & one == 0:
                        complete = False
                        break
                if complete:
                    place = size
                    while place > 0 and ready[place - 1] > w:
                        ready[place] = ready[place - 1]
                        place -= 1
                    ready[place] = w
                    size += 1
        steps += size + 1
        for i in range(size):
            v = ready[i]
            word = v >> 6
            grown = bits[at, word] | (one << np.uint64(v & 63))
            name = key[at] ^ code[v]
            slot = np.int64(name & mask)
            found = -1
            while table[slot] >= 0:
                other = table[slot]
                if key[other] == name:
                    same = bits[other, word] == grown
                    for x in range(words):
                        if x != word and bits[other, x] != bits[at, x]:
                            same = False
                            break
                    if same:
                        found = other
                        break
                slot = (slot + 1) & (len(table) - 1)
            if found < 0:
                found = count
                table[slot] = count
                bits[count] = bits[at]
                bits[count, word] = grown
                key[count] = name
                parent[count] = at
                parent_unit[count] = v
                count += 1
            upper[covers] = found
            unit[covers] = v
            covers += 1
        at += 1
        ptr[at] = covers
    return at, count, covers


@dataclass(frozen=True, eq=False)
class Lattice:
    """All ideals of ``units``, numbered so that subsets come first: 0 is empty, the last one holds every unit.

    What covers ideal i is a CSR, by increasing unit: ``ptr`` int64[count+1], ``upper`` int32 (the ideal), ``unit`` int32
    (what it adds). ``parent`` and ``parent_unit`` int32[count] name one ideal that each covers (-1 for the empty one).
    ``bits`` uint64[count, words]: the units inside.
    """

    units: Units
    ptr: NDArray[np.int64]
    upper: Ints
    unit: Ints
    parent: Ints
    parent_unit: Ints
    bits: NDArray[np.uint64]

    @property
    def count(self) -> int:
        """How many ideals there are."""
        return len(self.parent)

    def members(self, ideal: int) -> NDArray[np.bool_]:
        """bool[m]: the units inside one ideal."""
        inside = np.unpackbits(self.bits[ideal].astype("<u8").view(np.uint8), bitorder="little")
        found: NDArray[np.bool_] = inside[: self.units.count].astype(bool)
        return found


Ideals = tuple[NDArray[np.int64], Ints, Ints, Ints, Ints, NDArray[np.uint64]]
"""The arrays of a :class:`Lattice`, in its order."""


def enumerate_ideals(units: Units, limit: int, search: Search) -> Lattice | None:
    """All ideals of the DAG of ``units``, or None where there are more than ``limit``.

    Units are numbered topologically and each edge between them is there once.

    Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
    """
    found = ideals_of(units.succs, units.preds, limit, search)
    return None if found is None else Lattice(units, *found)


def ideals_of(
    succs: tuple[Ints, Ints], preds: tuple[Ints, Ints], limit: int, search: Search
) -> Ideals | None:
    """As :func:`enumerate_ideals`, for a DAG of m nodes as CSRs ``(ptr int32[m + 1], idx int32[e])``."""
    m = len(succs[0]) - 1
    words = max(1, (m + 63) // 64)
    steps = STEPS_PER_CALL // (1 + words // 8)
    code = np.random.default_rng(0).integers(1, 2**63, m).astype(np.uint64)
    rows, links, slots = 4 * m + 64, 8 * m + 64, 1 << 10
    bits = np.zeros((rows, words), np.uint64)
    key = np.zeros(rows, np.uint64)
    parent = np.full(rows, -1, np.int32)
    parent_unit = np.full(rows, -1, np.int32)
    ptr = np.zeros(rows + 1, np.int64)
    upper = np.empty(links, np.int32)
    unit = np.empty(links, np.int32)
    table = _hashed(key[:1], slots, search)
    at, count, covers = 0, 1, 0
    while at < count:
        if count > limit:
            return None
        if count + m > rows:
            rows = max(2 * (rows + m), min(GROWTH * (rows + m), limit + 2 * m))
            bits, key, parent, parent_unit = (
                _grown(a, rows, search) for a in (bits, key, parent, parent_unit)
            )
            ptr = _grown(ptr, rows + 1, search)
        if covers + m > links:
            links = 2 * (links + m)
            upper, unit = _grown(upper, links, search), _grown(unit, links, search)
        if 2 * (count + m) > slots:
            while 2 * (count + m) > slots:
                slots *= 4
            table = _hashed(key[:count], slots, search)
        at, count, covers = expand(
            at, count, covers, steps, *succs, *preds, code,
            bits, key, parent, parent_unit, ptr, upper, unit, table,
        )  # fmt: skip
        search.check()
    if count > limit:
        return None
    # Views: what lies behind them was never touched, so it takes no memory.
    return (
        ptr[: count + 1],
        upper[:covers],
        unit[:covers],
        parent[:count],
        parent_unit[:count],
        bits[:count],
    )


def _grown(array: np.ndarray, length: int, search: Search) -> np.ndarray:
    """A copy with room for ``length`` rows, made some megabytes at a time."""
    fresh = np.empty((length, *array.shape[1:]), array.dtype)
    step = max(1, BYTES_PER_COPY // max(1, array[:1].nbytes))
    for i in range(0, len(array), step):
        search.check()
        fresh[i : min(i + step, len(array))] = array[i : i + step]
    return fresh


def _hashed(key: NDArray[np.uint64], slots: int, search: Search) -> Ints:
    """The table of :func:`expand` for the ideals found so far, with ``slots`` places."""
    table = np.full(slots, -1, np.int32)
    for i in range(0, len(key), KEYS_PER_CALL):
        search.check()
        _enter(table, key, i, min(i + KEYS_PER_CALL, len(key)))
    return table


@njit(cache=True, nogil=True)
def _enter(table, key, begin, end):
    """Enter the ideals from ``begin`` to ``end`` into the table."""
    mask = np.uint64(len(table) - 1)
    for i in range(begin, end):
        slot = np.int64(key[i] & mask)
        while table[slot] >= 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = i
