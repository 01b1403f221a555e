"""A bound that depends on the size of memory: how many connections a stretch of an order can serve."""

from __future__ import annotations

import time
from typing import ClassVar

from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.partition.extra import extra_ios
from planner.machines.two_level_memory.partition.halves import components
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Segments(BoundMethod):
    """W + N + S and what must be read again, or written to be read again, as memory holds M values only.

    Between B reads of neurons at most M - 1 + B values are in memory, so at most as many connections are served as so many values can have among them. It holds
    for every order and policy. The components of a network (in layered ones each two layers that follow each other) are
    looked at one after another, the largest first, and what they need is added.
    """

    name: ClassVar[str] = "segments"
    title: ClassVar[str] = "Segments"
    summary: ClassVar[str] = "what must be read again, as a stretch of few reads serves few connections"
    source: ClassVar[Source] = Source("Stageboard", "docs/io-theory.md")
    plans_networks: ClassVar[bool] = True
    targets: ClassVar[frozenset[str]] = frozenset({"memory"})
    objectives: ClassVar[frozenset[str]] = frozenset({"ios"})

    def prove(self, problem: NetworkProblem, search: Search) -> None:
        """One iteration, and a bound where it is better than the last, for each component."""
        began = time.perf_counter()
        total = io_bounds(problem.network).least
        search.prove(problem.bound("ios", float(total), self.name, frozenset(), 0.0))
        largest_first = sorted(components(problem.network), key=lambda c: -len(c.source))
        for i, component in enumerate(largest_first):
            search.check()
            search.progress(i / len(largest_first), f"component {i + 1} of {len(largest_first)}")
            extra = extra_ios(component, problem.target.size - 1, search.check)
            search.iteration()
            if extra:
                total += extra
                passed = time.perf_counter() - began
                search.prove(problem.bound("ios", float(total), self.name, frozenset(), passed))
