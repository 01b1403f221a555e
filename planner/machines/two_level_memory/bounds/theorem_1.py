"""Theorem 1's bound: what must be read is read once, and what must be written is written once."""

from __future__ import annotations

import time
from typing import ClassVar

from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Theorem1(BoundMethod):
    """W + N + S: each of W connections and of N biases and inputs is read, each of S outputs written.

    It holds for every order, valid or not, at every memory and policy, so it assumes no rule. Where M is at least one more than
    the neurons that some order keeps live at once, it is reached (docs/io-theory.md).
    """

    name: ClassVar[str] = "theorem-1"
    title: ClassVar[str] = "Theorem 1"
    summary: ClassVar[str] = "every connection and neuron is read once, every output written once"
    source: ClassVar[Source] = Source("I/O paper", "Theorem 1")
    plans_networks: ClassVar[bool] = True
    targets: ClassVar[frozenset[str]] = frozenset({"memory"})
    objectives: ClassVar[frozenset[str]] = frozenset({"ios"})

    def prove(self, problem: NetworkProblem, search: Search) -> None:
        """One bound, at once."""
        began = time.perf_counter()
        value = float(io_bounds(problem.network).least)
        search.prove(problem.bound("ios", value, self.name, frozenset(), time.perf_counter() - began))
