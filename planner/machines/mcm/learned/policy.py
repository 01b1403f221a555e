"""The learned policy of multi-chip modules: proposes what its network draws, and may learn on the problem at hand (MCM paper, section 4)."""

from __future__ import annotations

import math

import numpy as np

from planner.machines.mcm.learned.features import Features
from planner.machines.mcm.learned.network import Heads, Weights, embedded
from planner.machines.mcm.learned.rollouts import Roller, Rollout
from planner.machines.mcm.learned.tuning import Tuner, TuningSettings
from planner.machines.mcm.search.policy import Proposal
from planner.machines.mcm.solver.solver import McmSolver
from planner.model.graph import Ints
from planner.problem.problem import Problem


class Learned:
    """Proposals drawn from a network of ``weights``: the first the likeliest, others at random.

    With ``tuning`` it learns after every so many of them, and every second one begins with the best partition so far; without,
    weights stay as they are, and only a partition that was adopted is begun with. ``probabilities``: propose the last
    round's distributions for SAMPLE, not the placement drawn from them for FIX.
    """

    def __init__(
        self,
        problem: Problem,
        solver: McmSolver,
        weights: Weights,
        tuning: TuningSettings | None,
        probabilities: bool,
        seed: int,
    ) -> None:
        features = Features(problem, solver)
        heads = Heads(weights, embedded(weights, features))
        self._roller = Roller(features, heads)
        self._settings = tuning
        self._tuner = Tuner(heads, features.barred, tuning, seed) if tuning else None
        self._probabilities = probabilities
        self._common = heads.common()
        self._pending: Rollout | None = None
        self._count = 0
        self._batch: list[Rollout] = []
        self._rewards: list[float] = []
        self._scale = 0.0
        self._best: Ints | None = None
        self._best_value = math.inf

    def propose(self, rng: np.random.Generator) -> Proposal:
        """A placement, or the distributions of its last round."""
        begin = self._best if self._count % 2 else None
        rollout = self._roller.draw(rng if self._count else None, begin, self._common)
        self._count += 1
        self._pending = rollout
        if self._probabilities:
            return Proposal(probabilities=np.exp(rollout.last.astype(np.float64)))
        return Proposal(candidate=rollout.place)

    def learn(self, proposal: Proposal, device_of: Ints, value: float | None) -> None:
        """Note that the proposal became ``device_of`` (int32[n]); after enough of them, change heads and embedding. Throughput is the reward."""
        rollout = self._pending
        if self._tuner is None or self._settings is None or rollout is None:
            return
        if value is not None and value < self._best_value:
            self._best, self._best_value = device_of, value
        if self._probabilities:
            rollout = rollout.ending_with(device_of)
        self._batch.append(rollout)
        self._rewards.append(self._reward(value))
        if len(self._batch) == self._settings.rollouts:
            self._tuner.learn(self._batch, self._rewards)
            self._common = self._roller.heads.common()
            self._batch, self._rewards = [], []

    def _reward(self, value: float | None) -> float:
        """Throughput in units of that of the first valid partition; 0 for one that breaks a rule."""
        if value is None:
            return 0.0
        if value <= 0.0:
            return 1.0
        self._scale = self._scale or value
        return self._scale / value

    def adopt(self, device_of: Ints, value: float) -> None:
        """Begin every second proposal with that partition (int32[n]) from now on."""
        self._best, self._best_value = device_of, value
