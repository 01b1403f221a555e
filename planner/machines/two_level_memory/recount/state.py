"""What an incremental recount of connection orders holds between and within trials, and the bits and sites it works with.

Shapes: N neurons, W connections, C = M - 1 slots. A **use** is a connection at one of its ends, 2 * connection + side, side 0
its source, 1 its target. The uses of a neuron in the order in which they come are its chain.

Everything here is made to survive shifts: the record of a run names connections, never positions, so that it holds as it is
when connections are taken out and put in elsewhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.model.graph import Ints

FIRST, MISS, BESIDE = -2, -1, -3
"""How the value at a use came to be in memory: fetched for the first time; fetched again; kept, needing no slot of its own."""

(
    POLICY, SLOTS, LOW, HIGH, MOVERS, BREAKS, LINKS, CHANGES, SPANS, FREE,
    FIRST_SITE, LAST_SITE, TOTAL, HELD, POINTER, STEPS, DELTA,
) = range(17)  # fmt: skip
"""Indices of ``numbers``: the policy's code; C; the positions that a trial changes; lengths of lists (``free``: marks left;
``links``: -1 where chains are restored from the order); the sites' range; I/Os kept; slots in use and RR's pointer in the run at
hand; connections gone through since the start; the trial's change of the total."""

SPACING = 96
"""Connections from one mark to the next, or the slots where they are more: then marks take no more room than the order."""


class State(NamedTuple):
    """The arrays. The run that is kept: its order, how values came to be there, and marks of memory now and then."""

    numbers: NDArray[np.int64]
    source: Ints  # int32[W]
    target: Ints  # int32[W]
    output: NDArray[np.uint8]  # uint8[N]
    lasting: NDArray[
        np.uint8
    ]  # uint8[N]: outputs that others use too: whether they are written last depends on the run
    order: Ints  # int32[W], kept
    position: Ints  # int32[W], its inverse
    next: Ints  # int32[2W]: the chains of the trial, -1 at the ends
    prev: Ints
    took: Ints  # int32[2W]: FIRST, MISS, or how it was kept (MIN: whose slot was taken over, W for one never used)
    victim: Ints  # int32[2W]: LRU, RR: the neuron evicted for this use, -1 none
    dirty: NDArray[
        np.uint8
    ]  # uint8[W]: whether the source's value is dirty after the connection (the target's always is)
    entry: NDArray[np.uint8]  # uint8[W]: RR: who enters the queue here
    cost: NDArray[np.uint8]  # uint8[W]: I/Os due to a connection beyond its own read
    # The trial: the same where ``changed``.
    new_order: Ints
    new_position: Ints
    new_took: Ints
    new_victim: Ints
    new_dirty: NDArray[np.uint8]
    new_entry: NDArray[np.uint8]
    new_cost: NDArray[np.uint8]
    changed: NDArray[np.uint8]
    changes: Ints
    moved: NDArray[np.uint8]  # uint8[W + 1]: which moved relative to those that did not
    movers: Ints
    breaks: Ints  # connections that did not move but are followed by another one than before
    links: Ints  # int32[.., 2]: entries of ``next`` (and, 2W on, ``prev``) and what they were
    sites: NDArray[np.uint64]  # bits of positions whose connection must be looked at
    spans: Ints  # int32[.., 2]: positions from..to at which memory differs from the run that is kept
    # Marks: what memory holds just before some connections.
    mark_of: Ints  # int32[W], -1 none
    marks: Ints  # int32[K, 2C + 1]
    free: Ints  # int32[K]
    # The run at hand. MIN: a set of connections by position, and how often each is in it.
    words: NDArray[np.uint64]
    summary: NDArray[np.uint64]
    times: Ints  # int32[W + 1]
    apart: Ints  # int32[2W + 2]: how often more often than in the run that is kept; behind W: of the places moved from
    # LRU, RR: how a resident's place in the list or queue came about, -1 absent, here and in the run that is kept.
    place: Ints  # int32[N]
    old_place: Ints
    newer: (
        Ints  # int32[N + 1], LRU: rings of residents by time of use, ``N`` between the oldest and the latest
    )
    older: Ints
    inside: Ints  # int32[C], RR: neurons by slot
    # Scratch of ``replace``.
    before: Ints  # int32[N]
    behind: Ints  # int32[N]
    tails: Ints  # int32[W]
    parent: Ints  # int32[W]


def state_of(
    source: Ints, target: Ints, is_output: NDArray[np.bool_], policy: int, slots: int, moves: int = 0
) -> State:
    """A state of W connections between N neurons (``is_output`` bool[N]) under a policy's code with C ``slots``.

    It holds no order yet. ``moves``: how many single moves a trial may consist of.
    """
    w, n = len(source), len(is_output)
    spacing = max(SPACING, slots)
    marks = 2 * (w // spacing) + 8
    uses = np.bincount(source, minlength=n)
    words = (w + 1 >> 6) + 2
    small = policy != 0

    def ints(count: int, fill: int = 0) -> Ints:
        return np.full(count, fill, np.int32)

    def codes(count: int) -> NDArray[np.uint8]:
        return np.zeros(count, np.uint8)

    return State(
        numbers=np.array([policy, slots] + [0] * 15, np.int64),
        source=np.ascontiguousarray(source, np.int32),
        target=np.ascontiguousarray(target, np.int32),
        output=np.ascontiguousarray(is_output, np.uint8),
        lasting=np.ascontiguousarray(is_output & (uses > 0), np.uint8),
        order=ints(w), position=ints(w), next=ints(2 * w, -1), prev=ints(2 * w, -1),
        took=ints(2 * w, FIRST), victim=ints(2 * w * small, -1), dirty=codes(w), entry=codes(w * small), cost=codes(w),
        new_order=ints(w), new_position=ints(w),
        new_took=ints(2 * w), new_victim=ints(2 * w * small), new_dirty=codes(w), new_entry=codes(w * small),
        new_cost=codes(w),
        changed=codes(w), changes=ints(w), moved=codes(w + 1), movers=ints(w), breaks=ints(w),
        links=np.zeros((6 * moves, 2), np.int32),
        sites=np.zeros(words, np.uint64), spans=np.zeros((w + 1, 2), np.int32),
        mark_of=ints(w, -1), marks=np.zeros((marks, 2 * slots + 1), np.int32), free=ints(marks),
        words=np.zeros(words, np.uint64), summary=np.zeros((words >> 6) + 1, np.uint64),
        times=ints(w + 1), apart=ints(2 * w + 2),
        place=ints(n, -1), old_place=ints(n, -1), newer=ints(n + 1, n), older=ints(n + 1, n), inside=ints(slots, -1),
        before=ints(n), behind=ints(n), tails=ints(w), parent=ints(w),
    )  # fmt: skip


inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Kernels that only kernels call: what Python would need to call them with so many arrays takes most of the time to compile."""


# ---------------------------------------------------------------------- bits
@intrinsic
def leading(context: Any, word: Any) -> Any:
    """Zeros above the highest bit of a 64-bit word that is not zero."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@intrinsic
def trailing(context: Any, word: Any) -> Any:
    """Zeros below the lowest bit of a 64-bit word that is not zero."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@inner
def put(words, summary, number):
    """Add a number to a set of bits; ``summary`` has a bit for each word that is not zero."""
    word = number >> 6
    words[word] |= np.uint64(1) << np.uint64(number & 63)
    summary[word >> 6] |= np.uint64(1) << np.uint64(word & 63)


@inner
def take(words, summary, number):
    """Remove a number from a set of bits."""
    word = number >> 6
    words[word] &= ~(np.uint64(1) << np.uint64(number & 63))
    if words[word] == 0:
        summary[word >> 6] &= ~(np.uint64(1) << np.uint64(word & 63))


@inner
def at_most(words, summary, limit, low):
    """The largest number of a set that is at most ``limit``, -1 without; words of ``summary`` below ``low`` are zero."""
    word = limit >> 6
    bits = words[word] & (~np.uint64(0) >> np.uint64(63 - (limit & 63)))
    if bits:
        return (word << 6) + 63 - leading(bits)
    s = word >> 6
    bits = summary[s] & ((np.uint64(1) << np.uint64(word & 63)) - np.uint64(1))
    while not bits:
        s -= 1
        if s < low:
            return -1
        bits = summary[s]
    word = (s << 6) + 63 - leading(bits)
    return (word << 6) + 63 - leading(words[word])


# ---------------------------------------------------------------------- sites
@inner
def add_site(sites, numbers, position):
    """Have the connection at a position looked at."""
    sites[position >> 6] |= np.uint64(1) << np.uint64(position & 63)
    numbers[FIRST_SITE] = min(numbers[FIRST_SITE], position)
    numbers[LAST_SITE] = max(numbers[LAST_SITE], position)


@inner
def next_site(sites, numbers, position):
    """The first site at or behind a position, -1 without."""
    last = numbers[LAST_SITE]
    if position > last:
        return -1
    word = position >> 6
    bits = sites[word] & (~np.uint64(0) << np.uint64(position & 63))
    while not bits:
        word += 1
        if word > last >> 6:
            return -1
        bits = sites[word]
    return (word << 6) + trailing(bits)


@inner
def is_site(sites, position):
    """Whether a position is a site."""
    return sites[position >> 6] >> np.uint64(position & 63) & np.uint64(1) == 1


@inner
def clear_sites(sites, numbers):
    """Forget all sites."""
    for word in range(numbers[FIRST_SITE] >> 6, (numbers[LAST_SITE] >> 6) + 1):
        sites[word] = 0
    numbers[FIRST_SITE], numbers[LAST_SITE] = 1 << 60, -1


# ---------------------------------------------------------------------- marks
@inner
def take_mark(s, connection):
    """Room for a mark at a connection: its index, -1 where there is none left."""
    if s.numbers[FREE] == 0:
        return -1
    s.numbers[FREE] -= 1
    mark = s.free[s.numbers[FREE]]
    s.mark_of[connection] = mark
    return mark


@inner
def drop_mark(s, connection):
    """Remove the mark at a connection, where there is one."""
    mark = s.mark_of[connection]
    if mark >= 0:
        s.mark_of[connection] = -1
        s.free[s.numbers[FREE]] = mark
        s.numbers[FREE] += 1


@inner
def mark_before(s, position):
    """The last position up to ``position`` of the kept order whose connection has a mark, -1 without."""
    k = min(position, len(s.order) - 1)
    while k >= 0 and s.mark_of[s.order[k]] < 0:
        k -= 1
    return k
