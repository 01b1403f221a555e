"""PuLP models, and the flat arrays that a solver in another process is given."""

from __future__ import annotations

import importlib
import math
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from planner.graph import Bools, Floats, Ints


def load_pulp() -> ModuleType:
    """The ``pulp`` module, loaded so that it does not load HiGHS into this process as it does by itself.

    HiGHS and OR-Tools cannot be loaded together; see :mod:`planner.solving`.
    """
    if "pulp" in sys.modules or "highspy" in sys.modules:
        return importlib.import_module("pulp")
    sys.modules["highspy"] = None  # type: ignore[assignment]
    try:
        return importlib.import_module("pulp")
    finally:
        del sys.modules["highspy"]


@dataclass(frozen=True)
class Arrays:
    """A minimisation over n columns and m rows: ``lower <= x <= upper``, ``row_lower <= A x <= row_upper``.

    ``cost``, ``lower``, ``upper`` float64[n], ``integer`` bool[n]; A is a CSR of rows: ``ptr`` int32[m+1], ``idx``
    int32, ``value`` float64. ``offset`` is added to the objective.
    """

    names: tuple[str, ...]
    cost: Floats
    offset: float
    lower: Floats
    upper: Floats
    integer: Bools
    ptr: Ints
    idx: Ints
    value: Floats
    row_lower: Floats
    row_upper: Floats


def arrays_of(problem: Any) -> Arrays:
    """A ``pulp.LpProblem`` as arrays. Raises ValueError unless it minimises."""
    pulp = load_pulp()
    if problem.sense != pulp.LpMinimize:
        raise ValueError("only minimisation is supported")
    variables = problem.variables()
    column = {v.name: i for i, v in enumerate(variables)}
    cost = np.zeros(len(variables))
    objective = problem.objective if problem.objective is not None else pulp.LpAffineExpression()
    for v, c in objective.items():
        cost[column[v.name]] += c
    ptr, idx, value, row_lower, row_upper = [0], [], [], [], []
    for constraint in problem.constraints():
        for v, c in constraint.items():
            idx.append(column[v.name])
            value.append(float(c))
        ptr.append(len(idx))
        side = -float(constraint.constant)
        row_lower.append(-math.inf if constraint.sense == pulp.LpConstraintLE else side)
        row_upper.append(math.inf if constraint.sense == pulp.LpConstraintGE else side)
    return Arrays(
        names=tuple(column),
        cost=cost,
        offset=float(objective.constant),
        lower=np.array([-math.inf if v.lowBound is None else v.lowBound for v in variables], float),
        upper=np.array([math.inf if v.upBound is None else v.upBound for v in variables], float),
        integer=np.array([v.cat == pulp.LpInteger for v in variables], bool),
        ptr=np.array(ptr, np.int32),
        idx=np.array(idx, np.int32),
        value=np.array(value, float),
        row_lower=np.array(row_lower, float),
        row_upper=np.array(row_upper, float),
    )
