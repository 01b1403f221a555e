"""Exact plans of devices in a row that pay for their work, the tensors across their borders and the parameters that they stream.

Every contiguous plan of a row is a chain of ideals. This is the search over these chains, which asks nothing of the machine but
its evaluator: devices of any cost classes, each with its budget, ``communication=sum`` and the dearest device as the objective.
"""

from __future__ import annotations

import math

import numpy as np

from planner.errors import PlannerRefusal
from planner.evaluation import kernels
from planner.methods.good_orders import neighbour, ruled_orders
from planner.methods.ideals.chains import Chains, TooWide, capped
from planner.methods.ideals.descent import (
    FAR_OFF,
    MANY_IDEALS,
    MOST_SLICED,
    PROVEN,
    STRICTLY,
    Descending,
    Descent,
    Found,
)
from planner.methods.ideals.lattice import enumerate_ideals
from planner.methods.ideals.reduced import Reduced, reduce_units
from planner.methods.ideals.relaxations import Parts, parts, relaxations
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.slicing import Slicer
from planner.methods.units import build_units, chain, forced_units, merge_cycles, unit_edges
from planner.model.graph import Bools, Ints
from planner.problem.problem import Problem
from planner.search.search import Search

FIRST_ORDERS = 20
"""Orders that are sliced before ideals are looked at."""
MOST_ORDERS = 100
"""Orders that are sliced after each pass over a lattice that found a plan, where that takes a fraction of what the pass took."""
EXACT_BYTES = 2.0**53
"""Sums of whole bytes are exact below it."""


KEPT_RULES = frozenset(
    {kernels.RULE_ORDER, kernels.RULE_PIN, kernels.RULE_TOGETHER, kernels.RULE_SHARED_CHILDREN}
)
"""What every chain of the lattice keeps. A machine may have more rules: its plans are among the chains all the same."""


class RowSearch(Descending):
    """One exact search of ``problem``; plans (where ``propose``) and bounds go to ``search``.

    ``limit`` is the most ideals to look at, ``method`` the name that bounds carry. Where there are more, a search that proposes plans
    looks at the ideals ``near`` one order, where it is to; one that only proves raises :class:`planner.errors.PlannerRefusal`.
    """

    def __init__(
        self, problem: Problem, search: Search, limit: int, method: str, propose: bool, near: bool = True
    ) -> None:
        super().__init__(problem, search, limit, method, propose)
        self._near = near
        self._sliced: Slicer | None = None
        self._tries = 0
        self._too_wide = ""
        self._reached = math.inf
        self._reached_by: Ints | None = None
        self._by_way = any(rule.code == kernels.RULE_TRIANGLE for rule in problem.evaluator.rules)
        self._used_ways = False
        self._torn = False
        """Whether pins part what every better plan would keep together: then there is none."""

    def run(self) -> None:
        """Search until the optimum is proven, nothing more can be done, or a stop criterion fires."""
        problem, search = self.problem, self.search
        if report_infeasible(problem, search, self.method):
            return
        for start in search.starts:
            self._offer(start)
        if not self._propose:
            search.check()
            self._adopt()
        heard = self._best is not None
        least = self._slice()
        if self._propose or not heard:
            self._order(FIRST_ORDERS)
        found = self._parts()
        if self._torn:
            self._prove(self._upper)
            return
        reduced = lattice_units(problem, found, True)
        descent = self._descend(reduced, least)
        if descent is None:
            sentence = (
                f"{problem.graph.name} has {self._too_wide}, so '{self.method}' proves nothing; choose another"
                " method or keep ops together"
            )
            if not self._propose:
                raise PlannerRefusal(sentence)
            if self._near:
                search.message = sentence
                self._near_the_order(found, least)
            return
        if descent.open and reduced.lighter:
            descent = self._descend(lattice_units(problem, found, False), least) or descent
        self._prove(descent.floor)

    def _assumed(self) -> frozenset[str]:
        """The order of the stages, pins and what is kept together: rules of a machine beyond these are left out."""
        kept = KEPT_RULES | {kernels.RULE_TRIANGLE} if self._used_ways else KEPT_RULES
        left_out = {f"rule:{rule.name}" for rule in self.problem.evaluator.rules if rule.code not in kept}
        return super()._assumed() - left_out

    def _parts(self) -> Parts:
        """The units of the lattice: what every plan that is better than the best one keeps together."""
        problem, e = self.problem, self.problem.evaluator
        found = parts(problem, cheap_to_cut(problem, forced_units(problem), self._upper))
        units = build_units(problem, found.unit_of)
        self._torn = not bool(units.allowed.any(axis=1).all())
        work = capped(units, np.unique(e.class_of), self._upper)
        sums = float(work.sum() + units.tensor_time.sum() + units.send_time.sum())
        total = float(units.params.sum())
        if total > e.budget.min() and (total >= EXACT_BYTES or bool((units.params % 1.0).any())):
            sums += total / e.streaming_rate
        self._rounding = 1e-14 * sums
        return found

    # ------------------------------------------------------------------ slicings
    def _order(self, tries: int) -> None:
        """Slice the order of the best chain, and ``tries`` near it (before any, some by rule): much sooner done than a pass over a lattice."""
        if self._sliced is None:
            units = chain(self.problem)
            self._sliced = Slicer(units)
            if units.count <= MOST_SLICED:
                for order in (depth_first_order(*units.succs), *ruled_orders(units)):
                    self._cut(order)
        units = self._sliced.units
        known = self._best if self._reached_by is None else self._reached_by
        if known is None or units.count > MOST_SLICED:
            return
        stage, place = np.zeros(units.count), np.empty(units.count)
        stage[units.unit_of] = known
        place[depth_first_order(*units.succs)] = np.arange(units.count)
        order = kahn_order(*units.succs, stage * units.count + place)
        self._cut(order)
        for _ in range(tries):
            other = neighbour(units, order, self.search.rng)
            if self._cut(other):
                order = other

    def _cut(self, order: Ints) -> bool:
        """Slice an order of the chain's units (int32[m]); returns whether that is better than the best chain."""
        assert self._sliced is not None, "orders are of its units"
        found = self._sliced.solve(order, self.search, self._known * STRICTLY)
        if found is None:
            return False
        device_of = found[1][self._sliced.units.unit_of]
        if self._by_way and self.problem.evaluator.violations(device_of):
            return False
        self._reach(device_of)
        return True

    @property
    def _known(self) -> float:
        """What the best chain costs, whether it keeps all rules of the machine or not."""
        return min(self._upper, self._reached)

    def _reach(self, device_of: Ints) -> None:
        """Take a plan that is a chain (int32[n])."""
        value = self.problem.evaluator.objective(device_of)
        if value < self._reached:
            self._reached, self._reached_by = value, device_of
        self._offer(device_of)

    # ------------------------------------------------------------------ lattices
    def _take_chain(self, found: Found, value: float, reduced: Reduced, descent: Descent) -> None:
        """Also look at orders near the plan."""
        self._reach(reduced.expand(found.device_of, found.place))
        self._order(self._tries)
        descent.floor = min(descent.floor, value, self._known)
        descent.open = descent.floor < self._upper * PROVEN

    def _take_loosely(self, found: Found, reduced: Reduced, descent: Descent) -> None:
        """Also a plan that breaks a rule of the machine tells what chains cost."""
        self._reach(reduced.expand(found.device_of, found.place))
        descent.floor = min(descent.floor, self._known)
        descent.open = descent.floor < self._upper * PROVEN

    def _descend(self, reduced: Reduced, least: float, heuristic: bool = False) -> Descent | None:
        units, search = reduced.units, self.search
        search.progress(None, f"finding the ideals of {units.count} units")
        lattice = enumerate_ideals(units, self.limit, search) if units.count < self.limit else None
        if lattice is None:
            self._too_wide = f"more than {self.limit} ideals (option 'ideals')"
            return None
        descent = Descent(self._known, self._known < self._upper * PROVEN)
        # A slicing looks at pairs of places, some (m / k) for each; a pass at every cover, many times.
        pairs = units.count * units.count // self.problem.evaluator.k + 1
        self._tries = min(MOST_ORDERS, 2 * len(lattice.upper) // pairs)
        if math.isfinite(self._known):
            least = max(least, self._known / FAR_OFF)
        try:
            engine = Chains(lattice, search, self._by_way, below=self._known)
            self._used_ways = self._used_ways or engine.by_way
            if not heuristic and lattice.count >= MANY_IDEALS:
                self._ask_for_far_less(engine, reduced, descent)
            self._descend_bound(engine, reduced, descent, least, heuristic)
        except TooWide:
            self._too_wide = "too many tensors across one border, or stages that may begin there"
            return None
        return descent


def unsuited(problem: Problem, method: str) -> str | None:
    """Why plans of ``problem`` are not chains of ideals, as a sentence of ``method``, or None."""
    copies = copied_units(problem, forced_units(problem))
    if copies is None:
        return f"'{method}' does not serve copied sources that are kept together with other ops"
    return None


def copied_units(problem: Problem, unit_of: Ints) -> Bools | None:
    """Units (``unit_of`` int32[n]) of which there are copies wherever they are read (bool[m]), None where other ops share one.

    They are the ops whose edges bind nobody, and all that leads to these alone.
    """
    e = problem.evaluator
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    copied = np.zeros(e.n, bool)
    copied[problem.graph.edges[0]] = True
    copied[e.edge_src] = False
    loose = np.zeros(count, bool)
    if not copied.any():
        return loose
    graph = problem.graph
    ptr, idx = graph.succs
    for v in graph.topological_order[::-1].tolist():
        readers = idx[ptr[v] : ptr[v + 1]]
        copied[v] = copied[v] or (len(readers) > 0 and bool(copied[readers].all()))
    loose[unit_of[copied]] = True
    return None if loose[unit_of[~copied]].any() else loose


def lattice_units(problem: Problem, found: Parts, take: bool) -> Reduced:
    """The units whose ideals are looked at: without those that are copied, which then cost nothing; with ``take`` without idle ones as well."""
    copies = copied_units(problem, found.unit_of)
    if copies is None or not copies.any():
        return relaxations(problem, found)[0](take)
    src, dst = found.both
    bound = ~copies[src] & ~copies[dst]
    return reduce_units(
        problem, found.unit_of, src[bound], dst[bound], dropped=copies, take=take, attaching=False
    )


def cheap_to_cut(problem: Problem, unit_of: Ints, below: float) -> Ints:
    """``unit_of`` (int32[n]) with all merged that plans whose stages all cost less than ``below`` keep together (int32[n]).

    The stage of a tensor's producer does the producer's work and sends, that of a consumer does the consumer's and receives:
    where either comes to ``below``, the two are not on different stages. What is left can be added up without loss: no tensor that
    may be cut is so much dearer than a stage that rounding would tell.
    """
    e = problem.evaluator
    while True:
        units = build_units(problem, unit_of)
        work = units.work[np.unique(e.class_of)].sum(axis=2).min(axis=0)
        consumer = np.repeat(np.arange(units.count, dtype=np.int32), np.diff(units.entry_ptr))
        consumer, tensor = consumer[~units.entry_produces], units.entry_tensor[~units.entry_produces]
        producer = units.tensor_producer[tensor].astype(np.int32)
        sends = work[producer] + units.send_time[tensor]
        receives = work[consumer] + units.tensor_time[tensor]
        dear = np.maximum(sends, receives) >= below
        copies = copied_units(problem, unit_of)
        assert copies is not None, "copies are served where no other op is kept together with them"
        dear &= ~copies[producer]
        if not dear.any():
            return unit_of
        src, dst = unit_edges(unit_of, e.edge_src, e.edge_dst)
        a, b = producer[dear], consumer[dear]
        merged = merge_cycles(
            np.arange(units.count, dtype=np.int32),
            np.concatenate([src, a, b]),
            np.concatenate([dst, b, a]),
        )
        unit_of = merged[unit_of]


def count_ideals(problem: Problem, limit: int, search: Search) -> int | None:
    """How many ideals the search over chains would look at, None where there are more than ``limit``.

    Takes time in proportion to the ideals that are counted, a microsecond each.
    Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
    """
    units = lattice_units(problem, parts(problem), True).units
    lattice = enumerate_ideals(units, limit, search) if units.count < limit else None
    return None if lattice is None else lattice.count
