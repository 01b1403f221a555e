"""Planning as people ask for it, from the command line and from Python: search, say why there is no plan, prove beside the plan."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from planner.errors import PlannerRefusal
from planner.machines.catalogue import DEFAULT, planners_for
from planner.machines.evident import conflict_at_once
from planner.model.graph import Ints
from planner.options import parse_options
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.search.method import Planner
from planner.search.result import Result
from planner.search.run import run, status_of
from planner.search.search import Callbacks, Shared
from planner.search.stop import AnyOf, Cancel, GapReached, Progress, Stop, TimeLimit

if TYPE_CHECKING:
    from planner.feasibility import Explanation
    from planner.methods.feasibility.conflicts import Conflict

EXPLAINING = 5.0
"""Seconds that an explanation of why there is no plan, and what would help, may take."""
FINDER = "feasibility"
"""What a plan says it was found by that came of the question whether there is any."""


class Best(Callbacks):
    """Keeps the best plan (int32[n]; an order: int32[W]) and the bounds of a search as they come: what is left when it is cut off."""

    def __init__(self) -> None:
        self.decision: Ints | None = None
        self.iteration: int | None = None
        self.bounds: list[Bound] = []
        self.progress = Progress()

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        """Keep the better decision."""
        self.decision, self.iteration = device_of, progress.iterations
        self.told("", progress)

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        """Keep the bound."""
        self.bounds.append(bound)
        self.told("", progress)

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        """Pass it on."""
        self.told(text, progress, fraction)

    def impossible(self, conflict: Conflict) -> None:
        """Seen at one look, before anything is searched or compiled: there is no valid plan."""

    def told(self, text: str, progress: Progress, fraction: float | None = None) -> None:
        """Whatever happens ends here; subclasses show it."""
        self.progress = progress


@dataclass(frozen=True)
class Wanted:
    """How a search is to run: options by name, seed, when to stop (None: when it is done, or has taken what a search takes unasked),
    and for how many seconds of processor time bounds are proven beside its plan."""

    options: Mapping[str, Any]
    seed: int = 0
    time_limit: float | None = None
    gap: float | None = None
    prove: float = 0.0


@dataclass(frozen=True)
class Planned:
    """What came of it: the result with what is proven beside its plan, why there is no plan where somebody knows, and the seconds that
    searching and proving took."""

    result: Result
    explanation: Explanation | None
    seconds: float
    prove_seconds: float

    @property
    def status(self) -> str:
        """``optimal``, ``feasible``, ``infeasible`` or ``no_plan``."""
        found = self.explanation
        return self.result.status if found is None or found.status != "infeasible" else "infeasible"


def plan_problem(
    planner: Planner, problem: PlanningProblem, wanted: Wanted, best: Best, cancelled: Callable[[], bool]
) -> Planned:
    """Search with ``planner`` until it ends, a limit is reached or ``cancelled``; a KeyboardInterrupt ends it with the ``best`` plan by then.

    Raises :class:`PlannerRefusal` where the planner does not serve the problem, with those that do.
    """
    from planner.runs.proving import proven_beside
    from planner.runs.warm_up import warm_planner

    check_serves(planner, problem)
    options = search_options(planner, wanted)
    began = time.perf_counter()
    conflict = conflict_at_once(problem) if isinstance(problem, Problem) else None
    if conflict is not None:
        best.impossible(conflict)
        result = _refuted(planner, problem, wanted, options)
    else:
        warm_planner(planner, problem, options)
        began = time.perf_counter()
        result = _searched(planner, problem, wanted, options, best, cancelled)
    seconds = time.perf_counter() - began
    found = None
    # An order of connections always exists.
    if result.device_of is None and result.stop_reason != "cancelled" and isinstance(problem, Problem):
        proven_by = refuter(result) if result.status == "infeasible" else ""
        found = explained(problem, cancelled, proven_by, wanted.seed)
        result = with_plan(result, found, planner.name == DEFAULT)
    began = time.perf_counter()
    if result.device_of is not None and result.components is not None and not cancelled():
        plan = Shared(result.device_of, tuple(result.components))
        bounds = proven_beside(problem, plan, result.bounds, wanted.prove, Cancel(cancelled), best)
        result = replace(result, bounds=bounds, status=status_of(problem, result.components, bounds))
    return Planned(result, found, seconds, time.perf_counter() - began)


def check_serves(planner: Planner, problem: PlanningProblem) -> None:
    """Raises :class:`PlannerRefusal`, with the planners that do, where the chosen one does not serve the problem."""
    reason = planner.refusal(problem)
    if reason is not None:
        serving = ", ".join(p.name for p in planners_for(problem))
        raise PlannerRefusal(f"{reason}; the planners for this problem are {serving or 'none'}")


def search_options(planner: Planner, wanted: Wanted) -> dict[str, Any]:
    """The options given; where ``auto`` plans, those of the planner that suits the problem may be among them."""
    from planner.machines.several.planners.auto import packed

    options = dict(wanted.options)
    if planner.name != DEFAULT:
        return options
    if wanted.gap is not None or wanted.time_limit is not None:
        options.setdefault("effort", "0")  # who sets a limit wants all of it
    return dict(packed(options))


def stop_when(cancelled: Callable[[], bool], time_limit: float | None, gap: float | None = None) -> Stop:
    """The stop criteria of whoever asks for a plan."""
    criteria: list[Stop] = [Cancel(cancelled)]
    if time_limit is not None:
        criteria.append(TimeLimit(time_limit))
    if gap is not None:
        criteria.append(GapReached(gap))
    return AnyOf(criteria)


def _refuted(
    planner: Planner, problem: PlanningProblem, wanted: Wanted, options: Mapping[str, Any]
) -> Result:
    """The result without a search, where there is evidently no plan."""
    return Result(
        planner=planner.name, problem=problem, device_of=None, objective=None, bounds=(), status="infeasible",
        stop_reason="finished", seconds=0.0, seed=wanted.seed,
        options=parse_options(planner.options, options, planner.name), iterations=0,
    )  # fmt: skip


def _searched(
    planner: Planner, problem: PlanningProblem, wanted: Wanted, options: Mapping[str, Any], best: Best,
    cancelled: Callable[[], bool],
) -> Result:  # fmt: skip
    """Run the planner; a KeyboardInterrupt ends it at once, with the best plan that it had reported."""
    from planner.runs.proving import known_at_once

    bounds = known_at_once(problem)
    stop = stop_when(cancelled, wanted.time_limit, wanted.gap)
    began = time.perf_counter()
    try:
        return run(planner, problem, stop, best, wanted.seed, options, bounds=bounds)
    except KeyboardInterrupt:
        if best.decision is None:
            raise
        known, reached = (*bounds, *best.bounds), best.progress.components
        return Result(
            planner=planner.name, problem=problem, device_of=best.decision, objective=best.progress.objective,
            bounds=known, status=status_of(problem, reached, known),
            stop_reason="cancelled", seconds=time.perf_counter() - began, seed=wanted.seed,
            options=parse_options(planner.options, options, planner.name),
            iterations=best.progress.iterations, components=reached, best_iteration=best.iteration,
            given_bounds=tuple(bounds),
        )  # fmt: skip


# ---------------------------------------------------------------------- no plan
def refuter(result: Result) -> str:
    """Who proved that there is no plan; where nobody did, who searched."""
    proven = (turn.planner for turn in result.tries if turn.status == "infeasible")
    return next(proven, result.planner)


def explained(problem: Problem, stopped: Callable[[], bool], proven_by: str, seed: int = 0) -> Explanation:
    """The explanation of a problem for which no plan was found; ``proven_by`` names who proved that there is none, if any."""
    from planner.feasibility import Explanation, explain

    found = explain(problem, EXPLAINING, stopped, seed)
    if found.status == "unknown" and proven_by:
        sentence = (
            f"'{proven_by}' proved that no plan keeps all rules and constraints; why was not found in time"
        )
        return Explanation("infeasible", sentence)
    return found


def with_plan(result: Result, found: Explanation, wanted: bool) -> Result:
    """``result`` with the plan that the explanation found on its way where one is ``wanted``; as it is without such a plan."""
    if not wanted or found.device_of is None:
        return result
    components = result.problem.evaluator.components(found.device_of)
    status = status_of(result.problem, components, result.bounds)
    return replace(
        result, planner=FINDER, options={}, device_of=found.device_of, objective=components[0],
        components=components, status=status, origin=None, history=(), starts=(), adopted=(), best_iteration=None,
    )  # fmt: skip
