"""Weighted MLA: a topological order with short expensive tensors, sliced."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pipeline.orders import random_keys
from planner.machines.pipeline.orders.arranging import arrange_and_slice
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class MlaWeighted(Planner):
    """Minimum linear arrangement, weighted, by BRKGA and moves of single units; the orders found are sliced."""

    name: ClassVar[str] = "mla-weighted"
    title: ClassVar[str] = "Weighted MLA"
    summary: ClassVar[str] = "best cut of an order with short expensive tensors"
    source: ClassVar[Source] = Source("MTPP", "appendix C.1")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})
    options: ClassVar[tuple[Option, ...]] = random_keys.OPTIONS

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per generation; the paper's own settings are the defaults."""
        arrange_and_slice(problem, search, self.name, weighted=True)
