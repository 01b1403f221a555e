"""The best orders we know to find: everything constructed, then windows refined by search."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.windows.portfolio import Portfolio
from planner.options import Option
from planner.search.method import Planner, Source
from planner.search.search import Search


class OrderPortfolio(Planner):
    """Theorem 1's order, the file's own, sliding windows and random restarts of them; then simulated annealing of the best.

    Annealing swaps the neurons of a window's sequences, not connections: what sources cost follows from the sequences alone, so a
    move is judged in microseconds. Every order is counted by the evaluator. Ends when its effort is spent (with a time limit, where
    sums have many sources and memory looks ahead, when the time is), or at Theorem 1's bound.
    """

    name: ClassVar[str] = "order-portfolio"
    title: ClassVar[str] = "Portfolio of orders"
    summary: ClassVar[str] = (
        "Theorem 1's order, the file's own, sliding windows, restarts, and windows refined by annealing"
    )
    source: ClassVar[Source] = Source("Stageboard", "docs/orders.md")
    plans_networks: ClassVar[bool] = True
    targets: ClassVar[frozenset[str]] = frozenset({"memory"})
    objectives: ClassVar[frozenset[str]] = frozenset({"ios"})
    honours: ClassVar[frozenset[str]] = frozenset()
    gives_bounds: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "effort",
            1.0,
            "how long to refine: 1 takes about two seconds, 0 nothing; dense networks take all of a time limit",
            0.0,
            1_000_000.0,
        ),
        Option("restarts", 4, "windows with random ties and weights", 0, 1_000_000),
    )

    def search(self, problem: NetworkProblem, search: Search) -> None:
        """One iteration per order."""
        portfolio = Portfolio(problem, search)
        portfolio.prove()
        portfolio.begin()
        if portfolio.done:
            return
        portfolio.construct(search.options["restarts"])
        portfolio.few_live()
        portfolio.refine(search.options["effort"])
