"""The network of the learned policy in JAX, and the loss of its training: what NumPy computes to use it, with gradients of everything.

Graphs are padded to a few sizes, so that XLA compiles few programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.machines.mcm.learned.features import FORBIDDEN, PAIR_FEATURES, STATE_FEATURES, Features, Singles
from planner.machines.mcm.learned.network import EPSILON, LAYERS, Weights
from planner.machines.mcm.learned.rollouts import Rollout
from planner.machines.mcm.learned.starts import CHOICES
from planner.machines.mcm.learned.tuning import CHIPS, CLIP, SPREAD

OPS = (64, 128, 192, 256, 384, 512, 1024, 2048)
"""Counts of ops that graphs are padded to."""
CHIP_COUNTS = (12, 36, 64)
"""Counts of chips that modules are padded to."""
MISSING = "training needs JAX and optax, which are not installed; install them with: pip install 'stageboard[learn]'"


def learning_libraries() -> tuple[Any, Any]:
    """``(jax, optax)``. Raises :class:`StageboardError` where they are not installed."""
    try:
        import jax
        import optax
    except ImportError as error:
        raise StageboardError(MISSING) from error
    return jax, optax


def missing_libraries() -> str:
    """The sentence of :func:`learning_libraries` where JAX or optax is not installed, without loading them; empty where both are."""
    for name in ("jax", "optax"):
        try:
            if find_spec(name) is None:
                return MISSING
        except ValueError:  # it stands among the loaded modules without being one
            return MISSING
    return ""


def _fitting(value: int, sizes: Sequence[int]) -> int:
    found = next((size for size in sizes if size >= value), None)
    if found is None:
        raise StageboardError(f"a graph of {value} is too large to train on; take one of at most {sizes[-1]}")
    return found


@dataclass(frozen=True, eq=False)
class Padded:
    """A problem's features, padded to N ops and K chips: dense averaging matrices, a mask of the true ops."""

    ops: Singles
    before: Singles
    after: Singles
    barred: Singles
    real: Singles

    @staticmethod
    def of(features: Features) -> Padded:
        """The features of a problem. Raises :class:`StageboardError` for a graph that is too large."""
        n, k = features.n, features.k
        N, K = _fitting(n, OPS), _fitting(k, CHIP_COUNTS)
        ops = np.zeros((N, features.ops.shape[1]), np.float32)
        ops[:n] = features.ops
        dense = np.zeros((2, N, N), np.float32)
        dense[0, :n, :n], dense[1, :n, :n] = features.before.toarray(), features.after.toarray()
        barred = np.full((N, K), FORBIDDEN, np.float32)
        barred[:, 0] = 0
        barred[:n, :k] = features.barred
        real = np.zeros(N, np.float32)
        real[:n] = 1
        return Padded(ops, dense[0], dense[1], barred, real)

    @property
    def arrays(self) -> tuple[Singles, ...]:
        """Everything in the order that :meth:`Twin.loss` takes it: float32[N, 42], [N, N], [N, N], [N, K], [N]."""
        return self.ops, self.before, self.after, self.barred, self.real


def batch_arrays(padded: Padded, batch: Sequence[Rollout], advantage: Singles) -> tuple[np.ndarray, ...]:
    """Rollouts and their advantages (float32[b]) as padded arrays, in the order that :meth:`Twin.loss` takes them."""
    N, K = padded.barred.shape
    rounds, n = batch[0].places.shape
    k = batch[0].last.shape[1]
    b = len(batch)
    state = np.zeros((b, rounds, N, STATE_FEATURES), np.float32)
    pairs = np.zeros((b, rounds, N, K, PAIR_FEATURES), np.float32)
    places = np.zeros((b, rounds, N), np.int32)
    log = np.zeros((b, rounds, N), np.float32)
    choices = np.zeros((b, len(CHOICES)), np.int32)
    started, start_log = np.zeros(b, np.float32), np.zeros(b, np.float32)
    for i, rollout in enumerate(batch):
        for t, seen in enumerate(rollout.states):
            state[i, t, :n], pairs[i, t, :n, :k] = seen.ops, seen.pairs
        places[i, :, :n], log[i, :, :n] = rollout.places, rollout.log
        if rollout.choices is not None:
            choices[i], started[i], start_log[i] = rollout.choices, 1, rollout.choices_log
    return state, pairs, places, log, choices, started, start_log, advantage.astype(np.float32)


class Twin:
    """The network as functions of JAX arrays, by JAX itself."""

    def __init__(self) -> None:
        self.jax, self.optax = learning_libraries()
        self.np = self.jax.numpy
        tree_map = self.jax.tree_util.tree_map
        self._slopes = self.jax.jit(self.jax.grad(self.loss))
        self._add = self.jax.jit(lambda one, other: tree_map(self.np.add, one, other))

    def normalised(self, x: Any) -> Any:
        """Rows scaled to a mean square of 1."""
        return x / self.np.sqrt(self.np.mean(x * x, axis=-1, keepdims=True) + EPSILON)

    def embedded(self, w: Any, ops: Any, before: Any, after: Any) -> Any:
        """The embedding of each op ([N, 128])."""
        h = self.np.maximum(ops @ w["in.weight"] + w["in.bias"], 0)
        for i in range(LAYERS):
            x = self.normalised(h)
            y = x @ w[f"layer{i}.own"] + w[f"layer{i}.bias"]
            y = y + (before @ x) @ w[f"layer{i}.before"] + (after @ x) @ w[f"layer{i}.after"]
            h = h + self.np.maximum(y, 0)
        return self.normalised(h)

    def start_scores(self, w: Any, embedding: Any, real: Any) -> Any:
        """Scores of all that a start is chosen from ([18])."""
        mean = (embedding * real[:, None]).sum(axis=0) / real.sum()
        hidden = self.np.maximum(mean @ w["start.hidden"] + w["start.bias"], 0)
        return hidden @ w["start.out"] + w["start.out_bias"]

    def scores(self, w: Any, embedding: Any, state: Any, pairs: Any, barred: Any) -> Any:
        """Scores of chips after placements' states ([.., N, 10] and [.., N, K, 12] to [.., N, K])."""
        first = self.np.maximum(embedding @ w["head.embedding"] + w["head.bias"] + state @ w["head.state"], 0)
        second = self.np.maximum(first @ w["head.hidden"] + w["head.hidden_bias"], 0)
        out = second @ w["head.out"] + w["head.out_bias"]
        return (pairs * out[..., None, :]).sum(axis=-1) + barred

    def loss(self, w: Any, problem: Any, batch: Any) -> Any:
        """The loss of :func:`planner.machines.mcm.learned.tuning.loss_and_gradients`, a number."""
        j, nn = self.np, self.jax.nn
        ops, before, after, barred, real = problem
        state, pairs, places, old, choices, started, start_old, advantage = batch
        embedding = self.embedded(w, ops, before, after)

        parts = j.split(self.start_scores(w, embedding, real), np.cumsum(CHOICES)[:-1])
        logs = [nn.log_softmax(part) for part in parts]
        log = sum(part[choices[:, i]] for i, part in enumerate(logs))
        spread = -sum((j.exp(part) * part).sum() for part in logs)
        gain = self._surrogate(log, start_old, advantage)
        total = (started * (gain + SPREAD * spread)).mean()

        log = nn.log_softmax(self.scores(w, embedding, state, pairs, barred))
        mine = j.take_along_axis(log, places[..., None], axis=-1)[..., 0]
        gain = self._surrogate(mine, old, advantage[:, None, None]) * real
        return -total - CHIPS * gain.sum(axis=(1, 2)).mean()

    def _surrogate(self, log: Any, old: Any, advantage: Any) -> Any:
        ratio = self.np.exp(log - old)
        clipped = self.np.clip(ratio, 1 - CLIP, 1 + CLIP)
        return self.np.minimum(ratio * advantage, clipped * advantage)

    def optimiser(self, rate: float, steps: int) -> tuple[Any, Any]:
        """``(initial, step)``: ``step(weights, state, batches)`` takes one step against the mean gradient of several problems' batches.

        A batch is the arrays of a problem and those of its rollouts. Adam, gradients limited to a length of 1, its rate falling to a tenth over
        ``steps`` steps.
        """
        optax, jax = self.optax, self.jax
        schedule = optax.linear_schedule(rate, rate / 10, steps)
        rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
        slopes_of, add = self._slopes, self._add

        @jax.jit
        def change(weights: Any, state: Any, slopes: Any, count: Any) -> tuple[Any, Any]:
            slopes = jax.tree_util.tree_map(lambda slope: slope / count, slopes)
            changes, state = rule.update(slopes, state, weights)
            return optax.apply_updates(weights, changes), state

        def step(weights: Any, state: Any, batches: Sequence[Any]) -> tuple[Any, Any]:
            slopes = slopes_of(weights, *batches[0])
            for batch in batches[1:]:
                slopes = add(slopes, slopes_of(weights, *batch))
            return change(weights, state, slopes, float(len(batches)))

        return rule.init, step


@cache
def shared_twin() -> Twin:
    """The one twin of this process: what XLA has compiled is used again. Raises :class:`StageboardError` where JAX is not installed."""
    return Twin()


def as_numpy(weights: Any) -> Weights:
    """JAX's arrays as NumPy's."""
    return {name: np.asarray(array, np.float32) for name, array in weights.items()}
