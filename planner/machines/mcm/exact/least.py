"""What any plan of a multi-chip module costs at least, without a search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.least import TIED, Least
from planner.methods.orders import kahn_order
from planner.methods.units import forced_units, unit_edges
from planner.model.graph import Floats, Ints, csr
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator

MOST_STEPS = 20_000_000
"""Units and dependencies looked at between the ends of dependencies, some 50 ms; those with least work are left out."""


class LeastCost(NamedTuple):
    """Two bounds: on any plan whose links lead one way, and on those that keep the triangle rule too (never less)."""

    in_order: float
    under_triangle: float


def least_cost(problem: Problem) -> LeastCost:
    """Bounds without any search: the dearest unit, what pins put on one chip, an equal share of all work.

    For a single sample also the longest path of units: those on one chip add up there, and chips on a path wait for
    one another. Infinity where ops that must share a chip have none in common.

    Where the triangle rule holds, a dependency and all units between its ends are on two chips, one of which does half of their work; for a
    single sample one of these chips waits for the other.
    """
    e = cast("McmEvaluator", problem.evaluator)
    unit_of = forced_units(problem)
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    if count == 0:
        return LeastCost(0.0, 0.0)
    work = np.bincount(unit_of, weights=e.work[0], minlength=count).astype(np.float64)
    forbidden = np.zeros((count, e.k), bool)
    np.logical_or.at(forbidden, unit_of, ~e.allowed)
    choices = e.k - forbidden.sum(axis=1)
    if (choices == 0).any():
        return LeastCost(math.inf, math.inf)
    alone = choices == 1
    pinned = np.bincount(forbidden[alone].argmin(axis=1), weights=work[alone], minlength=e.k)
    least = max(float(work.max()), float(pinned.max()), float(work.sum()) / e.k)
    confined = 0.0
    if e.single_sample or e.target.triangle:
        src, dst = unit_edges(unit_of, e.edge_src, e.edge_dst)
        succs = csr(src, dst, count)
        order = kahn_order(*succs, np.arange(count, dtype=np.float64))
        if e.single_sample:
            least = max(least, float(longest_path(*succs, order, work)))
        if e.target.triangle:
            share = 1.0 if e.single_sample else 0.5
            confined = share * _most_confined(src, dst, *succs, order, work, least / share)
    # A sum of floats may be some units in the last place too large.
    rounded = 1 - 1e-15 * e.n
    return LeastCost(least * rounded, max(least, confined) * rounded)


def _most_confined(
    src: Ints, dst: Ints, ptr: Ints, idx: Ints, order: Ints, work: Floats, least: float
) -> float:
    """Most work of a dependency's ends and all units between them, as far as it is above ``least``, else 0."""
    m = len(work)
    place = np.empty(m, np.int32)
    place[order] = np.arange(m, dtype=np.int32)
    done = np.concatenate([[0.0], np.cumsum(work[order])])
    # What is between two units is between them in any topological order.
    at_most = done[place[dst] + 1] - done[place[src]]
    promising = np.flatnonzero(at_most > least)
    promising = promising[np.argsort(-at_most[promising], kind="stable")]
    return float(
        most_between(
            src[promising], dst[promising], at_most[promising], ptr, idx, *csr(dst, src, m), order, place, work, least, MOST_STEPS,
        )
    )  # fmt: skip


@njit(cache=True, nogil=True)
def longest_path(ptr, idx, order, work):
    """Most work along a path of units (CSR ``ptr``, ``idx`` in topological ``order``; ``work`` float64[m])."""
    finish = work.copy()
    most = 0.0
    for u in order:
        most = max(most, finish[u])
        for e in range(ptr[u], ptr[u + 1]):
            finish[idx[e]] = max(finish[idx[e]], finish[u] + work[idx[e]])
    return most


@njit(cache=True, nogil=True)
def most_between(src, dst, at_most, ptr, idx, pred_ptr, pred_idx, order, place, work, least, budget):
    """Most work of the units on paths from ``src[i]`` to ``dst[i]``, both included, if above ``least``, else 0.

    ``at_most`` float64[e], decreasing, bounds that work; the search ends where it cannot be more, or after ``budget`` steps.
    """
    m = len(order)
    from_start = np.full(m, -1, np.int32)
    to_end = np.full(m, -1, np.int32)
    best = least
    steps = 0
    for i in range(len(src)):
        if at_most[i] <= best or steps > budget:
            break
        first, last = place[src[i]], place[dst[i]]
        from_start[src[i]] = i
        to_end[dst[i]] = i
        for p in range(first, last):
            u = order[p]
            steps += 1
            if from_start[u] == i:
                steps += ptr[u + 1] - ptr[u]
                for e in range(ptr[u], ptr[u + 1]):
                    from_start[idx[e]] = i
        total = 0.0
        for p in range(last, first - 1, -1):
            u = order[p]
            if to_end[u] == i and from_start[u] == i:
                total += work[u]
                steps += pred_ptr[u + 1] - pred_ptr[u]
                for e in range(pred_ptr[u], pred_ptr[u + 1]):
                    to_end[pred_idx[e]] = i
        best = max(best, total)
    return best if best > least else 0.0


def least(problem: Problem) -> list[Least]:
    """:func:`least_cost` as bounds; the one that needs the triangle rule only where it says more."""
    cost = least_cost(problem)
    found = [Least(problem.objective, cost.in_order, ("rule:order", *TIED))]
    if cost.under_triangle > cost.in_order:
        found.append(Least(problem.objective, cost.under_triangle, ("rule:order", "rule:triangle", *TIED)))
    return found
