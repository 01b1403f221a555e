"""Exact contiguous plans of a pool: lattices of ideals, searched from a good plan down until none is better.

Every pass asks for a plan strictly better than the best known one. When a pass finds none, the best plan is optimal; when
its plan cannot be completed to a valid one, which a relaxation may bring about, the bound is what the relaxation costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from planner.evaluation import kernels
from planner.machines.pool.ideals.clusters import FEW_PAIRS, MOST_PAIRS, Clusters
from planner.machines.pool.ideals.cost import potentials
from planner.machines.pool.ideals.groups import TooManyPairs
from planner.machines.pool.ideals.relaxations import (
    Parts,
    one_order,
    parts,
    relaxations,
    restrictions,
    window,
)
from planner.machines.pool.ideals.search import Coverer
from planner.machines.pool.ideals.states import Chain, count_states, pool_states
from planner.machines.pool.ideals.table import Table
from planner.machines.pool.ideals.units import Reduced
from planner.methods.balanced import balanced_slicing
from planner.methods.ideals import Lattice, enumerate_ideals
from planner.methods.obvious_infeasibility import report_infeasible
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
MOST_SLICED = 4_000
"""Units of an order whose best slicing is there in a moment."""
MOST_CELLS = 12_000_000
"""Ideals times states; with what goes with a cell some 400 MB."""


@dataclass
class _Descent:
    """How far one lattice has come. ``floor``: no plan costs less, as far as this lattice tells; ``open``: it is below all plans."""

    floor: float
    open: bool = False


@dataclass
class _Cutoffs:
    """Which cutoff to try next.

    A pass just below the best plan ends most searches. While that finds something, passes ask for more and more; what
    cannot be had halves the rest, down to a last pass just below the best plan. Without a plan worth the name, cutoffs
    grow from ``least``, which hardly any plan is below.
    """

    upper: float
    least: float
    failed: float = 0.0
    step: float = 0.0

    def trial(self) -> float:
        """The next cutoff, at most just below the best plan."""
        top = self.upper * STRICTLY
        if self.upper > self.least * FAR_OFF and self.least > 0:
            trial = max(self.failed * 1.5, self.least * 1.05)
            return trial if trial < min(top, self.least * 1000) else top
        if self.failed == 0:
            return min(top, max(self.upper - self.step, (self.least + self.upper) / 2))
        return top if self.upper - self.failed < self.upper * 1e-4 else (self.failed + self.upper) / 2

    def found(self, upper: float) -> None:
        """A plan that costs ``upper`` was found."""
        gained = self.upper - upper
        self.step = 2 * max(self.step, gained) if math.isfinite(gained) else 0.0
        self.upper = upper


class IdealsSearch:
    """One exact search of ``problem``; plans (where ``propose``) and bounds go to ``search``.

    ``limit`` is the most ideals of a lattice, ``method`` the name that bounds carry. Where there are more, those ``near`` one
    order are searched for plans.
    """

    def __init__(
        self, problem: Problem, search: Search, limit: int, method: str, propose: bool, near: bool = True
    ) -> None:
        e = problem.evaluator
        self.problem, self.search, self.limit, self.method = problem, search, limit, method
        self._propose = propose
        self._near = near
        self._upper = math.inf
        # A cluster of one accelerator is a device like any other.
        self._clustered = e.clustered and bool(np.bincount(e.cluster[e.pays]).max(initial=0) > 1)
        self._gpipe = e.objective_code != kernels.MAX_COST
        self._replicated = e.sync_rate > 0
        self._table = self._gpipe or self._replicated or e.communication != kernels.SUM
        # Taking out an idle unit may move a tensor to the other part.
        self._take = not (self._gpipe and bool((e.part == 1).any()))
        self._too_large = False
        self._proven = 0.0
        # Costs are differences of sums over whole ideals, so they are off by what those sums are rounded by.
        self._rounding = 1e-14 * float(e.work.max(axis=0).sum() + e.tensor_time.sum())

    def run(self) -> None:
        """Search until the optimum is proven, nothing more can be done, or a stop criterion fires."""
        if report_infeasible(self.problem, self.search, self.method):
            return
        for start in self.search.starts:
            self._offer(start)
        found = parts(self.problem)
        least = self._slice()
        for whole in relaxations(self.problem, found):
            reduced = whole(self._take)
            descent = self._descend(reduced, least)
            if descent is not None and descent.open and reduced.lighter:
                descent = self._descend(whole(False), least) or descent
            if descent is not None:
                self._prove(descent.floor)
            if self._proven >= self._upper * PROVEN:
                return
        if self._clustered and not self._gpipe:
            self._with_clusters(found, least, FEW_PAIRS)
            if self._proven >= self._upper * PROVEN:
                return
        # With one order for both parts the lattice without anything taken out is the one that was too large.
        if not (self._too_large and one_order(found)):
            for reduced in restrictions(self.problem, found):
                self._descend(reduced, least, heuristic=True)
        if self._clustered and not self._gpipe and self._proven < self._upper * PROVEN:
            self._with_clusters(found, least, MOST_PAIRS)
        if self._too_large and self._near:
            self._near_the_order(found, least)

    # ------------------------------------------------------------------ plans and bounds
    def _offer(self, device_of: Ints) -> bool:
        """Take a plan if it is valid and better than all before; returns whether it is."""
        e = self.problem.evaluator
        device_of = e.checked(np.asarray(device_of, np.int32))
        value = e.objective(device_of)
        if value >= self._upper or e.violations(device_of):
            return False
        self._upper = value
        if self._propose:
            self.search.incumbent(device_of)
        return True

    def _adopt(self) -> None:
        """Look for less than a better plan costs that was found elsewhere."""
        found = self.search.adopt() if self._propose else None
        if found is not None:
            self._offer(found)

    def _prove(self, floor: float) -> None:
        if floor <= self._proven:
            return
        self._proven = floor
        value = math.inf if math.isinf(floor) else floor * PROVEN - self._rounding
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

    def _with_clusters(self, found: Parts, least: float, pairs: int) -> None:
        """Tell the two speeds of transfers apart, and keep clusters in order, where no more than ``pairs`` tell."""
        least = max(least, self._proven)
        for whole in relaxations(self.problem, found):
            reduced = whole(self._take)
            descent = self._descend(reduced, least, pairs=pairs)
            if descent is not None and descent.open and reduced.lighter:
                descent = self._descend(whole(False), least, pairs=pairs) or descent
            if descent is not None:
                self._prove(descent.floor)
            if self._proven >= self._upper * PROVEN:
                return
        if one_order(found):
            return
        for reduced in restrictions(self.problem, found):
            self._descend(reduced, least, heuristic=True, pairs=pairs)

    # ------------------------------------------------------------------ lattices
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

    def _engine(self, reduced: Reduced, heuristic: bool, pairs: int) -> Coverer | Table | Clusters | None:
        """The dynamic program for a lattice, or None where it is too large."""
        units = reduced.units
        if self._clustered and not heuristic and not pairs:
            # Every transfer at the speed inside a cluster: less than any plan pays.
            speed = self.problem.evaluator.cluster_speed
            units = replace(units, tensor_time=units.tensor_time / speed, send_time=units.send_time / speed)
        states = count_states(units) * (len(self.problem.evaluator.class_of) + 1)
        limit = min(self.limit, MOST_CELLS // max(states, 1))
        lattice: Lattice | None = None
        if limit > units.count:
            self.search.progress(None, f"finding the ideals of {units.count} units")
            lattice = enumerate_ideals(units, limit, self.search)
        if lattice is None:
            self.search.progress(
                None, f"{units.count} units have more than {limit} ideals: no proof this way"
            )
            self._too_large = True
            return None
        costs = potentials(lattice, self.search)
        if pairs:
            return Clusters(lattice, costs, pairs, self.search)
        make = Table if self._table else Coverer
        engine = make(lattice, costs, pool_states(units), self.search)
        if isinstance(engine, Table) and engine.too_many_kinds:
            self.search.progress(None, "too many devices to replicate stages over: no proof this way")
            return None
        return engine

    def _descend(
        self, reduced: Reduced, least: float, heuristic: bool = False, pairs: int = 0
    ) -> _Descent | None:
        """Ever better plans of one lattice until there is none; None where the lattice is too large.

        With ``pairs`` (the most to look at) transfers have the speeds of clusters.
        """
        try:
            engine = self._engine(reduced, heuristic, pairs)
            if engine is None:
                return None
            descent = _Descent(self._upper)
            if isinstance(engine, Table) and self._gpipe:
                self._descend_front(engine, reduced, descent)
            else:
                self._descend_bound(engine, reduced, descent, least, heuristic)
        except TooManyPairs as reason:
            self.search.progress(None, f"{reason}: no proof with clusters this way")
            return None
        return descent

    def _descend_bound(
        self,
        engine: Coverer | Table | Clusters,
        reduced: Reduced,
        descent: _Descent,
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
            cutoffs.failed = cutoff
            if not heuristic:
                self._prove(cutoff)

    def _descend_front(self, table: Table, reduced: Reduced, descent: _Descent) -> None:
        """Minimise the sum of two maxima: the least backward one below a cap on the forward one, cap after cap."""
        units, e = reduced.units, self.problem.evaluator
        fastest = np.where(units.allowed.T, units.work[..., 0][e.class_of], np.inf).min(axis=0)
        least_forward = float(fastest.max(initial=0.0))
        cap = math.inf
        while cap > least_forward:
            cutoff = descent.floor * STRICTLY - least_forward
            found = table.solve(cutoff, self.search, cap)
            if found is None:
                return
            self.search.iteration()
            self._take_chain(found, found.value + found.forward, reduced, descent)
            # Below the cap the backward maximum only grows, so a better sum needs a forward maximum below both.
            cap = min(found.forward * STRICTLY, descent.floor * STRICTLY - found.value)

    def _take_chain(self, found: Chain, value: float, reduced: Reduced, descent: _Descent) -> None:
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
