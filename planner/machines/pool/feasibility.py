"""Knowledge of device pools on the feasibility of their problems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.methods.feasibility.knowledge import Knowledge
from planner.model.graph import Ints
from planner.problem.problem import Problem


class PoolKnowledge(Knowledge):
    """Plans that gather ops on few devices."""

    def plans(self, problem: Problem) -> Iterator[Ints]:
        """All ops that no pin holds on one device, or filled into one after the other."""
        e, groups = problem.evaluator, problem.groups
        fixed = np.full(groups.count, -1, np.int32)
        held = np.flatnonzero(e.pinned >= 0)
        fixed[groups.group_of[held]] = e.pinned[held]
        allowed = np.ones((groups.count, e.k), bool)
        np.logical_and.at(allowed, groups.group_of, e.allowed)
        for d in range(e.k):
            chosen = np.where(fixed >= 0, fixed, np.where(allowed[:, d], d, allowed.argmax(axis=1)))
            yield chosen[groups.group_of].astype(np.int32)
        yield _filled(problem, fixed, allowed)[groups.group_of]


def _filled(problem: Problem, fixed: Ints, allowed: np.ndarray) -> Ints:
    """A device for each group (int32[g]): in the order of the graph, each goes on where the one before it was if it fits."""
    e, groups = problem.evaluator, problem.groups
    size = np.bincount(groups.group_of, e.memory, groups.count)
    room = e.capacity.copy()
    np.subtract.at(room, fixed[fixed >= 0], size[fixed >= 0])
    chosen, at = fixed.copy(), 0
    for g in dict.fromkeys(groups.group_of[problem.graph.topological_order].tolist()):
        if chosen[g] < 0:
            order = [*range(at, e.k), *range(at)]
            at = next((d for d in order if allowed[g, d] and size[g] <= room[d]), at)
            chosen[g] = at
            room[at] -= size[g]
    return chosen.astype(np.int32)
