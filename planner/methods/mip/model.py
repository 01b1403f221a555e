"""Models of mixed-integer programs: rows made one by one or a PuLP model, as the flat arrays that a solver is given."""

from __future__ import annotations

import importlib
import math
import sys
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from planner.methods.mip.loading import load
from planner.model.graph import Bools, Floats, Ints

ROWS_PER_CHECK = 256
"""Rows (or columns) that are made between two looks at the stop criteria: a few milliseconds."""


def unchecked() -> None:
    """The ``check`` of a model that nobody stops the making of."""


def load_pulp() -> ModuleType:
    """The ``pulp`` module, loaded so that it does not load HiGHS into this process as it does by itself.

    HiGHS and OR-Tools cannot be loaded together; see :mod:`planner.methods.mip`.
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


class Rows:
    """A minimisation in the making, for thousands of rows: flat arrays, as an object per row takes long to make and to free.

    ``check`` is called every few hundred columns and rows and may raise to end the making.
    """

    def __init__(self, check: Callable[[], None] = unchecked) -> None:
        self._check = check
        self._names: list[str] = []
        self._cost, self._lower, self._upper = array("d"), array("d"), array("d")
        self._integer = bytearray()
        self._ptr, self._idx, self._value = array("i", [0]), array("i"), array("d")
        self._row_lower, self._row_upper = array("d"), array("d")

    def column(
        self,
        name: str,
        lower: float = 0.0,
        upper: float = math.inf,
        cost: float = 0.0,
        *,
        integer: bool = False,
    ) -> int:
        """A new column; returns its number. Names must differ."""
        self._names.append(name)
        self._cost.append(cost)
        self._lower.append(lower)
        self._upper.append(upper)
        self._integer.append(integer)
        if len(self._names) % ROWS_PER_CHECK == 0:
            self._check()
        return len(self._names) - 1

    def row(
        self, terms: Iterable[tuple[int, float]], upper: float = math.inf, lower: float = -math.inf
    ) -> None:
        """A row ``lower <= sum(factor * column) <= upper``; no column may come twice."""
        for column, factor in terms:
            self._idx.append(column)
            self._value.append(factor)
        self._ptr.append(len(self._idx))
        self._row_lower.append(lower)
        self._row_upper.append(upper)
        if len(self._row_lower) % ROWS_PER_CHECK == 0:
            self._check()

    def arrays(self) -> Arrays:
        """The program as far as it has been made."""
        return Arrays(
            names=tuple(self._names),
            cost=np.array(self._cost, float),
            offset=0.0,
            lower=np.array(self._lower, float),
            upper=np.array(self._upper, float),
            integer=np.array(self._integer, bool),
            ptr=np.array(self._ptr, np.int32),
            idx=np.array(self._idx, np.int32),
            value=np.array(self._value, float),
            row_lower=np.array(self._row_lower, float),
            row_upper=np.array(self._row_upper, float),
        )


def arrays_of(problem: Any, check: Callable[[], None] = unchecked) -> Arrays:
    """A ``pulp.LpProblem`` as arrays; ``check`` as for :class:`Rows`. Raises ValueError unless it minimises."""
    pulp = load_pulp()
    if problem.sense != pulp.LpMinimize:
        raise ValueError("only minimisation is supported")
    rows = Rows(check)
    objective = problem.objective if problem.objective is not None else pulp.LpAffineExpression()
    cost: dict[str, float] = {}
    for v, c in objective.items():
        cost[v.name] = cost.get(v.name, 0.0) + c
    column = {
        v.name: rows.column(
            v.name,
            -math.inf if v.lowBound is None else v.lowBound,
            math.inf if v.upBound is None else v.upBound,
            cost.get(v.name, 0.0),
            integer=v.cat == pulp.LpInteger,
        )
        for v in load(problem.variables, check)  # goes through all rows once more
    }
    for constraint in problem.constraints():
        side = -float(constraint.constant)
        rows.row(
            ((column[v.name], float(c)) for v, c in constraint.items()),
            math.inf if constraint.sense == pulp.LpConstraintGE else side,
            -math.inf if constraint.sense == pulp.LpConstraintLE else side,
        )
    return replace(rows.arrays(), offset=float(objective.constant))
