"""Search on valid assignments of multi-chip modules: orders cut exactly, candidates that FIX corrects, then annealing of the best.

Most of the way is made by the cuts (:mod:`planner.machines.mcm.search.slicing`): a good order and its best cut are one sample.
A cut lets no dependency jump over a chip. Where branches that share sources run side by side that is far from the best,
and corrected candidates (:mod:`planner.machines.mcm.search.candidates`) lead on. Annealing (:mod:`planner.machines.mcm.search.moves`)
then finds what neither has; its result is varied again. First candidates are equal shares of the work along orders, or the likeliest
plan of the learned policy (:mod:`planner.machines.mcm.learned.policy`), by the weights that come with Stageboard or others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from planner.machines.mcm.learned.network import Weights
from planner.machines.mcm.learned.policy import Learned
from planner.machines.mcm.learned.weights import SHIPPED, read_weights
from planner.machines.mcm.search.candidates import filled, rebalanced
from planner.machines.mcm.search.moves import STEPS_PER_SLICE, McmMoves
from planner.machines.mcm.search.orders import McmOrders
from planner.machines.mcm.search.policy import Proposal
from planner.machines.mcm.search.samples import (
    Samples,
    corrected,
    file_order,
    filled_greedily,
    score_starts,
    solver_of,
)
from planner.machines.mcm.search.slicing import McmSlicer
from planner.machines.mcm.search.units import McmUnits, mcm_units
from planner.machines.mcm.solver.solver import ATTEMPTS, McmSolver
from planner.methods.obvious_infeasibility import report_infeasible
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem
from planner.search.search import Search

MOST_SHRINKS = 5
"""Cuts of one order within less and less memory, until the activations fit too."""
MOST_CORRECTED = 60
"""Partitions drawn from the solver where no order has a valid cut."""
FEW_ATTEMPTS = 2
"""Attempts to correct one candidate: where they fail another candidate is the better try."""
CHAINS = 10
"""For one sample only one in so many changed orders is cut."""
ENOUGH = 1e-9
"""A share of the objective that counts as better."""

NONE, POLICY, SHARES = "none", "policy", "shares"
GUIDES = (SHARES, POLICY, NONE)
"""Where the first candidates for FIX come from, beside the greedy heuristic's."""


@dataclass(frozen=True)
class LocalSettings:
    """``rounds`` of annealing, each ``growth`` times as long as the one before, of ``moves`` steps at first.

    Before each round and after the last there are ``orders`` variations: cuts of changed orders and corrected candidates.
    Temperatures are shares of the objective. ``guide`` is one of :data:`GUIDES`.
    """

    rounds: int
    moves: int
    growth: float
    orders: int
    hot: float
    cold: float
    guide: str

    @classmethod
    def of(cls, options: Mapping[str, Any], units: int) -> LocalSettings:
        """From the options of the planner; 0 moves stand for a number that grows with the graph."""
        moves = options["moves"] or min(max(100 * units, 5_000), 100_000)
        rest = {name: options[name] for name in ("rounds", "growth", "orders", "hot", "cold", "guide")}
        return cls(moves=moves, **rest)


class LocalChips:
    """One run of the local search on chips."""

    def __init__(self, problem: Problem, search: Search, weights: Weights | None = None) -> None:
        """``weights`` are the learned policy's; None: those that come with Stageboard, read where the policy is asked."""
        self.problem = problem
        self._weights = weights
        self.search = search
        self.samples = Samples(problem, search)
        self.units: McmUnits = mcm_units(problem)
        self.orders = McmOrders(self.units)
        self.slicer = McmSlicer(self.units)
        self.moves = McmMoves(self.units, int(search.rng.integers(2**31)))
        self.best: Ints | None = None
        self.value = math.inf
        self._solver: McmSolver | None = None
        self._tried, self._gained = np.zeros(2), np.zeros(2)
        # One chip alone pays no transfers: of one sample the sum of all work is a cutoff that only rules make too low.
        total = float(self.units.work.sum()) * (1 + ENOUGH)
        self._first = total if self.slicer.total else 1.5 * self.units.least
        self._floor = self.units.longest if self.slicer.total else self.units.least

    def run(self, settings: LocalSettings, method: str) -> None:
        """Search until the rounds are over. Raises :class:`planner.search.search.Stopped`."""
        search = self.search
        if report_infeasible(self.problem, search, method):
            return
        score_starts(self.problem, search, self.samples)
        if search.best is not None:
            self._keep(self.units.gathered(search.best), search.objective)
        for order in self.orders.by_rule():
            self.cut(order)
            search.check()
        self._start_corrected(settings.guide)
        if self.best is None:
            self._draw(method)
        if self.best is None:
            return
        steps = float(settings.moves)
        for i in range(settings.rounds):
            self._adopt()
            if self.finished:
                return
            self.vary(settings.orders)
            self.anneal(int(steps), settings, f"round {i + 1} of {settings.rounds}", i / settings.rounds)
            steps *= settings.growth
        self._adopt()
        if not self.finished:
            self.vary(settings.orders)

    def _adopt(self) -> None:
        """Go on from a better plan that was found elsewhere."""
        adopted = self.search.adopt()
        if adopted is not None:
            self._keep(self.units.gathered(adopted), self.search.objective)

    @property
    def finished(self) -> bool:
        """Whether the best plan cannot be improved, by what is plain to see or by a bound that was proven."""
        if self.search.state.gap is not None and self.search.state.gap <= 0.0:
            return True
        return self.value <= self._floor * (1 + ENOUGH)

    def _keep(self, place: Ints | None, value: float) -> bool:
        if place is None or not value < self.value * (1 - ENOUGH):
            return False
        self.best, self.value = place.copy(), value
        return True

    # ------------------------------------------------------------------ orders
    def cut(self, order: Ints, cutoff: float = math.inf) -> Ints | None:
        """Score the best cut of an order (int32[m]) that costs less than ``cutoff``; the chip of each unit (int32[m]) if it is valid."""
        room = math.inf
        for _ in range(MOST_SHRINKS):
            if cutoff < math.inf:
                place = self.slicer.cut(order, self.search, cutoff, room)
            else:
                place = self.slicer.widening(order, self.search, self._first, room)
            if place is None:
                self.samples.spend(1)
                return None
            device_of = self.units.spread(place)
            value = self.samples.score(device_of)
            if value < math.inf:
                self._keep(place, value)
                return place
            e = self.samples.evaluator
            needed = float((e.parameter_bytes(device_of) + e.peaks(device_of)).max())
            room = min(room, self.slicer.capacity) * min(0.95, self.slicer.capacity / needed)
        return None

    def vary(self, count: int) -> None:
        """Vary the best plan: cut changes of the order that it follows, or relieve a dear chip and let FIX correct the rest.

        What has paid off more often goes next; equally good plans are varied further. Fewer cuts alone for the latency of one
        sample, which a chain of chips does not lower: only rules ask for one.
        """
        rng, total = self.search.rng, self.slicer.total
        count = count // CHAINS if total else count
        assert self.best is not None
        order, place = self.orders.order(self.best.astype(np.float64)), self.best
        for i in range(count):
            if self.finished:
                return
            before, found = self.value, None
            relieve = not total and self._paid[1] > self._paid[0]
            if relieve:
                self._begin(place)
                candidate = rebalanced(self.units, self.orders, place, self.moves.costs, rng)
                found = None if candidate is None else self.correct(candidate, rng.random() < 0.5)
                trial = order if found is None else self.orders.order(found.astype(np.float64))
            else:
                afresh = rng.random() < 0.1
                trial = self.orders.depth_first(rng) if afresh else self.orders.changed(order, place, rng)
                found = self.cut(trial, self.value * (1 + ENOUGH))
            if found is not None:
                order, place = trial, found
            # An index, not a mask: numpy takes a bool for the whole array or nothing of it.
            kind = int(relieve)
            self._tried[kind] += 1
            self._gained[kind] += self.value < before
            self.search.progress(None, f"variation {i + 1} of {count}")
            self.search.check()

    @property
    def _paid(self) -> Floats:
        """How often cuts and corrections of a variation have given a better plan, before any try one in two."""
        paid: Floats = (self._gained + 1) / (self._tried + 2)
        return paid

    # ------------------------------------------------------------------ corrections
    def correct(self, place: Ints, nearest: bool = False) -> Ints | None:
        """Score what FIX makes of a candidate (int32[m]); what it became where that costs no more than the best plan."""
        seed = int(self.search.rng.integers(2**31))
        return self._score_fixed(self.units.spread(place), seed, None, nearest, FEW_ATTEMPTS)

    def _start_corrected(self, guide: str) -> None:
        """Score the greedy heuristic, then the candidates of ``guide``, all corrected by FIX."""
        if self.finished:
            return
        order = file_order(self.problem)
        # As the planner of this heuristic does: this search starts with its first correction.
        self._score_fixed(filled_greedily(self.problem, order), 0, order, True, ATTEMPTS)
        if guide == SHARES:
            for order in self.orders.by_rule():
                self.search.check()
                self.correct(filled(self.units, order, self.samples.evaluator.target.check_memory))
        elif guide == POLICY:
            self._correct_proposed()

    def _correct_proposed(self) -> None:
        """Score the learned policy's likeliest plan, corrected by FIX.

        It is asked only now, when all orders are cut: its network takes longer than they do. More plans, drawn from it, took more time
        than they saved (``docs/learned-policy.md``).
        """
        search = self.search
        if self.finished or not self.solver.feasible:
            return
        weights = read_weights(SHIPPED) if self._weights is None else self._weights
        policy = Learned(self.problem, self.solver, weights, None, False, search.seed)
        search.check()
        candidate = policy.propose(search.rng).candidate
        assert candidate is not None
        self._score_fixed(candidate, int(search.rng.integers(2**31)), None, False, FEW_ATTEMPTS)

    @property
    def solver(self) -> McmSolver:
        """The constraint solver, set up when it is first asked for."""
        if self._solver is None:
            self._solver = McmSolver(self.problem, self.search.stopped)
        return self._solver

    def _score_fixed(
        self, candidate: Ints, seed: int, order: Ints | None, nearest: bool, attempts: int
    ) -> Ints | None:
        device_of = self.solver.fix(candidate, seed, order, nearest, attempts)
        self.search.check()
        if device_of is None:
            return None
        value = self.samples.score(device_of)
        place = self.units.gathered(device_of)
        good = value <= self.value * (1 + ENOUGH) and value < math.inf
        self._keep(place, value)
        return place if good else None

    # ------------------------------------------------------------------ moves
    def anneal(self, steps: int, settings: LocalSettings, text: str, fraction: float) -> None:
        """Anneal from the best plan; every better one on the way is scored."""
        moves, search = self.moves, self.search
        assert self.best is not None
        self._begin(self.best)
        done = 0
        while done < steps:
            wanted = min(STEPS_PER_SLICE, steps - done)
            hot, cold = (
                settings.hot * (settings.cold / settings.hot) ** ((done + more) / steps)
                for more in (0, wanted)
            )
            made, evaluated = moves.run(wanted, wanted, hot, cold, self.value, self.value * (1 - ENOUGH))
            done += made
            self.samples.spend(evaluated)
            device_of = self.units.spread(moves.place)
            fits = self.samples.fits(device_of)
            if fits and moves.objective < self.value * (1 - ENOUGH) and search.incumbent(device_of):
                self._keep(moves.place, search.objective)
                if self.finished:
                    return
            before = self.value
            self._adopt()
            self._begin(moves.place if fits and self.value == before else self.best)
            search.progress(fraction, text)
            search.check()

    def _begin(self, place: Ints) -> None:
        """Take ``place`` as it is; parameters may take what its activations leave."""
        e = self.samples.evaluator
        if e.target.check_memory:
            device_of = self.units.spread(place)
            room: Floats = e.capacity - e.peaks(device_of)
            # What fits may lie above by rounding.
            self.moves.room[:] = np.maximum(room, e.parameter_bytes(device_of))
        self.moves.begin(place)

    # ------------------------------------------------------------------ the solver's help
    def _draw(self, method: str) -> None:
        """Where no order has a valid cut: a cut under fewer rules corrected by the solver, then partitions at random."""
        solver = solver_of(self.problem, self.search, method)
        if solver is None:
            return
        proposals = [Proposal(self.units.spread(place)) for place in self._loose()]
        # In turn with others: it may take long to see that what a cut became cannot be corrected.
        mixed = chain.from_iterable((proposal, Proposal()) for proposal in proposals)
        for proposal in chain(mixed, (Proposal() for _ in range(MOST_CORRECTED))):
            self.search.check()
            device_of = corrected(solver, proposal, int(self.search.rng.integers(2**31)))
            if device_of is not None:
                value = self.samples.score(device_of)
                if value < math.inf:
                    self._keep(self.units.gathered(device_of), value)

    def _loose(self) -> list[Ints]:
        slicer = McmSlicer(self.units)
        slicer.jumps = slicer.skips = True
        slicer.every = False
        found = []
        for order in self.orders.by_rule():
            place = slicer.widening(order, self.search, self._first)
            if place is not None:
                found.append(place)
        return found
