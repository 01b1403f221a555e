"""Everything on one device: what there is before a model is split."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class OneDevice(Planner):
    """All ops on the first stage, the yardstick of every pipeline."""

    name: ClassVar[str] = "one-device"
    title: ClassVar[str] = "One device"
    summary: ClassVar[str] = "everything on the first stage, to compare with"
    source: ClassVar[Source] = Source("Edge TPU paper", "section II-B, Table I")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset(
        {"bottleneck", "memory-1-2-3", "memory-1-3", "memory-2-1-3", "memory-2-3", "stage-time"}
        | {"inference-time"}
    )
    honours: ClassVar[frozenset[str]] = frozenset({"together"})

    def search(self, problem: Problem, search: Search) -> None:
        """One plan."""
        search.incumbent(np.zeros(problem.graph.n, np.int32))
        search.iteration()
