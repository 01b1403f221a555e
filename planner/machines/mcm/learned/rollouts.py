"""Placements drawn from the network: a start, then rounds in which all ops choose their chips anew at once.

MCM paper, equation 7: each round's choices depend on the placement of the round before, not on one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.machines.mcm.learned.features import Features, Singles, State
from planner.machines.mcm.learned.network import Heads, log_softmax
from planner.machines.mcm.learned.starts import CHOICES, pieces_of, start
from planner.model.graph import Ints

ROUNDS = 2
"""Rounds after the start (the paper's T)."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """One placement and how it came about, R rounds.

    ``choices``: which order, how many pieces and where cuts may be, None where the first placement was given, of logarithmic probability
    ``choices_log``. ``states``: what each round saw; ``places`` int32[R, n] what it chose, ``log`` float32[R, n] of which logarithmic
    probabilities; ``last`` float32[n, k]: those of all chips in the last round.
    """

    choices: tuple[int, ...] | None
    choices_log: float
    states: tuple[State, ...]
    places: Ints
    log: Singles
    last: Singles

    @property
    def place(self) -> Ints:
        """The placement (int32[n]), valid or not."""
        found: Ints = self.places[-1]
        return found

    def ending_with(self, place: Ints) -> Rollout:
        """The same, ``place`` (int32[n]) having been drawn from the probabilities of the last round by somebody else."""
        places, log = self.places.copy(), self.log.copy()
        places[-1], log[-1] = place, self.last[np.arange(len(place)), place]
        return replace(self, places=places, log=log)


class Roller:
    """Draws placements of a problem's ``features`` by ``heads``."""

    def __init__(self, features: Features, heads: Heads, rounds: int = ROUNDS) -> None:
        self.features, self.heads, self.rounds = features, heads, rounds
        self._starts: dict[tuple[int, ...], Ints] = {}

    def start(self, choices: tuple[int, ...]) -> Ints:
        """The placement (int32[n]) that a choice of order, pieces and places of cuts means."""
        if choices not in self._starts:
            f = self.features
            order, share, where = choices
            self._starts[choices] = start(f.rankings[order], pieces_of(share, f.k), where, f.ideal, f.last)
        return self._starts[choices]

    def draw(
        self, rng: np.random.Generator | None, begin: Ints | None = None, common: Singles | None = None
    ) -> Rollout:
        """A placement, from ``begin`` (int32[n]) or a start of the policy's own; without ``rng`` the likeliest of each choice.

        ``common`` is what :meth:`planner.machines.mcm.learned.network.Heads.common` gave, where it has been asked already.
        """
        f, heads = self.features, self.heads
        choices, choices_log = None, 0.0
        if begin is None:
            choices, choices_log = self._choose(rng)
            begin = self.start(choices)
        common = heads.common() if common is None else common
        place = np.ascontiguousarray(begin, np.int32)
        states, places, logs = [], [], []
        every = np.arange(f.n)
        log = np.empty((f.n, f.k), np.float32)
        for _ in range(self.rounds):
            state = f.state(place)
            scores, _ = heads.scores(common, state.ops, state.pairs, f.barred)
            log = log_softmax(scores)
            place = _drawn(log, rng)
            states.append(state)
            places.append(place)
            logs.append(log[every, place])
        return Rollout(choices, choices_log, tuple(states), np.stack(places), np.stack(logs), log)

    def _choose(self, rng: np.random.Generator | None) -> tuple[tuple[int, ...], float]:
        choices, total = [], 0.0
        for log in parted(self.heads.start_scores()):
            log = log_softmax(log)
            chosen = int(log.argmax()) if rng is None else int(_drawn(log[None, :], rng)[0])
            choices.append(chosen)
            total += float(log[chosen])
        return tuple(choices), total


def parted(scores: Singles) -> Sequence[Singles]:
    """The scores of a start (float32[18]) by what is chosen."""
    return np.split(scores, np.cumsum(CHOICES)[:-1])


def _drawn(log: Singles, rng: np.random.Generator | None) -> Ints:
    """One of each row (float32[n, k], logarithms of probabilities) at random, or the likeliest (int32[n])."""
    if rng is None:
        found: Ints = log.argmax(axis=1).astype(np.int32)
        return found
    summed = np.exp(log).cumsum(axis=1)
    luck = rng.random(len(log), np.float32) * summed[:, -1]
    chosen: Ints = np.minimum((summed <= luck[:, None]).sum(axis=1), log.shape[1] - 1).astype(np.int32)
    return chosen
