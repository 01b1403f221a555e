"""The portfolio of orders: everything constructed, restarts, then refinement of the best windows for as long as allowed."""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.orders.least_memory import backwards, greedy_orders
from planner.machines.two_level_memory.orders.theorem_1 import is_topological, theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.windows.locality import Links, Window, constructed, restarted
from planner.machines.two_level_memory.windows.refine import FEW, Refined, refinable
from planner.machines.two_level_memory.windows.staying import Allowance, anneal_stays
from planner.machines.two_level_memory.windows.stays import stayable
from planner.search.search import Search

EFFORT = 20_000_000
"""Sources looked at per unit of effort: about two seconds."""
FIRST = 2_500_000
"""Sources that the first round of refinement looks at; each further round looks at twice as many as the last."""
TRIED, NEAR = 2, 1.01
"""At most this many windows are refined in the first round: those of other widths that are this near to the best."""

INSTANT = 300_000
"""Orders of few live neurons are made for networks of at most so many connections, for each is made in one go."""
LIVE_ROUNDS, MOST_LIVE_ROUNDS, LIVE_WORK = 4, 20, 100_000
"""How many pairs of them: on small networks as many as least memory is looked for with, while they have so many connections in all."""


class Portfolio:
    """Searches over orders for ``problem`` and tells ``search`` of everything better.

    ``windows``: the best of each width, by the I/Os of their orders.
    """

    def __init__(self, problem: NetworkProblem, search: Search) -> None:
        self.problem, self.search = problem, search
        self.links = Links(problem.network)
        self.windows: dict[tuple[int, int], tuple[int, Window]] = {}

    @property
    def done(self) -> bool:
        """Whether nothing better can exist."""
        return self.search.objective <= io_bounds(self.problem.network).least

    def prove(self) -> None:
        """Report Theorem 1's bound, which ends the search where it is reached."""
        least = float(io_bounds(self.problem.network).least)
        self.search.prove(self.problem.bound("ios", least, "theorem-1", frozenset()))

    def begin(self) -> None:
        """Theorem 1's order, those that the search is given, and the file's own where it is one."""
        network, search = self.problem.network, self.search
        search.incumbent(theorem_1_order(network))
        for start in search.starts:
            search.check()
            search.incumbent(start)
        search.check()
        own = np.arange(network.connection_count, dtype=np.int32)
        if is_topological(network, own):
            search.incumbent(own)
        search.iteration()

    def offer(self, window: Window) -> None:
        """Count a window's order, propose it, and keep the window where it is the best of its kind."""
        order = window.order(self.search)
        total = self.problem.evaluator.count(order).total
        kind = window.width, int(window.held.sum())
        if kind not in self.windows or total < self.windows[kind][0]:
            self.windows[kind] = total, window
        if total < self.search.objective:
            self.search.incumbent(order)
        self.search.iteration()

    def construct(self, restarts: int) -> None:
        """All windows made without chance, then ``restarts`` random ones as wide as the best."""
        for window in constructed(self.problem, self.search, self.links):
            self.offer(window)
            if self.done:
                return
        for i in range(restarts):
            self.search.check()
            self.search.progress(None, f"restart {i + 1} of {restarts}")
            self.offer(restarted(self.search, self.best[0]))

    def few_live(self) -> None:
        """Greedy orders that keep few neurons live: the best ones where memory nearly holds what is live, or connections are few."""
        network = self.problem.network
        if network.connection_count > INSTANT:
            return
        rounds = max(LIVE_ROUNDS, min(MOST_LIVE_ROUNDS, LIVE_WORK // network.connection_count))
        for _, order in greedy_orders(network, backwards(network), self.search.seed, rounds):
            self.search.incumbent(order)
            self.search.iteration()
            self.search.check()
            if self.done:
                return

    @property
    def best(self) -> list[Window]:
        """The best windows of their kinds, the best first, as far as they are near to it."""
        found = sorted(self.windows.values(), key=lambda kept: kept[0])
        return [window for total, window in found if total <= NEAR * found[0][0]]

    def refine(self, effort: float) -> None:
        """Anneal the best windows for about two seconds times ``effort``, or for all of the time where there is a limit."""
        if effort <= 0 or self.done:
            return
        window = self.best[0]
        degree = self.problem.network.connection_count / max(1, len(window.leaving))
        if self.problem.target.policy == "min" and degree > FEW and stayable(window):
            anneal_stays(
                window,
                self.problem.target.size - 1,
                self.search,
                Allowance(self.search, effort, len(window.leaving)),
            )
        else:
            self._rounds(effort)

    def _rounds(self, effort: float) -> None:
        """Anneal the best windows in rounds, each twice as long as the last and from the best so far."""
        left, part = effort * EFFORT, float(FIRST)
        chosen = self.best[:TRIED]
        while left > 0 and not self.done:
            part = part if left > 2 * part else left
            for window in chosen:
                if not refinable(window):
                    return
                self._anneal(window, int(part / len(chosen)) + 1, 1 - left / (effort * EFFORT))
            left, part, chosen = left - part, 2 * part, self.best[:1]

    def _anneal(self, window: Window, budget: int, fraction: float) -> None:
        self.search.progress(fraction, f"refining a window of {window.width} sums")
        refined = Refined(window)
        refined.anneal(self.search, budget)
        self.offer(refined.found)
        self.search.check()
