"""The least time per inference of an Edge TPU pipeline, proven."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.edge_tpu.fastest.search import FastestSearch
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class FastestBound(BoundMethod):
    """What the planner ``edge-tpu-fastest`` proves, without its plans: little more than the simple bound where there are too many ideals."""

    name: ClassVar[str] = "fastest"
    title: ClassVar[str] = "Edge TPU, fastest"
    summary: ClassVar[str] = "the least estimated time per inference, where the graph has few ideals"
    source: ClassVar[Source] = Source("Stageboard's own", "docs/edge-tpu.md")
    targets: ClassVar[frozenset[str]] = frozenset({"edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"inference-time"})

    def prove(self, problem: Problem, search: Search) -> None:
        """A simple bound at once, then the optimum."""
        FastestSearch(problem, search, self.name, propose=False).run()
