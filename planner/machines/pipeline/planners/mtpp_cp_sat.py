"""MTPP as a constraint program: CP-SAT searches plans and proves bounds in whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from planner.machines.pipeline.exact.incumbent import descend
from planner.machines.pipeline.exact.model import StageModel
from planner.machines.pipeline.exact.stage_literals import Literal, StageLiterals
from planner.machines.pipeline.exact.start import Start, start
from planner.machines.pipeline.superblocks.opening import report
from planner.methods.mip import cp_sat, loading
from planner.methods.mip.scaling import RESOLUTION, Scale, scale_for
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search

FINE = 10**11
"""Resolution of a second program, quickly solved with the bound of the first: what it rounds off is within tolerance."""


class MtppCpSat(Planner):
    """The same decisions as ``mtpp-mip`` as clauses: a tensor is cut in a block that some, not all, of its ops are in."""

    name: ClassVar[str] = "mtpp-cp-sat"
    title: ClassVar[str] = "MTPP, CP-SAT"
    summary: ClassVar[str] = "exact constraint program"
    source: ClassVar[Source] = Source("MTPP", "section 3.1, figure 3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    most_unasked: ClassVar[float] = 2_500
    options: ClassVar[tuple[Option, ...]] = (
        Option("gap", 0.0, "relative gap at which the solver may stop", low=0.0, high=1.0),
        Option("workers", 1, "threads of the solver", low=1, high=64),
        Option("split", 2.0, "seconds for the two-superblock bound before the solver", low=0.0),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """First plans, the two-superblock bound, then the constraint program."""
        begun = start(problem, search, self.name)
        if begun is None:
            return
        for resolution in (RESOLUTION, FINE):
            scale, status = self._solve(begun, search, resolution)
            left = search.state.gap
            # Costs that are rounded down coarsely leave a gap, however well the program is solved.
            if status != "optimal" or scale.exact or (left or 0.0) <= float(search.options["gap"]):
                return

    def _solve(self, begun: Start, search: Search, resolution: int) -> tuple[Scale, str]:
        """Solve the program in whole numbers that resolve the objective so; returns their scale and how it ended."""
        model = begun.model
        search.adopt()
        costs = [model.stage_work.reshape(-1), model.time, model.send_time]
        if model.some_stream:
            # What fits is taken off what is held, so it has to be whole, too, unless all of it fits anyway.
            fits = np.minimum(np.abs(model.budgets), float(model.params.sum()))
            costs += [model.params / model.rate, fits / model.rate]
        scale = scale_for(costs, min(search.objective, float(model.stage_work.sum(axis=1).max())), resolution)
        bound = max(begun.bound, search.state.bound or 0.0)
        made = _Constraints(model, scale, *model.windows(search.objective, search.check), bound, search.check)
        if search.best is not None:
            place = np.zeros(model.count, np.int32)
            place[model.unit_of] = search.best
            made.literals.hint(place, search.check)

        def on_solution(value: cp_sat.Value) -> None:
            search.iteration()
            if search.incumbent(made.literals.stage_of(value)[model.unit_of]):
                descend(model, search)

        def on_bound(value: float) -> None:
            # The windows keep every plan that is better than the best, so the bound holds up to its objective.
            report(model, search, self.name, min(scale.bound(value), search.objective))

        outcome = cp_sat.solve(
            made.cp,
            search,
            on_solution=on_solution,
            on_bound=on_bound,
            gap=float(search.options["gap"]) or None,
            workers=int(search.options["workers"]),
        )
        if outcome.status == "infeasible":
            # Nothing within the windows: no plan is better than the best, or there is none at all.
            report(model, search, self.name, search.objective)
        return scale, outcome.status


class _Constraints:
    """The model in CP-SAT: all costs rounded down, so that its optimum is not above the true one."""

    def __init__(
        self,
        model: StageModel,
        scale: Scale,
        earliest: Ints,
        latest: Ints,
        at_least: float,
        check: Callable[[], None],
    ) -> None:
        cp_model: Any = loading.load_cp_model(check)
        self.cp = cp_model.CpModel()
        cp, k = self.cp, model.k
        work, time, send_time = (
            scale.down(costs) for costs in (model.stage_work, model.time, model.send_time)
        )
        self.literals = StageLiterals(cp, model, earliest, latest, check)
        at = self.literals.at
        # Sums of rounded costs are whole: the objective lies between these.
        most = int(work.sum(axis=1).max() + time.sum() + send_time.sum()) + 1
        over: list[Any] = [0] * k
        if model.some_stream:
            # Held parameters down, budget up: overflow is never overstated.
            held = scale.down(model.params / model.rate)
            # A budget that is never reached may be infinite.
            fits = np.clip(model.budgets, -np.inf, float(model.params.sum()))
            budget = [int(scale.up(size / model.rate)) for size in fits.tolist()]
            large = max(map(abs, budget))
            over = [cp.new_int_var(0, int(held.sum()) + large, f"o{b}") for b in range(k)]
            most += int(held.sum()) + large
            stream = held.tolist()
            for b in range(k):
                check()
                cp.add(
                    cp_model.LinearExpr.weighted_sum([row[b] for row in at], stream) <= over[b] + budget[b]
                )
        # A plan's costs are rounded down one by one, so its sum may be that much below its true cost.
        least = int(scale.down(at_least)) - 2 * (1 + model.count) - len(time)
        self._bottleneck = cp.new_int_var(max(0, least), most, "z")
        total = cp_model.LinearExpr.weighted_sum
        for b in range(k):
            crossing = []
            for t in range(len(time)):
                check()
                crossing.append(self.literals.cuts(t, b, int(time[t]), int(send_time[t]), not model.summed))
            busy = total([row[b] for row in at], work[b].tolist()) + over[b]
            if model.summed:
                cuts = [cut for found in crossing for cut in found]
                cp.add(total(*_columns(cuts)) + busy <= self._bottleneck)
                continue
            cp.add(busy <= self._bottleneck)
            receive, send = (total(*_columns([found[way] for found in crossing])) for way in (0, 1))
            for transfers in [receive, send] if model.duplex else [receive + send]:
                cp.add(transfers <= self._bottleneck)
        cp.minimize(self._bottleneck)


def _columns(cuts: Iterable[tuple[Literal, int]]) -> tuple[list[Literal], list[int]]:
    """Literals and their prices apart."""
    pairs = list(cuts)
    return [literal for literal, _ in pairs], [price for _, price in pairs]
