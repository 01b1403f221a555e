"""SDC + ILP on Edge TPU pipelines, and a faster exact way where the graph allows it."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.edge_tpu.bounds.ilp import Ilp
from planner.machines.edge_tpu.memory.search import ROUTE_OPTION, THREADS_OPTION, search_exactly
from planner.machines.edge_tpu.memory.units import MEMORY_OBJECTIVES
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class EdgeTpuIlp(Planner):
    """Minimises the components of a memory objective one after the other, each proven before the next.

    The program of :mod:`planner.machines.edge_tpu.memory.ilp` is the paper's, with tensors counted once per stage; a network with few
    ideals is planned by :mod:`planner.machines.edge_tpu.memory.chains` instead, which is exact too (docs/edge-tpu-exact.md).
    """

    name: ClassVar[str] = "edge-tpu-ilp"
    title: ClassVar[str] = "Edge TPU, exact"
    summary: ClassVar[str] = "each component in turn, proven: over the graph's ideals, or by SDC + ILP"
    source: ClassVar[Source] = Source("Edge TPU", "section IV, equations 1 to 14")
    targets: ClassVar[frozenset[str]] = frozenset({"edge-tpu"})
    objectives: ClassVar[frozenset[str]] = MEMORY_OBJECTIVES
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    proves_as: ClassVar[str] = Ilp.name
    options: ClassVar[tuple[Option, ...]] = (ROUTE_OPTION, THREADS_OPTION)

    def search(self, problem: Problem, search: Search) -> None:
        """Plans and, for each component in turn, its proof."""
        search_exactly(problem, search, self.proof_name, propose=True)
