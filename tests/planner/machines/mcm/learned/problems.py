"""Problems and rollouts that tests of the learned policy share."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.learned.features import Features
from planner.machines.mcm.learned.network import Heads, Weights, embedded, random_weights
from planner.machines.mcm.learned.rollouts import Roller, Rollout
from planner.machines.mcm.learning.problems import made_up_problem
from planner.machines.mcm.solver.solver import McmSolver
from planner.problem.problem import Problem


def features_of(problem: Problem) -> Features:
    return Features(problem, McmSolver(problem))


def small_problem(number: int = 0) -> Problem:
    """A made-up network of 50 to 80 ops."""
    return made_up_problem((5, number), 80)


def rough_weights(seed: int = 0) -> Weights:
    """Random weights under which few choices are certain, biases included: every part of the network has a say."""
    rng = np.random.default_rng(seed)
    weights = random_weights(seed)
    for name, array in weights.items():
        if array.ndim == 1:
            weights[name] = (0.2 * rng.standard_normal(array.shape)).astype(np.float32)
    weights["head.out"] *= 5
    weights["start.out"] *= 5
    return weights


def roller_of(problem: Problem, weights: Weights) -> Roller:
    features = features_of(problem)
    return Roller(features, Heads(weights, embedded(weights, features)))


def rollouts_of(roller: Roller, count: int, seed: int = 0) -> list[Rollout]:
    """Rollouts, each third from a given placement."""
    rng = np.random.default_rng(seed)
    given = roller.start((0, 0, 0))
    return [roller.draw(rng, given if i % 3 == 2 else None) for i in range(count)]
