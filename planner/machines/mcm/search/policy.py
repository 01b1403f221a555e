"""Policies for multi-chip modules: a policy proposes, the constraint solver corrects, the result is scored.

The loop is :func:`planner.machines.mcm.search.samples.run_policy`. The policy that learns from graphs (MCM paper, section 4.1) is
:class:`planner.machines.mcm.learned.policy.Learned`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from planner.model.graph import Floats, Ints

ADOPTED = 0.9
"""Weight of an op's chip in a partition that is taken over."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """What a policy asks for: a ``candidate`` (int32[n]), or ``probabilities`` of each op's chip (float64[n, k]).

    A candidate is corrected by FIX (MCM paper, algorithm 2), probabilities are drawn from by SAMPLE (algorithm 1); neither
    stands for the uniform distribution.
    """

    candidate: Ints | None = None
    probabilities: Floats | None = None


class Policy(Protocol):
    """Proposes partitions, valid or not, and may learn from what became of them."""

    def propose(self, rng: np.random.Generator) -> Proposal:
        """What to try next."""

    def learn(self, proposal: Proposal, device_of: Ints, value: float | None) -> None:
        """``proposal`` became the partition ``device_of`` (int32[n]), which costs ``value``; None = it breaks a rule."""

    def adopt(self, device_of: Ints, value: float) -> None:
        """Learn from a better valid partition (int32[n]) of cost ``value`` that was found elsewhere."""


class Uniform(Policy):
    """Each op on each chip with the same probability (section 5.1, random search)."""

    def propose(self, rng: np.random.Generator) -> Proposal:
        """Always the uniform distribution."""
        return Proposal()

    def learn(self, proposal: Proposal, device_of: Ints, value: float | None) -> None:
        """Change nothing: proposals stay uniform."""

    def adopt(self, device_of: Ints, value: float) -> None:
        """Change nothing: proposals stay uniform."""


class Annealed(Policy):
    """Simulated annealing over distributions (section 5.1), from the uniform one.

    Each proposal gives ``share`` of the ops new random distributions: a Dirichlet draw of parameter ``alpha`` each, the flatter
    the larger. It is kept if the partition drawn from it costs less than the last kept one did, or with probability
    exp(-rise / temperature); rises are shares of that cost, and the temperature falls from ``hot`` to ``cold``
    over ``steps`` proposals. A partition that breaks a rule costs infinitely much.
    """

    def __init__(
        self, n: int, k: int, share: float, alpha: float, hot: float, cold: float, steps: int
    ) -> None:
        self._probabilities = np.full((n, k), 1.0 / k)
        self._count = max(1, min(n, round(share * n)))
        self._alpha = alpha
        self._hot, self._cold, self._steps = hot, cold, max(1, steps)
        self._value = math.inf
        self._step = 0
        self._chosen = np.empty(0, np.int64)
        self._before = np.empty((0, k))
        self._luck = 0.0

    def propose(self, rng: np.random.Generator) -> Proposal:
        """New distributions for some ops; the first proposal is the uniform distribution itself."""
        n, k = self._probabilities.shape
        count = self._count if self._step else 0
        self._chosen = rng.choice(n, count, replace=False)
        self._before = self._probabilities[self._chosen]
        drawn = rng.standard_gamma(self._alpha, (count, k)) + 1e-12
        self._probabilities[self._chosen] = drawn / drawn.sum(axis=1, keepdims=True)
        self._luck = rng.random()
        return Proposal(probabilities=self._probabilities)

    def learn(self, proposal: Proposal, device_of: Ints, value: float | None) -> None:
        """Keep the new distributions or go back to those before."""
        progress = min(1.0, self._step / self._steps)
        self._step += 1
        cost = math.inf if value is None else value
        temperature = self._hot * (self._cold / self._hot) ** progress
        if cost <= self._value:
            keep = True
        else:
            rise = (cost - self._value) / self._value if self._value > 0 else math.inf
            keep = self._luck < math.exp(-rise / temperature)
        if keep:
            self._value = cost
        else:
            self._probabilities[self._chosen] = self._before

    def adopt(self, device_of: Ints, value: float) -> None:
        """Go on from distributions that give each op's chip of that partition most of the weight."""
        n, k = self._probabilities.shape
        self._probabilities[:] = (1.0 - ADOPTED) / k
        self._probabilities[np.arange(n), device_of] += ADOPTED
        self._value = value
