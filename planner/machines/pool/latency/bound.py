"""Lower bounds on the latency of every plan of a problem, from many paths of its graph."""

from __future__ import annotations

import math
import time

import numpy as np

from planner.evaluation import kernels
from planner.machines.pool.latency.cut import CutScratch, cut_scratch
from planner.machines.pool.latency.cuts import PathCuts, RunRules
from planner.machines.pool.latency.path import cheapest_runs, heaviest_path, path_positions, run_tables
from planner.machines.pool.latency.regions.bound import RegionBound
from planner.machines.pool.latency.state import Arrays
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem
from planner.search.search import Search

LONGEST_PATH = 1500
"""Ops on a path whose tables of runs (three of its square) are made; a longer path counts op by op."""
IMPROVES = 1 + 1e-9
DRAWS = 50
"""Paths drawn one after the other that were all tried before: then there are hardly others."""


class PathBound:
    """The best bound from the paths tried so far (see :mod:`planner.machines.pool.latency.path`).

    The first path is the one that takes longest with every op on its fastest device. Others are heaviest paths under weights
    drawn around those of the best path. :meth:`improve` costs runs by sums, in milliseconds a path; :meth:`sharpen` by
    minimum cuts (:mod:`planner.machines.pool.latency.cut`), in tenths of a second, and goes on where it was. ``proven`` is the
    bound that has been reported. ``regions`` proves by regions of the graph, where it falls into such.
    """

    def __init__(self, problem: Problem, arrays: Arrays, search: Search, method: str) -> None:
        e = problem.evaluator
        self._problem, self._arrays, self._search, self._method = problem, arrays, search, method
        accelerators = arrays.accelerators
        classes = np.unique(arrays.class_of[accelerators])
        count = len(arrays.allowed)
        self._work: Floats = arrays.work[classes].min(axis=0) if len(classes) else np.zeros(e.n)
        on_cpu = np.zeros(count, bool) if arrays.cpu < 0 else arrays.allowed[:, arrays.cpu]
        cpu_classes = np.unique(arrays.class_of[~arrays.pays])
        slowest = arrays.work[cpu_classes].min(axis=0) if len(cpu_classes) else np.zeros(e.n)
        self._on_cpu: Floats = np.where(on_cpu[arrays.unit_of], slowest, np.inf)
        self._runs_on_accelerator = self._fit_an_accelerator(count)
        # With what rounding may add to sums over rectangles, so that no run is held to be too large that fits.
        # Of an accelerator's slots the first, its owner, carries the capacity.
        self._capacity = float(arrays.capacity[e.owner[accelerators]].max(initial=0.0)) + 1e-12 * float(
            arrays.memory.sum()
        )
        contiguous = any(rule.code & (kernels.RULE_CONTIGUOUS | kernels.RULE_SUBGRAPHS) for rule in e.rules)
        slots = len(accelerators)
        self._whole_units = contiguous and len(np.unique(e.owner[accelerators])) == slots
        self._most_runs = slots if contiguous else e.n * min(slots, 1)
        self._order = problem.graph.topological_order.astype(np.int32)
        self._fastest = np.minimum(
            np.where(self._runs_on_accelerator[arrays.unit_of], self._work, np.inf), self._on_cpu
        )
        self._weight: Floats = np.where(np.isfinite(self._fastest), self._fastest, 0.0)
        # Its own, so that how far the bounds come in a given time does not change the plans.
        self._rng = np.random.default_rng(search.seed)
        self.rules = RunRules(
            self._work, self._on_cpu, self._runs_on_accelerator, self._capacity, self._whole_units,
            self._most_runs, self._order, contiguous,
        )  # fmt: skip
        self.regions = RegionBound(problem, arrays, self.rules, search, method)
        self._best_weight: Floats | None = None
        self._cuts: tuple[PathCuts, Floats] | None = None
        self._sharpest: tuple[float, Floats | None] = (-1.0, None)
        self._tried: set[bytes] = set()
        self._scratch: CutScratch | None = None
        self.sharpened = 0
        self.proven = -1.0

    @property
    def strongest(self) -> float:
        """The best bound of paths and of regions."""
        return max(self.proven, self.regions.proven)

    def _fit_an_accelerator(self, count: int) -> np.ndarray:
        """Whether some accelerator has, for each op of a unit, a slot that may hold it (bool[count])."""
        e, unit_of = self._problem.evaluator, self._arrays.unit_of
        found = np.zeros(count, bool)
        for owner in np.unique(e.owner[e.pays]):
            fits = e.allowed[:, e.pays & (e.owner == owner)].any(axis=1)
            found |= np.bincount(unit_of, weights=~fits, minlength=count) == 0
        return found

    def of_path(self, path: Ints) -> float:
        """A lower bound on the latency from the ops of one path of the graph (int32[p]), in its order."""
        a = self._arrays
        if len(path) > LONGEST_PATH or (np.diff(a.part[path]) < 0).any():
            return float(self._fastest[path].sum())
        low, high = path_positions(path, a.part, self._order, a.pred_ptr, a.pred_idx, a.succ_ptr, a.succ_idx)
        tables = run_tables(a, path, low, high, self._work, self._runs_on_accelerator, self._whole_units)
        return float(cheapest_runs(path, a.part, self._on_cpu, *tables, self._capacity, self._most_runs))

    def improve(self, tries: int) -> bool:
        """Try so many paths, reporting each better bound; returns whether one was. Ends early when the search stops."""
        better = False
        if not self._problem.graph.n:
            return False
        for _ in range(tries):
            if self._search.stopped():
                break
            weight = self._draw(self._best_weight)
            path = heaviest_path(self._order, self._arrays.succ_ptr, self._arrays.succ_idx, weight)
            value = self.of_path(path)
            if value > max(self.proven, 0.0) * IMPROVES or self.proven < 0:
                self.proven = value
                self._best_weight = weight
                self._report(value)
                better = True
        return better

    def sharpen(self, seconds: float, most: float = math.inf) -> bool:
        """Cost the runs of paths by minimum cuts for about so long (some at least), until ``most`` paths in all were; reports better bounds.

        Returns whether there is more to try. The best path of :meth:`improve` comes first.
        """
        end = time.perf_counter() + seconds
        started = False
        while self.sharpened < most and not (started and time.perf_counter() >= end):
            if self._search.stopped():
                return False
            started = True
            if self._cuts is None:
                self._cuts = self._next_cuts()
                if self._cuts is None:
                    return False
            cuts, weight = self._cuts
            if not cuts.advance():
                continue
            self._cuts = None
            self.sharpened += 1
            value = cuts.value()
            if value > self._sharpest[0]:
                self._sharpest = (value, weight)
            if value > max(self.proven, 0.0) * IMPROVES:
                self.proven = value
                self._report(value)
        return self.sharpened < most

    def _next_cuts(self) -> tuple[PathCuts, Floats] | None:
        """The next path, not tried before, to cost by minimum cuts; None where none is found."""
        a = self._arrays
        if self._best_weight is None:
            return None
        for drawn in range(DRAWS):
            weight = self._draw(self._sharpest[1]) if drawn else self._best_weight
            path = heaviest_path(self._order, a.succ_ptr, a.succ_idx, weight)
            if path.tobytes() in self._tried:
                continue
            self._tried.add(path.tobytes())
            if len(path) > LONGEST_PATH or (np.diff(a.part[path]) < 0).any():
                continue
            if self._scratch is None:
                self._scratch = cut_scratch(a)
            return PathCuts(a, self.rules, self._scratch, path), weight
        return None

    def _draw(self, around: Floats | None) -> Floats:
        rng, n = self._rng, self._problem.graph.n
        scale = float(self._weight.mean())
        least = scale * 1e-3 + 1e-12
        if self._best_weight is None:
            return self._weight + least
        if around is None or rng.random() < 0.25:
            drawn = self._weight * rng.exponential(1.0, n) + rng.exponential(scale, n) * rng.choice(
                [0.0, 0.1, 3.0]
            )
        else:
            drawn = np.where(rng.random(n) < 0.05, 2 * scale * rng.exponential(1.0, n), around)
        weight: Floats = drawn + least
        return weight

    def _report(self, value: float) -> None:
        problem = self._problem
        # Sums over rectangles are differences of larger sums: rounding must not lift the bound above a plan.
        safe = value * (1 - 1e-10)
        self._search.prove(
            problem.bound(problem.objective, safe, self._method, problem.assumptions, self._search.seconds)
        )
