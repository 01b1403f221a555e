"""The exact mixed-integer program of MTPP as a planner: plans and bounds until they meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from planner.machines.pipeline.bounds.exact import Exact
from planner.machines.pipeline.exact.incumbent import descend
from planner.machines.pipeline.exact.program import program
from planner.machines.pipeline.exact.start import start
from planner.machines.pipeline.superblocks.opening import report
from planner.methods.mip import mip
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class MtppMip(Planner):
    """The program over "in this block or before", with the two-superblock bound and a first plan to start from.

    No op of a better plan leaves the blocks that the best plan's objective leaves it, so the rest is fixed.
    """

    name: ClassVar[str] = "mtpp-mip"
    title: ClassVar[str] = "MTPP, MIP"
    summary: ClassVar[str] = "exact mixed-integer program"
    source: ClassVar[Source] = Source("MTPP", "section 3.1, figure 3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    proves_as: ClassVar[str] = Exact.name
    options: ClassVar[tuple[Option, ...]] = (
        Option("solver", "scip", "which MIP solver; cbc runs on HiGHS", choices=mip.CHOICES),
        Option("gap", 0.0, "relative gap at which the solver may stop", low=0.0, high=1.0),
        Option("split", 2.0, "seconds for the two-superblock bound before the program", low=0.0),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """First plans, the two-superblock bound, then the program."""
        solver = mip.solver_of(search)
        begun = start(problem, search, self.proof_name)
        if begun is None:
            return
        model, bound = begun.model, begun.bound
        earliest, latest = model.windows(search.objective, search.check)
        made = program(
            model,
            (1,) * model.k,
            earliest,
            latest,
            at_least=bound * (1 - 1e-9),
            stages=True,
            check=search.check,
        )

        def on_solution(values: Mapping[str, float]) -> None:
            search.iteration()
            if search.incumbent(made.superblock_of(values)[model.unit_of]):
                descend(model, search)

        def on_bound(value: float) -> None:
            # The windows keep every plan that is better than the best, so the bound holds up to its objective.
            report(model, search, self.proof_name, min(made.proven(value), search.objective))

        outcome = mip.solve(
            made.problem,
            search,
            solver=solver,
            on_solution=on_solution,
            on_bound=on_bound,
            start=None if begun.place is None else made.start(begun.place),
            gap=float(search.options["gap"]) or None,
        )
        if outcome.status == "optimal":
            on_bound(outcome.bound)
        elif outcome.status == "infeasible":
            # Nothing within the windows: no plan is better than the best, or there is none at all.
            report(model, search, self.proof_name, search.objective)
        if outcome.status == "optimal" and search.options["gap"] == 0.0:
            search.complete()
