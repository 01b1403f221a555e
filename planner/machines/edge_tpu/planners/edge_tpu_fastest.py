"""The fastest Edge TPU pipeline by estimated time per inference, and the proof where the graph allows it."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.edge_tpu.bounds.fastest import FastestBound
from planner.machines.edge_tpu.fastest.search import ORDERS_OPTION, FastestSearch
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class EdgeTpuFastest(Planner):
    """Minimises ``inference-time`` over all chains of ideals, by shortest paths within ever smaller largest rests.

    How and why is told in :mod:`planner.machines.edge_tpu.fastest.fastest`. Where there are too many ideals to look at their pairs, as when
    several networks are deployed together, the ideals of many orders stand for all, then single moves follow; the plan is
    the best found, and the simple bound tells how far from it the fastest may be.
    """

    name: ClassVar[str] = "edge-tpu-fastest"
    title: ClassVar[str] = "Edge TPU, fastest"
    summary: ClassVar[str] = "the least estimated time per inference, proven where the graph has few ideals"
    source: ClassVar[Source] = Source("Stageboard's own", "docs/edge-tpu.md")
    targets: ClassVar[frozenset[str]] = frozenset({"edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"inference-time"})
    exact: ClassVar[bool] = True
    exact_if: ClassVar[str] = "few ideals"
    gives_bounds: ClassVar[bool] = True
    proves_as: ClassVar[str] = FastestBound.name
    options: ClassVar[tuple[Option, ...]] = (ORDERS_OPTION,)

    def search(self, problem: Problem, search: Search) -> None:
        """Plans and bounds as they come."""
        FastestSearch(problem, search, self.proof_name).run()
