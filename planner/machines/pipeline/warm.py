"""The tiny pipelines on which kernels are compiled."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pipeline.target import Pipeline
from planner.methods import tiny
from planner.problem.target import Target


class Warm(tiny.Warm):
    """Pipelines without and with streaming."""

    targets: ClassVar[tuple[tuple[Target, bool], ...]] = (
        (Pipeline(2), False),
        (Pipeline(2, bandwidth=1.0, memory=16.0), False),
    )
