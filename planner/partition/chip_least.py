"""What any plan of a multi-chip module costs at least, without a search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

from planner.graph import Floats, Ints, csr
from planner.partition.contraction import forced_units, unit_edges
from planner.partition.mtpp_model import topological
from planner.problem import Problem

if TYPE_CHECKING:
    from planner.targets.mcm_evaluator import McmEvaluator


def least_cost(problem: Problem) -> float:
    """A bound without any search: the dearest unit, what pins put on one chip, an equal share of all work.

    For a single sample also the longest path of units: those on one chip add up there, and chips on a path wait for
    one another. Infinity where ops that must share a chip have none in common.
    """
    e = cast("McmEvaluator", problem.evaluator)
    unit_of = forced_units(problem)
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    if count == 0:
        return 0.0
    work = np.bincount(unit_of, weights=e.work[0], minlength=count).astype(np.float64)
    forbidden = np.zeros((count, e.k), bool)
    np.logical_or.at(forbidden, unit_of, ~e.allowed)
    choices = e.k - forbidden.sum(axis=1)
    if (choices == 0).any():
        return math.inf
    alone = choices == 1
    pinned = np.bincount(forbidden[alone].argmin(axis=1), weights=work[alone], minlength=e.k)
    least = max(float(work.max()), float(pinned.max()), float(work.sum()) / e.k)
    if e.single_sample:
        least = max(least, _longest_path(work, *unit_edges(unit_of, e.edge_src, e.edge_dst)))
    # A sum of floats may be some units in the last place too large.
    return least * (1 - 1e-15 * e.n)


def _longest_path(work: Floats, src: Ints, dst: Ints) -> float:
    """Most work along a path of units (``work`` float64[m]; edges between them, without a cycle)."""
    ptr, idx = csr(src, dst, len(work))
    finish = work.copy()
    for u in topological(len(work), src, dst).tolist():
        for v in idx[ptr[u] : ptr[u + 1]].tolist():
            finish[v] = max(finish[v], finish[u] + work[v])
    return float(finish.max())
