"""Which rule keeps a device idle that stands in a row: a plan that uses it, is better, and breaks that rule alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from planner.model.graph import Ints
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem

MOST_CUTS = 48
"""How many ways to share the ops of the bottleneck are tried at most on each side of it."""
MOST_OPS = 150_000
"""Ops in all of the ways that are tried on a side: of a large graph fewer ways are, so that a window that asks does not wait."""
BETTER = 1e-3
"""Share by which a plan has to be better, so that it shows anything."""


class Kept(NamedTuple):
    """The ``rule`` that keeps a device idle, by its name, and the ``objective`` of a plan that breaks it alone."""

    rule: str
    objective: float


def kept_idle(problem: Problem, evaluation: Evaluation, device_of: Ints) -> Kept | None:
    """What keeps a device without ops idle in a plan (int32[n]); None where that is not decided.

    The ops of the bottleneck are shared with the nearest idle device of the row, at each cut of their order in the graph; devices between the
    two give theirs to their neighbour. Of what is better then the best counts that breaks one rule alone: without this
    rule it was valid. Where one of them is better and valid, nothing keeps the device idle.
    """
    d = evaluation.bottleneck
    if not problem.target.in_a_row or d < 0:
        return None
    evaluator, enough = problem.evaluator, evaluation.objective * (1 - BETTER)
    found: Kept | None = None
    for shared in _shared(problem, device_of, d):
        objective = float(evaluator.components(shared)[0])
        if objective >= enough:
            continue
        rules = {violation.kind for violation in evaluator.violations(shared)}
        if not rules:
            return None
        if len(rules) == 1 and (found is None or objective < found.objective):
            found = Kept(rules.pop(), objective)
    return found


def _shared(problem: Problem, device_of: Ints, d: int) -> list[Ints]:
    """Assignments (int32[n]) in which device d and the nearest idle one of each side have d's ops."""
    idle = np.setdiff1d(np.arange(len(problem.devices)), device_of)
    ops = np.flatnonzero(device_of == d)
    ways = max(1, min(MOST_CUTS, len(ops) - 1, MOST_OPS // problem.graph.n))
    cuts: Sequence[int] = (
        np.unique(np.linspace(0, len(ops), ways + 2)[1:-1].round().astype(int)).tolist()
        if len(ops) > 1
        else []
    )
    found = []
    for side in (idle[idle > d][:1], idle[idle < d][-1:]):
        for e in side.tolist():
            step = 1 if e > d else -1
            moved = device_of.copy()
            between = (device_of > min(d, e)) & (device_of < max(d, e))
            moved[between] += step
            for cut in cuts:
                shared = moved.copy()
                # What comes first stays on the device that comes first.
                shared[ops[cut:] if step > 0 else ops[:cut]] = d + step
                found.append(shared)
    return found
