"""A race from its field to its end in one call: who takes part as people name them, and running until it is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planner.errors import PlannerRefusal
from planner.machines.catalogue import bound_method, planner, planner_asked
from planner.problem.base import PlanningProblem
from planner.problem.provenance import Entrant
from planner.runs.race.events import Event
from planner.runs.race.field import good_field, serving
from planner.runs.race.race import Race

LOOKING = 0.1
"""Seconds between two looks at whether the race is to be stopped."""


def entrants(
    problem: PlanningProblem,
    planners: Sequence[str] | None = None,
    bounds: Sequence[str] | None = None,
    *,
    everybody: bool = False,
    seed: int = 0,
    cores: int = 1,
    time_limit: float | None = None,
) -> tuple[Entrant, ...]:
    """The field of a race by names; None: a good one, or with ``everybody`` all planners that serve. Raises :class:`PlannerRefusal`."""
    field = good_field(problem, seed, cores, time_limit)
    if everybody:
        plan = [Entrant(name, seed=seed) for name in serving(problem).planners]
    elif planners is not None:
        plan = [Entrant(planner_asked(name, lambda: problem).name, seed=seed) for name in planners]
    else:
        plan = [entrant for entrant in field if not entrant.is_bound]
    if bounds is None:
        prove = [entrant for entrant in field if entrant.is_bound]
    else:
        prove = [Entrant(bound_method(name).name, True, seed=seed) for name in bounds]
    return (*plan, *prove)


def with_options(field: Sequence[Entrant], options: Mapping[str, Mapping[str, Any]]) -> tuple[Entrant, ...]:
    """The entrants with options by the name of their method."""
    return tuple(Entrant(e.method, e.is_bound, options.get(e.method, {}), e.seed) for e in field)


def run_race(race: Race, cancelled: Callable[[], bool], told: Callable[[Sequence[Event]], None]) -> None:
    """Compile what the entrants need, then let them race until it is decided or ``cancelled``; ``told`` hears of what happens.

    Raises :class:`PlannerRefusal` where no planner of the field serves the problem.
    """
    reasons = [race.refusals[s.index] for s in race.standings if not s.entrant.is_bound]
    if all(reason is not None for reason in reasons):
        raise PlannerRefusal(str(reasons[0]))
    for standing, reason in zip(race.standings, race.refusals, strict=True):
        if reason is None:  # compilation is not part of the race
            _warm(standing.entrant, race.problem)
    try:
        race.start()
        while not race.ended:
            if cancelled():
                race.cancel()
            told(race.poll(LOOKING))
    finally:
        race.close()


def _warm(entrant: Entrant, problem: Any) -> None:
    from planner.runs.warm_up import warm_bound, warm_planner

    if entrant.is_bound:
        warm_bound(bound_method(entrant.method), problem)
    else:
        warm_planner(planner(entrant.method), problem, dict(entrant.options))
