"""The exact mixed-integer program of MTPP as a planner: plans and bounds until they meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from planner.partition.mtpp_bounds import prove_split
from planner.partition.mtpp_incumbent import descend, first_plans
from planner.partition.mtpp_program import program
from planner.partition.superblock_opening import opening, report
from planner.problem import Problem
from planner.search import Option, Planner, Search, Source
from planner.solving import mip


class MtppMip(Planner):
    """The program over "in this block or before", with the two-superblock bound and a first plan to start from.

    No op of a better plan leaves the blocks that the best plan's objective leaves it, so the rest is fixed.
    """

    name: ClassVar[str] = "mtpp-mip"
    title: ClassVar[str] = "MTPP, MIP"
    summary: ClassVar[str] = "exact mixed-integer program"
    source: ClassVar[Source] = Source("MTPP", "section 3.1, figure 3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option("solver", "scip", "which MIP solver", choices=mip.SOLVERS),
        Option("gap", 0.0, "relative gap at which the solver may stop", low=0.0, high=1.0),
        Option("split", 2.0, "seconds for the two-superblock bound before the program", low=0.0),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """First plans, the two-superblock bound, then the program."""
        begun = opening(problem, search, self.name)
        if begun is None:
            return
        model, bound = begun
        first_plans(model, search)
        if model.count == 0 or search.stopped():
            return
        if model.k > 1:
            bound = prove_split(model, bound, search, self.name, float(search.options["split"]))
        if bound >= search.objective * (1 - 1e-9):
            return
        earliest, latest = model.windows(search.objective, search.check)
        made = program(
            model, (1,) * model.k, earliest, latest, at_least=bound * (1 - 1e-9), check=search.check
        )
        start = None
        if search.best is not None:
            place = np.zeros(model.count, np.int32)
            place[model.unit_of] = search.best
            start = made.start(place)

        def on_solution(values: Mapping[str, float]) -> None:
            search.iteration()
            if search.incumbent(made.superblock_of(values)[model.unit_of]):
                descend(model, search)

        def on_bound(value: float) -> None:
            # The windows keep every plan that is better than the best, so the bound holds up to its objective.
            report(model, search, self.name, min(made.proven(value), search.objective))

        outcome = mip.solve(
            made.problem,
            search,
            solver=str(search.options["solver"]),
            on_solution=on_solution,
            on_bound=on_bound,
            start=start,
            gap=float(search.options["gap"]) or None,
        )
        if outcome.status == "optimal":
            on_bound(outcome.bound)
        elif outcome.status == "infeasible":
            # Nothing within the windows: no plan is better than the best, or there is none at all.
            report(model, search, self.name, search.objective)
