"""Infeasibility that can be seen before any search."""

from __future__ import annotations

import math

import numpy as np

from planner.methods.units import forced_units
from planner.problem.problem import Problem
from planner.search.search import Search


def report_infeasible(problem: Problem, search: Search, method: str) -> bool:
    """Prove infeasibility where ops that must share a device have none in common; returns whether that is so.

    Slots of one accelerator count as one device here, as they do for colocation.
    """
    e = problem.evaluator
    unit_of = forced_units(problem)
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    here = np.zeros((e.n, e.k), bool)
    np.logical_or.at(here.T, e.owner, e.allowed.T)
    forbidden = np.zeros((count, e.k), bool)
    np.logical_or.at(forbidden, unit_of, ~here)
    if not forbidden.all(axis=1).any():
        return False
    search.prove(problem.bound(problem.objective, math.inf, method, problem.assumptions, search.seconds))
    return True
