"""Plans near a given one where devices follow one another: pipelines, Edge TPUs, and what chips have in common with them.

Which ops must move is a matter of pairs: two ops on a path disagree when the later one is on an earlier device. The
fewest ops that settle all disagreements, pins and ops kept together included, are a minimum cut
(:mod:`planner.methods.repair.labelling`), so repair is exact here: no valid plan is nearer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.methods.repair.best import Best
from planner.methods.repair.labelling import FORBIDDEN, Longs, cheapest, narrow, one_by_one, settled
from planner.methods.repair.measure import Clock, Measure
from planner.methods.units import unit_edges
from planner.model.graph import Bools, Ints, csr


@dataclass(frozen=True, eq=False)
class Row:
    """Units of ops that share a label, and how their labels hang together.

    ``unit_of`` int32[n]; ``costs`` int64[m, L]: what each label costs a unit, FORBIDDEN = not allowed; ``wants`` bool[m, L]: the
    labels at which some of its ops would stay; ``src``, ``dst`` and ``span`` int32[c]: f(src) <= f(dst) <= f(src) + span.
    """

    unit_of: Ints
    costs: Longs
    wants: np.ndarray
    src: Ints
    dst: Ints
    span: Ints


@dataclass(frozen=True, eq=False)
class Nearest:
    """Labels of units (int32[m]), and a price that no labelling is below."""

    labels: Ints
    price: int


def row_of(measure: Measure) -> Row:
    """Groups of ops along the order of the devices, with their pins."""
    problem = measure.problem
    e = problem.evaluator
    unit_of = problem.groups.group_of
    count = problem.groups.count
    costs = np.zeros((count, e.k), np.int64)
    np.add.at(costs, unit_of, measure.costs)
    fine = np.ones((count, e.k), bool)
    np.logical_and.at(fine, unit_of, e.allowed)
    wants = np.zeros((count, e.k), bool)
    wants[unit_of, measure.given] = True
    src, dst = unit_edges(unit_of, e.edge_src, e.edge_dst)
    spans = np.full(len(src), e.k, np.int32)
    return Row(unit_of, np.where(fine, costs, FORBIDDEN), wants & fine, src, dst, spans)


def nearest(row: Row, stopped: Callable[[], bool]) -> Nearest | None:
    """The cheapest labels; where time is too short for a proof near ones, with the price 0. None = there are no labels."""
    m, k = row.costs.shape
    if m == 0:
        return Nearest(np.zeros(0, np.int32), 0)
    windows = _windows(row)
    if windows is None:
        return None
    low, high = windows
    at_rest, labels = _at_rest(row, low, high)
    low[at_rest], high[at_rest] = labels[at_rest], labels[at_rest]
    narrow(low, high, row.src, row.dst, row.span)
    labels = low.copy()
    left = np.flatnonzero(low < high)
    place = np.arange(k)
    costs = np.where((place >= low[:, None]) & (place <= high[:, None]), row.costs, FORBIDDEN)
    price = int(costs[np.arange(m), labels].sum()) - int(costs[left, labels[left]].sum())
    if price >= FORBIDDEN:
        return None
    number = np.full(m, -1, np.int32)
    number[left] = np.arange(len(left), dtype=np.int32)
    both = (number[row.src] >= 0) & (number[row.dst] >= 0)
    found = cheapest(costs[left], number[row.src[both]], number[row.dst[both]], row.span[both], stopped)
    if found is None:
        return Nearest(greedy(row, low, high), 0)
    if found.cost >= FORBIDDEN:
        return None
    labels[left] = found.labels
    return Nearest(labels, price + found.cost)


def _windows(row: Row) -> tuple[Ints, Ints] | None:
    """First and last label of each unit (int32[m]), exact but for gaps between; None where some unit has none."""
    k = row.costs.shape[1]
    fine = row.costs < FORBIDDEN
    if not fine.any(axis=1).all():
        return None
    low = fine.argmax(axis=1).astype(np.int32)
    high = (k - 1 - fine[:, ::-1].argmax(axis=1)).astype(np.int32)
    narrow(low, high, row.src, row.dst, row.span)
    return None if (low > high).any() else (low, high)


def _at_rest(row: Row, low: Ints, high: Ints) -> tuple[Bools, Ints]:
    """Units that every cheapest labelling leaves at the one label they want (bool[m]), and that label (int32[m])."""
    k = row.costs.shape[1]
    place = np.arange(k)
    inside = (place >= low[:, None]) & (place <= high[:, None])
    wants = row.wants & inside
    some = wants.any(axis=1)
    first = np.where(some, wants.argmax(axis=1), 1).astype(np.int32)
    last = np.where(some, k - 1 - wants[:, ::-1].argmax(axis=1), 0).astype(np.int32)
    if len(row.src) and (inside & (row.costs >= FORBIDDEN)).any():
        # With gaps, labels that agree in pairs need not belong to one labelling.
        return np.zeros(len(low), bool), first
    return settled(first, last, row.src, row.dst, row.span), first


def undisputed(row: Row) -> Bools:
    """bool[m]: units that nothing disagrees with as far as order and spans go."""
    windows = _windows(row)
    return np.zeros(len(row.costs), bool) if windows is None else _at_rest(row, *windows)[0]


def greedy(row: Row, low: Ints, high: Ints) -> Ints:
    """Labels of the units (int32[m]) within exact windows (``low``, ``high`` int32[m]), one unit after the other.

    Those first that it costs most to move.
    """
    wish = row.costs.argmin(axis=1).astype(np.int32)
    sorted_costs = np.sort(row.costs, axis=1)
    worth = sorted_costs[:, 1] - sorted_costs[:, 0] if row.costs.shape[1] > 1 else sorted_costs[:, 0]
    order = np.argsort(-worth, kind="stable").astype(np.int32)
    m = len(wish)
    each = np.arange(len(row.src), dtype=np.int32)
    ptr, touching = csr(np.concatenate([row.src, row.dst]), np.concatenate([each, each]), m)
    low, high = low.copy(), high.copy()
    one_by_one(order, wish, low, high, row.src, row.dst, row.span, ptr, touching)
    return low


def search(best: Best, clock: Clock, rng: np.random.Generator) -> None:
    """The nearest valid plan there is, or a near one where time is short."""
    measure = best.measure
    row = row_of(measure)
    found = nearest(row, clock.out)
    if found is None:
        best.impossible = True
        return
    best.prove(found.price)
    best.offer(found.labels[row.unit_of])
