"""The tiny pipelines of Edge TPUs on which kernels are compiled."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.methods import tiny
from planner.problem.target import Target


class Warm(tiny.Warm):
    """Pipelines whose parameters do not all fit, and one that keeps shared children together."""

    targets: ClassVar[tuple[tuple[Target, bool], ...]] = (
        (EdgeTpuPipeline(3, cache=10.0), False),
        (EdgeTpuPipeline(2, shared_children=True), False),
    )
