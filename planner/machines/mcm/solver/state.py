"""What the chip solver knows while it works: flat arrays, with a trail to go back by.

A unit (ops that share a chip) has a *domain*: the chips that it may still go to, as bits of a uint64. Domains only shrink
until something is undone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.core.options import DefaultOptions
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.model.graph import Ints

Words = NDArray[np.uint64]
MOST_CHIPS = 64
ANY, NO_SKIP, EVERY = 0, 1, 2
"""Which chips must hold a unit: none, those below the highest that does, or all."""
ONE, ALL, NONE = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
_DEBRUIJN = 0x03F79D71B4CB0A89
_SPREAD = np.uint64(_DEBRUIJN)
_PLACE = np.zeros(64, np.int64)
_PLACE[[(_DEBRUIJN << i) % 2**64 >> 58 for i in range(64)]] = range(64)

# Kernels allocate nothing, so numba need not count references to their arrays, which would take far longer than their work.
# The option is not part of numba's documentation: without it kernels are slower, and as right.
_UNCOUNTED = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}
kernel = njit(cache=True, nogil=True, **_UNCOUNTED)
inlined = njit(cache=True, nogil=True, forceinline=True, **_UNCOUNTED)

# Rows of ``heads``, ``links``, ``chords`` and ``facts``.
PTR, FIRST, WITHIN, ENDING = range(4)
OTHER, LOWER, UPPER = range(3)
FROM, TO, INNER = range(3)
CHIPS, WATCHED, FILLED = range(3)
# Words behind m domains, chips above[m] and chips below[m].
ARC, REACH, BEFORE, LAST, TOP = 0, MOST_CHIPS, 2 * MOST_CHIPS, 3 * MOST_CHIPS, 3 * MOST_CHIPS + 1
EXTRA = 3 * MOST_CHIPS + 2
# Rows of ``no``.
NOT_REACH, NOT_BEFORE, NOT_TO, NOT_FROM = (MOST_CHIPS * i for i in range(4))
# Rows of ``units``, and counters.
LOW, HIGH, SETTLED, SETTLED_LIST, QUEUE, QUEUED, PENDING_LIST, STACK, CHIP_FOR = range(9)
TRAIL, DONE, HEAD, WAITING, PENDING, STALE, NEWS, CULPRIT, WORK = range(9)
UNIT_AT, PARENT, FRONTIER, COUNTS = (9 + MOST_CHIPS * i for i in range(4))


class McmRules(NamedTuple):
    """What never changes, of m units, e edges between them and q chords.

    ``heads`` int32[4, m+1] are four CSR pointers by unit: PTR and FIRST into ``links`` (neighbours; from FIRST on they are
    successors), WITHIN and ENDING into ``members`` (chords with the unit between their ends, or at one). ``links`` int32[3, 2e]:
    the OTHER unit lies at most LOWER chips below and at most UPPER chips above. ``chords`` int32[3, q+1]: FROM and TO, and where
    in ``members`` their INNER units begin. ``facts`` int64[3]: how many CHIPS, whether the triangle rule is to be WATCHED (spans alone
    do not imply it), and which chips must be FILLED (:data:`ANY`, :data:`NO_SKIP` or :data:`EVERY`).
    """

    heads: Ints
    links: Ints
    chords: Ints
    members: Ints
    facts: NDArray[np.int64]


class McmState(NamedTuple):
    """The state of the chip solver: what decisions and their propagation change.

    ``words`` uint64 is what the trail restores: domains[m]; of each unit, chips above[m] and below[m] it (with a settled unit that
    reaches it, or that it reaches, with none settled on the way); by chip, sets of chips: ARC (depends on it directly for
    certain), REACH (depends on it over some path), BEFORE (it depends on them); LAST, the highest chip that may be in use, and TOP, the lowest
    that the highest in use can be; of each chord the inner unit of least last and the one of greatest first chip.
    ``no`` uint64[4 * 64] follows from them, by chip: the chips that it must not reach, be reached from, lead to and be led to from. ``units`` int32[9, m]: first and last chip of the domain, whether settled (on one chip, and what follows
    for the chips is in ``words``), lists and queues, and the chip that the unit is to fill (-1: none). ``trail``
    uint64[2, entries]: places and old words. ``counts`` int64[9 + 3 * 64]: counters (WORK: units looked at so far, a measure of time), the unit that fills each chip (-1: none), and room for a search.
    """

    words: Words
    no: Words
    units: Ints
    trail: Words
    counts: NDArray[np.int64]


@inlined
def between(low, high):
    """Bits low..high (0 <= low, high <= 63); none where low > high."""
    if low > high:
        return NONE
    return (ALL >> np.uint64(63 - high)) & (ALL << np.uint64(low))


@inlined
def has(word, chip):
    """Whether bit ``chip`` is set."""
    return (word >> np.uint64(chip)) & ONE != NONE


@inlined
def lowest(word):
    """Number of the lowest set bit (De Bruijn multiplication: Leiserson, Prokop and Randall, 1998)."""
    return _PLACE[np.int64(((word & (~word + ONE)) * _SPREAD) >> np.uint64(58))]


@inlined
def put(words, trail, counts, at, word):
    """Change a word and remember what it was."""
    t = counts[TRAIL]
    trail[0, t] = at
    trail[1, t] = words[at]
    counts[TRAIL] = t + 1
    words[at] = word


@inlined
def cut(facts, words, units, trail, counts, u, keep):
    """Keep these chips of a unit's domain; False where none is left."""
    old = words[u]
    new = old & keep
    if new == old:
        return True
    if new == NONE:
        counts[CULPRIT] = u
        return False
    put(words, trail, counts, u, new)
    low, high = units[LOW, u], units[HIGH, u]
    moved = False
    while not has(new, low):
        low += 1
        moved = True
    while not has(new, high):
        high -= 1
        moved = True
    if moved:
        units[LOW, u], units[HIGH, u] = low, high
        if not units[QUEUED, u]:
            m = units.shape[1]
            units[QUEUED, u] = True
            units[QUEUE, (counts[HEAD] + counts[WAITING]) % m] = u
            counts[WAITING] += 1
        top = 3 * units.shape[1] + TOP
        if np.uint64(low) > words[top]:
            put(words, trail, counts, top, np.uint64(low))
        if low == high and facts[WATCHED]:
            units[PENDING_LIST, counts[PENDING]] = u
            counts[PENDING] += 1
    return True


@inlined
def undo(words, units, trail, counts, entries, settled):
    """Go back to where the trail had ``entries`` entries and ``settled`` units were settled."""
    m = units.shape[1]
    while counts[WAITING]:
        units[QUEUED, units[QUEUE, counts[HEAD]]] = False
        counts[HEAD] = (counts[HEAD] + 1) % m
        counts[WAITING] -= 1
    counts[PENDING] = counts[NEWS] = 0
    while counts[DONE] > settled:
        counts[DONE] -= 1
        units[SETTLED, units[SETTLED_LIST, counts[DONE]]] = False
        counts[STALE] = 1
    for t in range(counts[TRAIL] - 1, entries - 1, -1):
        at, word = np.int64(trail[0, t]), trail[1, t]
        words[at] = word
        if at < m:
            low, high = units[LOW, at], units[HIGH, at]
            while low > 0 and word & between(0, low - 1):
                low -= 1
            while high < 63 and word & between(high + 1, 63):
                high += 1
            units[LOW, at], units[HIGH, at] = low, high
    counts[TRAIL] = entries
