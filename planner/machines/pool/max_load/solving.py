"""The rows of :mod:`planner.machines.pool.max_load.model` as a CP-SAT model or as arrays for a MIP solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from planner.machines.pool.max_load.model import Program, Row
from planner.methods.mip import loading
from planner.methods.mip.model import ROWS_PER_CHECK, Arrays, Rows, unchecked
from planner.methods.mip.scaling import Scale, scale_for
from planner.model.graph import Ints

MEMORY_RESOLUTION = 10**9


COARSE, FINE = 10**7, 10**11
"""Parts of the objective that costs are resolved to: such that a solver is quick, and such that what is lost by rounding is no gap."""
MOST_FINE = 2_000
"""Columns of a program that is worth being solved once more over finer integers."""


def cost_scale(program: Program, objective: float, resolution: int = COARSE) -> Scale:
    """Integer units for the program's costs whose objective lies around ``objective``.

    The coefficients of the maxima, which are no costs, are left out: tiny costs would be rounded to next to nothing beside them.
    """
    costs = [
        np.array([abs(c) for i, c in row.terms.items() if i >= program.maxima])
        for row in program.rows
        if row.kind == "cost"
    ]
    return scale_for(costs, objective, resolution)


class CpSatModel:
    """A program over integers whose optimum is never above the true one, nor above ``cutoff``, the cost of a plan in hand.

    ``hint`` and ``place_of`` translate placements of units (int32[m]). ``check`` is called every few milliseconds while the
    model is made; it may raise to end that.
    """

    def __init__(
        self,
        program: Program,
        scale: Scale,
        cutoff: float = math.inf,
        check: Callable[[], None] = unchecked,
    ) -> None:
        cp_model: Any = loading.load_cp_model(check)
        self._sum = cp_model.LinearExpr.weighted_sum
        self._check = check
        self.program = program
        self.scale = scale
        self.model = cp_model.CpModel()
        self.columns: list[Any] = []
        costs = [row for row in program.rows if row.kind == "cost"]
        largest = max((int(scale.up(_positive(row, program.maxima)).sum()) for row in costs), default=0)
        if math.isfinite(cutoff):
            # The plan in hand stays feasible: in integers it costs no more than in truth.
            largest = min(largest, int(scale.up(cutoff * (1 + 1e-9))))
        for i in range(program.count):
            if i % ROWS_PER_CHECK == 0:
                check()
            name = f"c{i}"
            self.columns.append(
                self.model.new_int_var(0, largest, name)
                if i < program.maxima
                else self.model.new_bool_var(name)
            )
        for i, row in enumerate(program.rows):
            if i % ROWS_PER_CHECK == 0:
                check()
            self._add(row)
        for columns in program.exactly:
            self.model.add_exactly_one(self.columns[c] for c in columns)
        self.model.minimize(sum(self.columns[i] for i in range(program.maxima)))

    def _add(self, row: Row) -> None:
        columns = [self.columns[i] for i in row.terms]
        if row.kind == "logic":
            if row.side == 0.0 and len(row.terms) == 2 and sorted(row.terms.values()) == [-1.0, 1.0]:
                (a,) = (i for i, c in row.terms.items() if c > 0)
                (b,) = (i for i, c in row.terms.items() if c < 0)
                self.model.add_implication(self.columns[a], self.columns[b])
                return
            coefficients, side = [int(c) for c in row.terms.values()], int(row.side)
        else:
            maximum = [row.kind == "cost" and i < self.program.maxima for i in row.terms]
            # The coefficient of a maximum is no cost: it is -1 in integers too.
            values = np.where(maximum, 0.0, list(row.terms.values()))
            scale = self.scale if row.kind == "cost" else scale_for([values], row.side, MEMORY_RESOLUTION)
            costs = scale.down(values).tolist()
            coefficients = [-1 if is_max else c for is_max, c in zip(maximum, costs, strict=True)]
            # The left side is whole and never above the true one, so the right side may be rounded down.
            side = math.floor(row.side * scale.factor)
        self.model.add(self._sum(columns, coefficients) <= side)

    def hint(self, values: np.ndarray) -> None:
        """Set a warm start: the values of all columns (float64[columns])."""
        self.model.clear_hints()
        for i in range(self.program.maxima, self.program.count):
            if i % ROWS_PER_CHECK == 0:
                self._check()
            self.model.add_hint(self.columns[i], round(float(values[i])))

    def place_of(self, value: Any) -> Ints:
        """The device of each unit (int32[m]) in a solution."""
        return read_place(self.program, lambda column: value(self.columns[column]))


def _positive(row: Row, maxima: int) -> np.ndarray:
    return np.array([c for i, c in row.terms.items() if i >= maxima and c > 0])


def read_place(program: Program, value: Any) -> Ints:
    """The device of each unit (int32[m]) where ``value(column)`` is largest."""
    place = np.zeros(program.units.count, np.int32)
    for u, row in enumerate(program.x.tolist()):
        place[u] = max((d for d in range(len(row)) if row[d] >= 0), key=lambda d: value(row[d]))
    return place


def arrays_of(program: Program, check: Callable[[], None] = unchecked) -> Arrays:
    """The program for a MIP solver; ``check`` as for :class:`planner.methods.mip.model.Rows`."""
    rows = Rows(check)
    for i in range(program.count):
        maximum = i < program.maxima
        rows.column(
            f"c{i}", 0.0, math.inf if maximum else 1.0, cost=float(maximum), integer=i in program.whole
        )
    for row in program.rows:
        rows.row(row.terms.items(), row.side)
    for group in program.exactly:
        rows.row(((i, 1.0) for i in group), 1.0, 1.0)
    return rows.arrays()
