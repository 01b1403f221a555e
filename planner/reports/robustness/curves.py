"""How the objective of a plan follows the time of one op while all others stay: a curve over factors on that time.

Where the cost of a device is a sum (:attr:`planner.reports.robustness.retimed.Times.linear`), the objective is a hinge in what one device
works: flat as long as others are dearer, then one to one. Two evaluations of each device tell floor and line of its hinge, and these the
curves of all its ops. Elsewhere the curve is evaluated at :data:`GRID` factors, and what lies between two of them is interpolated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from planner.model.graph import Floats, Ints
from planner.problem.bound import TIE
from planner.reports.robustness.retimed import Times

ROUNDING = 1e-9
"""Objectives that differ by less (relative) are equal."""
GRID = 17
"""Factors at which a curve is evaluated that is no hinge."""
BISECTIONS = 40


class Curve(NamedTuple):
    """An objective by the factor on one op's time: linear between ``factors``, rising, with an objective for each of ``values``."""

    factors: tuple[float, ...]
    values: tuple[float, ...]

    def at(self, factor: float) -> float:
        """The objective where the op's time is multiplied by ``factor``."""
        return float(np.interp(factor, self.factors, self.values))


class Curves:
    """The curves of one plan, for factors from ``1 / most`` to ``most``.

    ``nominal`` is its objective under the times of the model, ``work`` float64[n] the time of each op where it runs.
    """

    def __init__(self, times: Times, device_of: Ints, most: float) -> None:
        """``device_of`` int32[n]: the plan."""
        self._times, self._most = times, most
        self.linear = times.linear
        self.evaluator = times.problem.evaluator
        self.device_of = np.ascontiguousarray(device_of, np.int32)
        self._known: dict[int, Curve] = {}
        e = self.evaluator
        self.nominal = float(e.components(self.device_of)[0])
        self.work = e.work_on(self.device_of)
        if times.linear:
            self._floor, self._line = _hinges(times, self.device_of, self.nominal)

    def of(self, op: int) -> Curve:
        """The curve of an op."""
        if op not in self._known:
            self._known[op] = self._hinge(op) if self._times.linear else self._evaluated(op)
        return self._known[op]

    def slack(self, op: int) -> float:
        """The largest factor, at most ``most``, by which the op's time may grow while the objective stays what it is."""
        if not self.work[op] > 0:
            return self._most
        if self._times.linear:
            floor, line = self._place(op)
            return float(min(self._most, 1.0 + max(0.0, floor - line) / self.work[op]))
        limit = self.nominal * (1.0 + TIE)
        found = last_true(lambda factor: self._objective(op, factor) <= limit, 1.0, self._most)
        return 1.0 if found < 1.0 + ROUNDING else found

    def _place(self, op: int) -> tuple[float, float]:
        d, part = int(self.device_of[op]), int(self._times.problem.evaluator.part[op])
        return float(self._floor[d, part]), float(self._line[d, part])

    def _hinge(self, op: int) -> Curve:
        floor, line = self._place(op)
        work, low, high = float(self.work[op]), 1.0 / self._most, self._most
        factors = {low, 1.0, high}
        if work > 0:
            kink = 1.0 + (floor - line) / work
            factors |= {kink} if low < kink < high else set()
        at = tuple(sorted(factors))
        return Curve(at, tuple(max(floor, line + (factor - 1.0) * work) for factor in at))

    def _evaluated(self, op: int) -> Curve:
        at = np.unique(np.append(np.geomspace(1.0 / self._most, self._most, GRID), 1.0))
        return Curve(tuple(at.tolist()), tuple(self._objective(op, factor) for factor in at.tolist()))

    def _objective(self, op: int, factor: float) -> float:
        factors = np.ones(len(self.device_of))
        factors[op] = factor
        return float(self._times.evaluator(factors).components(self.device_of)[0])


def _hinges(times: Times, device_of: Ints, nominal: float) -> tuple[Floats, Floats]:
    """``(floor, line)``, float64[k, 2] each, by device and part (forward, backward).

    Where a device works x more, the objective is max(floor, line + x); see the top of this module.
    """
    e = times.problem.evaluator
    _, receive, busy, send, _, held = e.raw(device_of)
    occupied, costs = e.occupied(device_of), np.empty(e.k)
    much = 2.0 * (nominal + float(busy.sum() + receive.sum() + send.sum()))
    floor, line = np.empty((e.k, 2)), np.empty((e.k, 2))
    for d in range(e.k):
        for part in range(2):
            for value, into in ((0.0, floor), (much, line)):
                changed = busy.copy()
                changed[d, part] = value
                into[d, part] = e.objective_of(receive, changed, send, held, occupied, costs)
            line[d, part] += busy[d, part] - much
    return floor, line


def last_true(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The last factor at which ``holds`` is true, if it is at ``low`` and once false stays so: ``high`` where it always is.

    ``high`` may be below ``low``: then the way goes down.
    """
    if holds(high):
        return high
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


class Crossing(NamedTuple):
    """Where another plan becomes better: the factor on the op's time, and the plan's number among those asked about."""

    factor: float
    plan: int


def crossing(mine: Curve, others: Sequence[Curve], margin: float, upwards: bool) -> Crossing | None:
    """The factor nearest to 1, above or below it, beyond which one of ``others`` is better than ``mine`` by more than ``margin``.

    ``margin`` is a share of ``mine``. None where no plan is, as far as the curves go.
    """
    best: Crossing | None = None
    for i, other in enumerate(others):
        found = _first_positive(mine, other, margin, upwards)
        if found is not None and (best is None or abs(np.log(found)) < abs(np.log(best.factor))):
            best = Crossing(found, i)
    return best


def _first_positive(mine: Curve, other: Curve, margin: float, upwards: bool) -> float | None:
    """Where ``(1 - margin) mine - other`` first rises above rounding, going from 1 up or down."""
    factors = [f for f in {*mine.factors, *other.factors} if (f >= 1.0 if upwards else f <= 1.0)]
    before: tuple[float, float] | None = None
    for factor in sorted(factors, reverse=not upwards):
        value, cost = mine.at(factor), other.at(factor)
        gain = (1.0 - margin) * value - cost
        if gain > ROUNDING * value:
            if before is None:
                return 1.0
            last, was = before
            # Linear between two breakpoints: it is 0 where the two are equal.
            return last if was >= 0.0 else last + (factor - last) * -was / (gain - was)
        before = (factor, gain)
    return None
