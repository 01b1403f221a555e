"""Chips that must not stay empty: a matching of units to them.

Where a chip finds no unit by exchanges, the chips reached on the way have fewer units than they are (Hall's theorem): one of them
stays empty, or under `every_chip` there is no plan. The first chip is given a source: what a unit there needs is there as well. The last of
a package that must be full is given a sink.
"""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.solver.state import (
    CHIP_FOR,
    CHIPS,
    CULPRIT,
    EVERY,
    FILLED,
    FIRST,
    FRONTIER,
    HIGH,
    LAST,
    MOST_CHIPS,
    NO_SKIP,
    NONE,
    ONE,
    PARENT,
    PTR,
    TOP,
    UNIT_AT,
    WAITING,
    WORK,
    between,
    cut,
    has,
    inlined,
    kernel,
    put,
)


@inlined
def give(units, counts, unit, chip, start):
    """Chip ``chip`` takes ``unit``; the unit it had goes to the chip it was reached from, and so on to ``start``."""
    while True:
        old = counts[UNIT_AT + chip]
        counts[UNIT_AT + chip] = unit
        units[CHIP_FOR, unit] = chip
        if chip == start:
            return
        unit, chip = old, counts[PARENT + chip]


@inlined
def suits(heads, facts, words, unit, chip):
    """Whether a chip can be given a unit."""
    if not has(words[unit], chip):
        return False
    if chip == 0:
        return heads[PTR, unit] == heads[FIRST, unit]
    if facts[FILLED] == EVERY and chip == facts[CHIPS] - 1:
        return heads[FIRST, unit] == heads[PTR, unit + 1]
    return True


@kernel
def find_unit(heads, facts, words, units, counts, chip, without):
    """Give a chip without a unit one, other than ``without``, by exchanges; returns no bits, or the chips that have too few."""
    counts[FRONTIER] = chip
    reached = ONE << np.uint64(chip)
    count, at = 1, 0
    while at < count:
        x = counts[FRONTIER + at]
        at += 1
        counts[WORK] += units.shape[1]
        for u in range(units.shape[1]):
            if u == without or not suits(heads, facts, words, u, x):
                continue
            y = units[CHIP_FOR, u]
            if y < 0:
                give(units, counts, u, x, chip)
                return NONE
            if not has(reached, y):
                reached |= ONE << np.uint64(y)
                counts[PARENT + y] = x
                counts[FRONTIER + count] = y
                count += 1
    return reached


@kernel
def fill(heads, facts, words, units, trail, counts):
    """Different units for all chips that may be in use; False where those that must be cannot all have one."""
    m = units.shape[1]
    chip = 0
    while chip <= np.int64(words[3 * m + LAST]):
        u = counts[UNIT_AT + chip]
        if u >= 0 and has(words[u], chip):
            chip += 1
            continue
        if u >= 0:
            counts[UNIT_AT + chip] = -1
            units[CHIP_FOR, u] = -1
        lacking = find_unit(heads, facts, words, units, counts, chip, -1)
        if lacking:
            worst = MOST_CHIPS - 1
            while not has(lacking, worst):
                worst -= 1
            if facts[FILLED] == EVERY or worst <= np.int64(words[3 * m + TOP]):
                counts[CULPRIT] = -1
                return False
            if worst != chip:
                spare = counts[UNIT_AT + worst]
                counts[UNIT_AT + worst] = -1
                give(units, counts, spare, counts[PARENT + worst], chip)
            put(words, trail, counts, 3 * m + LAST, np.uint64(worst - 1))
            for c in range(worst, facts[CHIPS]):
                if counts[UNIT_AT + c] >= 0:
                    units[CHIP_FOR, counts[UNIT_AT + c]] = -1
                    counts[UNIT_AT + c] = -1
            for v in range(m):
                if units[HIGH, v] >= worst and not cut(
                    facts, words, units, trail, counts, v, between(0, worst - 1)
                ):
                    return False
            if counts[WAITING]:
                return True
        chip += 1
    return True


@kernel
def spare_unit(heads, facts, words, units, trail, counts, u):
    """See that no chip waits for ``u``, or keep ``u`` to the chips that wait for it; False on a contradiction."""
    chip = units[CHIP_FOR, u]
    top = np.int64(words[3 * units.shape[1] + TOP])
    if chip < 0 or (facts[FILLED] == NO_SKIP and chip > top):
        return True
    counts[UNIT_AT + chip] = -1
    units[CHIP_FOR, u] = -1
    lacking = find_unit(heads, facts, words, units, counts, chip, u)
    if lacking:
        counts[UNIT_AT + chip] = u
        units[CHIP_FOR, u] = chip
        if facts[FILLED] == NO_SKIP and lacking & ~between(0, top):
            return True
        return cut(facts, words, units, trail, counts, u, lacking)
    return True
