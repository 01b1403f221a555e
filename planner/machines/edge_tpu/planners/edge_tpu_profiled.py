"""Segmentation by stage times: the least time within which greedy cuts of the model's own order stay."""

from __future__ import annotations

from typing import ClassVar

from planner.methods.greedy_cut import TimedCut, stages_of, units_in_order
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search

EXACT = 1e-9
"""The share of the time at which bisection ends."""


class EdgeTpuProfiled(Planner):
    """Bisection on a target time; each stage takes as many ops, in the model's own order, as it finishes within it.

    What segmentation by profiling does with measured times, here with the times of the cost model: receive, compute,
    streaming and send. It lowers the stage time whatever the objective, and compares its plans by the objective. Sending a
    tensor less can make a longer stage faster, so the least time found need not be the order's best; ``slice`` finds that.
    """

    name: ClassVar[str] = "edge-tpu-profiled"
    title: ClassVar[str] = "Balanced stage times"
    summary: ClassVar[str] = "greedy cuts of the model's own order within the least stage time, by bisection"
    source: ClassVar[Source] = Source("Edge TPU compiler", "profiling-based partitioning")
    targets: ClassVar[frozenset[str]] = frozenset({"edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset(
        {"memory-1-2-3", "memory-1-3", "memory-2-1-3", "memory-2-3", "stage-time", "inference-time"}
    )
    honours: ClassVar[frozenset[str]] = frozenset({"together"})

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per target time."""
        units, order = units_in_order(problem)
        cut = TimedCut(units, order)
        found = cut.within(float("inf"))
        assert found is not None  # the first stage takes everything
        search.incumbent(stages_of(found[0], order)[units.unit_of])
        low, high = cut.work.sum() / cut.stages, found[1]
        while high - low > EXACT * high:
            search.check()
            limit = (low + high) / 2
            found = cut.within(limit)
            search.iteration()
            if found is None:
                low = limit
            else:
                high = min(limit, found[1])
                search.incumbent(stages_of(found[0], order)[units.unit_of])
