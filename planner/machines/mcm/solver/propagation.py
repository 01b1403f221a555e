"""All rules together."""

from __future__ import annotations

from planner.machines.mcm.solver.filling import fill, spare_unit
from planner.machines.mcm.solver.order import narrow
from planner.machines.mcm.solver.state import (
    ANY,
    FILLED,
    HIGH,
    LOW,
    NEWS,
    PENDING,
    PENDING_LIST,
    STALE,
    WAITING,
    WATCHED,
    cut,
    kernel,
)
from planner.machines.mcm.solver.triangle import allowed, refresh, settle, sweep


@kernel
def propagate(heads, links, chords, members, facts, words, no, units, trail, counts, thorough):
    """All rules until nothing changes; False on a contradiction.

    The triangle rule looks at all units when new dependencies between chips are certain, and else at one when :func:`tidy` is
    asked; which units chips must wait for is asked there too. ``thorough`` does both for all units.
    """
    while True:
        if not narrow(heads, links, chords, members, facts, words, units, trail, counts):
            return False
        while counts[PENDING]:
            counts[PENDING] -= 1
            settle(heads, links, facts, words, units, trail, counts, units[PENDING_LIST, counts[PENDING]])
        if facts[WATCHED] and (counts[NEWS] or thorough):
            if (counts[NEWS] or counts[STALE]) and not refresh(facts, words, no, units, counts):
                return False
            counts[NEWS] = 0
            if not sweep(heads, links, facts, words, no, units, trail, counts):
                return False
            if counts[WAITING]:
                continue
        if facts[FILLED] != ANY and not fill(heads, facts, words, units, trail, counts):
            return False
        if thorough and facts[FILLED] != ANY and counts[WAITING] == 0:
            for u in range(units.shape[1]):
                if units[LOW, u] < units[HIGH, u] and not spare_unit(
                    heads, facts, words, units, trail, counts, u
                ):
                    return False
        if counts[WAITING] == 0:
            return True


@kernel
def tidy(heads, links, chords, members, facts, words, no, units, trail, counts, u):
    """Bring the domain of one unit up to date, and everything with it; False on a contradiction."""
    if facts[WATCHED]:
        if counts[STALE] and not refresh(facts, words, no, units, counts):
            return False
        if not cut(facts, words, units, trail, counts, u, allowed(heads, links, words, no, units, u)):
            return False
    if (
        facts[FILLED] != ANY
        and units[LOW, u] < units[HIGH, u]
        and not spare_unit(heads, facts, words, units, trail, counts, u)
    ):
        return False
    return counts[WAITING] == 0 or propagate(
        heads, links, chords, members, facts, words, no, units, trail, counts, False
    )
