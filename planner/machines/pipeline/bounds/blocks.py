"""The bound by prices of blocks: some block has an equal share of all prices, whatever the prices are."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.machines.pipeline.blocks.proving import Known, Proving
from planner.machines.pipeline.blocks.units import block_model, everything
from planner.machines.pipeline.exact.incumbent import sliced
from planner.machines.pipeline.superblocks.opening import opening
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Blocks(BoundMethod):
    """The cheapest block with an equal share of prices, the best prices by column generation, then an integer program.

    The proof is in ``docs/bounds.md``.
    """

    name: ClassVar[str] = "blocks"
    title: ClassVar[str] = "Prices of blocks"
    summary: ClassVar[str] = (
        "partition into blocks below a threshold, by column generation with exact pricing"
    )
    source: ClassVar[Source] = Source("Stageboard's own", "docs/bounds.md, after MTPP section 3.2")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck"})

    def prove(self, problem: Problem, search: Search) -> None:
        """Bounds stream as prices become better; the first come within a second."""
        begun = opening(problem, search, self.name)
        if begun is None or begun[0].count == 0 or begun[0].k < 2:
            return
        model = block_model(problem, begun[0], search.check)
        known = Known(everything(model))
        for plan in sliced(begun[0], search):
            known.value = problem.evaluator.objective(plan)
            known.place = np.zeros(model.count, np.int32)
            known.place[model.unit_of] = plan
        if begun[1] < known.value * (1 - 1e-9):
            Proving(model, search, self.name, begun[1], known).run()
