"""Plans of a multi-chip module that are made without a search; they need not be valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.kernels import broken_pairs
from planner.methods.units import forced_units
from planner.model.graph import Ints
from planner.problem.problem import Problem

SHARES = (1.0, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2)
"""Shares of a chip's memory that parameters may fill."""


def spread(problem: Problem) -> Ints | None:
    """A plan (int32[n]) with most ops on one chip and single units before and after it, one on each other chip.

    Units that nothing on the full chip waits for, or that wait for nothing there, leave it one by one where the triangle rule
    lets them. Pins are not looked at.
    """
    e = cast(McmEvaluator, problem.evaluator)
    if (e.pinned >= 0).any():
        return None
    unit_of = forced_units(problem)
    count = int(unit_of.max(initial=-1)) + 1
    ahead: list[list[int]] = [[] for _ in range(count)]
    behind: list[list[int]] = [[] for _ in range(count)]
    for u, v in zip(unit_of[e.edge_src].tolist(), unit_of[e.edge_dst].tolist(), strict=True):
        if u != v:
            ahead[v].append(u)
            behind[u].append(v)
    full = 1 << 15
    place = np.full(count, full)
    first, last = full, full
    while last - first + 1 < min(e.k, count):
        for u in np.flatnonzero(place == full).tolist():
            for at, others in ((first - 1, ahead), (last + 1, behind)):
                if any(place[v] == full for v in others[u]):
                    continue
                # The newcomer stands next to the full chip, the others move out by one.
                trial = place.copy()
                if at < full:
                    trial[place < full] -= 1
                    trial[u] = full - 1
                else:
                    trial[place > full] += 1
                    trial[u] = full + 1
                chips = (trial - trial.min())[unit_of].astype(np.int32)
                if not e.target.triangle or not broken_pairs(e.arcs(chips)).any():
                    break
            else:
                continue
            place = trial
            first, last = int(place.min()), int(place.max())
            break
        else:
            break
    return np.asarray(place - place.min(), np.int32)[unit_of]


def slices(problem: Problem) -> Iterator[Ints]:
    """Assignments (int32[n]) that fill chip after chip in the order of the graph, where memory counts; they need not be valid.

    Parameters fill a chip up to a share of its memory; the rest is left to activations. Pins and ties are not looked at.
    """
    e = cast(McmEvaluator, problem.evaluator)
    if not e.target.check_memory:
        return
    row = problem.graph.topological_order
    held = e.params[row].tolist()
    for share in SHARES:
        room, chips, used, chip = share * e.target.sram, np.empty(e.n, np.int32), 0.0, 0
        for i, size in enumerate(held):
            if used and used + size > room:
                chip, used = chip + 1, 0.0
            used += size
            chips[row[i]] = chip
        if chip < e.k:
            yield chips
