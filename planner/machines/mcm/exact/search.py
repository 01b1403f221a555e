"""Exact search on a multi-chip module: relaxations, plans close to their bound, better plans part by part, the whole program."""

from __future__ import annotations

import math

from planner.machines.mcm.exact.least import least
from planner.machines.mcm.exact.model import McmModel, mcm_model
from planner.machines.mcm.exact.program import Part
from planner.machines.mcm.exact.relaxation import prove_chord, prove_pool
from planner.machines.mcm.exact.solving import RESOLUTION, McmSolving
from planner.machines.mcm.solver.solver import McmSolver
from planner.methods.least import prove_least
from planner.methods.obvious_infeasibility import report_infeasible
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.bound import gap
from planner.problem.problem import Problem
from planner.search.search import Search

RELAX_OPTION = Option("relax", 60.0, "most seconds for each relaxation that ideals solve", low=0.0)
WORKERS_OPTION = Option("workers", 1, "threads of the solver", low=1, high=64)

FINE = 10**11
"""Integer units in the objective for a gap that rounding left."""
SLACKS = (0.0, 0.03)
"""How much dearer than the bound the plans of a trial may be: close to it, windows are narrow and the program is small."""
FREE_SLACKS = (0.1, math.inf)
STARTS = 20
"""Random valid plans to start from."""
TRIAL_EFFORT = 20.0
"""Of the solver, in its own deterministic seconds, for each trial."""
PART_EFFORT = 2.0
MOST_CHIPS_AT_ONCE = 12


def trial_words(slack: float) -> str:
    """What progress says of looking for a plan whose objective is at most a share above the bound."""
    if not slack:
        return "looking for a plan that meets the bound"
    return f"looking for a plan at most {100 * slack:g} % above the bound"


class McmSearch:
    """One exact search; plans and bounds go to ``search``, bounds with the name ``method``."""

    def __init__(self, problem: Problem, search: Search, method: str, *, relax: float, workers: int) -> None:
        self._problem = problem
        self._search = search
        self._method = method
        self._relax = relax
        self._workers = workers

    def run(self) -> None:
        """Until the optimum or infeasibility is proven. Raises :class:`planner.search.search.Stopped` when a stop criterion fires."""
        problem, search = self._problem, self._search
        if report_infeasible(problem, search, self._method):
            return
        prove_least(problem, search, "simple", least)
        self._model: McmModel = mcm_model(problem, search.check)
        self._solving = McmSolving(self._model, search, self._method, self._workers)
        if not self._model.stages.possible:
            self._solving.prove(math.inf)
            return
        self._solver = McmSolver(problem, search.stopped)
        if not self._solver.feasible:
            self._solving.prove(math.inf)
            return
        for start in (*search.starts, *self._simplest()):
            search.incumbent(start)
        for seed in range(search.seed, search.seed + STARTS):
            search.check()
            sample = self._solver.sample(None, seed)
            if sample is not None:
                search.incumbent(sample)
        self._relaxations()
        if not self._model.single_sample:
            self._close_to_the_bound()
            self._part_by_part()
        self._whole()

    def _relaxations(self) -> None:
        """What ideals prove: of ops that are on two chips only, and of everything on a pool."""
        search, model = self._search, self._model
        widest = model.widest
        if not self._relax or model.single_sample:
            return
        # The simple bound says as much, unless it left that out.
        if widest is not None and model.least >= (search.state.bound or 0.0) * (1 - 1e-9):
            self._solving.prove(model.least)
            search.progress(None, "the relaxation of ops that are on two chips")
            prove_chord(model, widest, search, self._method, self._relax)
        if not self._proven():
            search.progress(None, "the relaxation without the rules of a module")
            prove_pool(self._problem, search, self._method, self._relax, self._offer)

    def _simplest(self) -> list[Ints]:
        """Everything as early and as late as pins leave it: valid where few rules hold."""
        stages = self._model.stages
        return [stages.earliest[stages.unit_of], stages.latest[stages.unit_of]]

    def _offer(self, device_of: Ints) -> None:
        """Take a plan, or the valid one that the constraint solver makes of it."""
        if not self._search.incumbent(device_of):
            fixed = self._solver.fix(device_of, self._search.seed, nearest=True)
            if fixed is not None:
                self._search.incumbent(fixed)

    def _proven(self) -> bool:
        search = self._search
        return search.best is not None and gap(search.objective, search.state.bound) == 0.0

    def _close_to_the_bound(self) -> None:
        """Plans that cost little more than the bound, under a rule that implies the triangle rule and is easier to keep.

        Where there are none, any plan under this rule, its transfers not counted at first.
        """
        search = self._search
        chips = range(self._model.stages.k)
        bound = search.state.bound or 0.0
        # Where some ops are on two chips, a plan as good as that leads a long way past others.
        span = "triangle" in self._model.rules and bound > self._model.least * 1.01
        for slack in SLACKS:
            search.adopt()
            most = bound * (1 + slack)
            if most >= search.objective * (1 - 1e-6) or self._proven():
                return
            search.progress(None, trial_words(slack))
            self._solving.solve(most, Part(chips, span=span), effort=TRIAL_EFFORT)
        for slack in FREE_SLACKS:
            if search.best is not None:
                return
            search.progress(None, "any plan, transfers not counted")
            most = bound * (1 + slack) if bound else math.inf
            self._solving.solve(most, Part(chips, span=span, free=True), effort=TRIAL_EFFORT)

    def _part_by_part(self) -> None:
        """Better plans: a few chips around the dearest one at a time, all else in its place; more of them where that fails."""
        search, model = self._search, self._model
        search.adopt()
        if search.best is None:
            return
        k, width = model.stages.k, 2
        place = model.place(search.best)
        while width <= min(k - 1, MOST_CHIPS_AT_ONCE) and not self._proven():
            adopted = search.adopt()
            if adopted is not None:
                place, width = model.place(adopted), 2
            cost = self._problem.evaluate(place[model.stages.unit_of]).cost
            worst = int(cost.argmax())
            search.progress(None, f"{width} chips around chip {worst} at a time")
            better = self._nearby(place, worst, width, float(cost[worst]))
            width = width + 1 if better is None else 2
            place = place if better is None else better

    def _nearby(self, place: Ints, worst: int, width: int, most: float) -> Ints | None:
        """A plan where ``width`` chips, ``worst`` among them, cost less than ``most`` and the others are as in ``place``."""
        k, unit_of = self._model.stages.k, self._model.stages.unit_of
        for first in range(max(0, worst - width + 1), min(worst, k - width) + 1):
            chips = range(first, first + width)
            ended = self._solving.solve(most * (1 - 1e-6), Part(chips, around=place), effort=PART_EFFORT)
            self._search.check()
            # In whole numbers costs are rounded down, so that is looked at again.
            if ended.place is not None:
                cost = self._problem.evaluate(ended.place[unit_of]).cost[first : chips.stop]
                if cost.max() < most * (1 - 1e-9):
                    return ended.place
        return None

    def _whole(self) -> None:
        """The program with all rules, again where plans overfilled a chip and were forbidden."""
        search = self._search
        resolution = RESOLUTION
        while not self._proven():
            search.adopt()
            search.progress(None, "the program with all rules")
            ended = self._solving.solve(search.objective, resolution=resolution)
            search.check()
            if ended.status == "infeasible":
                # No plan is better than the best, or there is none at all.
                self._solving.prove(search.objective)
                return
            if ended.rejected:
                continue
            if ended.exact or resolution == FINE:
                return
            # Costs that are rounded down leave a gap, however well the program is solved.
            resolution = FINE
