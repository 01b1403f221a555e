"""The network of the learned policy: shapes, masks, and gradients against finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.machines.mcm.learned.features import Features
from planner.machines.mcm.learned.network import HEADS, SHAPES, Heads, embedded, log_softmax, random_weights
from planner.machines.mcm.learned.tuning import EMBEDDING, advantages, loss_and_gradients
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.target import McmPackage
from planner.problem.problem import Pin, Problem
from tests.planner.machines.mcm.learned.problems import (
    features_of,
    roller_of,
    rollouts_of,
    rough_weights,
    small_problem,
)


def doubled(problem: Problem, chips: int) -> Problem:
    """The same graph on another count of chips."""
    return Problem(problem.graph, McmPackage(chips, check_memory=False), "chip-latency")


def test_one_network_serves_any_count_of_chips() -> None:
    weights = random_weights(0)
    for chips in (1, 2, 7, 36, 64):
        problem = doubled(small_problem(), chips)
        roller = roller_of(problem, weights)
        rollout = roller.draw(np.random.default_rng(0))
        assert rollout.last.shape == (problem.graph.n, chips)
        assert rollout.place.min() >= 0 and rollout.place.max() < chips


def test_weights_have_the_paper_s_shape() -> None:
    layers = {name.split(".")[0] for name in SHAPES if name.startswith("layer")}
    assert len(layers) == 8
    assert all(SHAPES[f"{layer}.own"] == (128, 128) for layer in layers)
    assert sum(int(np.prod(shape)) for shape in SHAPES.values()) * 4 < 5 << 20


def test_the_unit_of_times_does_not_matter() -> None:
    problem = small_problem()
    graph = problem.graph
    package = problem.target
    assert isinstance(package, McmPackage)
    rates = {"link": 25e6, "compute": package.compute / 1e3, "local": package.local / 1e3}
    slow = Problem(graph, replace(package, **rates), "chip-latency")
    one, other = features_of(problem), features_of(slow)
    assert np.allclose(one.ops, other.ops, atol=1e-4)


def test_an_op_is_never_drawn_where_a_pin_forbids_it() -> None:
    problem = small_problem()
    op = problem.graph.op_ids[3]
    pinned = Problem(problem.graph, McmPackage(5, check_memory=False), "chip-latency", (Pin(op, "chip 2"),))
    features = Features(pinned, McmSolver(pinned))
    allowed = np.flatnonzero(features.barred[3] == 0)
    assert allowed.tolist() == [2]
    roller = roller_of(pinned, rough_weights())
    for rollout in rollouts_of(roller, 6):
        assert rollout.place[3] == 2


def test_probabilities_add_up() -> None:
    roller = roller_of(small_problem(), rough_weights())
    for rollout in rollouts_of(roller, 3):
        assert np.allclose(np.exp(rollout.last).sum(axis=1), 1, atol=1e-5)
        n = len(rollout.place)
        assert np.allclose(rollout.log[-1], rollout.last[np.arange(n), rollout.place])


@pytest.mark.parametrize("seed", range(2))
def test_gradients_agree_with_finite_differences(seed: int) -> None:
    """In float64, where differences are exact enough; the clipped objective is kept off its kinks by other old probabilities."""
    problem = small_problem(seed)
    roller = roller_of(problem, rough_weights(seed))
    batch = rollouts_of(roller, 4, seed)
    heads = Heads(
        {name: roller.heads.weights[name].astype(np.float64) for name in HEADS},
        roller.heads.embedding.astype(np.float64),
    )
    rng = np.random.default_rng(seed)
    for name in HEADS:
        heads.weights[name] += 0.01 * rng.standard_normal(heads.weights[name].shape)
    advantage = advantages([1.0, 0.4, 0.7, 0.2], [0, 0, 1, 0]).astype(np.float64)
    barred = roller.features.barred
    _, slopes = loss_and_gradients(heads, barred, batch, advantage)
    arrays = {**heads.weights, EMBEDDING: heads.embedding}
    for name, array in arrays.items():
        direction = rng.standard_normal(array.shape)
        direction /= np.linalg.norm(direction)
        before = array.copy()
        step = 1e-5
        array[...] = before + step * direction
        above, _ = loss_and_gradients(heads, barred, batch, advantage)
        array[...] = before - step * direction
        below, _ = loss_and_gradients(heads, barred, batch, advantage)
        array[...] = before
        measured = (above - below) / (2 * step)
        assert measured == pytest.approx(float((slopes[name] * direction).sum()), rel=2e-3, abs=2e-6), name


def test_logarithms_of_probabilities_survive_large_scores() -> None:
    found = log_softmax(np.array([[1e4, 0.0, -1e9]], np.float32))
    assert np.isfinite(found).all() and found[0, 0] == 0


def test_the_embedding_sees_what_is_eight_layers_away_and_no_farther() -> None:
    """A longer op changes the embedding of its neighbours through the layers, beside what all ops have in common."""
    features = features_of(small_problem())
    weights = rough_weights()
    one = embedded(weights, features)
    features.ops = features.ops.copy()
    features.ops[0] += 1
    other = embedded(weights, features)
    changed = np.abs(one - other).max(axis=1) > 1e-6
    distance = np.full(features.n, 99)
    distance[0] = 0
    links = (features.before + features.before.T).tocoo()
    for _ in range(features.n):
        np.minimum.at(distance, links.row, distance[links.col] + 1)
    assert changed[0]
    assert (distance[changed] <= 8).all()
    assert changed[distance <= 2].all()
