"""Biased random-key genetic algorithm: evolution of vectors in [0, 1] that a decoder turns into solutions.

Source: MTPP, section 4.2 (after Goncalves and Resende, 2011). Each generation keeps its elite, adds fresh random
mutants, and fills up with children that take each key from an elite parent with probability ``bias``, else from another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from planner.model.graph import Floats
from planner.options import Option

OPTIONS: tuple[Option, ...] = (
    Option("population", 100, "candidates per generation", low=3, high=100_000),
    Option("generations", 100, "how many generations", low=1, high=1_000_000),
    Option("elite", 0.2, "share of the population that survives", low=0.01, high=0.9),
    Option("mutants", 0.1, "share of the population that is drawn afresh", low=0.0, high=0.9),
    Option("bias", 0.7, "probability that a key comes from the elite parent", low=0.5, high=1.0),
)
"""The paper gives 100 x 100 (brkga-10000) and 10 x 10 (brkga-100); shares and bias are usual values of the source's source."""


@dataclass
class Generation:
    """A population after its evaluation: ``keys`` float64[p, m] and ``values`` float64[p], best first."""

    number: int
    keys: Floats
    values: Floats

    def insert(self, keys: Floats, value: float) -> None:
        """Let a candidate (float64[m]) in from outside; the worst one leaves. The evolution goes on with it."""
        at = int(np.searchsorted(self.values[:-1], value))
        self.keys[at + 1 :], self.values[at + 1 :] = self.keys[at:-1].copy(), self.values[at:-1].copy()
        self.keys[at], self.values[at] = keys, value


def evolve(
    value_of: Callable[[Floats], Floats],
    keys: int,
    rng: np.random.Generator,
    population: int,
    generations: int,
    elite: float,
    mutants: float,
    bias: float,
    seeds: Floats | None = None,
) -> Iterator[Generation]:
    """Minimise ``value_of`` (float64[b, keys] -> float64[b]), a generation at a time.

    ``seeds`` (float64[s, keys]) take the first places of the first generation.
    """
    best = max(1, min(population - 1, round(elite * population)))
    fresh = min(population - best, round(mutants * population))
    current = rng.random((population, keys))
    if seeds is not None:
        current[: len(seeds)] = seeds[:population]
    values = value_of(current)
    for number in range(1, generations + 1):
        rank = np.argsort(values, kind="stable")
        current, values = current[rank], values[rank]
        yield Generation(number, current, values)
        if number == generations:
            return
        children = population - best - fresh
        first = current[rng.integers(0, best, children)]
        second = current[rng.integers(best, population, children)]
        crossed = np.where(rng.random((children, keys)) < bias, first, second)
        new = np.concatenate([crossed, rng.random((fresh, keys))])
        current = np.concatenate([current[:best], new])
        values = np.concatenate([values[:best], value_of(new)])
