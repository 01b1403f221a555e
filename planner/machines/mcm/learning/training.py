"""Training of the learned policy: rollouts on made-up problems, proximal policy optimisation, checkpoints, validation.

MCM paper, sections 4.3 and 5.2: 66 problems to train on, 5 to validate, 20,000 samples, 200 checkpoints, of which the one with the best
average reward on the validation problems is kept. Random numbers follow from the seed and the number of the checkpoint alone, so that
a run that was interrupted goes on as if it had not been.
"""

from __future__ import annotations

import io
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.files import MEBIBYTE, read_bytes, write_atomically
from planner.machines.mcm.learned.network import Heads, Weights, embedded, random_weights
from planner.machines.mcm.learned.rollouts import Roller, Rollout
from planner.machines.mcm.learned.tuning import advantages
from planner.machines.mcm.learned.weights import packed, write_weights
from planner.machines.mcm.learning.options import FIX
from planner.machines.mcm.learning.problems import (
    MOST_OPS,
    TRAINING,
    VALIDATION,
    training_problems,
    validation_problems,
)
from planner.machines.mcm.learning.scoring import Arena, validated
from planner.machines.mcm.learning.twin import Padded, as_numpy, batch_arrays, shared_twin

STATE, BEST, CURVE = "training.npz", "weights.npz", "curve.csv"
"""The files of a run: what it goes on from, the best weights so far, and the curve."""
FROM_BEST = 4
"""Of so many rollouts one begins with the best partition so far."""
FIELDS = {"problems": "training"}
"""Fields of settings that are not called as their option is."""
LARGEST = 256 * MEBIBYTE
"""Bytes of what a run goes on from beyond which it is none of ours."""


@dataclass(frozen=True)
class TrainingSettings:
    """A training run. Each checkpoint is made after ``rollouts`` samples on each of ``problems_each`` problems.

    ``epochs``: how often they are gone through, in ``parts`` parts (the paper's mini-batches) with a step each; ``tries``: placements per validation problem; ``correction``: one of
    :data:`planner.machines.mcm.learning.scoring.CORRECTIONS`.
    """

    samples: int = 20_000
    seed: int = 0
    correction: str = FIX
    rollouts: int = 20
    problems_each: int = 5
    epochs: int = 3
    rate: float = 4e-4
    tries: int = 10
    training: int = TRAINING
    validation: int = VALIDATION
    most_ops: int = MOST_OPS
    parts: int = 4

    @staticmethod
    def of(options: Mapping[str, Any]) -> TrainingSettings:
        """The settings that values of :data:`planner.machines.mcm.learning.options.TRAINING_OPTIONS` stand for."""
        return TrainingSettings(**{FIELDS.get(name, name): value for name, value in options.items()})

    def value(self, option: str) -> Any:
        """The value of one of these options."""
        return getattr(self, FIELDS.get(option, option))

    @property
    def per_checkpoint(self) -> int:
        """Samples between two checkpoints."""
        return self.rollouts * self.problems_each

    @property
    def checkpoints(self) -> int:
        """How many checkpoints the run makes."""
        return max(1, math.ceil(self.samples / self.per_checkpoint))


@dataclass(frozen=True)
class Point:
    """A point of the curve: after ``samples`` samples the mean reward of training since the last one, and on the validation
    problems the geometric means of the average and of the first zero-shot placement's throughput over greedy's; ``valid`` is
    the share of training placements that became a valid partition."""

    samples: int
    reward: float
    validation: float
    first: float
    valid: float

    @property
    def score(self) -> float:
        """What checkpoints are compared by: the geometric mean of both validation figures, as a plan at once is wanted as well as good ones soon."""
        return math.sqrt(self.validation * self.first)


class Training:
    """A run in a folder; goes on from what is there if it is to ``resume``.

    Raises :class:`StageboardError` where JAX is missing, the folder holds a run already (or none to go on from), or one with other settings.
    """

    def __init__(self, settings: TrainingSettings, folder: Path, resume: bool) -> None:
        self.settings, self.folder = settings, folder
        self._began, self._earlier = time.process_time(), 0.0
        self._twin = shared_twin()
        steps = settings.checkpoints * settings.epochs * settings.parts
        initial, self._step = self._twin.optimiser(settings.rate, steps)
        self._weights: Any = {n: self._twin.np.asarray(w) for n, w in random_weights(settings.seed).items()}
        self._optimiser = initial(self._weights)
        self.curve: list[Point] = []
        self.best: Weights = random_weights(settings.seed)
        self.best_score = -math.inf
        saved = None
        if resume:
            saved = self._read()
        elif (folder / STATE).exists():
            raise StageboardError(
                f"{folder} holds a training run already; go on with --resume, or give another folder"
            )
        self._arenas = [
            Arena(p) for p in training_problems(settings.seed, settings.training, settings.most_ops)
        ]
        self._judges = [
            Arena(p) for p in validation_problems(settings.seed, settings.validation, settings.most_ops)
        ]
        self._padded = [Padded.of(a.features) for a in self._arenas]
        if saved is not None:
            self._restore(saved)

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the run so far, that before it was interrupted included."""
        return self._earlier + time.process_time() - self._began

    @property
    def best_point(self) -> Point | None:
        """The point of the best weights: the first of those with the best score."""
        return max(self.curve, key=lambda point: point.score, default=None)

    # ------------------------------------------------------------------ the run
    def run(self, told: Callable[[Point, int], None], stopped: Callable[[], bool]) -> None:
        """Train until all samples are drawn or ``stopped`` says so; ``told`` hears of each checkpoint and how many there will be."""
        while len(self.curve) < self.settings.checkpoints and not stopped():
            point = self._checkpoint(len(self.curve))
            self.curve.append(point)
            if point.score > self.best_score:
                self.best_score, self.best = point.score, as_numpy(self._weights)
                self.folder.mkdir(parents=True, exist_ok=True)
                write_weights(self.folder / BEST, self.best)
            self._write()
            told(point, self.settings.checkpoints)

    def _checkpoint(self, number: int) -> Point:
        settings = self.settings
        rng = np.random.default_rng((settings.seed, 2, number))
        rewards: list[float] = []
        batches = []
        weights = as_numpy(self._weights)
        for i in self._chosen(number):
            arena = self._arenas[i]
            rollouts, found = self._rollouts(arena, weights, rng)
            rewards += found
            advantage = advantages(found, [r.choices is None for r in rollouts])
            problem = self._padded[i]
            batches.append((problem.arrays, batch_arrays(problem, rollouts, advantage)))
        self._learn(batches, rng)
        weights = as_numpy(self._weights)
        if not all(np.isfinite(w).all() for w in weights.values()):
            raise StageboardError(
                "training has diverged: a weight is not finite; train again with a smaller --rate"
            )
        average, first = validated(weights, self._judges, settings.correction, settings.tries, settings.seed)
        valid = float(np.mean([r > 0 for r in rewards]))
        return Point((number + 1) * settings.per_checkpoint, float(np.mean(rewards)), average, first, valid)

    def _learn(self, batches: list[tuple[Any, tuple[np.ndarray, ...]]], rng: np.random.Generator) -> None:
        """Go through the batches of several problems ``epochs`` times, each in parts that are drawn anew, with a step for each part of all."""
        settings = self.settings
        for _ in range(settings.epochs):
            orders = [np.array_split(rng.permutation(settings.rollouts), settings.parts) for _ in batches]
            for chosen in zip(*orders, strict=True):
                part = [
                    (problem, tuple(array[mine] for array in batch))
                    for (problem, batch), mine in zip(batches, chosen, strict=True)
                    if len(mine)
                ]
                if part:
                    self._weights, self._optimiser = self._step(self._weights, self._optimiser, part)

    def _chosen(self, number: int) -> list[int]:
        """The problems of a checkpoint: each comes once before any comes again, in an order drawn anew each time."""
        count, each = len(self._arenas), self.settings.problems_each
        at = range(number * each, (number + 1) * each)
        orders = {
            p // count: np.random.default_rng((self.settings.seed, 3, p // count)).permutation(count)
            for p in at
        }
        return [int(orders[p // count][p % count]) for p in at]

    def _rollouts(
        self, arena: Arena, weights: Weights, rng: np.random.Generator
    ) -> tuple[list[Rollout], list[float]]:
        """Placements and their rewards: every fourth from the best partition of the problem so far, if there is one."""
        roller = Roller(arena.features, Heads(weights, embedded(weights, arena.features)))
        common = roller.heads.common()
        best = arena.best
        rollouts, rewards = [], []
        for i in range(self.settings.rollouts):
            rollout = roller.draw(rng, best if i % FROM_BEST == FROM_BEST - 1 else None, common)
            reward, rollout = arena.reward(rollout, self.settings.correction, int(rng.integers(2**31)))
            rollouts.append(rollout)
            rewards.append(reward)
        return rollouts, rewards

    # ------------------------------------------------------------------ files
    def _write(self) -> None:
        leaves = self._twin.jax.tree_util.tree_leaves(self._optimiser)
        arrays: dict[str, np.ndarray] = {f"weights/{n}": np.asarray(w) for n, w in self._weights.items()}
        arrays |= {f"optimiser/{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
        arrays |= {f"best/{n}": w for n, w in self.best.items()}
        arrays |= {f"partition/{i}": a.best for i, a in enumerate(self._arenas) if a.best is not None}
        arrays["partition_costs"] = np.array([a.best_value for a in self._arenas])
        arrays["curve"] = np.array([list(asdict(p).values()) for p in self.curve])
        arrays["cpu_seconds"] = np.array(self.cpu_seconds)
        arrays["settings"] = np.array(json.dumps(asdict(self.settings)))
        write_atomically(self.folder / STATE, packed(arrays))
        lines = [
            ",".join(asdict(self.curve[0])),
            *(",".join(map(str, asdict(p).values())) for p in self.curve),
        ]
        write_atomically(self.folder / CURVE, "\n".join(lines) + "\n")

    def _read(self) -> dict[str, np.ndarray]:
        saved, known = read_state(self.folder)
        asked = asdict(self.settings)
        if "parts" not in known:
            raise StageboardError(
                f"the run in {self.folder} is of an earlier version, which trained another network; start the training again in another folder"
            )
        other = [name for name in asked if known.get(name) != asked[name] and name != "samples"]
        if other:
            raise StageboardError(
                f"the run in {self.folder} has {other[0]} {known.get(other[0])}, not {asked[other[0]]}; go on with the same settings"
            )
        return saved

    def _restore(self, saved: dict[str, np.ndarray]) -> None:
        try:
            self._weights = {n: self._twin.np.asarray(saved[f"weights/{n}"]) for n in self._weights}
            tree = self._twin.jax.tree_util
            structure = tree.tree_structure(self._optimiser)
            leaves = [self._twin.np.asarray(saved[f"optimiser/{i}"]) for i in range(structure.num_leaves)]
            self._optimiser = tree.tree_unflatten(structure, leaves)
            self.best = {n: saved[f"best/{n}"] for n in self.best}
            self.curve = curve_of(saved)
            self._earlier = seconds_of(saved)
            for i, arena in enumerate(self._arenas):
                if f"partition/{i}" in saved:
                    arena.best, arena.best_value = saved[f"partition/{i}"], float(saved["partition_costs"][i])
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise StageboardError(
                f"{self.folder / STATE} is damaged; start the training again in another folder"
            ) from error
        self.best_score = max(p.score for p in self.curve)


def read_state(folder: Path, only: tuple[str, ...] = ()) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What a run in ``folder`` goes on from, of the arrays ``only`` those named (all unless any is), and its settings.

    Arrays by name: float32 as the network has them under ``weights/``, ``optimiser/`` and ``best/``, ``curve`` float64[checkpoints, 5].
    Raises :class:`StageboardError` where there is none, or a damaged one.
    """
    path = folder / STATE
    if not path.exists():
        raise StageboardError(f"{folder} holds no training run to go on with; leave --resume out")
    try:
        with np.load(
            io.BytesIO(read_bytes(path, LARGEST, error=StageboardError)), allow_pickle=False
        ) as file:
            saved = {name: file[name] for name in file.files if not only or name in only}
            settings: dict[str, Any] = dict(json.loads(str(file["settings"])))
    except StageboardError:
        raise
    except Exception as error:  # of zlib, zipfile, tokenize and others: whichever part is damaged
        raise StageboardError(f"{path} is damaged; start the training again in another folder") from error
    return saved, settings


def curve_of(saved: Mapping[str, np.ndarray]) -> list[Point]:
    """The curve among the arrays of a run, float64[checkpoints, 5]. Raises ``KeyError``, ``TypeError`` or ``ValueError`` where it is none."""
    return [Point(int(row[0]), *map(float, row[1:])) for row in saved["curve"].tolist()]


def seconds_of(saved: Mapping[str, np.ndarray]) -> float:
    """Processor seconds among the arrays of a run, float64[]; runs of earlier versions do not say them."""
    return float(saved.get("cpu_seconds", 0.0))
