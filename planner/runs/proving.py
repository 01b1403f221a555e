"""Proving what a file claims: what is known at once, and running the method again that the file names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from planner.errors import PlannerRefusal
from planner.machines.catalogue import (
    DEFAULT,
    bound_method,
    bound_methods,
    default_bound,
    immediate_bound,
    planners,
)
from planner.machines.several.bounds.auto import WALL_FOR_CPU
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.base import PlanningProblem, decision_of
from planner.problem.bound import Bound, proven
from planner.problem.claims import claim_of, claimed
from planner.problem.problem import Plan
from planner.reports.comparison.figures import sound
from planner.runs.warm_up import warm_bound, warm_planner
from planner.search.method import BoundMethod, Planner
from planner.search.run import plan_of, run, run_bound
from planner.search.search import Callbacks, Shared
from planner.search.stop import AnyOf, GapReached, Never, Stop, WorkBudget


def known_at_once(problem: PlanningProblem) -> tuple[Bound, ...]:
    """What is proven at once; nothing where no immediate method knows the objective. It is proven once for each problem that is there."""
    known = _at_once.get(problem)
    if known is None:
        method = immediate_bound(problem)
        known = _at_once[problem] = () if method is None else run_bound(method, problem).bounds
    return known


_at_once: WeakKeyDictionary[PlanningProblem, tuple[Bound, ...]] = WeakKeyDictionary()


def proven_beside(
    problem: PlanningProblem,
    best: Shared,
    bounds: Sequence[Bound],
    seconds: float,
    stop: Stop | None = None,
    callbacks: Callbacks | None = None,
) -> tuple[Bound, ...]:
    """``bounds``, and what the bound method ``auto`` proves beyond them within so many seconds of processor time.

    It ends when ``best``, a valid plan, is proven to be the best. What is claimed stays a claim.
    """
    method = bound_method(DEFAULT)
    settled = problem.standing(best.components, tuple(bounds)).status == "optimal"
    if seconds <= 0 or settled or method.refusal(problem) is not None:
        return tuple(bounds)
    warm_bound(method, problem)  # compilation is not part of the time that a proof may take
    news = [best]
    result = run_bound(
        method, problem, AnyOf([stop or Never(), GapReached(0.0)]), callbacks, options={"seconds": seconds},
        bounds=bounds, news=lambda: [news.pop() for _ in news[:]],
    )  # fmt: skip
    return (*result.bounds, *claimed(bounds))


def with_known(problem: PlanningProblem, bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """``bounds``, and where nothing among them is proven of a problem what is known at once."""
    given = tuple(bounds)
    return given if problem.strongest_bound(given) is not None else (*given, *known_at_once(problem))


def told_bounds(problem: PlanningProblem, bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """``bounds`` as a story tells of them: where all are claims, what is known at once stands beside them.

    It does not say how long that took, which would be another time whenever the story is made or played.
    """
    given = tuple(bounds)
    if not claimed(given) or problem.strongest_bound(given) is not None:
        return given
    return (*given, *(replace(bound, seconds=0.0) for bound in known_at_once(problem)))


@dataclass(frozen=True)
class Again:
    """What came of proving claims again: all ``bounds``, those of the claims among them that no plan refuted, ``new`` ones among them,
    and ``notes`` on claims that were refuted. ``method`` is what ran, empty where nothing had to; ``stop_reason`` is how that ended."""

    bounds: tuple[Bound, ...]
    new: frozenset[Bound]
    notes: tuple[str, ...] = ()
    method: str = ""
    stop_reason: str = ""


def method_to_prove(problem: PlanningProblem, claim: Bound | None) -> BoundMethod | Planner | None:
    """What proves a claim: the bound method or the planner that it names, else a good one for the problem; None where none serves."""
    name = "" if claim is None else claim.method
    named = bound_methods().get(name) or planners().get(name)
    proves = isinstance(named, BoundMethod) or (isinstance(named, Planner) and named.gives_bounds)
    if named is not None and proves and named.refusal(problem) is None:
        return named
    several = bound_method(DEFAULT)
    if several.refusal(problem) is None:
        return several
    try:
        return default_bound(problem)
    except PlannerRefusal:
        return None


def prove_again(
    plan: Plan | OrderPlan,
    bounds: Sequence[Bound],
    stop: Stop | None = None,
    callbacks: Callbacks | None = None,
) -> Again:
    """Prove what is claimed of a plan: at once where that is enough, else by the method that the strongest claim names.

    Where nothing is claimed and nothing known, a good method of the problem's runs. Methods are told of the plan, where that is valid: a
    planner begins with it, and a bound method looks for nothing that only worse ones cost. ``stop`` may end it: what was proven until then counts.
    """
    problem, evaluation = plan.problem, plan.evaluation
    new = known_at_once(problem)
    known = (*proven(bounds), *new)
    claim = claim_of(plan, (*known, *claimed(bounds)))
    settled = claim is None and (
        bool(bounds) or problem.standing(evaluation.values, known).status == "optimal"
    )
    method = None if settled else method_to_prove(problem, claim)
    claims = claimed(bounds)
    if method is None:
        return Again((*known, *claims), frozenset(new))
    if isinstance(method, BoundMethod):
        warm_bound(method, problem)  # compilation is not part of the time that a proof may take
        best = [Shared(decision_of(plan), tuple(evaluation.values))] if evaluation.valid else []
        result = run_bound(
            method, problem, stop, callbacks, bounds=known, news=lambda: [best.pop() for _ in best[:]]
        )
    else:
        warm_planner(method, problem)
        starts = [decision_of(plan)] if evaluation.valid else []
        result = run(method, problem, stop, callbacks, starts=starts, bounds=known)
    notes: tuple[str, ...] = ()
    found = plan_of(result)
    if found is not None:
        claims, notes = sound(claims, [found])
    return Again(
        (*result.bounds, *claims), frozenset(new) | frozenset(result.bounds) - frozenset(known), notes, method.name,
        result.stop_reason,
    )  # fmt: skip


def prove_within(
    plan: Plan | OrderPlan,
    bounds: Sequence[Bound],
    seconds: float,
    stop: Stop | None = None,
    callbacks: Callbacks | None = None,
) -> Again:
    """What is told of a plan, whoever tells it: what is claimed of it proven again, then what the bound method ``auto`` proves beside it,
    within so many seconds of processor time.

    Where both have something to do, each has half of them.
    """
    problem, budget = plan.problem, WorkBudget(seconds, WALL_FOR_CPU * seconds)
    unasked = plan.evaluation.valid and bound_method(DEFAULT).refusal(problem) is None
    given = with_known(problem, bounds)
    share = seconds
    if not unasked or claim_of(plan, given) is not None:
        share = seconds / 2 if unasked else 0.0
        stopped = AnyOf([stop or Never(), budget.stop(0.5 if unasked else 1.0)])
        first = prove_again(plan, bounds, stopped, callbacks)
    else:
        first = Again(given, frozenset(proven(given)) - frozenset(proven(bounds)))
    best = Shared(decision_of(plan), tuple(plan.evaluation.values))
    stopped = AnyOf([stop or Never(), budget.stop()])
    found = proven_beside(problem, best, first.bounds, share, stopped, callbacks)
    return replace(
        first, bounds=found, new=first.new | frozenset(proven(found)) - frozenset(proven(first.bounds))
    )
