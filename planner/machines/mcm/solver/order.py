"""Order, spans and chords (:mod:`planner.machines.mcm.solver.spans`) over the first and last chips of units."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.solver.state import (
    ENDING,
    EXTRA,
    FROM,
    HEAD,
    HIGH,
    INNER,
    LOW,
    LOWER,
    OTHER,
    PTR,
    QUEUE,
    QUEUED,
    TO,
    UPPER,
    WAITING,
    WITHIN,
    WORK,
    between,
    cut,
    inlined,
    put,
)


@inlined
def narrow(heads, links, chords, members, facts, words, units, trail, counts):
    """Order and spans until nothing changes; False on a contradiction."""
    m = units.shape[1]
    while counts[WAITING]:
        u = units[QUEUE, counts[HEAD]]
        counts[HEAD] = (counts[HEAD] + 1) % m
        counts[WAITING] -= 1
        units[QUEUED, u] = False
        counts[WORK] += heads[PTR, u + 1] - heads[PTR, u] + heads[WITHIN, u + 1] - heads[WITHIN, u]
        for i in range(heads[PTR, u], heads[PTR, u + 1]):
            v = links[OTHER, i]
            a, b = units[LOW, u] - links[LOWER, i], units[HIGH, u] + links[UPPER, i]
            if (units[LOW, v] < a or units[HIGH, v] > b) and not cut(
                facts, words, units, trail, counts, v, between(max(a, 0), min(b, 63))
            ):
                return False
        for i in range(heads[WITHIN, u], heads[WITHIN, u + 1]):
            if not bind(chords, facts, words, units, trail, counts, members[i], u):
                return False
        for i in range(heads[ENDING, u], heads[ENDING, u + 1]):
            q = members[i]
            counts[WORK] += chords[INNER, q + 1] - chords[INNER, q]
            x, y = chords[FROM, q], chords[TO, q]
            for j in range(chords[INNER, q], chords[INNER, q + 1]):
                # Binding one tells what all of them together say; of the others most have nothing to say.
                word = words[members[j]]
                if (
                    j == chords[INNER, q]
                    or word & ~(words[x] | words[y])
                    or not word & words[x]
                    or not word & words[y]
                ) and not bind(chords, facts, words, units, trail, counts, q, members[j]):
                    return False
    return True


@inlined
def equate(facts, words, units, trail, counts, u, v):
    """Two units that must share a chip; False if they cannot."""
    return cut(facts, words, units, trail, counts, u, words[v]) and cut(
        facts, words, units, trail, counts, v, words[u]
    )


@inlined
def bind(chords, facts, words, units, trail, counts, q, u):
    """Chord ``q`` and its inner unit ``u``, which lies where one of the ends does; False on a contradiction."""
    x, y = chords[FROM, q], chords[TO, q]
    at = 3 * units.shape[1] + EXTRA + 2 * q
    if units[HIGH, u] < units[HIGH, np.int64(words[at])]:
        put(words, trail, counts, at, np.uint64(u))
    if units[LOW, u] > units[LOW, np.int64(words[at + 1])]:
        put(words, trail, counts, at + 1, np.uint64(u))
    first, last = np.int64(words[at]), np.int64(words[at + 1])
    if units[HIGH, first] < units[LOW, last]:
        # They cannot share a chip, so one is with the source and the other with the target.
        return equate(facts, words, units, trail, counts, x, first) and equate(
            facts, words, units, trail, counts, y, last
        )
    if not words[u] & words[y]:
        return equate(facts, words, units, trail, counts, x, u)
    if not words[u] & words[x]:
        return equate(facts, words, units, trail, counts, y, u)
    return cut(facts, words, units, trail, counts, u, words[x] | words[y])
