"""The catalogue of planners and bound methods: what exists and what serves a problem."""

from __future__ import annotations

import difflib
from functools import cache

from planner.errors import PlannerRefusal
from planner.problem import Problem
from planner.search import BoundMethod, Planner


@cache
def planners() -> dict[str, Planner]:
    """Every planner by name."""
    from planner.algorithms.dpl import Dpl
    from planner.algorithms.expert import Expert
    from planner.algorithms.local_search import LocalSearch
    from planner.algorithms.memory_fill import MemoryFill
    from planner.algorithms.slice_graph import Slice
    from planner.algorithms.slice_random import SliceRandom

    found: list[Planner] = [Slice(), SliceRandom(), Dpl(), MemoryFill(), LocalSearch(), Expert()]
    return {p.name: p for p in found}


@cache
def bound_methods() -> dict[str, BoundMethod]:
    """Every bound method by name."""
    from planner.bounds.simple import Simple

    found: list[BoundMethod] = [Simple()]
    return {b.name: b for b in found}


def planner(name: str) -> Planner:
    """A planner by name. Raises :class:`PlannerRefusal`."""
    known = planners()
    if name not in known:
        raise PlannerRefusal(f"there is no planner '{name}'{_hint(name, list(known))}")
    return known[name]


def bound_method(name: str) -> BoundMethod:
    """A bound method by name. Raises :class:`PlannerRefusal`."""
    known = bound_methods()
    if name not in known:
        raise PlannerRefusal(f"there is no bound method '{name}'{_hint(name, list(known))}")
    return known[name]


def _hint(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; choose from {', '.join(known)}"


def planners_for(problem: Problem) -> list[Planner]:
    """The planners that serve this problem, constraints included, in catalogue order."""
    return [p for p in planners().values() if p.refusal(problem) is None]


def default_planner(problem: Problem) -> Planner:
    """A good planner for the problem: the first of a short preference list that serves it."""
    serving = {p.name: p for p in planners_for(problem)}
    for name in ("dpl", "slice-random", "slice", "local-search", "memory-fill"):
        if name in serving:
            return serving[name]
    raise PlannerRefusal(
        f"no planner serves {problem.objective} on a {problem.target.title.lower()} with these constraints"
    )
