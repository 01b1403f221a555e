"""The Edge TPU compiler's segmentation: equal shares of the parameter bytes."""

from __future__ import annotations

from typing import ClassVar

from planner.methods.greedy_cut import cut_by_bytes, units_in_order
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class EdgeTpuBalanced(Planner):
    """Cut the model's own order of ops before a stage would hold more than its share of the parameter bytes.

    What ``edgetpu_compiler --num_segments`` does: the share is the total over the stages, rounded down, and one byte; the
    last stage takes what is left. Neither time nor transfers are looked at. Where ops must share a stage (shared children,
    ops kept together), each set of them is cut as a whole, so that the plan keeps the same rules as any other.
    """

    name: ClassVar[str] = "edge-tpu-balanced"
    title: ClassVar[str] = "Compiler's segmentation"
    summary: ClassVar[str] = (
        "equal shares of the parameter bytes in the model's own order, as the compiler cuts"
    )
    source: ClassVar[Source] = Source("Edge TPU compiler", "--num_segments")
    targets: ClassVar[frozenset[str]] = frozenset({"edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset(
        {"memory-1-2-3", "memory-1-3", "memory-2-1-3", "memory-2-3", "stage-time", "inference-time"}
    )
    honours: ClassVar[frozenset[str]] = frozenset({"together"})

    def search(self, problem: Problem, search: Search) -> None:
        """One pass over the order."""
        units, order = units_in_order(problem)
        stage_of = cut_by_bytes(units.memory, order, problem.evaluator.k)
        search.incumbent(stage_of[units.unit_of])
        search.iteration()
