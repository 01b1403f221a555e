"""Theorem 1's order: neuron after neuron, from nothing but a topological order of the neurons."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.search.method import Planner, Source
from planner.search.search import Search


class Theorem1Order(Planner):
    """All connections into a neuron, then all into the next. At most 2 (W + N - I) I/Os under MIN, at every memory."""

    name: ClassVar[str] = "theorem-1"
    title: ClassVar[str] = "Theorem 1"
    summary: ClassVar[str] = "neuron after neuron in topological order, as in the proof of Theorem 1"
    source: ClassVar[Source] = Source("I/O paper", "Theorem 1, figure 1")
    plans_networks: ClassVar[bool] = True
    targets: ClassVar[frozenset[str]] = frozenset({"memory"})
    objectives: ClassVar[frozenset[str]] = frozenset({"ios"})
    honours: ClassVar[frozenset[str]] = frozenset()

    def search(self, problem: NetworkProblem, search: Search) -> None:
        """One order, at once."""
        search.incumbent(theorem_1_order(problem.network))
        search.iteration()
