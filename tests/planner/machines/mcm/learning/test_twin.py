"""JAX computes what NumPy does: embeddings, scores, the loss and its gradients."""

from __future__ import annotations

import numpy as np
import pytest

from planner.machines.mcm.learned.network import HEADS, Heads, embedded
from planner.machines.mcm.learned.tuning import EMBEDDING, advantages, loss_and_gradients
from planner.machines.mcm.learning.problems import made_up_problem
from planner.machines.mcm.learning.twin import Padded, Twin, batch_arrays, shared_twin
from tests.planner.machines.mcm.learned.problems import features_of, roller_of, rollouts_of, rough_weights

pytest.importorskip("jax", reason="the extra `learn` is not installed")
pytest.importorskip("optax", reason="the extra `learn` is not installed")


@pytest.fixture(scope="module")
def twin() -> Twin:
    return shared_twin()


def test_numpy_and_jax_agree_on_a_hundred_graphs(twin: Twin) -> None:
    weights = rough_weights()
    embed = twin.jax.jit(twin.embedded)
    starts = twin.jax.jit(twin.start_scores)
    scores = twin.jax.jit(twin.scores)
    for i in range(100):
        features = features_of(made_up_problem((9, i), 64))
        padded = Padded.of(features)
        mine = embedded(weights, features)
        theirs = embed(weights, padded.ops, padded.before, padded.after)
        assert np.abs(mine - np.asarray(theirs)[: features.n]).max() <= 1e-5
        heads = Heads(weights, mine)
        assert np.abs(heads.start_scores() - np.asarray(starts(weights, theirs, padded.real))).max() <= 1e-5
        state = features.state(np.zeros(features.n, np.int32))
        ours, _ = heads.scores(heads.common(), state.ops, state.pairs, features.barred)
        (n, k), (N, K) = ours.shape, padded.barred.shape
        ops = np.zeros((N, state.ops.shape[1]), np.float32)
        pairs = np.zeros((N, K, state.pairs.shape[2]), np.float32)
        ops[:n], pairs[:n, :k] = state.ops, state.pairs
        found = np.asarray(scores(weights, theirs, ops, pairs, padded.barred))[:n, :k]
        free = features.barred == 0
        largest = max(1.0, float(np.abs(ours[free]).max()))
        assert np.abs(np.where(free, ours - found, 0)).max() <= 1e-5 * largest


def test_the_loss_and_its_gradients_agree(twin: Twin) -> None:
    """Those of the heads directly; those below them by what a small change of the embedding does to the loss."""
    problem = made_up_problem((9, 1), 64)
    weights = rough_weights(1)
    roller = roller_of(problem, weights)
    batch = rollouts_of(roller, 6)
    advantage = advantages([1.0, 0.2, 0.5, 0.8, 0.1, 0.6], [0, 0, 1, 0, 0, 1])
    ours, slopes = loss_and_gradients(roller.heads, roller.features.barred, batch, advantage)
    padded = Padded.of(roller.features)
    arrays = batch_arrays(padded, batch, advantage)
    theirs, found = twin.jax.value_and_grad(twin.loss)(weights, padded.arrays, arrays)
    assert ours == pytest.approx(float(theirs), abs=1e-4)
    for name in HEADS:
        assert np.abs(slopes[name] - np.asarray(found[name])).max() <= 1e-4, name
    assert np.abs(slopes[EMBEDDING]).max() > 0
    whole = {name: np.asarray(slope) for name, slope in found.items()}
    rng = np.random.default_rng(0)
    direction = rng.standard_normal(weights["layer7.own"].shape).astype(np.float32)
    step = np.float32(1e-3)
    moved = [
        embedded({**weights, "layer7.own": weights["layer7.own"] + sign * step * direction}, roller.features)
        for sign in (1, -1)
    ]
    through = float((slopes[EMBEDDING] * (moved[0] - moved[1]) / (2 * step)).sum())
    assert through == pytest.approx(float((whole["layer7.own"] * direction).sum()), rel=0.05, abs=1e-3)


def test_padding_changes_nothing(twin: Twin) -> None:
    """The loss of a graph of 64 ops or less is the same padded to 64 and to 128."""
    problem = made_up_problem((9, 2), 64)
    roller = roller_of(problem, rough_weights())
    batch = rollouts_of(roller, 3)
    advantage = advantages([1.0, 0.2, 0.5], [0, 0, 0])
    small = Padded.of(roller.features)
    large = Padded(
        np.pad(small.ops, ((0, 64), (0, 0))), np.pad(small.before, ((0, 64), (0, 64))), np.pad(small.after, ((0, 64), (0, 64))),
        np.pad(small.barred, ((0, 64), (0, 0))), np.pad(small.real, (0, 64)),
    )  # fmt: skip
    weights = rough_weights()
    losses = [
        float(twin.loss(weights, padded.arrays, batch_arrays(padded, batch, advantage)))
        for padded in (small, large)
    ]
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)
