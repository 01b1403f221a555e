"""The dual bound of the integer programs for throughput and for latency."""

from __future__ import annotations

import math
from typing import ClassVar

from planner.machines.pool.latency.annealer import Annealer
from planner.machines.pool.latency.bound import PathBound
from planner.machines.pool.latency.solving import is_contiguous, solve_exactly, unequal_cpus
from planner.machines.pool.latency.state import build_arrays
from planner.machines.pool.max_load.search import SOLVER_OPTION, WORKERS_OPTION, MaxLoadSearch, refusal
from planner.methods.mip.mip import solver_of
from planner.methods.obvious_infeasibility import report_infeasible
from planner.options import Option
from planner.problem.bound import gap
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel

PATHS = 100
CUTS = 8
RUNS = 4
SECONDS_AT_ONCE = 0.05


class Ip(BoundMethod):
    """What a solver proves about the integer program of :mod:`planner.machines.pool.max_load.model`.

    Contiguous splits are modelled exactly, with order variables. A plan that the heuristic finds serves as a cutoff.
    For ``latency`` the program is that of :mod:`planner.machines.pool.latency.model`, contiguous splits only, always for CP-SAT; bounds
    from paths come first, and the best plan of some annealing starts it.
    """

    name: ClassVar[str] = "ip"
    title: ClassVar[str] = "Integer program"
    summary: ClassVar[str] = "dual bound of the exact integer program, contiguous or not"
    source: ClassVar[Source] = Source("device placement", "sections 4, 5.1.3, 5.2 and 5.3 (figures 3, 4, 6)")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe", "latency"})
    options: ClassVar[tuple[Option, ...]] = (SOLVER_OPTION, WORKERS_OPTION)

    def refusal(self, problem: Problem) -> str | None:
        """Replication and clusters are not in the program; for latency, neither are splits in any shape."""
        reason = super().refusal(problem)
        if reason is not None or problem.objective != "latency":
            return reason or refusal(problem, self.name)
        if is_contiguous(problem):
            return unequal_cpus(problem, self.name)
        return f"'{self.name}' bounds the latency of contiguous splits; choose critical-path, or set contiguous=true"

    def prove(self, problem: Problem, search: Search) -> None:
        """Bounds as the solver proves them."""
        if problem.objective == "latency":
            self._prove_latency(problem, search)
            return
        MaxLoadSearch(problem, search, self.name, propose=False).run(
            solver_of(search), 2, int(search.options["workers"])
        )

    def _prove_latency(self, problem: Problem, search: Search) -> None:
        """Paths costed by sums, then by minimum cuts, then regions, then the exact model from the best plan of a few annealing runs."""
        if report_infeasible(problem, search, self.name):
            return
        arrays = build_arrays(problem)
        bound = PathBound(problem, arrays, search, self.name)
        bound.improve(PATHS)
        while not search.stopped() and bound.sharpen(SECONDS_AT_ONCE, CUTS):
            search.progress(None, f"{bound.sharpened} paths with minimum cuts")
        while bound.regions.advance(SECONDS_AT_ONCE):
            search.progress(None, "regions between articulation ops")
        if search.stopped() or bound.strongest == math.inf:
            return
        # Plans are not this method's to report: a search of its own, that ends when this one does, keeps them.
        own = Search(problem, Cancel(search.stopped), Callbacks(), search.seed, {})
        annealer = Annealer(problem, arrays, own)
        annealer.start()
        for _ in range(RUNS):
            if search.stopped() or (own.best is not None and gap(own.objective, bound.strongest) == 0.0):
                return
            annealer.run(0)
        if not search.stopped():
            search.progress(None, "solving the exact model")
            solve_exactly(problem, search, arrays, self.name, bound.strongest, own.best, propose=False)
