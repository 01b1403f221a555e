"""The best objective after each evaluated sample, for benchmarks: the planners' own code, one sample at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from planner.errors import PlannerRefusal
from planner.machines.mcm.search.methods import METHODS
from planner.model.graph import Floats, Ints
from planner.options import parse_options
from planner.problem.problem import Problem
from planner.search.search import Callbacks, Search, Stopped
from planner.search.stop import IterationLimit, Progress


class _Curve(Callbacks):
    """Notes the objective, or the planner's own score, at the sample that gave it."""

    def __init__(self, samples: int) -> None:
        self.values = np.full(samples, np.inf)

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        at = progress.iterations - 1
        if at < len(self.values):
            self.values[at] = objective if progress.score is None else progress.score


def trace(
    problem: Problem, method: str, samples: int, seed: int, options: Mapping[str, Any] | None = None
) -> Floats:
    """Best objective after each of the first ``samples`` evaluated samples (float64[samples]), infinite before a valid one;
    with the option ``cost=simulated`` what the simulation says of the best one.

    ``method`` is ``chip-greedy``, ``chip-random``, ``chip-anneal``, ``chip-local-search`` or ``chip-learned``; where it ends early, its
    last value stays. Raises :class:`PlannerRefusal` for another.
    """
    if method not in METHODS:
        raise PlannerRefusal(f"samples of '{method}' cannot be traced; choose from {', '.join(METHODS)}")
    known, start = METHODS[method]
    given = {**({"samples": samples} if any(o.name == "samples" for o in known) else {}), **(options or {})}
    curve = _Curve(samples)
    search = Search(problem, IterationLimit(samples), curve, seed, parse_options(known, given, method))
    with contextlib.suppress(Stopped):
        start(problem, search)
    return np.minimum.accumulate(curve.values)
