"""The triangle rule over what is certain: which chip depends on which.

Units on a known chip are *settled*. Two that are neighbours make a direct dependency between their chips (ARC); two that are
connected in the graph make a dependency over some path (REACH), whichever chips it takes. What would lay an indirect path
beside a direct dependency is taken away.
"""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.solver.state import (
    ARC,
    BEFORE,
    CHIPS,
    CULPRIT,
    DONE,
    FIRST,
    LOW,
    MOST_CHIPS,
    NEWS,
    NONE,
    NOT_BEFORE,
    NOT_FROM,
    NOT_REACH,
    NOT_TO,
    ONE,
    OTHER,
    PTR,
    REACH,
    SETTLED,
    SETTLED_LIST,
    STACK,
    STALE,
    WORK,
    between,
    cut,
    inlined,
    lowest,
    put,
)


@inlined
def spread(heads, links, words, units, trail, counts, u, chip, forward):
    """Tell the units that ``u`` reaches (or that reach it), up to the next ones on known chips, that ``u`` is on ``chip``."""
    m = units.shape[1]
    at = m if forward else 2 * m
    units[STACK, 0] = u
    count = 1
    mark = ONE << np.uint64(chip)
    while count:
        count -= 1
        x = units[STACK, count]
        begin = heads[FIRST, x] if forward else heads[PTR, x]
        end = heads[PTR, x + 1] if forward else heads[FIRST, x]
        counts[WORK] += end - begin
        for i in range(begin, end):
            v = links[OTHER, i]
            if not units[SETTLED, v] and not words[at + v] & mark:
                put(words, trail, counts, at + v, words[at + v] | mark)
                units[STACK, count] = v
                count += 1


@inlined
def closed(words, word, rows):
    """The chips of ``word`` and all in their rows."""
    result = word
    while word:
        result |= words[rows + lowest(word)]
        word &= word - ONE
    return result


@inlined
def settle(heads, links, facts, words, units, trail, counts, u):
    """Enter a unit whose chip is known: dependencies between chips that are now certain."""
    m = units.shape[1]
    base = 3 * m
    chip = units[LOW, u]
    here = ONE << np.uint64(chip)
    above, below = words[m + u], words[2 * m + u]
    for i in range(heads[PTR, u], heads[PTR, u + 1]):
        v = links[OTHER, i]
        if units[SETTLED, v] and units[LOW, v] != chip:
            there = ONE << np.uint64(units[LOW, v])
            if i < heads[FIRST, u]:
                above |= there
                row = base + ARC + units[LOW, v]
                if not words[row] & here:
                    put(words, trail, counts, row, words[row] | here)
                    counts[NEWS] = 1
            else:
                below |= there
                if not words[base + ARC + chip] & there:
                    put(words, trail, counts, base + ARC + chip, words[base + ARC + chip] | there)
                    counts[NEWS] = 1
    above = closed(words, above, base + BEFORE) & ~here
    below = closed(words, below, base + REACH) & ~here
    if above & ~words[base + BEFORE + chip] or below & ~words[base + REACH + chip]:
        counts[NEWS] = 1
        above |= words[base + BEFORE + chip] | here
        below |= words[base + REACH + chip] | here
        for x in range(facts[CHIPS]):
            one = ONE << np.uint64(x)
            if above & one and below & ~one & ~words[base + REACH + x]:
                put(words, trail, counts, base + REACH + x, words[base + REACH + x] | (below & ~one))
            if below & one and above & ~one & ~words[base + BEFORE + x]:
                put(words, trail, counts, base + BEFORE + x, words[base + BEFORE + x] | (above & ~one))
    units[SETTLED, u] = True
    units[SETTLED_LIST, counts[DONE]] = u
    counts[DONE] += 1
    spread(heads, links, words, units, trail, counts, u, chip, True)
    spread(heads, links, words, units, trail, counts, u, chip, False)


@inlined
def refresh(facts, words, no, units, counts):
    """Bring ``no`` up to date; False where an indirect path lies beside a direct dependency."""
    base = 3 * units.shape[1]
    no[: 4 * MOST_CHIPS] = NONE
    counts[STALE] = 0
    for a in range(facts[CHIPS]):
        arcs = words[base + ARC + a]
        if arcs:
            # A chip that a reaches must not reach one that a leads to: a path beside the direct dependency.
            reach = words[base + REACH + a]
            while reach:
                c = lowest(reach)
                reach &= reach - ONE
                if words[base + REACH + c] & arcs:
                    counts[CULPRIT] = units[SETTLED_LIST, counts[DONE] - 1]
                    return False
                no[NOT_REACH + c] |= arcs & ~between(0, c)
    for c in range(facts[CHIPS]):
        bad = no[NOT_REACH + c]
        if bad:
            # What reaches a forbidden chip is forbidden as well.
            bad = closed(words, bad, base + BEFORE) & ~between(0, c)
            no[NOT_REACH + c] = bad
            while bad:
                no[NOT_BEFORE + lowest(bad)] |= ONE << np.uint64(c)
                bad &= bad - ONE
    for a in range(facts[CHIPS]):
        reach = words[base + REACH + a]
        bad = no[NOT_REACH + a] | (
            closed(words, words[base + ARC + a], base + BEFORE) & ~words[base + ARC + a]
        )
        while reach:
            bad |= words[base + REACH + lowest(reach)]
            reach &= reach - ONE
        bad &= ~between(0, a)
        no[NOT_TO + a] = bad
        while bad:
            no[NOT_FROM + lowest(bad)] |= ONE << np.uint64(a)
            bad &= bad - ONE
    return True


@inlined
def barred(words, no, base, above, below):
    """Where a unit below the chips ``above`` and above the chips ``below`` breaks a triangle, whatever its neighbours; and these chips
    with all that reach the former or that the latter reach."""
    bad = NONE
    rest = above
    while rest:
        bad |= no[NOT_REACH + lowest(rest)]
        rest &= rest - ONE
    rest = below
    while rest:
        bad |= no[NOT_BEFORE + lowest(rest)]
        rest &= rest - ONE
    above = closed(words, above, base + BEFORE)
    below = closed(words, below, base + REACH)
    if below:
        # Between chips with a direct dependency nothing lies that is between them in the graph.
        rest = above
        while rest:
            a = lowest(rest)
            rest &= rest - ONE
            ends = words[base + ARC + a] & below
            while ends:
                bad |= between(a + 1, lowest(ends) - 1)
                ends &= ends - ONE
    return bad, above, below


@inlined
def beside(heads, links, words, no, units, u, above, below):
    """Where a unit lays a direct dependency on a settled neighbour beside a way over a chip between; ``above`` and ``below`` as of :func:`barred`."""
    base = 3 * units.shape[1]
    bad = NONE
    for i in range(heads[PTR, u], heads[PTR, u + 1]):
        v = links[OTHER, i]
        if units[SETTLED, v]:
            # A chip that the neighbour's reaches and that reaches the unit must be the unit's own.
            if i < heads[FIRST, u]:
                bad |= no[NOT_TO + units[LOW, v]]
                rest = words[base + REACH + units[LOW, v]] & above
            else:
                bad |= no[NOT_FROM + units[LOW, v]]
                rest = words[base + BEFORE + units[LOW, v]] & below
            while rest:
                bad |= ~(rest & (~rest + ONE))
                rest &= rest - ONE
    return bad


@inlined
def allowed(heads, links, words, no, units, u):
    """The chips of a unit's domain on which it breaks no triangle with what is certain (``no`` is up to date)."""
    m = units.shape[1]
    if not words[m + u] | words[2 * m + u]:
        return words[u]
    bad, above, below = barred(words, no, 3 * m, words[m + u], words[2 * m + u])
    return words[u] & ~(bad | beside(heads, links, words, no, units, u, above, below))


@inlined
def sweep(heads, links, facts, words, no, units, trail, counts):
    """Take away what breaks a triangle from all units; False on a contradiction."""
    m = units.shape[1]
    counts[WORK] += 4 * m
    above, below = NONE, NONE
    bad, all_above, all_below = NONE, NONE, NONE
    for u in range(m):
        if units[SETTLED, u] or not words[m + u] | words[2 * m + u]:
            continue
        if words[m + u] != above or words[2 * m + u] != below:
            # Units beside each other often lie between the same chips.
            above, below = words[m + u], words[2 * m + u]
            bad, all_above, all_below = barred(words, no, 3 * m, above, below)
        keep = ~(bad | beside(heads, links, words, no, units, u, all_above, all_below))
        if not cut(facts, words, units, trail, counts, u, keep):
            return False
    return True
