"""Proximal policy optimisation (Schulman et al., 2017) of the heads and of a graph's embeddings, in NumPy with gradients by hand.

What a search does that learns on the problem at hand. The loss is that of training (:mod:`planner.machines.mcm.learning.twin`), which
changes the whole network: here the layers below stay, and the embedding of each op is a parameter itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.machines.mcm.learned.features import Singles
from planner.machines.mcm.learned.network import HEADS, Heads, Weights, log_softmax
from planner.machines.mcm.learned.rollouts import Rollout, parted

CLIP = 0.2
"""How far the ratio of new to old probabilities counts."""
CHIPS = 0.1
"""Weight of the choices of chips beside that of the start."""
SPREAD = 0.2
"""Weight of the entropy of starts."""
EMBEDDING = "embedding"


@dataclass(frozen=True)
class TuningSettings:
    """How a search learns: after ``rollouts`` placements, ``epochs`` times over them in ``parts`` parts, with steps of ``rate``."""

    rollouts: int = 20
    parts: int = 4
    epochs: int = 10
    rate: float = 1e-3


def advantages(rewards: Sequence[float], groups: Sequence[int]) -> Singles:
    """Rewards against the mean of their group, in deviations of the group (float32[b]); a little is added to each deviation.

    Without that, placements that are all but equal would count as much as those that differ.
    """
    reward, group = np.asarray(rewards, np.float64), np.asarray(groups)
    found = np.zeros(len(reward))
    for g in np.unique(group):
        mine = group == g
        off = reward[mine] - reward[mine].mean()
        found[mine] = off / (off.std() + 0.01 * abs(reward[mine].mean()) + 1e-9)
    return found.astype(np.float32)


def surrogate(log: Singles, old: Singles, advantage: Singles) -> tuple[Singles, Singles]:
    """The clipped objective of each choice, and its slope by the logarithm of its probability (float32 of any one shape)."""
    ratio = np.exp(log - old)
    plain, clipped = ratio * advantage, np.clip(ratio, 1 - CLIP, 1 + CLIP) * advantage
    return np.minimum(plain, clipped), np.where(plain <= clipped, plain, 0)


def loss_and_gradients(
    heads: Heads, barred: Singles, batch: Sequence[Rollout], advantage: Singles
) -> tuple[float, Weights]:
    """The loss of rollouts (their advantages float32[b]) and its gradients by heads and embedding.

    Minus the mean over rollouts of the clipped objectives of the start and, at weight :data:`CHIPS`, of all choices of chips; minus
    :data:`SPREAD` times the entropy of starts for each rollout with one.
    """
    slopes: Weights = {name: np.zeros_like(heads.weights[name]) for name in HEADS}
    slopes[EMBEDDING] = np.zeros_like(heads.embedding)
    loss = _starts(heads, batch, advantage, slopes)
    common = heads.common()
    count = len(batch)
    for rollout, share in zip(batch, advantage, strict=True):
        state = np.stack([s.ops for s in rollout.states])
        pairs = np.stack([s.pairs for s in rollout.states])
        scores, kept = heads.scores(common, state, pairs, barred)
        log = log_softmax(scores)
        chosen = rollout.places[..., None]
        mine = np.take_along_axis(log, chosen, -1)[..., 0]
        gain, slope = surrogate(mine, rollout.log, share)
        loss -= CHIPS * float(gain.sum(dtype=np.float64)) / count
        slope *= -CHIPS / count
        by_score = -np.exp(log) * slope[..., None]
        np.put_along_axis(by_score, chosen, np.take_along_axis(by_score, chosen, -1) + slope[..., None], -1)
        slopes[EMBEDDING] += heads.gradients(by_score, state, pairs, kept, slopes)
    return loss, slopes


def _starts(heads: Heads, batch: Sequence[Rollout], advantage: Singles, slopes: Weights) -> float:
    """The part of the loss that starts have; their gradients are added to ``slopes``."""
    having = [(r, a) for r, a in zip(batch, advantage, strict=True) if r.choices is not None]
    if not having:
        return 0.0
    logs = [log_softmax(part) for part in parted(heads.start_scores())]
    loss = 0.0
    by_score = [np.zeros_like(log) for log in logs]
    for rollout, share in having:
        assert rollout.choices is not None
        log = np.sum([part[c] for part, c in zip(logs, rollout.choices, strict=True)])
        gain, slope = surrogate(log, log.dtype.type(rollout.choices_log), share)
        loss -= float(gain) / len(batch)
        for part, by, c in zip(logs, by_score, rollout.choices, strict=True):
            by += np.exp(part) * (slope / len(batch))
            by[c] -= slope / len(batch)
            spread = -float((np.exp(part) * part).sum())
            loss -= SPREAD * spread / len(batch)
            by += SPREAD / len(batch) * np.exp(part) * (part + spread)
    slopes[EMBEDDING] += heads.start_gradients(np.concatenate(by_score), slopes)
    return loss


class Adam:
    """Steps against gradients (Kingma and Ba, 2015), whose common length is limited to ``longest``."""

    def __init__(self, rate: float, longest: float = 1.0) -> None:
        self._rate, self._longest = rate, longest
        self._mean: Weights = {}
        self._square: Weights = {}
        self._count = 0

    def step(self, weights: Weights, slopes: Weights) -> None:
        """Change ``weights`` in place."""
        self._count += 1
        length = float(np.sqrt(sum(float(np.vdot(s, s)) for s in slopes.values())))
        scale = np.float32(min(1.0, self._longest / (length + 1e-12)))
        for name, slope in slopes.items():
            slope = slope * scale
            mean = self._mean.setdefault(name, np.zeros_like(slope))
            square = self._square.setdefault(name, np.zeros_like(slope))
            mean += np.float32(0.1) * (slope - mean)
            square += np.float32(0.001) * (slope * slope - square)
            first, second = 1 - 0.9**self._count, 1 - 0.999**self._count
            weights[name] -= (
                np.float32(self._rate / first)
                * mean
                / (np.sqrt(square / np.float32(second)) + np.float32(1e-8))
            )


class Tuner:
    """Learns from rollouts of one problem; changes copies of the weights of the heads, and the embedding.

    ``barred`` float32[n, k] are the problem's (:class:`planner.machines.mcm.learned.features.Features`).
    """

    def __init__(self, heads: Heads, barred: Singles, settings: TuningSettings, seed: int) -> None:
        self._heads, self._barred, self._settings = heads, barred, settings
        self._rng = np.random.default_rng(seed)
        heads.weights = {name: heads.weights[name].copy() for name in HEADS}
        heads.embedding = heads.embedding.copy()
        self._adam = Adam(settings.rate)

    def learn(self, batch: Sequence[Rollout], rewards: Sequence[float]) -> None:
        """Several epochs over a batch of rollouts."""
        heads, settings = self._heads, self._settings
        advantage = advantages(rewards, [r.choices is None for r in batch])
        weights = {**heads.weights, EMBEDDING: heads.embedding}
        for _ in range(settings.epochs):
            for part in np.array_split(self._rng.permutation(len(batch)), settings.parts):
                if len(part):
                    _, slopes = loss_and_gradients(
                        heads, self._barred, [batch[i] for i in part], advantage[part]
                    )
                    self._adam.step(weights, slopes)
