"""The tiny pipelines on which kernels are compiled."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.machines.pipeline.blocks.borders import borders
from planner.machines.pipeline.blocks.diagram import fitted
from planner.machines.pipeline.blocks.pricing import Pricing
from planner.machines.pipeline.exact.model import stage_model
from planner.machines.pipeline.target import Pipeline
from planner.methods import tiny
from planner.methods.mip.scaling import Scale
from planner.methods.nested_cuts.warm import compile_kernels
from planner.methods.random_streams import seeded
from planner.methods.units import chain
from planner.problem.problem import Problem
from planner.problem.target import Target


class Warm(tiny.Warm):
    """Pipelines without and with streaming, and with activations on a path."""

    targets: ClassVar[tuple[tuple[Target, bool], ...]] = (
        (Pipeline(2), False),
        (Pipeline(2, bandwidth=1.0, memory=16.0), False),
        (Pipeline(2, bandwidth=1.0, memory=16.0, activations="peak", path=True), False),
    )

    def prove(self, problem: Problem) -> None:
        """What is for graphs with too many ideals."""
        compile_kernels(chain(problem))

    def rest(self) -> None:
        """Pricing of blocks: on a tiny pipeline plan and bound meet before it is done."""
        model = stage_model(Problem(tiny.tiny_graph(), Pipeline(2)))
        pricing = Pricing(fitted(borders(model), seeded(0), 10_000), model.work, Scale(1.0, True))
        pricing.run(model.work, 100, 1.0)
        pricing.block(1.0, 100, np.ones(model.count, bool), seeded(0))
        pricing.all_blocks(1.0, 100, 1000, 1000)
