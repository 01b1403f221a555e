"""Running planners and bound methods: one call, one result, the same in this process and in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from planner.errors import PlannerRefusal
from planner.model.graph import Ints
from planner.options import parse_options
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound, proven
from planner.problem.provenance import Again, Origin, provenance_of
from planner.search.method import BoundMethod, Method, Planner
from planner.search.result import Result
from planner.search.search import Callbacks, News, Search, Stopped
from planner.search.stop import Never, Stop


def run(
    planner: Planner,
    problem: PlanningProblem,
    stop: Stop | None = None,
    callbacks: Callbacks | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    starts: Sequence[Ints] = (),
    bounds: Sequence[Bound] = (),
    news: News | None = None,
    again: Again | None = None,
) -> Result:
    """Run ``planner`` on ``problem`` until it ends or ``stop`` fires.

    ``starts`` are warm starts (assignments, int32[n], or orders, int32[W]) and ``bounds`` what is already proven; ``news`` is asked now and
    then for bounds that others prove and plans that they find meanwhile; ``again`` is an earlier run that this
    one repeats. Raises :class:`PlannerRefusal` when the planner does not support the
    problem, its constraints or an option.
    """
    return _run(planner, problem, stop, callbacks, seed, options, starts, bounds, news, again)


def run_bound(
    method: BoundMethod,
    problem: PlanningProblem,
    stop: Stop | None = None,
    callbacks: Callbacks | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    bounds: Sequence[Bound] = (),
    news: News | None = None,
) -> Result:
    """Prove lower bounds with ``method``; the result carries no plan. ``news`` as for :func:`run`."""
    result = _run(method, problem.easier, stop, callbacks, seed, options, (), bounds, news)
    return replace(result, problem=problem)


def _run(
    method: Method,
    problem: PlanningProblem,
    stop: Stop | None,
    callbacks: Callbacks | None,
    seed: int,
    options: Mapping[str, Any] | None,
    starts: Sequence[Ints],
    bounds: Sequence[Bound],
    news: News | None,
    again: Again | None = None,
) -> Result:
    reason = method.refusal(problem)
    if reason is not None:
        raise PlannerRefusal(reason)
    values = parse_options(method.options, options or {}, method.name)
    callbacks = callbacks or Callbacks()
    search = Search(problem, stop or Never(), callbacks, seed, values, starts, bounds, news, again)
    callbacks.on_start(problem)
    try:
        if isinstance(method, Planner):
            method.search(problem, search)
        else:
            assert isinstance(method, BoundMethod)
            method.prove(problem, search)
    except Stopped:
        pass
    search.state.seconds = search.seconds
    callbacks.on_end(search.state)
    return Result(
        planner=method.name,
        problem=problem,
        device_of=search.best,
        objective=search.state.objective,
        bounds=tuple(search.bounds),
        status=status_of(problem, search.state.components, search.bounds),
        stop_reason=search.stop_reason,
        seconds=search.state.seconds,
        seed=seed,
        options=values,
        iterations=search.state.iterations,
        history=tuple(search.history),
        message=search.message,
        components=search.state.components,
        best_iteration=search.best_iteration,
        found_by=search.state.by,
        starts=tuple(np.asarray(s, np.int32) for s in starts),
        adopted=tuple(search.exchange.adopted),
        given_bounds=proven(bounds),
        complete=search.completed,
        origin=search.state.origin,
        tries=tuple(search.tries),
        time_limit=search.time_limit,
        own=search.own,
        met=search.met,
    )


def status_of(problem: PlanningProblem, components: tuple[float, ...] | None, bounds: Sequence[Bound]) -> str:
    """``optimal`` only where bounds prove every component; an infinite bound proves infeasibility."""
    if components is None:
        strongest = problem.strongest_bound(tuple(bounds))
        return "infeasible" if strongest is not None and strongest.value == float("inf") else "no_plan"
    return problem.standing(components, tuple(bounds)).status


def plan_of(result: Result, name: str = "") -> Any:
    """The plan of a result, evaluated from nothing, or None when there is none.

    A :class:`planner.problem.problem.Plan`, or an :class:`planner.machines.two_level_memory.problem.OrderPlan` where a network was planned.
    """
    if result.device_of is None:
        return None
    own = Origin(
        result.planner, result.options, result.seed, result.best_iteration, result.starts, result.given_bounds
    )
    adopted = () if result.origin is not None else result.adopted
    provenance = provenance_of(
        result.origin or own, result.seconds, result.stop_reason, adopted, time_limit=result.time_limit
    )
    return result.problem.plan(result.device_of, provenance, name)
