"""Partitions that nearly keep the rules, for FIX to correct (MCM paper, algorithm 2): what no cut of an order reaches.

Where branches of one source run side by side, the source may have to stand on a chip of its own, far in front of its readers; the
solver finds such places, and a candidate tells it how the work should lie.
"""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.search.orders import McmOrders
from planner.machines.mcm.search.units import McmUnits
from planner.model.graph import Floats, Ints

NOISE = 0.1
"""A chip this much cheaper than the dearest one may be taken instead of it."""


def filled(units: McmUnits, order: Ints, memory: bool) -> Ints:
    """Equal shares of the work along an order; with ``memory`` of the work and of the parameters alike (int32[m])."""
    k = units.problem.evaluator.k
    share = units.work / max(float(units.work.sum()), 1e-300)
    if memory:
        share = share + units.params / max(float(units.params.sum()), 1e-300)
    along = share[order]
    ends = np.cumsum(along)
    middles = (ends - along / 2) / max(float(ends[-1]), 1e-300) if len(ends) else ends
    place = np.zeros(units.count, np.int32)
    place[order] = np.clip(middles * k, 0, k - 1).astype(np.int32)
    return place


def rebalanced(
    units: McmUnits, orders: McmOrders, place: Ints, costs: Floats, rng: np.random.Generator
) -> Ints | None:
    """``place`` (int32[m]) with less on a dear chip; None where a single unit makes it dear.

    Its first or last units go to the chip beside it, or it becomes two, for which two cheap neighbours become one if every chip is
    in use. ``costs`` float64[k]: of each chip.
    """
    k = len(costs)
    dear = int(np.argmax(costs * (1 + NOISE * rng.random(k))))
    inside = rng.random(units.count) if rng.random() < 0.5 else np.arange(units.count) / units.count
    order = orders.order(place + 0.9 * inside)
    members = order[place[order] == dear]
    if len(members) < 2:
        return None
    work = np.cumsum(units.work[members])
    at = min(1 + int(np.searchsorted(work, rng.uniform(0.2, 0.8) * work[-1])), len(members) - 1)
    first, rest = members[:at], members[at:]
    used = int(place.max()) + 1
    changed = place.copy()
    kind = rng.random()
    if (used == k and k < 3) or kind < 0.4:
        if rng.random() < 0.5:
            changed[rest] = min(dear + 1, k - 1)
        else:
            changed[first] = max(dear - 1, 0)
        return changed
    halves = 2 * changed
    halves[rest] += 1
    if used == k:
        pairs = (costs[:-1] + costs[1:]) * (1 + 3 * NOISE * rng.random(k - 1))
        pairs[max(dear - 1, 0) : dear + 1] = np.inf
        cheap = int(np.argmin(pairs))
        halves[place == cheap + 1] = 2 * cheap
    return np.unique(halves, return_inverse=True)[1].reshape(-1).astype(np.int32)
