"""Repeated blocks: the period of a network along its longest path, without any layer names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gui.layout.csr import adjacency, checked_edges
from gui.layout.order import MAX_GAP, cover, leaves
from gui.layout.ranks import columns
from planner.compiling.kernel import njit

#: longest period that is looked for, in columns
LONGEST = 600
#: what one column that does not repeat costs, in columns that do
MISMATCH = 4


@dataclass(frozen=True)
class Region:
    """Columns [start, start + length) repeat themselves every `period` columns."""

    start: int
    length: int
    period: int


@njit(cache=True, nogil=True)
def _best_region(code, lo, hi, longest, mismatch):
    """Best-scoring run of columns in [lo, hi) equal to those one period later; the shortest period wins ties."""
    top = 0
    start = 0
    length = 0
    period = 0
    for p in range(2, min((hi - lo) // 2, longest) + 1):
        if hi - lo - p <= top:
            break
        score = 0
        begin = lo
        for c in range(lo, hi - p):
            if code[c] == code[c + p]:
                score += 1
            else:
                score -= mismatch
            if score <= 0:
                score = 0
                begin = c + 1
            elif score > top and score >= p:
                top = score
                start = begin
                length = c + 1 + p - begin
                period = p
    return start, length, period


def regions(code: NDArray[np.int64], at_most: int = 8) -> list[Region]:
    """Repeating stretches of a sequence, the longest first, without overlaps."""
    found: list[Region] = []
    todo = [(0, len(code))]
    while todo and len(found) < at_most:
        lo, hi = todo.pop()
        start, length, period = _best_region(code, lo, hi, LONGEST, MISMATCH)
        if period == 0:
            continue
        found.append(Region(int(start), int(length), int(period)))
        todo += [(int(start + length), hi), (lo, int(start))]
    return sorted(found, key=lambda region: -region.length)


def spine_codes(n, col, path, offsets, members, kinds, out_off, in_off):
    """Code of the op on the longest path through each column: int64[columns]; -1 - column where there is none."""
    deep = int(col.max(initial=-1)) + 1
    code = -1 - np.arange(deep, dtype=np.int64)
    # paths come longest first, so the first to claim a column is the longest path through it
    claimed = np.full(deep, -1, np.int64)
    at = col[members][::-1]
    claimed[at] = members[::-1]
    on = claimed >= 0
    op = claimed[on]
    shape = np.minimum(np.diff(in_off), 15) * 16 + np.minimum(np.diff(out_off), 15)
    kind = np.zeros(n, np.int64) if kinds is None else np.asarray(kinds, np.int64)
    code[on] = kind[op] * 256 + shape[op]
    return code


def repeated_blocks(
    kinds: ArrayLike | None, n: int, edge_src: ArrayLike, edge_dst: ArrayLike
) -> NDArray[np.int32]:
    """Block of every op where the model carries no layer ids: int32[n], -1 outside of any repeated block.

    kinds: int32[n], a code per kind of op, or None to go by in- and out-degrees alone. Blocks are numbered from left
    to right, begin where the fewest edges cross, and hold at least three ops. Raises ValueError on a cycle.
    """
    src, dst = checked_edges(n, edge_src, edge_dst)
    block = np.full(n, -1, np.int32)
    if n == 0:
        return block
    ones = np.ones(n, np.int32)
    col = columns(n, src, dst, ones)
    out_off, out = adjacency(n, src, dst)
    in_off, ins = adjacency(n, dst, src)
    leaf = leaves(n, out_off, out, in_off, ins)
    path, offsets, members = cover(n, col, ones, leaf, out_off, out, MAX_GAP)
    code = spine_codes(n, col, path, offsets, members, kinds, out_off, in_off)
    # sources go with their op, so they neither count as cut nor choose their block by their own column
    home = np.where(leaf >= 0, leaf, np.arange(n))
    deep = len(code)
    cut = np.zeros(deep + 2, np.int64)
    far = col[home[dst]] > col[home[src]]
    np.add.at(cut, col[home[src]][far] + 1, 1)
    np.add.at(cut, col[home[dst]][far] + 1, -1)
    cut = np.cumsum(cut)[: deep + 1]
    blocks_at = np.full(deep, -1, np.int64)
    count = 0
    for region in sorted(regions(code), key=lambda region: region.start):
        spare = region.length % region.period
        times = region.length // region.period
        steps = np.arange(times + 1) * region.period
        shift = min(range(spare + 1), key=lambda s: float(cut[region.start + s + steps].mean()))
        inside = np.arange(region.start + shift, region.start + shift + times * region.period)
        blocks_at[inside] = count + (inside - inside[0]) // region.period
        count += times
    block = blocks_at[col[home]].astype(np.int32)
    sizes = np.bincount(block[block >= 0], minlength=max(count, 1))
    small = sizes < 3
    block[(block >= 0) & small[block]] = -1
    _, renumbered = np.unique(block[block >= 0], return_inverse=True)
    block[block >= 0] = renumbered.astype(np.int32)
    return block
