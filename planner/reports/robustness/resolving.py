"""Solving a problem again with other op times, exactly where a planner can: is this plan still optimal, and which is better?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.errors import PlannerRefusal
from planner.machines.catalogue import immediate_bound, machine_of, methods_about
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.search.method import Planner
from planner.search.run import run, run_bound
from planner.search.stop import AnyOf, GapReached, Stop

MOST_PLANNERS = 3
"""Exact planners that are asked one after the other."""


@dataclass(frozen=True, eq=False)
class Solved:
    """The best plan found (int32[n]), its objective, the bounds proven, whether it is ``optimal``, and by which method that is proven."""

    device_of: Ints
    objective: float
    bounds: tuple[Bound, ...]
    optimal: bool
    method: str


def exact_planners(problem: Problem) -> list[Planner]:
    """Planners that find the best plan of a problem and prove it: those of its machine that end soon first."""
    machine = machine_of(problem)
    first = [*machine.exact, *machine.preferred]
    serving = [
        p for p in methods_about(problem)[0] if p.exact and p.gives_bounds and p.refusal(problem) is None
    ]
    serving.sort(key=lambda p: first.index(p.name) if p.name in first else len(first))
    return serving[:MOST_PLANNERS]


def solve(problem: Problem, starts: Sequence[Ints], stop: Stop, bounds: Sequence[Bound] = ()) -> Solved:
    """The best plan of ``problem``, beginning with valid ``starts`` (int32[n] each, at least one), until that is proven or ``stop`` fires."""
    values = {i: problem.evaluator.components(start) for i, start in enumerate(starts)}
    first = min(values, key=lambda i: values[i])
    best, components, known = starts[first], values[first], tuple(bounds)
    immediate = immediate_bound(problem)
    if immediate is not None:
        known = run_bound(immediate, problem, stop, bounds=known).bounds
    within = AnyOf([stop, GapReached(0.0)])
    for planner in exact_planners(problem):
        if problem.standing(components, known).status == "optimal":
            break
        try:
            result = run(planner, problem, within, starts=[best, *starts], bounds=known)
        except PlannerRefusal:
            # Some see only when they run that a problem is too large for them.
            continue
        known = result.bounds
        if result.device_of is not None and result.components is not None and result.components < components:
            best, components = result.device_of, result.components
        if within.reason != GapReached.reason and result.stop_reason != "finished":
            break
    standing = problem.standing(components, known)
    bound = standing.components[0].bound
    return Solved(
        best, components[0], known, standing.status == "optimal", "" if bound is None else bound.method
    )
