"""Where the op times of a problem come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from planner.problem.problem import Problem

FILE, COST_MODEL, RATES = "the file", "the cost model", "the target's rates"


def times_source(problem: Problem) -> str:
    """:data:`FILE` where the file has measured all of them, else what estimates the others: the cost model, or the machine's rates."""
    graph = problem.graph
    if np.array_equal(problem.evaluator.op_work[0], graph.work):
        return FILE if graph.cost_model is None else COST_MODEL
    return RATES


def estimated(problem: Problem) -> bool:
    """Whether the times that are compared are estimates: some come from no file, and the objective is a time."""
    compared = problem.unit(problem.components[0])
    return compared != "B" and times_source(problem) != FILE
