"""What blocks cost: exactly, and in the whole numbers that pricing counts in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.machines.pipeline.blocks.borders import Borders
from planner.machines.pipeline.exact.model import StageModel
from planner.methods.mip.scaling import Scale, scale_for
from planner.model.graph import Bools, Floats

LEAST = 1e-290
"""Costs below it are as good as none."""
ROWS = 4096
"""Blocks that are looked at together, to spare memory."""


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs that add up: ``work`` (float64[m]) and tensors, less ``offset``, are at most what a block costs.

    With overflow a block costs max(0, params - budget) / B beside them, at least ``share`` (0 to 1) of (params - budget) / B. Where stages are
    not alike these are the least work and the largest budget of all. In whole numbers of ``scale`` everything is rounded down.
    """

    work: Floats
    offset: float
    scale: Scale

    def limit(self, value: float) -> int:
        """Whole numbers that no block of cost at most ``value`` exceeds."""
        at = (value + self.offset) * self.scale.factor
        return math.floor(at + 1e-9 * max(1.0, abs(at)))

    def bound(self, whole: float) -> float:
        """What a block costs at least that costs ``whole`` in whole numbers."""
        return whole / self.scale.factor - self.offset


def costs_of(model: StageModel, sets: Borders, highest: float, resolution: int) -> Costs:
    """The costs to count in where blocks cost at most ``highest``, which becomes about ``resolution`` unless costs are whole and fewer."""
    share = overflow_share(model)
    extra = model.params * (share / model.rate) if share else np.zeros(model.count)
    work = model.work + extra
    offset = share * model.budget / model.rate if share else 0.0
    top = max(highest + offset, float(work.max(initial=0.0)))
    if top < LEAST:
        return Costs(work, offset, Scale(1.0, False))
    scale = scale_for([work, sets.time], top, resolution // 100)
    if not scale.exact or top * scale.factor > resolution:
        scale = Scale(resolution / top, False)
    return Costs(work, offset, scale)


def overflow_share(model: StageModel) -> float:
    """The share of an overflow that counts: the one with which an equal share of all costs is most."""
    if not model.streams:
        return 0.0
    over = (float(model.params.sum()) - model.k * model.budget) / model.rate
    return 1.0 if over > 0 else 0.0


def exact_costs(model: StageModel, sets: Borders, blocks: Bools, stage: int) -> Floats:
    """What each of ``blocks`` (bool[b, m]) costs on ``stage`` (float64[b]): work, each tensor that some, not all, of its units share, overflow."""
    found = np.empty(len(blocks))
    sizes = np.diff(sets.ptr)
    budget = model.budgets[stage]
    for first in range(0, len(blocks), ROWS):
        some = blocks[first : first + ROWS]
        cost = some @ model.stage_work[stage]
        if len(sizes):
            held = np.add.reduceat(some[:, sets.idx], sets.ptr[:-1], axis=1, dtype=np.int32)
            cost += ((held > 0) & (held < sizes)) @ sets.time
        if float(model.params.sum()) > budget:
            cost += np.maximum(0.0, some @ model.params - budget) / model.rate
        found[first : first + ROWS] = cost
    return found
