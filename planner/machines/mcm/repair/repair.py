"""Plans near a given one on a multi-chip module: FIX (MCM paper, Algorithm 2) with orders that spare what can stay.

FIX keeps the ops that come first in its order, so the order decides what moves. A first answer asks the ops that disagree
with others last. Then a minimum cut over order and spans (:mod:`planner.methods.repair.ordered`) says which ops can stay as far
as these go, and how many have to move at least; FIX sees to the other rules. What is left of the time goes to orders
that put an op that moved first, and to ops that leave chips whose memory is overfull.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.repair.row import mcm_row
from planner.machines.mcm.repair.slices import McmSlices, rooms
from planner.machines.mcm.rules import ChipMemoryRule
from planner.machines.mcm.solver.solver import McmSolver
from planner.methods.repair.best import Best
from planner.methods.repair.measure import Clock, Measure
from planner.methods.repair.ordered import nearest, undisputed
from planner.model.graph import Bools, Ints

TRIES_WITHOUT_GAIN = 2000
"""After so many orders in a row that gave nothing better, time is not used up."""
ATTEMPTS = 1
"""Starts of one FIX: another order is tried rather than the same one again."""

PER_BYTE = 10.0
"""A byte too much is so many times as dear as what its op costs to move."""
QUICK_SHARE = 0.5
"""Where more of the units than this disagree with nobody, the minimum cut is quick."""


def search(best: Best, clock: Clock, rng: np.random.Generator) -> None:
    """Offer valid plans ever nearer to the given one until time is over or none can be nearer."""
    solver = McmSolver(best.measure.problem, clock.late)
    if not solver.feasible:
        best.impossible = True
        return
    row = mcm_row(best.measure, solver)
    given = best.measure.given
    walk = _Walk(best, solver, rng)
    at_rest = undisputed(row)
    if at_rest.mean() < QUICK_SHARE:
        # The cut will take a while.
        _fit(walk, given, clock, quick=True)
        walk.take(walk.fixed(given, at_rest[row.unit_of]))
    found = nearest(row, clock.out)
    if found is None:
        best.impossible = True
        return
    best.prove(found.price)
    wanted = found.labels[row.unit_of]
    if not walk.enter(wanted):
        walk.take(walk.fixed(wanted, wanted == given))
    walk.begin(wanted, clock)
    if best.device_of is None:
        _fit(walk, wanted, clock)
    idle = 0
    while idle < TRIES_WITHOUT_GAIN and not best.fewest and not clock.out():
        idle = 0 if walk.step() else idle + 1


class _Walk:
    """A plan that keeps the static rules, and steps from it by other orders of FIX.

    ``current`` int32[n] (None before the first), ``over`` float64[k]: bytes above each chip's memory.
    """

    def __init__(self, best: Best, solver: McmSolver, rng: np.random.Generator) -> None:
        self.best = best
        self.measure: Measure = best.measure
        self.solver = solver
        self.rng = rng
        self.evaluator = cast(McmEvaluator, best.measure.problem.evaluator)
        self.current: Ints | None = None
        self.worth = np.inf
        self.over = np.zeros(self.evaluator.k)
        self.many = 2.0
        self._per_byte = self.measure.unit * self.evaluator.n / max(float(self.evaluator.params.sum()), 1.0)

    def fixed(self, wanted: Ints, first: Bools, ops: Ints | None = None) -> Ints | None:
        """FIX of ``wanted`` (int32[n]): ``ops``, those of ``keep``, those marked ``first`` (bool[n]), then all others."""
        turn = np.where(first, 2.0, 3.0)
        turn[self.measure.keep & first] = 1.0
        if ops is not None:
            turn[ops] = 0.0
        order = np.argsort(turn + self.rng.random(len(turn)) * 0.9, kind="stable").astype(np.int32)
        return self.solver.fix(wanted, int(self.rng.integers(1 << 62)), order, True, ATTEMPTS)

    def enter(self, device_of: Ints) -> bool:
        """Go on from a plan as it is, if it keeps all rules but memory; whether it does."""
        if any(violation.kind != ChipMemoryRule.name for violation in self.evaluator.violations(device_of)):
            return False
        self.take(device_of)
        return True

    def begin(self, wanted: Ints, clock: Clock) -> None:
        """Where no plan was found yet: one on fewer chips, which the rules of the package hardly bind."""
        chips = self.evaluator.k
        while self.current is None and chips:
            chips = 1 if clock.out() and chips > 3 else chips // 2
            lower = np.minimum(wanted, chips)
            self.take(self.fixed(lower, lower == self.measure.given))

    def take(self, device_of: Ints | None) -> bool:
        """Go on from a plan unless it is worse; whether it is better."""
        if device_of is None:
            return False
        e = self.evaluator
        price = self.measure.price(device_of)
        if price > self.worth:
            return False
        over = np.zeros(e.k)
        if np.isfinite(e.capacity).any():
            over = np.maximum(
                e.parameter_bytes(device_of) + e.peaks(device_of) - e.capacity * (1 + 1e-9), 0.0
            )
        better = not over.any() and self.best.offer(device_of)
        worth = price + PER_BYTE * self._per_byte * float(over.sum())
        if worth > self.worth:
            return better
        better |= worth < self.worth
        self.current, self.worth, self.over = device_of, worth, over
        return better

    def step(self) -> bool:
        """Try one other order; whether that gave a better plan."""
        if self.current is None:
            return self.take(self.fixed(self.measure.given, np.zeros(self.evaluator.n, bool)))
        if self.over.any() and self.rng.random() < 0.8:
            return self.take(self._relieved(self.current))
        better = self.take(self._restored(self.current))
        # So many at once as succeed now and then.
        self.many = min(max(self.many * (1.5 if better else 0.93), 1.0), float(self.evaluator.n))
        return better

    def _restored(self, current: Ints) -> Ints | None:
        """Some of the ops that moved come first, then all that stayed."""
        given = self.measure.given
        moved = np.flatnonzero(current != given)
        if not len(moved):
            return None
        count = min(len(moved), 1 + int(self.rng.integers(0, int(self.many) + 1)))
        if self.rng.random() < 0.5:
            chosen = self.rng.choice(moved, count, replace=False)
        else:
            moved = moved[np.argsort(self.evaluator.problem.graph.ranks[moved], kind="stable")]
            first = int(self.rng.integers(0, len(moved) - count + 1))
            chosen = moved[first : first + count]
        wanted = (given if self.rng.random() < 0.5 else current).copy()
        wanted[chosen] = given[chosen]
        return self.fixed(wanted, current == given, chosen.astype(np.int32))

    def _relieved(self, current: Ints) -> Ints | None:
        """Some ops at one end of an overfull chip go to the next chip on that side."""
        e = self.evaluator
        chip = int(self.rng.choice(np.flatnonzero(self.over)))
        up = chip + 1 < e.k and (chip == 0 or self.rng.random() < 0.6)
        if not up and chip == 0:
            return None
        ranks = e.problem.graph.ranks
        here = np.flatnonzero(current == chip)
        here = here[
            np.argsort((-ranks[here] if up else ranks[here]) + self.rng.random(len(here)), kind="stable")
        ]
        gone = np.cumsum(e.params[here]) - e.params[here]
        leave = here[gone < self.over[chip] * self.rng.uniform(0.2, 1.2)]
        wanted = current.copy()
        wanted[leave] = chip + 1 if up else chip - 1
        return self.fixed(wanted, current == self.measure.given, leave.astype(np.int32))


def _fit(walk: _Walk, wanted: Ints, clock: Clock, quick: bool = False) -> None:
    """Take the nearest cuts of orders that follow ``wanted``, the given plan, or the file; ``quick``: until one is valid."""
    cutter = McmSlices(walk.measure)
    orders = list(cutter.orders(wanted))
    for room in rooms(walk.evaluator.capacity):
        for order in orders:
            if clock.out():
                return
            near = cutter.nearest(order, room)
            if near is not None:
                walk.enter(near)
            if quick and walk.best.device_of is not None:
                return
        if walk.best.device_of is not None:
            return
