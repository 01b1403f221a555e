"""Lower bounds on the latency of every plan of a problem, from many paths of its graph."""

from __future__ import annotations

import numpy as np

from planner.graph import Floats, Ints
from planner.partition.latency_path import cheapest_runs, heaviest_path, path_positions, run_tables
from planner.partition.latency_state import Arrays
from planner.problem import Problem
from planner.search import Search
from planner.targets import kernels

LONGEST_PATH = 1500
"""Ops on a path whose tables of runs (three of its square) are made; a longer path counts op by op."""
IMPROVES = 1 + 1e-9


class PathBound:
    """The best bound from the paths tried so far (see :mod:`planner.partition.latency_path`).

    The first path is the one that takes longest with every op on its fastest device. Others are heaviest paths under weights
    drawn around those of the best path. ``proven`` is the bound that has been reported.
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
        self._capacity = float(arrays.capacity[accelerators].max(initial=0.0)) + 1e-12 * float(
            arrays.memory.sum()
        )
        contiguous = any(rule.code & (kernels.RULE_CONTIGUOUS | kernels.RULE_SUBGRAPHS) for rule in e.rules)
        slots = len(accelerators)
        self._whole_units = contiguous and len(np.unique(e.owner[accelerators])) == slots
        self._most_runs = slots if contiguous else e.n * min(slots, 1)
        self._order = problem.graph.topological_order
        self._fastest = np.minimum(
            np.where(self._runs_on_accelerator[arrays.unit_of], self._work, np.inf), self._on_cpu
        )
        self._weight: Floats = np.where(np.isfinite(self._fastest), self._fastest, 0.0)
        self._best_weight: Floats | None = None
        self.proven = -1.0

    def _fit_an_accelerator(self, count: int) -> np.ndarray:
        """Whether some accelerator has, for each op of a unit, a slot that may hold it (bool[count])."""
        e, unit_of = self._problem.evaluator, self._arrays.unit_of
        found = np.zeros(count, bool)
        for owner in np.unique(e.owner[e.pays]):
            fits = e.allowed[:, e.pays & (e.owner == owner)].any(axis=1)
            found |= np.bincount(unit_of, weights=~fits, minlength=count) == 0
        return found

    def of_path(self, path: Ints) -> float:
        """A lower bound on the latency from the ops of one path of the graph (int32), in its order."""
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
            weight = self._draw()
            path = heaviest_path(self._order, self._arrays.succ_ptr, self._arrays.succ_idx, weight)
            value = self.of_path(path)
            if value > max(self.proven, 0.0) * IMPROVES or self.proven < 0:
                self.proven = value
                self._best_weight = weight
                self._report(value)
                better = True
        return better

    def _draw(self) -> Floats:
        rng, n = self._search.rng, self._problem.graph.n
        scale = float(self._weight.mean())
        least = scale * 1e-3 + 1e-12
        if self._best_weight is None:
            return self._weight + least
        if rng.random() < 0.25:
            drawn = self._weight * rng.exponential(1.0, n) + rng.exponential(scale, n) * rng.choice(
                [0.0, 0.1, 3.0]
            )
        else:
            drawn = np.where(rng.random(n) < 0.05, 2 * scale * rng.exponential(1.0, n), self._best_weight)
        weight: Floats = drawn + least
        return weight

    def _report(self, value: float) -> None:
        problem = self._problem
        # Sums over rectangles are differences of larger sums: rounding must not lift the bound above a plan.
        safe = value * (1 - 1e-10)
        self._search.prove(
            problem.bound(problem.objective, safe, self._method, problem.assumptions, self._search.seconds)
        )
