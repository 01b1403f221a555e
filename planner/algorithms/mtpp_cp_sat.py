"""MTPP as a constraint program: CP-SAT searches plans and proves bounds in whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from planner.graph import Ints
from planner.partition.mtpp_incumbent import descend
from planner.partition.mtpp_model import StageModel
from planner.partition.mtpp_start import Start, start
from planner.partition.superblock_opening import report
from planner.problem import Problem
from planner.search import Option, Planner, Search, Source
from planner.solving import cp_sat, loading
from planner.solving.scaling import RESOLUTION, Scale, scale_for

FINE = 10**11
"""Resolution of a second program, quickly solved with the bound of the first: what it rounds off is within tolerance."""


class MtppCpSat(Planner):
    """The same decisions as ``mtpp-mip`` as clauses: a tensor is cut in a block that some, not all, of its ops are in."""

    name: ClassVar[str] = "mtpp-cp-sat"
    title: ClassVar[str] = "MTPP, CP-SAT"
    summary: ClassVar[str] = "exact constraint program"
    source: ClassVar[Source] = Source("MTPP", "section 3.1, figure 3")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
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
        over = model.params / model.rate if model.streams else np.zeros(0)
        costs = [model.work, model.time, model.send_time, over]
        scale = scale_for(costs, min(search.objective, float(model.work.sum())), resolution)
        bound = max(begun.bound, search.state.bound or 0.0)
        made = _Constraints(model, scale, *model.windows(search.objective, search.check), bound, search.check)
        if search.best is not None:
            place = np.zeros(model.count, np.int32)
            place[model.unit_of] = search.best
            made.hint(place, search.check)

        def on_solution(value: cp_sat.Value) -> None:
            search.iteration()
            if search.incumbent(made.stage_of(value)[model.unit_of]):
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
        self._model = model
        cp, k = self.cp, model.k
        work, time, send_time = (scale.down(costs) for costs in (model.work, model.time, model.send_time))
        # y[v][b]: unit v is in block b or before it; x[v][b]: it is in block b.
        self._y: list[list[Any]] = []
        x: list[list[Any]] = []
        for v in range(model.count):
            check()
            row = [
                0 if b < earliest[v] else 1 if b >= latest[v] else cp.new_bool_var(f"y{v},{b}")
                for b in range(k)
            ]
            self._y.append(row)
            for b in range(k - 1):
                self._implies(row[b], row[b + 1])
            x.append([self._difference(row[b], row[b - 1] if b else 0) for b in range(k)])
        for u, v in zip(model.src.tolist(), model.dst.tolist(), strict=True):
            check()
            for b in range(k - 1):
                self._implies(self._y[v][b], self._y[u][b])
        # Sums of rounded costs are whole: the objective lies between these.
        most = int(work.sum() + time.sum() + send_time.sum()) + 1
        over: list[Any] = [0] * k
        if model.streams:
            # Held parameters down, budget up: overflow is never overstated.
            held = scale.down(model.params / model.rate)
            budget = int(scale.up(model.budget / model.rate))
            over = [cp.new_int_var(0, int(held.sum()) + abs(budget), f"o{b}") for b in range(k)]
            most += int(held.sum()) + abs(budget)
            stream = held.tolist()
            for b in range(k):
                check()
                cp.add(cp_model.LinearExpr.weighted_sum([row[b] for row in x], stream) <= over[b] + budget)
        # A plan's costs are rounded down one by one, so its sum may be that much below its true cost.
        least = int(scale.down(at_least)) - 2 * (1 + model.count) - len(time)
        self._bottleneck = cp.new_int_var(max(0, least), most, "z")
        for b in range(k):
            literals, costs = [row[b] for row in x], work.tolist()
            for t in range(len(time)):
                check()
                for cut, price in self._cuts(t, x, b, int(time[t]), int(send_time[t])):
                    literals.append(cut)
                    costs.append(price)
            cp.add(cp_model.LinearExpr.weighted_sum(literals, costs) + over[b] <= self._bottleneck)
        cp.minimize(self._bottleneck)

    def _cuts(self, t: int, x: list[list[Any]], b: int, time: int, send_time: int) -> list[tuple[Any, int]]:
        """Literals with what block ``b`` pays where they are true: some, not all, of the tensor's ops are in it.

        One where to receive takes as long as to send, else one for each; none where the block never pays.
        """
        model = self._model
        home = x[int(model.producer[t])][b]
        ends = [x[v][b] for v in model.members(t).tolist()]
        constant = [e for e in (home, *ends) if isinstance(e, int)]
        if len(constant) == 1 + len(ends) and len(set(constant)) == 1:
            return []
        enters, leaves = [(end, home) for end in ends], [(home, end) for end in ends]
        if time == send_time:
            both = [pair for pairs in zip(enters, leaves, strict=True) for pair in pairs]
            return [(self._cut(f"c{t},{b}", both), time)]
        return [
            (self._cut(f"{name}{t},{b}", pairs), price)
            for name, pairs, price in (("r", enters, time), ("s", leaves, send_time))
            if price and any(not _never(*pair) for pair in pairs)
        ]

    def _cut(self, name: str, pairs: list[tuple[Any, Any]]) -> Any:
        """A literal that is true where for one of the pairs the first is and the second is not."""
        cut = self.cp.new_bool_var(name)
        for p, q in pairs:
            if not _never(p, q):
                clause = (
                    [cut] + ([] if isinstance(p, int) else [p.Not()]) + ([] if isinstance(q, int) else [q])
                )
                self.cp.add_bool_or(clause)
        return cut

    def _implies(self, p: Any, q: Any) -> None:
        if _never(p, q):
            return
        if isinstance(p, int):
            self.cp.add(q == 1)
        elif isinstance(q, int):
            self.cp.add(p == 0)
        else:
            self.cp.add_implication(p, q)

    def _difference(self, upper: Any, lower: Any) -> Any:
        """A literal for upper - lower, where lower implies upper."""
        if isinstance(lower, int) and lower == 0:
            return upper
        if isinstance(upper, int):
            return 0 if isinstance(lower, int) or upper == 0 else lower.Not()
        literal = self.cp.new_bool_var("")
        self.cp.add(literal == upper - lower)
        return literal

    def hint(self, stage_of: Ints, check: Callable[[], None]) -> None:
        """Start from a stage for each unit."""
        for v, row in enumerate(self._y):
            check()
            for b, y in enumerate(row):
                if not isinstance(y, int):
                    self.cp.add_hint(y, int(stage_of[v] <= b))

    def stage_of(self, value: cp_sat.Value) -> Ints:
        """The stage of each unit in a solution (int32[m])."""
        stage = np.zeros(self._model.count, np.int32)
        for v, row in enumerate(self._y):
            stage[v] = sum(1 - (y if isinstance(y, int) else value(y)) for y in row[:-1])
        return stage


def _never(p: Any, q: Any) -> bool:
    """Whether constants among the literals rule out that p is true and q is not."""
    return (isinstance(p, int) and p == 0) or (isinstance(q, int) and q == 1)
