"""What the triangle rule says of an edge whatever the plan: how many chips it can span, and where lies what is between.

*Chords.* An op on a path between the ends of an edge lies on the chip of one of the ends: elsewhere its path would be an
indirect one beside the edge.

*Spans*, where no chip is skipped. Let an edge lead from chip a to chip b > a + 1. The chips between hold ops, as none is skipped. Ancestors of the edge's
source lie on a or below, descendants of its target on b or above, and an op between the two (on a path from source to target)
lies on a or on b: elsewhere its path would be an indirect one beside the edge. So each chip between holds an op that is
none of these, and the edge spans at most one chip more than there are such ops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.methods.orders import kahn_order
from planner.model.graph import Ints, csr

Words = NDArray[np.uint64]
MOST_UNITS = 16384
"""Reachability takes m * m / 4 bytes; beyond so many units spans are left open."""
MOST_INNER = 2_000_000
"""Inner units of all chords together; chords beyond are left to the watched rule."""
_ODD, _PAIRS, _NIBBLES = (np.uint64(x) for x in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_ONE, _TWO, _FOUR = (np.uint64(x) for x in (1, 2, 4))
_BYTE, _LAST = np.uint64(255), np.uint64(63)


@njit(cache=True, nogil=True)
def ones(x):
    """Number of set bits of a uint64."""
    x = x - ((x >> _ONE) & _ODD)
    x = (x & _PAIRS) + ((x >> _TWO) & _PAIRS)
    x = (x + (x >> _FOUR)) & _NIBBLES
    count = np.int64(0)
    while x:
        count += np.int64(x & _BYTE)
        x >>= np.uint64(8)
    return count


@njit(cache=True, nogil=True)
def reach_sets(order, ptr, idx):
    """What each unit reaches, itself included: uint64[m, words], bit v of row u. ``order``: every unit after those it reaches."""
    m = len(order)
    reach = np.zeros((m, (m + 63) // 64), np.uint64)
    for u in order:
        row = reach[u]
        row[u >> 6] |= _ONE << (np.uint64(u) & _LAST)
        for i in range(ptr[u], ptr[u + 1]):
            row |= reach[idx[i]]
    return reach


@njit(cache=True, nogil=True)
def spans(src, dst, after, before, most):
    """Most chips that each edge can span (int32[e], at most ``most``), from what its ends reach and are reached by."""
    m, words = after.shape
    span = np.empty(len(src), np.int32)
    for i in range(len(src)):
        u, v = src[i], dst[i]
        bound = 0
        for w in range(words):
            bound += ones(before[u, w] | after[v, w] | (after[u, w] & before[v, w]))
        span[i] = min(m - bound + 1, most)
    return span


@njit(cache=True, nogil=True)
def inner_units(src, dst, after, before, most):
    """The units strictly between the ends of each edge, as CSR over edges; of no more edges once there are ``most`` units."""
    words = after.shape[1]
    ptr = np.zeros(len(src) + 1, np.int64)
    idx = np.empty(16, np.int32)
    count = 0
    for i in range(len(src)):
        u, v = src[i], dst[i]
        ptr[i + 1] = count
        if count >= most:
            continue
        for w in range(words):
            common = after[u, w] & before[v, w]
            x = 64 * w
            while common:
                if common & _ONE and x != u and x != v:
                    if count == len(idx):
                        idx = np.concatenate((idx, np.empty(count, np.int32)))
                    idx[count] = x
                    count += 1
                common >>= _ONE
                x += 1
        ptr[i + 1] = count
    return ptr, idx[:count]


def reachability(src: Ints, dst: Ints, m: int) -> tuple[Words, Words]:
    """What each of ``m`` units reaches and what reaches it, itself included (bits of uint64[m, words])."""
    succs, preds = csr(src, dst, m), csr(dst, src, m)
    order = kahn_order(*succs, np.zeros(m))
    return reach_sets(order[::-1].copy(), *succs), reach_sets(order, *preds)
