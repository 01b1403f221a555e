"""How the exact planners of a pipeline begin: a first plan, the two-superblock bound, and what is then left to do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.machines.pipeline.exact.bounds import prove_split
from planner.machines.pipeline.exact.incumbent import first_plans
from planner.machines.pipeline.exact.model import StageModel
from planner.machines.pipeline.superblocks.opening import opening
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.search import Search


@dataclass(frozen=True)
class Start:
    """A model whose best plan is not proven yet, the ``bound`` so far, and the best plan's block of each unit (int32[m])."""

    model: StageModel
    bound: float
    place: Ints | None


def start(problem: Problem, search: Search, method: str) -> Start | None:
    """First plans and bounds, those of two superblocks for the seconds of the option ``split``; None when nothing is left."""
    begun = opening(problem, search, method)
    if begun is None:
        return None
    model, bound = begun
    first_plans(model, search)
    if model.count == 0 or search.stopped():
        return None
    # Two superblocks pay sums: where a stage pays the most of work and transfers, they prove nothing.
    if model.k > 1 and model.alike and model.summed:
        bound = prove_split(model, bound, search, method, float(search.options["split"]))
    search.adopt()
    if bound >= search.objective * (1 - 1e-9):
        return None
    if search.best is None:
        return Start(model, bound, None)
    place = np.zeros(model.count, np.int32)
    place[model.unit_of] = search.best
    return Start(model, bound, place)
