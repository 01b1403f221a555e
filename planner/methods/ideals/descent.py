"""Exact contiguous plans over lattices of ideals, searched from a good plan down until none is better.

Every pass asks for a plan strictly better than the best known one. When a pass finds none, the best plan is optimal; when
its plan cannot be completed to a valid one, which a relaxation may bring about, the bound is what the relaxation costs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from planner.methods.balanced import balanced_slicing
from planner.methods.ideals.reduced import Reduced
from planner.methods.ideals.relaxations import Parts, window
from planner.methods.orders import depth_first_order
from planner.methods.slicing import Slicer
from planner.methods.units import build_units, chain_units, mirrors
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.search import Search

STRICTLY = 1 - 4e-10
"""A pass looks for plans below this share of the best one; what lies between counts as equal."""
PROVEN = 1 - 9e-10
"""What is reported as proven is lower still, by more than rounding in sums of a few thousand terms."""
FAR_OFF = 2.0
"""A plan is worth passes with lower cutoffs first when it costs more than so many times the simplest bound."""
CLOSE = 1 - 1e-3
FEW_IDEALS = 20_000
"""Windows around one order stay below so many ideals where the best plan is that close to what is proven."""
LITTLE, HARDLY = 1e-3, 1e-4
"""A plan that a pass made better by less than the first share, or that is closer to what is proven than the second, is likely the best."""
EARLY, PATIENCE = 0.905, 1.0
"""So much of the best plan a first pass asks for where passes take long: one that is far below fails soon, and leaves less than a tenth open.
It is left when it has looked at more than so many open stages for each ideal."""
LOOSELY = ((0.901, 0.04), (0.97, 0.02))
"""What loose passes ask for then, as shares of the best plan, and how much of it they give away."""
MANY_IDEALS = 50_000
"""From so many ideals on passes take long."""
MOST_SLICED = 4_000
"""Units of an order whose best slicing is there in a moment."""


class Found(Protocol):
    """A chain of ideals as a plan of the units (``device_of`` int32[m]; ``place`` int32[k] orders the devices) and its largest cost."""

    @property
    def device_of(self) -> Ints:
        """The device of each unit (int32[m])."""

    @property
    def place(self) -> Ints:
        """Where each device stands in the chain (int32[k])."""

    @property
    def value(self) -> float:
        """The largest cost, as the program counts it."""


class Engine(Protocol):
    """A dynamic program over one lattice."""

    def solve(self, bound: float, search: Search) -> Found | None:
        """A chain with every cost below ``bound``, or None where there is none."""


class TooLong(Exception):
    """A pass has looked at more open stages than it was to."""


class LooseEngine(Engine, Protocol):
    """One that can give some of each cost away, to be done sooner, and give up."""

    def solve(
        self, bound: float, search: Search, slack: float = 0.0, patience: float = math.inf
    ) -> Found | None:
        """A chain whose costs are below ``bound + slack``, or None where there is none with every cost below ``bound``; where there is either, any of the two.

        Raises :class:`TooLong` where it looks at more than ``patience`` open stages for each ideal.
        """


@dataclass
class Descent:
    """How far one lattice has come. ``floor``: no plan costs less, as far as this lattice tells; ``open``: it is below all plans."""

    floor: float
    open: bool = False


@dataclass
class _Cutoffs:
    """Which cutoff to try next.

    A pass just below the best plan ends most searches. While that finds something, passes ask for more and more, in the end
    for half of what is left; whenever that cannot be had, the next pass is one just below the best plan again. Without a plan
    worth the name, cutoffs grow from ``least``, which hardly any plan is below.
    """

    upper: float
    least: float
    failed: float = 0.0
    step: float = 0.0
    refused: bool = False

    def trial(self) -> float:
        """The next cutoff, at most just below the best plan."""
        top = self.upper * STRICTLY
        if self.upper > self.least * FAR_OFF and self.least > 0:
            trial = max(self.failed * 1.5, self.least * 1.05)
            return trial if trial < min(top, self.least * 1000) else top
        if (
            self.refused
            or self.upper - self.failed < self.upper * HARDLY
            or 0 < self.step < self.upper * LITTLE
        ):
            return top
        if self.failed == 0:
            return min(top, max(self.upper - self.step, (self.least + self.upper) / 2))
        return (self.failed + self.upper) / 2

    def found(self, upper: float) -> None:
        """A plan that costs ``upper`` was found."""
        gained = self.upper - upper
        self.step = 2 * max(self.step, gained) if math.isfinite(gained) else 0.0
        self.upper = upper
        self.refused = False

    def missed(self, cutoff: float) -> None:
        """No plan costs less than ``cutoff``."""
        self.failed, self.refused = cutoff, True


class Descending(ABC):
    """An exact search of ``problem`` by descent; plans (where ``propose``) and bounds go to ``search``.

    ``limit`` is the most ideals of a lattice, ``method`` the name that bounds carry.
    """

    def __init__(self, problem: Problem, search: Search, limit: int, method: str, propose: bool) -> None:
        e = problem.evaluator
        self.problem, self.search, self.limit, self.method = problem, search, limit, method
        self._propose = propose
        self._upper = math.inf
        self._best: Ints | None = None
        self._proven = -math.inf
        # Costs are differences of sums over whole ideals, so they are off by what those sums are rounded by.
        self._rounding = 1e-14 * float(e.work.max(axis=0).sum() + e.tensor_time.sum())

    @abstractmethod
    def _descend(self, reduced: Reduced, least: float, heuristic: bool = False) -> Descent | None:
        """Ever better plans of one lattice until there is none; None where the lattice is too large.

        ``heuristic``: not every plan is a chain of the lattice, so nothing is proven.
        """

    # ------------------------------------------------------------------ plans and bounds
    def _offer(self, device_of: Ints) -> bool:
        """Take a plan if it is valid and better than all before; returns whether it is."""
        e = self.problem.evaluator
        device_of = e.checked(np.asarray(device_of, np.int32))
        value = e.objective(device_of)
        if value >= self._upper or e.violations(device_of):
            return False
        self._upper, self._best = value, device_of
        if self._propose:
            self.search.incumbent(device_of)
        return True

    def _adopt(self) -> None:
        """Look for less than a better plan costs that was found elsewhere; who only proves keeps it to himself."""
        if self._propose:
            found = self.search.adopt()
        else:
            heard = self.search.exchange.best
            found = None if heard is None else heard.decision
        if found is not None:
            self._offer(found)

    def _prove(self, floor: float) -> None:
        if floor <= self._proven:
            return
        self._proven = floor
        value = math.inf if math.isinf(floor) else max(0.0, floor * PROVEN - self._rounding)
        bound = self.problem.bound(
            self.problem.objective, value, self.method, self._assumed(), self.search.seconds
        )
        self.search.prove(bound)

    def _assumed(self) -> frozenset[str]:
        """The tokens that the proof uses: rules that nothing can break are not among them."""
        e, graph = self.problem.evaluator, self.problem.graph
        idle = set()
        if graph.supported.all():
            idle.add("rule:support")
        coloured = graph.colour_class[graph.colour_class >= 0]
        if len(np.unique(coloured)) == len(coloured):
            idle.add("rule:colocation")
        if e.memory.sum() <= e.capacity[e.pays].min(initial=math.inf):
            idle |= {token for token in self.problem.assumptions if token.startswith("rule:memory")}
        return self.problem.assumptions - idle

    def _slice(self) -> float:
        """Plans of DPL to start from; returns a cost that hardly any plan is below."""
        least = math.inf
        seen: list[tuple[Ints, Ints, Ints]] = []
        for mirror in mirrors(self.problem):
            chain = chain_units(self.problem, mirror)
            if any(all(np.array_equal(a, b) for a, b in zip(chain, other, strict=True)) for other in seen):
                continue
            seen.append(chain)
            units = build_units(self.problem, *chain)
            slicer = Slicer(units)
            least = min(least, slicer.segment_bound)
            order = depth_first_order(*units.succs)
            if units.count > MOST_SLICED:
                # The best slicing of so many units takes its time: have a plan before.
                for first in (slicer.even(order), balanced_slicing(units, order)):
                    if first is not None:
                        self._offer(first[units.unit_of])
            for device_of in slicer.slicings(order, self.search, self._upper):
                self._offer(device_of[units.unit_of])
        return least

    # ------------------------------------------------------------------ lattices
    def _descend_bound(
        self,
        engine: Engine,
        reduced: Reduced,
        descent: Descent,
        least: float,
        heuristic: bool,
    ) -> None:
        cutoffs = _Cutoffs(descent.floor, least)
        while True:
            if not heuristic and descent.floor <= self._proven:
                return
            self._adopt()
            if self._upper < descent.floor:
                descent.floor = self._upper
                cutoffs.upper = descent.floor
            cutoff = cutoffs.trial()
            found = engine.solve(cutoff, self.search)
            if found is not None:
                self.search.iteration()
                self._take_chain(found, found.value, reduced, descent)
                cutoffs.found(descent.floor)
                continue
            if cutoff >= descent.floor * STRICTLY:
                return
            cutoffs.missed(cutoff)
            if not heuristic:
                self._prove(cutoff)

    def _ask_for_far_less(self, engine: LooseEngine, reduced: Reduced, descent: Descent) -> None:
        """One pass far below the best plan known, unless as much is proven; loose ones where that takes too long."""
        self._adopt()
        cutoff = EARLY * min(descent.floor, self._upper)
        if math.isinf(cutoff) or cutoff <= max(self._proven, self.search.state.bound or 0.0):
            return
        try:
            found = engine.solve(cutoff, self.search, patience=PATIENCE)
        except TooLong:
            self._ask_loosely(engine, reduced, descent)
            return
        if found is None:
            self._prove(cutoff)
        else:
            self.search.iteration()
            self._take_chain(found, found.value, reduced, descent)

    def _ask_loosely(self, engine: LooseEngine, reduced: Reduced, descent: Descent) -> None:
        """Loose passes until one finds something."""
        for share, slack in LOOSELY:
            best = min(descent.floor, self._upper)
            if share * best <= max(self._proven, self.search.state.bound or 0.0):
                continue
            found = engine.solve(share * best, self.search, slack * best)
            if found is not None:
                self.search.iteration()
                self._take_loosely(found, reduced, descent)
                return
            self._prove(share * best)
            self._adopt()

    def _take_loosely(self, found: Found, reduced: Reduced, descent: Descent) -> None:
        """Take the plan of a loose pass for what it costs."""
        self._offer(reduced.expand(found.device_of, found.place))
        descent.floor = min(descent.floor, self._upper)

    def _take_chain(self, found: Found, value: float, reduced: Reduced, descent: Descent) -> None:
        """Complete a chain to a plan; where that is dearer or breaks a rule, the lattice's own value stays as the floor."""
        self._offer(reduced.expand(found.device_of, found.place))
        descent.open = value < self._upper * PROVEN
        descent.floor = min(descent.floor, value, self._upper)

    def _near_the_order(self, found: Parts, least: float) -> None:
        """Where all ideals are too many: those near the depth-first order, in windows that grow."""
        if self._proven >= self._upper * CLOSE:
            self.limit = min(self.limit, FEW_IDEALS)
        width = 2
        while True:
            reduced = next(window(self.problem, found, width))
            if width >= reduced.full.count:
                return
            before = self._upper
            if self._descend(reduced, least, heuristic=True) is None:
                return
            self.search.progress(
                None, f"ideals within {width} units of one order: {before:.6g} to {self._upper:.6g}"
            )
            width *= 2
