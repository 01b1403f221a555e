"""Placements to start from: a topological order cut into pieces of equal work, or of equal time with transfers.

Equation 7 of the multi-chip paper leaves the first placement open. Here it is a part of the policy's choice: which order, into how
many pieces, and where cuts may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from planner.machines.mcm.search.orders import McmOrders, places
from planner.machines.mcm.search.units import mcm_units
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator

ORDERS = 6
"""Topological orders to choose from (:meth:`planner.machines.mcm.search.orders.McmOrders.by_rule`)."""
SHARES = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1)
"""Shares of the chips to choose from, which is how many pieces there are."""
EVEN, CHEAP, DIRECT, BALANCED, BALANCED_DIRECT = range(5)
"""Where cuts may be: where pieces have equal work; within half a piece of that, where little crosses them; there too, where moreover no
dependency jumps over a piece, so that the triangle rule holds; where the longest piece is short, what crosses its ends counted; the same
where no dependency jumps over a piece."""
CHOICES = (ORDERS, len(SHARES), 5)
"""How many there are to choose from of each."""
PULL = 0.5
"""What a cut pays for moving by one piece, in ideal chip latencies."""
HALVINGS = 12
"""How often the range of lengths of balanced pieces is halved, in logarithms: less than a thousandth is left of it."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """A topological order: ``order`` int32[n]; ``done`` float64[n + 1], the share of the whole ``work`` (seconds) before each place of it.

    ``middle`` float64[n]: the share of the work done in the middle of each op. ``crossing`` float64[n]: time to send what is made before each
    place and read from there on, ``crossing_at_op`` the same by op. ``reach`` int32[n]: the last place that a dependency of an op up to each
    place leads to.
    """

    order: Ints
    work: float
    done: Floats
    middle: Floats
    crossing: Floats
    crossing_at_op: Floats
    reach: Ints


def rankings(problem: Problem) -> tuple[Ranking, ...]:
    """The orders that starts are cut from."""
    e = cast("McmEvaluator", problem.evaluator)
    units = mcm_units(problem)
    found = []
    for order, _ in zip(McmOrders(units).by_rule(), range(ORDERS), strict=False):
        of_op: Ints = np.argsort(places(order)[units.unit_of], kind="stable").astype(np.int32)
        found.append(_ranking(e, of_op))
    return tuple(found)


def _ranking(e: McmEvaluator, order: Ints) -> Ranking:
    n = e.n
    place: Ints = np.empty(n, np.int32)
    place[order] = np.arange(n, dtype=np.int32)
    # Ops without work count for a little, or a graph of nothing else could not be cut.
    work = e.work[0] + max(float(e.work[0].sum()), 1e-30) * 1e-6 / max(n, 1)
    done = np.concatenate([[0.0], np.cumsum(work[order])]) / work.sum()
    middle = np.empty(n)
    middle[order] = (done[:-1] + done[1:]) / 2
    read = np.diff(e.consumer_ptr) > 0
    last = (
        np.maximum.reduceat(place[e.consumer_idx], e.consumer_ptr[:-1][read])
        if read.any()
        else np.empty(0, np.int32)
    )
    made = place[e.tensor_producer[read]]
    spent = np.where(e.copied[e.tensor_producer[read]], 0.0, e.tensor_time[read])
    later = np.maximum(last, made)
    change = np.bincount(made + 1, spent, n + 2) - np.bincount(later + 1, spent, n + 2)
    crossing = np.maximum(np.cumsum(change)[:n], 0.0)
    at_op = np.empty(n)
    at_op[order] = crossing
    reach = np.arange(n, dtype=np.int32)
    np.maximum.at(reach, place[e.edge_src], place[e.edge_dst])
    return Ranking(order, float(work.sum()), done, middle, crossing, at_op, np.maximum.accumulate(reach))


def start(ranking: Ranking, pieces: int, where: int, ideal: float, last: Ints) -> Ints:
    """``ranking`` cut into at most ``pieces`` (int32[n]), ``where`` is one of EVEN, CHEAP, DIRECT, BALANCED and BALANCED_DIRECT.

    Where an op may be on no chip beyond ``last`` (int32[n]), neither is any in front of it; no chip is skipped on the way.
    """
    n = len(ranking.order)
    targets = np.arange(1, pieces) / pieces
    if where == EVEN:
        cuts = np.searchsorted(ranking.done, targets).astype(np.int64)
    elif where in (BALANCED, BALANCED_DIRECT):
        cuts = _balanced(ranking, pieces, where == BALANCED_DIRECT)
    else:
        cuts = _moved(ranking, targets, pieces, where == DIRECT, ideal)
    chips = np.searchsorted(cuts, np.arange(n), side="right")
    chips = np.minimum(chips, np.minimum.accumulate(last[ranking.order][::-1])[::-1])
    found = np.empty(n, np.int32)
    found[ranking.order] = np.cumsum(np.diff(chips, prepend=0) > 0)
    return found


def _moved(ranking: Ranking, targets: Floats, pieces: int, direct: bool, ideal: float) -> np.ndarray:
    """Cuts near ``targets`` (shares of the work), increasing; one that finds no place is left out."""
    n = len(ranking.order)
    firsts = np.searchsorted(ranking.done, targets - 0.5 / pieces)
    ends = np.searchsorted(ranking.done, targets + 0.5 / pieces, side="right")
    price = ranking.crossing / ideal
    cuts: list[int] = []
    last = 0
    for first, end, target in zip(firsts.tolist(), ends.tolist(), targets.tolist(), strict=True):
        first = max(first, last + 1)
        if direct and last:
            first = max(first, int(ranking.reach[last - 1]) + 1)
        if first < min(end, n):
            at = np.arange(first, min(end, n))
            away = np.abs(ranking.done[at] - target) * pieces
            last = first + int(np.argmin(price[at] + PULL * away))
            cuts.append(last)
    return np.array(cuts, np.int64)


def _balanced(ranking: Ranking, pieces: int, direct: bool) -> np.ndarray:
    """Cuts into at most ``pieces``, of which the longest is about as short as can be, what crosses both its ends counted."""
    low, high = ranking.work / pieces, ranking.work
    cuts: list[int] = []
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        found = _filled(ranking, middle, pieces, direct)
        if found is None:
            low = middle
        else:
            high, cuts = middle, found
    return np.array(cuts, np.int64)


def _filled(ranking: Ranking, longest: float, pieces: int, direct: bool) -> list[int] | None:
    """Cuts into at most ``pieces``, none of which takes more than ``longest`` seconds; None where there are none.

    A piece from one cut to the next takes the work between them and what crosses either. Of the cuts that so many pieces can lead to, those
    count where the most work is done before and the least crosses: from there a piece ends last.
    """
    n = len(ranking.order)
    done = ranking.done[:n] * ranking.work
    spent, gained = done + ranking.crossing, done - ranking.crossing
    after: Ints = np.arange(1, n + 1, dtype=np.int32)
    if direct:
        after[1:] = np.maximum(after[1:], ranking.reach[:-1] + 1)
    led: list[Floats] = [np.where(np.arange(n) == 0, 0.0, -np.inf)]
    while led[-1].max() < ranking.work - longest:
        if len(led) == pieces or led[-1].max() == -np.inf:
            return None
        widest = np.full(n + 1, -np.inf)
        np.maximum.at(widest, after, led[-1])
        led.append(np.where(spent <= longest + np.maximum.accumulate(widest)[:n], gained, -np.inf))
    cuts: list[int] = []
    for from_here in led[:0:-1]:
        cuts.append(int(np.argmax(np.where(after <= cuts[-1], from_here, -np.inf) if cuts else from_here)))
    return cuts[::-1]


def direct_pieces(ranking: Ranking) -> int:
    """Into how many pieces the order can be cut at most so that no dependency jumps over one."""
    pieces, last, n = 1, 0, len(ranking.order)
    while True:
        first = max(last + 1, int(ranking.reach[last - 1]) + 1) if last else 1
        if first >= n:
            return pieces
        pieces, last = pieces + 1, first


def pieces_of(share: int, k: int) -> int:
    """How many pieces the ``share``-th of :data:`SHARES` means on ``k`` chips."""
    return max(1, round(SHARES[share] * k))
