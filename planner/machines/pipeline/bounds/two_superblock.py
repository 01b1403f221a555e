"""The two-superblock bound: the first a stages and the others each pay for every tensor between them."""

from __future__ import annotations

import math
from itertools import product
from typing import ClassVar

from planner.machines.pipeline.superblocks.flow import cut_network
from planner.machines.pipeline.superblocks.opening import opening, report
from planner.machines.pipeline.superblocks.split import Split, dearnesses
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class TwoSuperblock(BoundMethod):
    """Split the stages a : k - a; whatever ideal the first a stages hold, one side pays at least its average.

    The split in the middle comes first, then its neighbours, as long as they can still prove more. Stages that are not alike count
    with several weights in the average, of which any bounds. The proof is in ``docs/bounds.md``.
    """

    name: ClassVar[str] = "two-superblock"
    title: ClassVar[str] = "Two superblocks"
    summary: ClassVar[str] = "best split in two superblocks, all tensors between them paid on both sides"
    source: ClassVar[Source] = Source("Stageboard's own", "docs/bounds.md, after MTPP section 3.2")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time"})

    def prove(self, problem: Problem, search: Search) -> None:
        """Bounds stream as the tree of each split is searched, least bound first."""
        begun = opening(problem, search, self.name)
        if begun is None:
            return
        model, bound = begun
        if model.count == 0 or model.k < 2:
            return
        network = cut_network(model, search.check)
        for streaming in (False, True) if model.some_stream else (False,):
            for first, dearness in product(splits(model.k), dearnesses(model)):
                split = Split(model, network, first, streaming=streaming, dearness=dearness)
                while not split.done and split.value > bound:
                    value = split.run()
                    search.iteration()
                    if value > bound:
                        bound = value
                        report(model, search, self.name, bound)
                    search.progress(None, f"split {first} : {model.k - first}, {split.expanded} nodes")
                    search.check()
                if math.isinf(bound):
                    return


def splits(k: int) -> list[int]:
    """Sizes of the first superblock, the middle first (k >= 2)."""
    return sorted(range(1, k), key=lambda a: (abs(2 * a - k), a))
