"""Constructive locality orders: sliding windows of partial sums, in milliseconds."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.windows.portfolio import Portfolio
from planner.options import Option
from planner.search.method import Planner, Source
from planner.search.search import Search


class Locality(Planner):
    """As many partial sums as fit stay in memory until they are complete; a source that is fetched serves them all.

    The next neuron is the one for which the fewest sources must be fetched. Under policies that do not look ahead several widths
    of the window are tried, for what a wide one keeps in use it also forgets.
    """

    name: ClassVar[str] = "locality"
    title: ClassVar[str] = "Sliding windows"
    summary: ClassVar[str] = (
        "a sliding window of partial sums, each source fetched for all of them, made greedily"
    )
    source: ClassVar[Source] = Source("Stageboard", "docs/orders.md")
    plans_networks: ClassVar[bool] = True
    targets: ClassVar[frozenset[str]] = frozenset({"memory"})
    objectives: ClassVar[frozenset[str]] = frozenset({"ios"})
    honours: ClassVar[frozenset[str]] = frozenset()
    options: ClassVar[tuple[Option, ...]] = (
        Option("restarts", 0, "further windows with random ties and weights", 0, 1_000_000),
    )

    def search(self, problem: NetworkProblem, search: Search) -> None:
        """One iteration per window."""
        Portfolio(problem, search).construct(search.options["restarts"])
