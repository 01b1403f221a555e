"""How far the time of each op may be off, and op times drawn within that.

An op's time lies between ``time / factor`` and ``time * factor``, every ratio as likely. Where runs were measured, the factor follows
from their quartiles: half the distance between these, q, is half the way in ratios, so that the factor is (1 + q / time) ** 2.
Elsewhere it is assumed, :data:`ESTIMATED` for times that a cost model or the machine's rates give or scale, :data:`GIVEN` for others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.errors import StageboardError
from planner.evaluation.times_source import RATES, follows, times_source
from planner.model.graph import Bools, Floats, Ints
from planner.problem.problem import Problem

Dependence = Literal["independent", "by-kind", "together"]
DEPENDENCES: tuple[Dependence, ...] = ("independent", "by-kind", "together")
"""All ops independently; ops of one kind alike; all ops alike."""
DEPENDENCE_WORDS: dict[Dependence, str] = {
    "independent": "all ops, independently",
    "by-kind": "ops of a kind alike",
    "together": "all ops alike",
}
"""How op times depend on one another, in words."""
ESTIMATED, GIVEN = 2.0, 1.1
"""Factors that are assumed: of estimates, scaled from a run or not, and of times that a file gives or somebody measured without a spread."""
MOST_FACTOR = 100.0
CHUNK = 4_000_000
"""Numbers that are drawn at once."""


@dataclass(frozen=True, eq=False)
class Spread:
    """How far op times may be off. ``factor`` float64[n], at least 1; ``measured`` bool[n]: it follows from measured runs.

    ``kind_of`` int32[n] numbers the kinds of ops. ``assumed`` is the factor that whoever asked assumes, None for the usual ones.
    """

    factor: Floats
    measured: Bools
    kind_of: Ints
    assumed: float | None
    works: Bools
    """Ops that take any time (bool[n])."""

    @property
    def assumed_factors(self) -> tuple[float, ...]:
        """The factors of ops whose spread is not measured, in order."""
        return tuple(sorted({float(f) for f in self.factor[self.works & ~self.measured].tolist()}))

    @property
    def words(self) -> str:
        """Where the factors come from, in words."""
        known, all_of = int((self.measured & self.works).sum()), int(self.works.sum())
        others = self.assumed_factors
        said = []
        if known:
            said.append(f"measured spread of {known} of {all_of} ops")
        if others:
            factors = " or ".join(f"{factor:g}" for factor in others)
            said.append(f"a factor of {factors} assumed for {'the others' if known else 'each op'}")
        return ", ".join(said)


def spread_of(problem: Problem, assumed: float | None = None) -> Spread:
    """How far the op times of a problem may be off; ``assumed`` is the factor of ops whose spread is not measured.

    Raises :class:`StageboardError` where that is no factor from 1 to :data:`MOST_FACTOR`.
    """
    if assumed is not None and not 1.0 <= assumed <= MOST_FACTOR:
        raise StageboardError(
            f"the spread is {assumed:g}; it is a factor from 1 (times are exact) to {MOST_FACTOR:g}"
        )
    graph, evaluator = problem.graph, problem.evaluator
    works = evaluator.op_work.max(axis=0, initial=0.0) > 0
    own = times_source(problem) == RATES
    given = ~(np.isnan(graph.given_times[0]) & np.isnan(graph.given_times[1]))
    if graph.measured is not None:
        given &= ~graph.measured.scaled
    for _, times in graph.device_times:
        given |= ~np.isnan(times)
    elsewhere = follows(problem)
    given &= ~elsewhere
    factor = np.where(given & ~own, GIVEN, ESTIMATED) if assumed is None else np.full(graph.n, assumed)
    measured = np.zeros(graph.n, bool)
    if graph.measured is not None and not own:
        seconds = np.fmax(*graph.given_times)
        measured = graph.measured.ops & works & ~elsewhere & ~np.isnan(graph.measured.spread) & (seconds > 0)
        quartile = graph.measured.spread[measured] / seconds[measured]
        factor[measured] = np.minimum((1.0 + quartile) ** 2, MOST_FACTOR)
    factor = np.where(works, factor, 1.0)
    kinds = np.unique(np.array(graph.kinds), return_inverse=True)[1] if graph.n else np.zeros(0)
    return Spread(factor, measured, kinds.astype(np.int32), assumed, works)


def draws(spread: Spread, samples: int, dependence: Dependence, rng: np.random.Generator) -> Iterator[Floats]:
    """Factors on the time of each op, some samples at a time: float64[m, n] until there are ``samples`` of them."""
    n, log = len(spread.factor), np.log(spread.factor)
    kinds = int(spread.kind_of.max(initial=-1)) + 1
    columns = {"independent": n, "by-kind": kinds, "together": 1}[dependence]
    at_once = max(1, CHUNK // max(n, 1))
    for begin in range(0, samples, at_once):
        count = min(at_once, samples - begin)
        place = rng.uniform(-1.0, 1.0, (count, columns))
        if dependence == "by-kind":
            place = place[:, spread.kind_of]
        yield np.exp(place * log)
