"""One program of a multi-chip module after the other under a search: plans and bounds reported, overfull chips remembered."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.machines.mcm.exact.model import McmModel
from planner.machines.mcm.exact.program import McmProgram, Part
from planner.methods.mip import cp_sat
from planner.methods.mip.outcome import Status
from planner.methods.mip.scaling import scale_for
from planner.model.graph import Ints
from planner.search.search import Search

RESOLUTION = 10**9
"""Integer units in the objective."""
QUICK: dict[str, float] = {"cp_model_probing_level": 0, "symmetry_level": 0}
"""A plan is found in half the time without looking for structure first."""


@dataclass(frozen=True, eq=False)
class Ended:
    """How a program ended.

    ``exact``: its costs are the true ones; ``rejected``: one of its plans overfilled a chip; ``place``: the chip of each
    unit (int32[m]) in the last of its plans that did not, or None.
    """

    status: Status
    exact: bool
    rejected: bool
    place: Ints | None


class McmSolving:
    """Solves programs of ``model`` for ``search``; bounds carry the name ``method``."""

    def __init__(self, model: McmModel, search: Search, method: str, workers: int) -> None:
        self.model = model
        self._search = search
        self._method = method
        self._workers = workers
        self._assumes = frozenset(
            t for t in model.problem.assumptions if t != "rule:memory" or model.memory is not None
        )
        self._forbidden: list[np.ndarray] = []
        self._seen: set[bytes] = set()

    def prove(self, value: float) -> None:
        """Report a bound that all rules and constraints of the problem went into."""
        problem = self.model.problem
        self._search.prove(
            problem.bound(problem.objective, value, self._method, self._assumes, self._search.seconds)
        )

    def solve(
        self, most: float, part: Part | None = None, *, resolution: int = RESOLUTION, effort: float = math.inf
    ) -> Ended:
        """Solve the program of the plans that cost at most ``most``, or a ``part`` of it, whose bounds say nothing.

        ``effort`` is the most that the solver may spend, in its own deterministic seconds.
        """
        search, model = self._search, self.model
        stages = model.stages
        earliest, latest = stages.windows(most, search.check)
        if part is not None and part.around is not None:
            lowest, highest = part.chips.start, part.chips.stop - 1
            inside = (part.around >= lowest) & (part.around <= highest)
            earliest = np.where(inside, np.maximum(stages.earliest, lowest), part.around)
            latest = np.where(inside, np.minimum(stages.latest, highest), part.around)
        if (earliest > latest).any():
            return Ended("infeasible", True, False, None)
        costs = [stages.work, stages.time, stages.send_time, model.hops]
        total = float(sum(c.sum() for c in costs))
        scale = scale_for(costs, min(most, total), resolution)
        program = McmProgram(
            model,
            scale,
            (earliest, latest),
            at_least=search.state.bound or 0.0 if part is None else 0.0,
            at_most=most,
            part=part,
            forbidden=self._forbidden,
            check=search.check,
        )
        if part is not None and part.around is not None:
            program.literals.hint(part.around, search.check)
        elif search.best is not None:
            program.literals.hint(model.place(search.best), search.check)
        rejected = False
        last: Ints | None = None

        def on_solution(value: cp_sat.Value) -> None:
            nonlocal rejected, last
            search.iteration()
            place = program.literals.stage_of(value)
            search.incumbent(place[stages.unit_of])
            if self._forbid(place):
                rejected = True
            else:
                last = place

        def on_bound(value: float) -> None:
            # Plans that cost more than the limit are not in the program.
            if part is None:
                self.prove(min(scale.bound(value), most, search.objective))

        outcome = cp_sat.solve(
            program.cp,
            search,
            on_solution=on_solution,
            on_bound=on_bound,
            workers=self._workers,
            parameters={} if part is None else {**QUICK, "max_deterministic_time": effort},
        )
        return Ended(outcome.status, scale.exact, rejected, last)

    def _forbid(self, place: Ints) -> bool:
        """Remember the sets of units that overfill a chip in this plan (int32[m]); returns whether there are any."""
        if self.model.memory is None:
            return False
        violations = self.model.problem.evaluator.violations(place[self.model.stages.unit_of])
        overfull = [v.devices[0] for v in violations if v.kind == "memory"]
        for chip in overfull:
            units = place == chip
            if units.tobytes() not in self._seen:
                self._seen.add(units.tobytes())
                self._forbidden.append(units)
        return bool(overfull)
