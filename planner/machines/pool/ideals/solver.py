"""Exact contiguous plans of a pool: lattices of ideals, searched from a good plan down until none is better.

Every pass asks for a plan strictly better than the best known one. When a pass finds none, the best plan is optimal; when
its plan cannot be completed to a valid one, which a relaxation may bring about, the bound is what the relaxation costs.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from planner.evaluation import kernels
from planner.machines.pool.ideals.clusters import FEW_PAIRS, MOST_PAIRS, Clusters
from planner.machines.pool.ideals.groups import Proximity, TooManyPairs
from planner.machines.pool.ideals.rows import Rows, served
from planner.machines.pool.ideals.search import Coverer
from planner.machines.pool.ideals.states import count_states, pool_states
from planner.machines.pool.ideals.table import Table
from planner.methods.ideals.chains import TooWide
from planner.methods.ideals.descent import MANY_IDEALS, PROVEN, STRICTLY, Descending, Descent
from planner.methods.ideals.lattice import Lattice, enumerate_ideals
from planner.methods.ideals.potentials import potentials
from planner.methods.ideals.reduced import Reduced
from planner.methods.ideals.relaxations import (
    Parts,
    one_order,
    parts,
    relaxations,
    restrictions,
)
from planner.methods.obvious_infeasibility import report_infeasible
from planner.problem.problem import Problem
from planner.search.search import Search

MOST_CELLS = 12_000_000
"""Ideals times states; with what goes with a cell some 400 MB."""


@dataclass(frozen=True)
class _Near:
    """A level of clusters, and the most pairs of ideals to look at for it."""

    proximity: Proximity
    pairs: int


class IdealsSearch(Descending):
    """One exact search of ``problem``; plans (where ``propose``) and bounds go to ``search``.

    ``limit`` is the most ideals of a lattice, ``method`` the name that bounds carry. Where there are more, those ``near`` one
    order are searched for plans.
    """

    def __init__(
        self, problem: Problem, search: Search, limit: int, method: str, propose: bool, near: bool = True
    ) -> None:
        super().__init__(problem, search, limit, method, propose)
        e = problem.evaluator
        self._near = near
        # A cluster of one accelerator is a device like any other.
        self._levels = [level for level in e.clusters if np.bincount(level[e.pays]).max(initial=0) > 1]
        self._clustered = e.clustered and bool(self._levels)
        # Of clusters whose accelerators differ only what every transfer costs at least is told.
        self._gpipe = e.objective_code != kernels.MAX_COST
        self._replicated = e.sync_rate > 0
        # Of clusters whose accelerators share stages, too: there copies from any cluster may join.
        self._ordered = self._clustered and e.alike and not self._replicated
        self._table = self._gpipe or self._replicated or e.communication != kernels.SUM
        # Taking out an idle unit may move a tensor to the other part.
        self._take = not (self._gpipe and bool((e.part == 1).any()))
        self._too_large = False

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
        if self._ordered and not self._gpipe:
            self._with_clusters(found, least, FEW_PAIRS)
            if self._proven >= self._upper * PROVEN:
                return
        # With one order for both parts the lattice without anything taken out is the one that was too large.
        if not (self._too_large and one_order(found)):
            for reduced in restrictions(self.problem, found):
                self._descend(reduced, least, heuristic=True)
        if self._ordered and not self._gpipe and self._proven < self._upper * PROVEN:
            self._with_clusters(found, least, MOST_PAIRS)
        if self._too_large and self._near:
            self._near_the_order(found, least)

    def _with_clusters(self, found: Parts, least: float, pairs: int) -> None:
        """Tell the speeds of transfers apart, and keep clusters in order, level by level, where no more than ``pairs`` tell."""
        for level in self._levels:
            near = _Near(Proximity.of(self.problem.evaluator, level), pairs)
            least = max(least, self._proven)
            for whole in relaxations(self.problem, found):
                reduced = whole(self._take)
                descent = self._descend(reduced, least, near=near)
                if descent is not None and descent.open and reduced.lighter:
                    descent = self._descend(whole(False), least, near=near) or descent
                if descent is not None:
                    self._prove(descent.floor)
                if self._proven >= self._upper * PROVEN:
                    return
            if one_order(found):
                continue
            for reduced in restrictions(self.problem, found):
                self._descend(reduced, least, heuristic=True, near=near)

    # ------------------------------------------------------------------ lattices
    def _engine(
        self, reduced: Reduced, heuristic: bool, near: _Near | None
    ) -> Coverer | Rows | Table | Clusters | None:
        """The dynamic program for a lattice, or None where it is too large."""
        units = reduced.units
        if self._clustered and not (heuristic and near is None):
            # Every transfer at the highest speed, or that of devices in two clusters: less than any plan pays.
            speed = self.problem.evaluator.fastest if near is None else near.proximity.outside
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
        if not self._table and near is None and lattice.count >= MANY_IDEALS:
            kinds = pool_states(units)
            if served(units, kinds, lattice.count):
                with suppress(TooWide):
                    return Rows(lattice, kinds, self.search)
        costs = potentials(lattice, self.search)
        if near is not None:
            return Clusters(lattice, costs, near.proximity, near.pairs, self.search)
        make = Table if self._table else Coverer
        engine = make(lattice, costs, pool_states(units), self.search)
        if isinstance(engine, Table) and engine.too_many_kinds:
            self.search.progress(None, "too many devices to replicate stages over: no proof this way")
            return None
        return engine

    def _descend(
        self, reduced: Reduced, least: float, heuristic: bool = False, near: _Near | None = None
    ) -> Descent | None:
        """Ever better plans of one lattice until there is none; None where the lattice is too large.

        With ``near`` transfers have the speeds of one level of clusters.
        """
        try:
            engine = self._engine(reduced, heuristic, near)
            if engine is None:
                return None
            descent = Descent(self._upper)
            if isinstance(engine, Table) and self._gpipe:
                self._descend_front(engine, reduced, descent)
            else:
                if isinstance(engine, Rows) and not heuristic:
                    self._ask_for_far_less(engine, reduced, descent)
                self._descend_bound(engine, reduced, descent, least, heuristic)
        except TooWide:
            self.search.progress(None, "too many stages are open at a time: no proof this way")
            return None
        except TooManyPairs as reason:
            self.search.progress(None, f"{reason}: no proof with clusters this way")
            return None
        return descent

    def _descend_front(self, table: Table, reduced: Reduced, descent: Descent) -> None:
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
