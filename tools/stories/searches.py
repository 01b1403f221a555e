"""How the plans of stories are found: seeded and limited by iterations, never by time, so that they are the same each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.formats import read_models
from planner.machines.catalogue import bound_method, planner
from planner.machines.spec import parse_target
from planner.model.samples import sample
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.search.run import plan_of, run, run_bound

SEED = 1


def problem_of(names: Sequence[str], target: str, objective: str = "") -> Problem:
    """Sample models on a target."""
    graph = read_models([sample(name) for name in names])
    return Problem(graph, parse_target(target, graph), objective)


def searched(problem: Any, name: str, **options: Any) -> Any:
    """(the plan that a planner finds, all that it proves)."""
    result = run(planner(name), problem, seed=SEED, options=options)
    plan = plan_of(result)
    assert plan is not None, f"{name} found nothing"
    return plan, result.bounds


def proven(problem: Problem, name: str, bounds: Sequence[Bound] = (), **options: Any) -> tuple[Bound, ...]:
    """``bounds`` and the strongest that a method adds."""
    found = run_bound(bound_method(name), problem, seed=SEED, options=options, bounds=bounds).bounds
    return (*bounds, *found[-1:]) if found else tuple(bounds)
