"""SAMPLE and FIX (partitioning on multi-chip modules, Algorithms 1 and 2) over units, with chronological backtracking."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.solver.propagation import propagate, tidy
from planner.machines.mcm.solver.state import (
    CULPRIT,
    DONE,
    HIGH,
    LOW,
    ONE,
    TRAIL,
    WORK,
    cut,
    has,
    kernel,
    undo,
)
from planner.methods.random_streams import mixed

SAMPLE, FIX, NEAREST = 0, 1, 2
FOUND, IMPOSSIBLE, LIMIT, PAUSED = 0, 1, 2, 3
THEN, DEPTH, MET, URGENT, FINE, POSITION = range(6)
"""Where a run pauses: the place in the order, decisions, contradictions, the unit that comes first, whether there is none now."""


@kernel
def shuffle(order, seed):
    """A random order of 0..n-1, in place."""
    n = len(order)
    for i in range(n):
        order[i] = i
    for i in range(n - 1, 0, -1):
        j = int(mixed(seed) * (i + 1))
        order[i], order[j] = order[j], order[i]


@kernel
def drawn(domain, low, high, weights, row, seed):
    """A chip of the domain (of which ``low`` and ``high`` are the first and last) with the
    probabilities of a row of ``weights`` (-1: none); if all are 0, any."""
    total = 0.0
    if row >= 0:
        for c in range(low, high + 1):
            if has(domain, c) and weights[row, c] > 0.0:
                total += weights[row, c]
    if total > 0.0:
        left = mixed(seed) * total
        chosen = -1
        for c in range(low, high + 1):
            if has(domain, c) and weights[row, c] > 0.0:
                chosen = c
                left -= weights[row, c]
                if left < 0.0:
                    break
        return chosen
    count = 0
    for c in range(low, high + 1):
        count += has(domain, c)
    left = int(mixed(seed) * count)
    for c in range(low, high + 1):
        if has(domain, c):
            if left == 0:
                return c
            left -= 1
    return low


@kernel
def nearest(domain, low, high, wanted):
    """The chip of the domain nearest to ``wanted``, the lower one of two."""
    best = low
    for c in range(low, high + 1):
        if has(domain, c) and abs(c - wanted) < abs(best - wanted):
            best = c
    return best


@kernel
def run(
    heads,
    links,
    chords,
    members,
    facts,
    words,
    no,
    units,
    trail,
    counts,
    unit_of,
    first_op,
    frames,
    order,
    random,
    weights,
    wanted,
    mode,
    seed,
    limit,
    follow,
    passes,
    budget,
    position,
    result,
):
    """One run from a propagated state; returns FOUND, IMPOSSIBLE, LIMIT or PAUSED.

    ``order`` int32[n] (overwritten with a ``random`` one if asked), ``frames`` int64[5, m] (room for decisions), ``weights`` float64[n, k] (SAMPLE) or empty, ``wanted`` int32[n] (FIX,
    NEAREST). FOUND fills ``result`` int32[n]. IMPOSSIBLE: there is no valid plan. LIMIT: more than ``limit`` contradictions.
    PAUSED: some ``budget`` of work is done; another call with the same arrays goes on.

    ``passes``: how often the order is gone through; in all but the last pass only units whose wish can be met are decided. ``follow``: the
    share of wishes that are followed (FIX, NEAREST). ``position`` int64[POSITION] is -1 throughout at the beginning; then
    ``position[MET]`` counts contradictions.

    After a contradiction the unit that had no chip left is decided next, out of order: if an early decision is to blame, that shows
    after few steps back (last-conflict reasoning: Lecoutre, Sais, Tabary and Vidal, 2009).
    """
    n = len(unit_of)
    if position[THEN] < 0:
        position[:] = 0
        position[URGENT], position[FINE] = -1, 1
        if random:
            shuffle(order, seed)
    i, depth, urgent = position[THEN], position[DEPTH], position[URGENT]
    fine = position[FINE] != 0
    end = passes * n
    until = counts[WORK] + budget
    while i < end:
        if counts[WORK] > until:
            position[THEN], position[DEPTH], position[URGENT], position[FINE] = i, depth, urgent, fine
            return PAUSED
        if not fine:
            position[MET] += 1
            if depth == 0:
                return IMPOSSIBLE
            if position[MET] > limit:
                return LIMIT
            urgent = counts[CULPRIT]
            depth -= 1
            undo(words, units, trail, counts, frames[3, depth], frames[4, depth])
            i = frames[2, depth]
            fine = cut(
                facts, words, units, trail, counts, frames[0, depth], ~(ONE << np.uint64(frames[1, depth]))
            )
            fine = fine and propagate(
                heads, links, chords, members, facts, words, no, units, trail, counts, False
            )
            continue
        v = order[i % n]
        u = unit_of[v]
        if urgent >= 0:
            if units[LOW, urgent] < units[HIGH, urgent]:
                u = urgent
                v = first_op[u]
            else:
                urgent = -1
        if units[LOW, u] == units[HIGH, u]:
            i += 1
            continue
        fine = tidy(heads, links, chords, members, facts, words, no, units, trail, counts, u)
        if not fine:
            continue
        domain, low, high = words[u], units[LOW, u], units[HIGH, u]
        if low == high:
            continue
        if mode == SAMPLE:
            chip = drawn(domain, low, high, weights, v if len(weights) else -1, seed)
        elif low <= wanted[v] <= high and has(domain, wanted[v]) and mixed(seed) < follow:
            chip = wanted[v]
        elif i < end - n and u != urgent:
            i += 1
            continue
        elif mode == NEAREST and mixed(seed) < follow:
            chip = nearest(domain, low, high, wanted[v])
        else:
            chip = drawn(domain, low, high, weights, -1, seed)
        frames[0, depth], frames[1, depth], frames[2, depth] = u, chip, i
        frames[3, depth], frames[4, depth] = counts[TRAIL], counts[DONE]
        depth += 1
        fine = cut(facts, words, units, trail, counts, u, ONE << np.uint64(chip))
        fine = fine and propagate(
            heads, links, chords, members, facts, words, no, units, trail, counts, False
        )
    for v in range(n):
        result[v] = units[LOW, unit_of[v]]
    return FOUND
