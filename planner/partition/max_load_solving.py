"""The rows of :mod:`planner.partition.max_load_model` as a CP-SAT model or a PuLP model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from planner.graph import Ints
from planner.partition.max_load_model import Program, Row
from planner.solving.model import load_pulp
from planner.solving.scaling import Scale, scale_for

MEMORY_RESOLUTION = 10**9


def cost_scale(program: Program, objective: float) -> Scale:
    """Integer units for the program's costs whose objective lies around ``objective``."""
    costs = [np.abs(list(row.terms.values())) for row in program.rows if row.kind == "cost"]
    return scale_for(costs, objective, 10**7)


class CpSatModel:
    """A program over integers whose optimum is never above the true one, nor above ``cutoff``, the cost of a plan in hand.

    ``hint`` and ``place_of`` translate placements of units (int32[m]).
    """

    def __init__(self, program: Program, scale: Scale, cutoff: float = math.inf) -> None:
        from ortools.sat.python import cp_model

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
            name = f"c{i}"
            self.columns.append(
                self.model.new_int_var(0, largest, name)
                if i < program.maxima
                else self.model.new_bool_var(name)
            )
        for row in program.rows:
            self._add(row)
        for columns in program.exactly:
            self.model.add_exactly_one(self.columns[c] for c in columns)
        self.model.minimize(sum(self.columns[i] for i in range(program.maxima)))

    def _add(self, row: Row) -> None:
        from ortools.sat.python import cp_model

        columns = [self.columns[i] for i in row.terms]
        if row.kind == "logic":
            if row.side == 0.0 and len(row.terms) == 2 and sorted(row.terms.values()) == [-1.0, 1.0]:
                (a,) = (i for i, c in row.terms.items() if c > 0)
                (b,) = (i for i, c in row.terms.items() if c < 0)
                self.model.add_implication(self.columns[a], self.columns[b])
                return
            coefficients, side = [int(c) for c in row.terms.values()], int(row.side)
        else:
            values = np.array(list(row.terms.values()))
            scale = self.scale if row.kind == "cost" else scale_for([values], row.side, MEMORY_RESOLUTION)
            coefficients = [int(c) for c in scale.down(values)]
            # The left side is whole and never above the true one, so the right side may be rounded down.
            side = math.floor(row.side * scale.factor)
            if row.kind == "cost":
                coefficients = [
                    -1 if i < self.program.maxima else c for i, c in zip(row.terms, coefficients, strict=True)
                ]
        self.model.add(cp_model.LinearExpr.weighted_sum(columns, coefficients) <= side)

    def hint(self, values: np.ndarray) -> None:
        """Set a warm start: the values of all columns."""
        self.model.clear_hints()
        for i in range(self.program.maxima, self.program.count):
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


def pulp_model(program: Program) -> tuple[Any, list[str]]:
    """The program as a ``pulp.LpProblem``, and the names of its columns."""
    pulp = load_pulp()
    model = pulp.LpProblem("max_load", pulp.LpMinimize)
    names = [f"c{i}" for i in range(program.count)]
    columns = [
        model.add_variable(
            name,
            0,
            None if i < program.maxima else 1,
            pulp.LpInteger if i in program.whole else pulp.LpContinuous,
        )
        for i, name in enumerate(names)
    ]
    model += pulp.lpSum(columns[: program.maxima])
    for row in program.rows:
        model += pulp.LpAffineExpression([(columns[i], c) for i, c in row.terms.items()]) <= row.side
    for group in program.exactly:
        model += pulp.LpAffineExpression([(columns[i], 1.0) for i in group]) == 1
    return model, names
