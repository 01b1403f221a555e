"""latency-ip: single-sample latency by annealing, with bounds from paths and an exact model where it is small enough."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from planner.bound import gap
from planner.errors import PlannerRefusal
from planner.graph import Ints
from planner.partition.infeasible import report_infeasible
from planner.partition.latency_annealer import Annealer
from planner.partition.latency_bound import PathBound
from planner.partition.latency_model import LatencyModel, bound_of
from planner.partition.latency_state import Arrays, build_arrays
from planner.problem import Problem
from planner.search import Option, Planner, Search, Source
from planner.solving import cp_sat
from planner.targets import kernels

PATHS_FIRST = 40
PATHS_BETWEEN = 24
EXACT_PLACES = 300
"""Ops times subgraphs up to which ``solver=auto`` goes on with the exact model."""


class LatencyIp(Planner):
    """Annealing runs, each from a start or from the best plan so far; between them more paths for the lower bound.

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

    def search(self, problem: Problem, search: Search) -> None:
        """Incumbents and bounds stream out; ends when the gap is closed, all is done, or the search stops."""
        if report_infeasible(problem, search, self.name):
            return
        arrays = build_arrays(problem)
        contiguous = any(rule.code == kernels.RULE_SUBGRAPHS for rule in problem.evaluator.rules)
        if search.options["solver"] == "cp-sat" and not contiguous:
            raise PlannerRefusal(
                "the exact latency model is for contiguous=true; leave solver at auto or none"
            )
        bound = PathBound(problem, arrays, search, self.name)
        annealer = Annealer(problem, arrays, search)
        bound.improve(1)
        for device_of in search.starts:
            search.incumbent(device_of)
        annealer.start()
        bound.improve(PATHS_FIRST)
        runs = int(search.options["runs"])
        for run in range(runs):
            if self._done(search):
                return
            search.progress(run / runs, f"annealing run {run + 1} of {runs}")
            annealer.run(int(search.options["moves"]))
            search.iteration()
            bound.improve(PATHS_BETWEEN)
        solver = search.options["solver"]
        small = contiguous and problem.graph.n * len(arrays.accelerators) <= EXACT_PLACES
        if not self._done(search) and (solver == "cp-sat" or (solver == "auto" and small)):
            self._solve(problem, search, arrays, bound.proven)

    @staticmethod
    def _done(search: Search) -> bool:
        """Whether the search stopped, or the best plan is proven, or that there is none."""
        proven = search.state.bound
        if search.stopped() or proven == math.inf:
            return True
        return search.best is not None and gap(search.objective, proven) == 0.0

    def _solve(self, problem: Problem, search: Search, arrays: Arrays, proven: float) -> None:
        search.progress(None, "solving the exact model")
        model = LatencyModel(problem, arrays, search.objective, proven)
        if search.best is not None:
            model.hint(search.best)

        def on_bound(value: float) -> None:
            found = bound_of(model, value)
            if found >= 0:
                search.prove(
                    problem.bound(problem.objective, found, self.name, problem.assumptions, search.seconds)
                )

        def on_solution(value: cp_sat.Value) -> None:
            found: Ints = model.device_of(value)
            search.incumbent(np.asarray(found, np.int32))

        outcome = cp_sat.solve(model.model, search, on_solution=on_solution, on_bound=on_bound)
        if outcome.status == "infeasible" and search.best is None:
            on_bound(math.inf)
