"""Searching and proving: what :func:`plan`, :func:`bound` and :func:`race` do, and what there is to choose from."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from planner.errors import PlannerRefusal
from planner.machines import catalogue, spec
from planner.model.named_machines import NO_MACHINES
from planner.problem.base import decision_of
from planner.problem.problem import Problem
from planner.problem.target import Target
from planner.processes.start import start_server
from planner.runs.interrupts import soft_interrupt, uninterrupted
from planner.runs.planning import Planned, Wanted, explained, plan_problem, stop_when
from planner.runs.proving import known_at_once
from planner.runs.race import Event, Race
from planner.runs.race.whole import entrants, run_race, with_options
from planner.runs.warm_up import warm_bound
from planner.search.run import plan_of, run_bound
from planner.search.stop import Progress as Reached
from stageboard.models import Graph, Network, named_rates
from stageboard.plans import Ending, Plan, posed
from stageboard.results import Bound, OnProgress, Watch

Model = Graph | Network
PROVING = 2.0
"""Seconds of processor time for which bounds are proven beside a plan where nobody says how long."""


def target(specification: str, *, machine: str | None = None) -> Target:
    """A machine from ``pipeline:4``, ``mcm:36,sram=32MiB``, ``memory:100`` or the path of a TOML file; ``machine`` names rates of its devices.

    Raises :class:`TargetError`.
    """
    return spec.parse_target(specification, None, NO_MACHINES if machine is None else named_rates(machine))


def planners(target: str | Target) -> dict[str, str]:
    """The planners that serve a target by name, with what they are, in the order of the catalogue."""
    kind = (spec.parse_target(target) if isinstance(target, str) else target).kind
    return {p.name: p.summary for p in catalogue.planners().values() if kind in p.targets}


def plan(
    model: Model,
    target: str | Target,
    *,
    objective: str = "",
    planner: str = catalogue.DEFAULT,
    options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    prove: float = PROVING,
    seed: int = 0,
    pins: Mapping[str, int | str] | None = None,
    granularity: str = "op",
    on_progress: OnProgress | None = None,
) -> Plan:
    """A plan of a model on a target, with a bound beside it.

    ``objective``: the target's first where none is named. ``planner``: ``auto`` lets several search; :func:`planners` lists them, ``options`` are
    its own. ``time_limit`` in seconds, and ``gap`` (0.05: 5 %) at which it may stop; without both ``auto`` stops when its work is done, after 10
    seconds of processor time at most. ``prove``: seconds of processor time for bounds beside the plan, 0 for none. ``pins``: the device, by number
    or name, of ops by name. ``granularity``: ``layer``, ``scope`` or ``class`` keep such ops together. ``on_progress`` is told how far it is.

    Ctrl-C ends the search, and what is returned is the best plan so far, with ``stop_reason`` "cancelled". Where no plan exists or none was found
    the plan that is returned has a :attr:`Plan.status` that says so. Raises :class:`StageboardError` for what cannot be planned.
    """
    began = time.perf_counter()
    with soft_interrupt() as cancelled:
        problem = posed(model, target, objective, pins, granularity)
        chosen = catalogue.planner_asked(planner, lambda: problem)
        wanted = Wanted(dict(options or {}), seed, time_limit, gap, prove)
        watch = Watch(on_progress)
        try:
            planned = plan_problem(chosen, problem, wanted, watch, cancelled)
        except KeyboardInterrupt:
            words = f"cancelled after {time.perf_counter() - began:.1f} s, before a plan was found"
            return Plan(model, problem, None, watch.bounds, Ending("no_plan", "cancelled", words))
        with uninterrupted():
            found = plan_of(planned.result)
    ending = Ending(planned.status, planned.result.stop_reason, _message(planned))
    return Plan(model, problem, found, planned.result.bounds, ending)


def _message(planned: Planned) -> str:
    """What there is to say of a search beside its plan."""
    result, found = planned.result, planned.explanation
    if result.device_of is not None:
        return result.message
    if found is not None and found.status == "infeasible":
        helps = "".join(f"; what would help: {remedy.title}" for remedy in found.remedies[:1])
        return f"{found.sentence}{helps}"
    if result.stop_reason == "cancelled":
        return "cancelled before a valid plan was found"
    exists = (
        "there is one"
        if found is not None and found.status == "feasible"
        else "nor a proof that there is none"
    )
    return f"no valid plan was found, {exists}; give it longer (time_limit=60), choose another planner or loosen the target"


def bound(
    model: Model,
    target: str | Target,
    *,
    method: str = "",
    objective: str = "",
    options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    pins: Mapping[str, int | str] | None = None,
    on_progress: OnProgress | None = None,
) -> Bound:
    """What no valid plan of a model on a target is better than, proven by a bound method (default: a good one).

    Ctrl-C ends the proof; what was proven by then counts. Raises :class:`StageboardError`.
    """
    with soft_interrupt() as cancelled:
        problem: Any = posed(model, target, objective, pins)
        methods = [catalogue.bound_method(method)] if method else catalogue.default_bounds(problem)
        known = () if method else known_at_once(problem)
        began = time.perf_counter()
        for one in methods:
            warm_bound(one, problem)  # compilation is not part of the time reported
            began = time.perf_counter()
            try:
                stop = stop_when(cancelled, time_limit)
                result = run_bound(one, problem, stop, Watch(on_progress), options=options, bounds=known)
            except PlannerRefusal:
                if one is methods[-1]:
                    raise
            else:
                break
    strongest = problem.strongest_bound(result.bounds)
    component = problem.components[0]
    return Bound(
        component,
        None if strongest is None else strongest.value,
        problem.unit(component),
        one.name if strongest is None else strongest.method,
        "no_bound" if strongest is None else "infeasible" if math.isinf(strongest.value) else "proven",
        result.stop_reason,
        time.perf_counter() - began,
        () if strongest is None else tuple(sorted(strongest.assumes)),
    )


def race(
    model: Model,
    target: str | Target,
    *,
    objective: str = "",
    planners: Sequence[str] | None = None,
    bounds: Sequence[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    start: Plan | None = None,
    cores: int | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    seed: int = 0,
    pins: Mapping[str, int | str] | None = None,
    on_progress: OnProgress | None = None,
) -> Plan:
    """The best plan that several planners find together, each in a process of its own, with the bounds that they and bound methods prove.

    ``planners`` and ``bounds`` name who takes part (default: a good field), ``options`` are by their names, ``start`` is a plan to begin with.
    :attr:`Plan.standings` says how each did. In a script its call stands under ``if __name__ == "__main__":``. Ctrl-C ends the race with the best
    plan so far. Raises :class:`StageboardError`.
    """
    start_server()
    with soft_interrupt() as cancelled:
        problem: Any = posed(model, target, objective, pins)
        threads = cores or max(1, (os.cpu_count() or 2) - 1)
        field = entrants(problem, planners, bounds, seed=seed, cores=threads, time_limit=time_limit)
        contest = Race(
            problem, with_options(field, options or {}), cores=threads, gap=gap, time_limit=time_limit,
            starts=[] if start is None or start.found is None else [decision_of(start.found)], bounds=known_at_once(problem),
        )  # fmt: skip
        watch = Watch(on_progress)
        run_race(contest, cancelled, lambda events: _told(contest, watch, events))
        with uninterrupted():
            found = contest.plan()
        infeasible = contest.outcome == "infeasible"
        message = contest.sentence
        if found is None and infeasible and isinstance(problem, Problem):
            message = explained(problem, cancelled, "the race", seed).sentence
    ended = "finished" if contest.outcome in ("proven", "infeasible") else contest.outcome
    standings = tuple(
        {
            "name": one.name, "is_bound": one.entrant.is_bound, "objective": one.objective,
            "bound": None if one.bound is None else one.bound.value, "seconds": one.active, "ending": one.ending,
        }
        for one in contest.ranking()
    )  # fmt: skip
    return Plan(
        model,
        problem,
        found,
        contest.bounds,
        Ending("infeasible" if infeasible else "no_plan", ended, message, standings),
    )


def _told(contest: Race, watch: Watch, events: Sequence[Event]) -> None:
    """Pass on how far a race is, where anything happened."""
    if events:
        best, strongest = contest.best, contest.bound
        reached = Reached(
            objective=None if best is None else best.components[0], bound=None if strongest is None else strongest.value,
            seconds=contest.seconds, gap=contest.gap,
        )  # fmt: skip
        watch.told("", reached)
