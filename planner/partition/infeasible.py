"""Infeasibility that can be seen before any search."""

from __future__ import annotations

import math

from planner.partition.contraction import build_units, forced_units
from planner.problem import Problem
from planner.search import Search


def report_infeasible(problem: Problem, search: Search, method: str) -> bool:
    """Prove infeasibility where ops that must share a device have none in common; returns whether that is so."""
    if build_units(problem, forced_units(problem)).blocked < 0:
        return False
    search.prove(problem.bound(problem.objective, math.inf, method, problem.assumptions, search.seconds))
    return True
