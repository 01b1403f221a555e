"""The tables of one path's runs, each run costed by a minimum cut, filled step by step (latency bound)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.machines.pool.latency.cut import CutScratch, cut_row
from planner.machines.pool.latency.path import cheapest_runs, path_positions
from planner.machines.pool.latency.state import Arrays
from planner.model.graph import Bools, Floats, Ints

RUNS_AT_ONCE = 24
"""Minimum cuts between two looks at the clock: each takes less than a millisecond on 2,000 ops."""


class RunRules(NamedTuple):
    """What every path's runs share: ``work`` and ``on_cpu`` float64[n] (infinite where a CPU may not hold an op),
    ``runs_on_accelerator`` bool[m] for units, the largest ``capacity``, whether colocated ops of one part share a subgraph
    (``whole_units``), how many runs there may be in each part, a topological ``order`` int32[n], and whether subgraphs are ``contiguous``.
    """

    work: Floats
    on_cpu: Floats
    runs_on_accelerator: Bools
    capacity: float
    whole_units: bool
    most_runs: int
    order: Ints
    contiguous: bool


class PathCuts:
    """The minimum cuts along one ``path`` (int32[p], ops): :meth:`advance` until it says True, then :meth:`value` is a lower
    bound on the latency.
    """

    def __init__(self, arrays: Arrays, rules: RunRules, scratch: CutScratch, path: Ints) -> None:
        self._arrays, self._rules, self._scratch, self._path = arrays, rules, scratch, path
        a, size = arrays, len(path) + 1
        self._low, self._high = path_positions(
            path, a.part, rules.order, a.pred_ptr, a.pred_idx, a.succ_ptr, a.succ_idx
        )
        self._time = np.zeros((size, size))
        self._barred = np.ones((size, size))
        self._first, self._last = 0, 0

    def advance(self) -> bool:
        """Cost some more runs; True when all are."""
        rules = self._rules
        following = cut_row(
            self._arrays, self._scratch, self._first, self._last, RUNS_AT_ONCE, self._path, self._low, self._high,
            rules.order, rules.work, rules.runs_on_accelerator, rules.whole_units, rules.capacity,
            self._time, self._barred,
        )  # fmt: skip
        if following < 0:
            self._first += 1
            following = self._first
        self._last = following
        return self._first >= len(self._path)

    def value(self) -> float:
        """The least time of the path in runs and CPU ops."""
        rules = self._rules
        # Runs that are too large are barred, so no memory is to be looked at.
        memory = np.zeros_like(self._time)
        return float(
            cheapest_runs(
                self._path,
                self._arrays.part,
                rules.on_cpu,
                self._time,
                memory,
                self._barred,
                1.0,
                rules.most_runs,
            )
        )
