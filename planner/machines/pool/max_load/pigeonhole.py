"""A lower bound by counting: some accelerator must hold many of the largest units.

CPUs hold few of them within the cost of a plan in hand, since they are slow. Of the others, some accelerator gets at least the
average number, rounded up, and they cost at least as much as that many of the smallest among them. This closes gaps that
shares of the work leave where a few dozen units are about equally large.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from planner.evaluation import kernels
from planner.methods.units import Units
from planner.model.graph import Floats


def pigeonhole(units: Units, objective: float) -> float:
    """A bound on all plans over ``units``; ``objective`` (infinity = none) is the cost of a plan in hand.

    Proof: if no plan is better than ``objective``, that is a bound. Else let a plan be better; no device's work, of either
    part, exceeds ``objective`` in it. So the CPUs together hold at most ``held`` of the j largest units, and with k
    accelerators one gets ``ceil((j - held) / k)`` of them; all modes of communication cost at least the work.
    """
    e = units.problem.evaluator
    if units.count == 0:
        return 0.0
    if e.objective_code == kernels.MAX_COST:
        total = _of_work(units, units.work.sum(axis=2), objective)
    else:
        total = sum(_of_work(units, units.work[:, :, part], objective) for part in (0, 1))
    return min(total, objective)


def _of_work(units: Units, work: Floats, objective: float) -> float:
    """The bound on the largest work (float64[c, m]) of an accelerator."""
    e = units.problem.evaluator
    fast, slow = np.flatnonzero(e.pays), np.flatnonzero(~e.pays)
    if not len(fast):
        return 0.0
    on_fast = work[e.class_of[fast]].min(axis=0)
    on_fast = np.where(units.allowed[:, fast].any(axis=1), on_fast, -math.inf)
    order = np.argsort(-on_fast, kind="stable")
    order = order[on_fast[order] > 0]
    largest = on_fast[order]
    on_slow = work[e.class_of[slow]].min(axis=0)[order] if len(slow) else None
    if on_slow is not None and not math.isfinite(objective):
        return 0.0
    best, taken = 0.0, 0.0
    room = objective * len(slow) * (1 + 1e-9)
    # What the CPUs could hold of the j largest: the smallest of them, the largest of these (negated) first.
    held: list[float] = []
    for j in range(1, len(order) + 1):
        if on_slow is not None and math.isfinite(on_slow[j - 1]):
            heapq.heappush(held, -float(on_slow[j - 1]))
            taken += float(on_slow[j - 1])
            while taken > room:
                taken += heapq.heappop(held)
        left = math.ceil((j - len(held)) / len(fast))
        if left > 0:
            best = max(best, float(largest[j - left : j].sum()))
    return best
