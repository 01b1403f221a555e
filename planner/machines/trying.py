"""What the planner ``auto`` does: which planners are tried on a problem, in which order, and for how long.

Quick planners go first, until one has a valid plan; then the exact one that ends soon on problems of this kind, if there is one; then the
planner that suits the problem best has the rest. Each searches as if it were alone: neither what it finds nor whether it can be found
again depends on who came before. Where all of them have found nothing, others are asked. The best plan of all counts, the last planner's where two are as good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.errors import StageboardError
from planner.machines.catalogue import machine_of, own_planner, serving
from planner.machines.evident import conflict_of
from planner.options import parse_options
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound, better
from planner.problem.problem import Problem
from planner.search.method import Planner
from planner.search.result import Result, Try
from planner.search.run import run, status_of
from planner.search.stop import AnyOf, Budget, IterationLimit, Never, Progress, Stop

QUICK_SHARE, OWN_SHARE = 0.2, 0.6
"""Shares of what is left: a quick planner's, and what the problem's own may take without a plan from anybody."""


@dataclass(frozen=True, eq=False)
class Tried:
    """What came of it. ``result`` is that of whoever found the best plan, with all that was proven; ``stop_reason`` says how
    the last try ended."""

    result: Result
    tries: tuple[Try, ...]
    stop_reason: str


Runner = Callable[[Planner, Stop, Mapping[str, Any]], Result]
"""Runs one planner until it ends or the criterion fires, with these options. May raise :class:`KeyboardInterrupt`."""


def quick_planners(problem: PlanningProblem) -> list[Planner]:
    """Planners that serve the problem and take next to no time, the first to be tried first."""
    return serving(problem, machine_of(problem).quick)


SOON = {"near": False}
"""Options of exact planners that are to end soon: where the problem is too large for the proof, they leave it to others."""


def soon_options(planner: Planner) -> dict[str, Any]:
    """Those of :data:`SOON` that a planner has."""
    return {option.name: SOON[option.name] for option in planner.options if option.name in SOON}


def tried_planners(
    problem: PlanningProblem,
) -> tuple[list[Planner], list[Planner], Planner, list[Planner]]:
    """Who is tried on the problem: quick planners, an exact one that ends soon, its own, and who is asked if all of them found nothing.

    Raises :class:`PlannerRefusal` where no planner serves it.
    """
    own = own_planner(problem)
    quick = [p for p in quick_planners(problem) if p.name != own.name]
    soon = [p for p in serving(problem, tuple(machine_of(problem).exact)) if problem.size <= p.most_unasked]
    exact = [p for p in soon[:1] if p.name != own.name]
    known = {own.name, *(p.name for p in (*quick, *exact))}
    further = [p for p in serving(problem, machine_of(problem).further) if p.name not in known]
    return quick, exact, own, [p for p in further if problem.size <= p.most_unasked]


def find_plan(
    problem: PlanningProblem,
    budget: Budget,
    *,
    stop: Stop | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    bounds: Sequence[Bound] = (),
    runner: Runner | None = None,
) -> Tried:
    """Try planners on ``problem`` until a plan is proven to be the best, ``budget`` is spent, ``stop`` fires, or nobody is left.

    ``options`` are those of the problem's own planner. ``runner`` runs one planner; by default :func:`planner.search.run.run` does.
    Raises :class:`PlannerRefusal` where no planner serves the problem.
    """
    quick, exact, own, further = tried_planners(problem)
    parse_options(own.options, options or {}, own.name)  # a wrong one is said before anything is tried
    search = _Tries(budget, stop, runner or _runner(problem, seed, bounds), own)
    for planner in quick:
        if search.best is None:
            search.run(planner, QUICK_SHARE, {})
    if search.tried and search.best is None and _conflicting(problem):
        return replace(search.ended(), stop_reason="finished")  # searching would not change it
    for planner in exact:
        search.run(planner, machine_of(problem).exact[planner.name], soon_options(planner))
    search.run(own, OWN_SHARE if further else 1.0, options or {})
    for i, planner in enumerate(further):
        if search.best is None:
            search.run(planner, 1.0 / (len(further) - i), {})
    return search.ended()


def quick_plan(problem: PlanningProblem, runner: Runner, budget: Budget | None = None) -> Result | None:
    """The first valid plan of the quick planners (a :class:`Result`), None where they find none or prove that there is none."""
    search = _Tries(budget or Budget(), None, runner)
    for planner in quick_planners(problem):
        if search.best is None:
            search.run(planner, QUICK_SHARE, {})
    return search.best


def counted(planner: Planner, problem: PlanningProblem, effort: float) -> Stop:
    """The stop criterion of a planner that would search on for ever: so many iterations, for one that ends by itself none."""
    work = machine_of(problem).effort.get(planner.name)
    return Never() if work is None else IterationLimit(max(1, round(effort * work / (problem.size + 100))))


def best_of(results: Sequence[Result]) -> Result:
    """The result with the best plan, the last of several as good, with all that was proven; the last where there is no plan."""
    best = results[-1]
    for result in reversed(results[:-1]):
        if result.components is not None and better(result.components, best.components):
            best = result
    bounds = tuple({id(b): b for result in results for b in result.bounds}.values())
    status = status_of(best.problem, best.components, bounds)
    # Who has excluded all that is better than its own plan has excluded what is better than the best.
    complete = any(result.complete for result in results)
    message = next((result.message for result in results if result.message), "")
    return replace(best, bounds=bounds, status=status, complete=complete, message=message)


def tried_words(tries: Sequence[Try]) -> str:
    """Who was tried, with how each ended, as part of a sentence."""
    how = {"finished": "found none", "time": "its share of the time was up", "refused": "does not serve it"}
    return ", ".join(f"'{t.planner}' ({how.get(t.stop_reason, t.stop_reason)})" for t in tries)


class _Tries:
    """The tries so far, and whether they are at an end."""

    def __init__(self, budget: Budget, stop: Stop | None, runner: Runner, own: Planner | None = None) -> None:
        self._budget, self._stop, self._runner, self._own = budget, stop, runner, own
        self._results: list[Result] = []
        self._tries: list[Try] = []
        self._failure: StageboardError | None = None
        self._done = False
        self._stop_reason = "finished"

    @property
    def tried(self) -> bool:
        """Whether a planner has run."""
        return bool(self._results)

    @property
    def best(self) -> Result | None:
        """The best of all results that have a plan."""
        found = [result for result in self._results if result.device_of is not None]
        return best_of(found) if found else None

    def run(self, planner: Planner, share: float, options: Mapping[str, Any]) -> None:
        """One try with a share of what is left, for the problem's own planner with all of it once there is a plan; none at the end."""
        if not self._done and self._tries and self._budget.over:
            self._done, self._stop_reason = True, "time"
        if self._done:
            return
        within = self._budget.stop(share)
        if planner is self._own:
            whole = self._budget.stop()
            within = whole if self.best is not None else _NoPlanBy(within, whole)
        try:
            result = self._runner(
                planner, within if self._stop is None else AnyOf([self._stop, within]), options
            )
        except StageboardError as error:
            # Some see only now that the problem is not for them, or miss a library. Whoever is left may do without.
            self._failure = error
            self._tries.append(Try(planner.name, "no_plan", "refused", 0.0, None))
            return
        except KeyboardInterrupt:
            if self.best is None:
                raise
            self._done, self._stop_reason = True, "cancelled"
            return
        self._results.append(result)
        self._tries.append(
            Try(result.planner, result.status, result.stop_reason, result.seconds, result.objective)
        )
        self._stop_reason = result.stop_reason
        best = best_of(self._results)
        if best.status in ("optimal", "infeasible"):
            self._done, self._stop_reason = True, "finished"
        elif self._stop is not None and self._stop(_progress(best)):
            # Quick planners end without asking it.
            self._done, self._stop_reason = True, self._stop.reason

    def ended(self) -> Tried:
        """All that was found and proven. Raises what the last planner failed with where all failed."""
        if not self._results:
            assert self._failure is not None, "somebody was tried"
            raise self._failure
        return Tried(best_of(self._results), tuple(self._tries), self._stop_reason)


@dataclass
class _NoPlanBy:
    """Fires with ``share`` as long as there is no plan, then with ``whole``."""

    share: Stop
    whole: Stop
    reason: str = "time"

    def __call__(self, progress: Progress) -> bool:
        return self.whole(progress) or (progress.components is None and self.share(progress))

    def left(self, progress: Progress) -> float:
        """Seconds until the whole is up, where that is known."""
        return AnyOf([self.whole]).left(progress)


def _progress(result: Result) -> Progress:
    """What a stop criterion is told of a result."""
    if result.components is None:
        return Progress(seconds=result.seconds)
    gap = result.problem.standing(result.components, result.bounds).gap
    return Progress(result.iterations, result.objective, None, result.seconds, result.components, gap)


def _runner(problem: PlanningProblem, seed: int, bounds: Sequence[Bound]) -> Runner:
    def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
        return run(planner, problem, stop, seed=seed, options=options, bounds=bounds)

    return runner


def _conflicting(problem: PlanningProblem) -> bool:
    """Whether rules and constraints contradict one another so plainly that no search is needed to see it."""
    return isinstance(problem, Problem) and conflict_of(problem) is not None
