"""The model that blocks are made of: what is pinned to one stage is one unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from planner.machines.pipeline.exact.model import StageModel, stage_model
from planner.methods.mip.model import unchecked
from planner.problem.problem import Problem, Together


def block_model(problem: Problem, model: StageModel, check: Callable[[], None] = unchecked) -> StageModel:
    """``model`` of ``problem`` with the ops that pins leave the same stage alone as one unit: they share a block in every plan.

    ``check`` is called every few milliseconds and may raise to end it.
    """
    stage = np.where(model.earliest == model.latest, model.earliest, -1)[model.unit_of]
    ids = problem.graph.op_ids
    groups = [np.flatnonzero(stage == j).tolist() for j in range(model.k)]
    together = tuple(Together(tuple(ids[v] for v in group)) for group in groups if len(group) > 1)
    if not together:
        return model
    merged = problem.with_constraints((*problem.constraints, *together))
    return replace(stage_model(merged, check), problem=problem, assumes=model.assumes)


def everything(model: StageModel) -> float:
    """What a block of all units costs, on the stage where it costs least: no plan need cost more, unless pins ask for it."""
    over = (
        np.maximum(0.0, float(model.params.sum()) - model.budgets) / model.rate if model.some_stream else 0.0
    )
    return float((model.stage_work.sum(axis=1) + over).min())
