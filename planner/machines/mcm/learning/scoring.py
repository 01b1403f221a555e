"""What a placement of the policy is worth in training: throughput of the corrected partition over the greedy heuristic's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from planner.evaluation.rules import overfull
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.learned.features import Features
from planner.machines.mcm.learned.network import Heads, Weights, embedded
from planner.machines.mcm.learned.rollouts import Roller, Rollout
from planner.machines.mcm.learning.options import FIX, SAMPLE
from planner.machines.mcm.search.samples import file_order, filled_greedily
from planner.machines.mcm.solver.solver import McmSolver
from planner.model.graph import Ints
from planner.problem.problem import Problem


class Arena:
    """A problem to train on, with its solver, its features, what greedy finds, and the best partition so far."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.solver = McmSolver(problem)
        self.features = Features(problem, self.solver)
        self._evaluator = cast(McmEvaluator, problem.evaluator)
        self.greedy = self._greedy()
        self.best: Ints | None = None
        self.best_value = math.inf

    def _greedy(self) -> float:
        """What the greedy heuristic costs, corrected without drawing; where that does not fit the memory, the whole work is taken."""
        order = file_order(self.problem)
        found = self.solver.fix(filled_greedily(self.problem, order), 0, order, nearest=True)
        cost = math.inf if found is None else self._cost(found)
        return cost if cost < math.inf else float(self.features.work.sum())

    def _cost(self, device_of: Ints) -> float:
        e = self._evaluator
        if e.target.check_memory:
            held = e.parameter_bytes(device_of)
            if overfull(held + e.peaks(device_of), e.capacity).any():
                return math.inf
        return e.objective(device_of)

    def reward(self, rollout: Rollout, correction: str, seed: int) -> tuple[float, Rollout]:
        """Throughput over greedy's, 0 for no valid partition; and the rollout, its last round what SAMPLE drew if it was asked to."""
        if correction == SAMPLE:
            found = self.solver.sample(np.exp(rollout.last.astype(np.float64)), seed)
            if found is not None:
                rollout = rollout.ending_with(found)
        elif correction == FIX:
            found = self.solver.fix(rollout.place, seed)
        else:
            found = None if self.problem.evaluator.violations(rollout.place) else rollout.place
        if found is None:
            return 0.0, rollout
        cost = self._cost(found)
        if cost < self.best_value:
            self.best, self.best_value = found, cost
        return (self.greedy / cost if cost > 0 else 0.0), rollout


def validated(
    weights: Weights, arenas: Sequence[Arena], correction: str, tries: int, seed: int
) -> tuple[float, float]:
    """Zero-shot throughput over greedy's, geometric means over problems: of the mean of ``tries`` placements, and of the first.

    The first placement of each problem is the likeliest. Where no placement is valid, a hundredth of greedy's counts.
    """
    means, firsts = [], []
    for arena in arenas:
        rng = np.random.default_rng(seed)
        roller = Roller(arena.features, Heads(weights, embedded(weights, arena.features)))
        common = roller.heads.common()
        found = []
        for i in range(tries):
            rollout = roller.draw(rng if i else None, None, common)
            found.append(arena.reward(rollout, correction, int(rng.integers(2**31)))[0])
        means.append(max(0.01, float(np.mean(found))))
        firsts.append(max(0.01, found[0]))
    return float(np.exp(np.mean(np.log(means)))), float(np.exp(np.mean(np.log(firsts))))
