"""Searching with the max-load program: heuristics first, then a solver that is given what they found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from planner.errors import PlannerRefusal
from planner.evaluation import kernels
from planner.machines.pool.least import least
from planner.machines.pool.max_load.model import Program, build, canonical, symmetry_order, values_of
from planner.machines.pool.max_load.multilevel import Multilevel, units_of
from planner.machines.pool.max_load.pigeonhole import pigeonhole
from planner.machines.pool.max_load.prices import price_bounds, work_bounds
from planner.machines.pool.max_load.share import Share
from planner.machines.pool.max_load.solving import (
    COARSE,
    FINE,
    MOST_FINE,
    CpSatModel,
    arrays_of,
    cost_scale,
    read_place,
)
from planner.methods.annealing import STEPS_PER_CALL
from planner.methods.least import prove_least
from planner.methods.mip import cp_sat, mip
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order
from planner.methods.slicing import Slicer
from planner.methods.units import Units, chain, forced_units, mirrors
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.bound import gap
from planner.problem.problem import Problem
from planner.search.search import Search

SOLVERS = ("auto", "cp-sat", "scip", "highs", "cbc", "none")
CALLS = (2, 100)
"""Fewest and most calls of the annealing kernel in a round."""
NEARLY = 0.99
"""With a plan that costs less than this share of the last one, CPUs hold so much less that shares are looked for again."""
TOLERANCE = 1e-6
"""How far a MIP solver's bound may be off, relative to the objective: its feasibility tolerance."""

SOLVER_OPTION = Option(
    "solver",
    "auto",
    "who solves the integer program; auto = cp-sat, cbc runs on HiGHS, none = heuristics only",
    choices=SOLVERS,
)
WORKERS_OPTION = Option("workers", 8, "strategies that CP-SAT runs side by side", low=1, high=64)


def refusal(problem: Problem, name: str) -> str | None:
    """What the program does not express, as a sentence, or None."""
    if not problem.evaluator.plain:
        return f"'{name}' has no model of replication or clusters; switch them off or choose another"
    return None


class MaxLoadSearch:
    """One search; with ``propose`` plans are reported, without only bounds are (plans then serve as cutoffs)."""

    def __init__(self, problem: Problem, search: Search, method: str, *, propose: bool) -> None:
        self._problem = problem
        self._search = search
        self._method = method
        self._propose = propose
        self._contiguous = any(rule.code == kernels.RULE_CONTIGUOUS for rule in problem.evaluator.rules)
        self.best: Ints | None = None
        self.objective = math.inf
        self._share: Share | None = None
        self._shared, self._shared_below = 0.0, math.inf

    def run(self, solver: str, rounds: int, workers: int) -> None:
        """Starts, slicings, ``rounds`` rounds of annealing, then the solver.

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires meanwhile.
        """
        problem, search = self._problem, self._search
        if report_infeasible(problem, search, self._method):
            return
        prove_least(problem, search, "simple", least)
        for given in search.starts:
            self._offer(given)
        self._slice()
        units = units_of(problem, forced_units(problem))
        self._count(units)
        multilevel = Multilevel(problem, units, search.seed, search.check)
        calls = min(max(units.count // 4, CALLS[0]), CALLS[1])
        for i in range(rounds):
            self._adopt()
            if self._proven():
                return
            # Where plans are contiguous there is no random start: every round goes on from the best plan.
            again = self._contiguous or (i % 4 == 3)
            start = self._place(units.unit_of) if again else None
            if start is None and self._contiguous:
                break
            search.progress(i / (rounds + 1), f"annealing round {i + 1} of {rounds}")
            steps = min(STEPS_PER_CALL, 500 * max(units.count, 1))
            for _ in multilevel.round(calls, steps, start, hot=0.02 if again else 0.1):
                if multilevel.objective < self.objective * (1 - 1e-12) and multilevel.best is not None:
                    self._offer(multilevel.best[units.unit_of])
                search.check()
            search.iteration()
            if i == 0:
                # Much is proven so in little time, which the other rounds would keep from whoever has little.
                self._share_work(units)
        self._adopt()
        self._count(units)
        self._share_prices(units)
        if solver == "none" or self._proven():
            return
        search.progress(None, "solving the integer program")
        program = build(problem, units, search.check)
        if solver in mip.SOLVERS:
            self._solve_mip(program, solver)
        else:
            self._solve_cp_sat(program, workers)

    # ------------------------------------------------------------------ plans
    def _offer(self, device_of: Ints) -> None:
        """Take a plan if it is valid and better."""
        if self._propose:
            self._search.incumbent(device_of)
            self.best, self.objective = self._search.best, self._search.objective
            return
        e = self._problem.evaluator
        objective = e.objective(e.checked(device_of))
        if objective < self.objective and not e.violations(e.checked(device_of)):
            self.best, self.objective = np.array(device_of, np.int32), objective

    def _adopt(self) -> None:
        """Go on from a better plan that was found elsewhere."""
        if self._propose and self._search.adopt() is not None:
            self.best, self.objective = self._search.best, self._search.objective

    def _place(self, unit_of: Ints) -> Ints | None:
        """The best plan as a device per unit (int32[m]), or None."""
        if self.best is None:
            return None
        place = np.zeros(int(unit_of.max(initial=-1)) + 1, np.int32)
        place[unit_of] = self.best
        return place

    def _slice(self) -> None:
        """Contiguous plans from one order each, as DPL makes them; good where transfers are large."""
        for mirror in mirrors(self._problem):
            units = chain(self._problem, mirror)
            try:
                slicer = Slicer(units)
            except PlannerRefusal:
                return  # more pinned devices than slicing can tell apart: other starts will do
            order = depth_first_order(*units.succs)
            self._offer(slicer.even(order)[units.unit_of])
            for device_of in slicer.slicings(order, self._search, self.objective):
                self._offer(device_of[units.unit_of])

    def _proven(self) -> bool:
        return self.best is not None and gap(self.objective, self._search.state.bound) == 0.0

    def _count(self, units: Units) -> None:
        self._prove(pigeonhole(units, self.objective), capped=False)

    def _share_work(self, units: Units) -> None:
        """Bounds by the cheapest sets with an equal share of the work."""
        if self._contiguous:
            return
        self._search.progress(None, "the cheapest share of a device")
        self._share, self._shared = Share(units), 0.0
        self._shared_below = self.objective
        for value in work_bounds(self._share, self.objective):
            self._search.check()
            self._shared = max(self._shared, value)
            self._prove(value, capped=False)

    def _share_prices(self, units: Units) -> None:
        """Bounds by the cheapest sets with an equal share of other prices; of the work once more where the plan has become better by far."""
        if self._contiguous:
            return
        if self._share is None or self.objective < NEARLY * self._shared_below:
            self._share_work(units)
        assert self._share is not None
        self._search.progress(None, "the cheapest share of a device, by prices")
        for value in price_bounds(self._share, self.objective, self._shared):
            self._search.check()
            self._prove(value, capped=False)

    # ------------------------------------------------------------------ solvers
    def _prove(self, value: float, *, capped: bool) -> None:
        """Report a bound that used every rule and constraint in force, the memory cap only where ``capped``."""
        # A plan in hand is its own proof that no bound is above it, whatever a solver's rounding says.
        value = min(value, self.objective) if self.best is not None else value
        if value > 0.0:
            problem = self._problem
            used = frozenset(t for t in problem.assumptions if capped or not t.startswith("rule:memory"))
            self._search.prove(
                problem.bound(problem.objective, value, self._method, used, self._search.seconds)
            )

    def _start(self, program: Program) -> np.ndarray | None:
        """The best plan as values of the program's columns, or None."""
        units = program.units
        place = self._place(units.unit_of)
        if place is None:
            return None
        order = None if self._contiguous else symmetry_order(units)
        return values_of(program, self._problem, canonical(self._problem, units, place, order))

    def _solve_cp_sat(self, program: Program, workers: int) -> None:
        for resolution in (COARSE, FINE):
            exact = self._solve_over_integers(program, workers, resolution)
            if exact or self._proven() or program.count > MOST_FINE:
                return

    def _solve_over_integers(self, program: Program, workers: int, resolution: int) -> bool:
        """Solve over whole costs; returns whether finer ones would not say more, or the search was cut short."""
        around = self.objective if self.best is not None else self._search.state.bound or 0.0
        scale = cost_scale(program, around, resolution)
        model = CpSatModel(program, scale, self.objective, self._search.check)
        capped = program.capped
        start = self._start(program)
        if start is not None:
            model.hint(start)
        outcome = cp_sat.solve(
            model.model,
            self._search,
            on_solution=lambda value: self._offer(model.place_of(value)[program.units.unit_of]),
            on_bound=lambda value: self._prove(scale.bound(value), capped=capped),
            workers=workers,
        )
        if outcome.status == "infeasible" and self.best is None:
            self._prove(math.inf, capped=capped)
        if outcome.status != "optimal":
            return True
        self._search.complete()
        return scale.exact

    def _solve_mip(self, program: Program, solver: str) -> None:
        model = arrays_of(program, self._search.check)
        names = model.names
        capped = program.capped
        start = self._start(program)
        column = {name: i for i, name in enumerate(names)}

        def found(values: dict[str, float]) -> None:
            by_column = {column[name]: x for name, x in values.items() if name in column}
            place = read_place(program, _getter(by_column))
            self._offer(place[program.units.unit_of])

        outcome = mip.solve(
            model,
            self._search,
            solver=solver,
            on_solution=found,
            on_bound=lambda value: self._prove(value * (1 - TOLERANCE), capped=capped),
            start=None if start is None else dict(zip(names, start.tolist(), strict=True)),
        )
        if outcome.status == "infeasible" and self.best is None:
            self._prove(math.inf, capped=capped)
        elif outcome.status == "optimal":
            # The solver's own claim, not above what its best plan costs in floating point.
            self._prove(outcome.bound, capped=capped)
            self._search.complete()


def _getter(values: dict[int, float]) -> Callable[[Any], float]:
    return lambda column: values.get(column, 0.0)
