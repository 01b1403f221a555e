"""latency-ip: single-sample latency by annealing, with bounds from paths and an exact model where it is small enough."""

from __future__ import annotations

import math
import time
from typing import ClassVar

from planner.errors import PlannerRefusal
from planner.machines.pool.latency.annealer import Annealer
from planner.machines.pool.latency.bound import PathBound
from planner.machines.pool.latency.slots import slotted_annealer
from planner.machines.pool.latency.solving import is_contiguous, is_small, solve_exactly, unequal_cpus
from planner.machines.pool.latency.state import build_arrays, one_slot_each
from planner.methods.obvious_infeasibility import report_infeasible
from planner.options import Option
from planner.problem.bound import gap
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search

PATHS_FIRST = 40
PATHS_BETWEEN = 24
SECONDS_AT_ONCE = 0.05


class LatencyIp(Planner):
    """Annealing runs, each from a start or from the best plan so far; between them more paths for the lower bound.

    Before them contiguous splits are put together region by region (:mod:`planner.machines.pool.latency.regions.bound`), where the graph falls into such, with a
    bound for all of them.

    What is left of the gap is closed by the paper's integer program as a CP-SAT model, if the problem is small or the solver is
    asked for.
    """

    name: ClassVar[str] = "latency-ip"
    title: ClassVar[str] = "Latency IP"
    summary: ClassVar[str] = "least single-sample latency: annealing, path bounds, then an exact model"
    source: ClassVar[Source] = Source("device placement", "section 4 (figures 3 and 4)")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"latency"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option("runs", 24, "annealing runs before the exact model", low=0, high=100_000),
        Option("moves", 0, "moves of one run; 0 = by the size of the graph", low=0, high=10**9),
        Option(
            "solver",
            "auto",
            "exact model after the runs: auto = if the problem is small",
            choices=("auto", "cp-sat", "none"),
        ),
    )

    def refusal(self, problem: Problem) -> str | None:
        """Serves CPUs that are alike: for one sample all of them are one machine."""
        return super().refusal(problem) or unequal_cpus(problem, self.name)

    def search(self, problem: Problem, search: Search) -> None:
        """Incumbents and bounds stream out; ends when the gap is closed, all is done, or the search stops."""
        if report_infeasible(problem, search, self.name):
            return
        arrays = build_arrays(problem)
        contiguous = is_contiguous(problem)
        if search.options["solver"] == "cp-sat" and not contiguous:
            raise PlannerRefusal(
                "the exact latency model is for contiguous=true; leave solver at auto or none"
            )
        bound = PathBound(problem, arrays, search, self.name)
        annealers = [Annealer(problem, arrays, search)]
        single = one_slot_each(problem, arrays)
        if single is not None:
            # A plan with fewer subgraphs is a plan too, and easier to find: each run is preceded by one for these.
            annealers.insert(0, Annealer(problem, single, search))
        slotted = slotted_annealer(problem, search)
        if slotted is not None:
            annealers.append(slotted)
        bound.improve(1)
        for device_of in search.starts:
            search.incumbent(device_of)
        for annealer in annealers:
            annealer.start()
        bound.improve(PATHS_FIRST)
        bound.sharpen(0.0)
        while bound.regions.advance(SECONDS_AT_ONCE):
            search.progress(None, "regions between articulation ops")
        if bound.regions.plan is not None:
            search.incumbent(bound.regions.plan)
        runs = int(search.options["runs"])
        for run in range(runs):
            if self._done(search):
                return
            search.adopt()
            search.progress(run / runs, f"annealing run {run + 1} of {runs}")
            began = time.perf_counter()
            for annealer in annealers:
                annealer.run(int(search.options["moves"]))
            search.iteration()
            bound.improve(PATHS_BETWEEN)
            if not self._done(search):
                bound.sharpen(time.perf_counter() - began)
        solver = search.options["solver"]
        small = contiguous and is_small(problem, arrays)
        if not self._done(search) and (solver == "cp-sat" or (solver == "auto" and small)):
            search.adopt()
            search.progress(None, "solving the exact model")
            solve_exactly(problem, search, arrays, self.name, bound.strongest, search.best, propose=True)

    @staticmethod
    def _done(search: Search) -> bool:
        """Whether the search stopped, or the best plan is proven, or that there is none."""
        proven = search.state.bound
        if search.stopped() or proven == math.inf:
            return True
        return search.best is not None and gap(search.objective, proven) == 0.0
