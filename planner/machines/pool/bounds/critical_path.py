"""The critical-path bound on single-sample latency: what the ops along a path must cost in any plan."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pool.latency.bound import PathBound
from planner.machines.pool.latency.state import build_arrays
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search

PATHS_AT_ONCE = 8
SECONDS_AT_ONCE = 0.05


class CriticalPath(BoundMethod):
    """The best bound over many paths, each by a dynamic program over the subgraphs and CPU ops that it must run through.

    Where contiguous splits of a graph fall into regions between articulation ops, all paths through them at once, with as many subgraphs as there are accelerators.
    The proofs are in :mod:`planner.machines.pool.latency.path` and :mod:`planner.machines.pool.latency.cut`, and in docs/bounds.md (latency by regions).
    """

    name: ClassVar[str] = "critical-path"
    title: ClassVar[str] = "Critical path"
    summary: ClassVar[str] = (
        "least time along paths, with the memory and transfers that their subgraphs must have"
    )
    source: ClassVar[Source] = Source("Stageboard's own", "for the model of device placement, section 4")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"latency"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("paths", 400, "paths of the graph that are tried", low=1, high=10_000_000),
        Option("cuts", 40, "paths whose runs are costed by minimum cuts", low=0, high=10_000_000),
    )

    def prove(self, problem: Problem, search: Search) -> None:
        """One bound after the other, each better than the last."""
        bound = PathBound(problem, build_arrays(problem), search, self.name)
        paths, cuts = int(search.options["paths"]), int(search.options["cuts"])
        bound.improve(1)
        while not search.stopped() and bound.sharpen(SECONDS_AT_ONCE, min(cuts, 1)):
            search.progress(None, "a path with minimum cuts")
        while bound.regions.advance(SECONDS_AT_ONCE):
            search.progress(None, "regions between articulation ops")
        for tried in range(0, paths, PATHS_AT_ONCE):
            if search.stopped():
                return
            search.progress(tried / (2 * paths), f"{tried} paths")
            bound.improve(min(PATHS_AT_ONCE, paths - tried))
            search.iteration(min(PATHS_AT_ONCE, paths - tried))
        while not search.stopped() and bound.sharpen(SECONDS_AT_ONCE, cuts):
            search.progress(0.5 + bound.sharpened / (2 * cuts), f"{bound.sharpened} paths with minimum cuts")
