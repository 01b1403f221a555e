"""Splits in any shape for latency: annealing where every accelerator has two slots, that the target cuts as it sees fit.

The annealing kernel wants subgraphs that run in one go. A split in any shape is one with several of them on an accelerator, so
it anneals a contiguous problem with slots and reports the plans of the accelerators that these belong to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from planner.machines.pool.latency.annealer import Annealer
from planner.machines.pool.latency.state import build_arrays
from planner.model.graph import Ints
from planner.problem.problem import Pin, Problem
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Progress

SLOTS = 2


class _Relay(Callbacks):
    """Hands every plan with slots on as one of accelerators."""

    def __init__(self, slotted: Problem, search: Search) -> None:
        e = slotted.evaluator
        slots = int(np.count_nonzero(e.pays))
        number = np.arange(e.k)
        self._device = np.where(e.pays, number // SLOTS, number - slots + slots // SLOTS).astype(np.int32)
        self._search = search

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        self._search.incumbent(self._device[device_of])


def slotted_annealer(problem: Problem, search: Search) -> Annealer | None:
    """Annealing over splits with at most two subgraphs on each accelerator, reporting to ``search``.

    None where the problem is contiguous already or has pins, which name devices without slots.
    """
    target: Any = problem.target
    if target.contiguous or any(isinstance(c, Pin) for c in problem.constraints):
        return None
    slotted = Problem(
        problem.graph,
        replace(target, contiguous=True, subgraphs=SLOTS),
        problem.objective,
        problem.constraints,
    )
    own = Search(slotted, Cancel(search.stopped), _Relay(slotted, search), search.seed, {})
    return Annealer(slotted, build_arrays(slotted), own)
