"""A multi-chip module as a row of labels: order, spans and what the chip solver leaves to each op."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.solver.spans import MOST_UNITS, reachability, spans
from planner.methods.repair.labelling import FORBIDDEN
from planner.methods.repair.measure import Measure
from planner.methods.repair.ordered import Row
from planner.methods.units import unit_edges


def mcm_row(measure: Measure, solver: McmSolver) -> Row:
    """What every valid plan keeps to: f(u) <= f(v) <= f(u) + span, each op between its first and its last chip."""
    problem = measure.problem
    e = problem.evaluator
    unit_of = solver.unit_of
    m = int(unit_of.max()) + 1 if e.n else 0
    src, dst = unit_edges(unit_of, e.edge_src, e.edge_dst)
    rules = problem.assumptions
    span = np.full(len(src), e.k, np.int32)
    if "rule:triangle" in rules and rules & {"rule:no_skip", "rule:every_chip"} and m <= MOST_UNITS:
        span = spans(src, dst, *reachability(src, dst, m), e.k)
    costs = np.zeros((m, e.k), np.int64)
    np.add.at(costs, unit_of, measure.costs)
    wants = np.zeros((m, e.k), bool)
    wants[unit_of, measure.given] = True
    chips = np.arange(e.k, dtype=np.uint64)
    fine = np.ones((m, e.k), bool)
    inside = (solver.domains()[:, None] >> chips) & np.uint64(1) > 0
    # Only the ends of a domain count, so that windows stay exact; holes are left to the solver.
    inside = (
        np.logical_or.accumulate(inside, axis=1) & np.logical_or.accumulate(inside[:, ::-1], axis=1)[:, ::-1]
    )
    np.logical_and.at(fine, unit_of, inside)
    return Row(unit_of, np.where(fine, costs, FORBIDDEN), wants & fine, src, dst, span)
