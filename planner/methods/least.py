"""What every plan costs at least, seen without a search, and proving it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from planner.evaluation.simple_bounds import fractional_share, replicated_part, streamed_part
from planner.model.graph import Floats
from planner.problem.problem import Problem
from planner.search.search import Search

TIED = ("rule:support", "pin:", "together:", "rule:colocation", "rule:shared_children")
"""Beginnings of the tokens that say where ops may be and which stay together."""


@dataclass(frozen=True)
class Least:
    """A lower bound on ``component``; ``uses`` are beginnings of the tokens of rules and constraints that it assumes."""

    component: str
    value: float
    uses: tuple[str, ...] = TIED


def prove_least(
    problem: Problem, search: Search, method: str, find: Callable[[Problem], Iterable[Least]]
) -> None:
    """Report what ``find`` finds as bounds of ``method``."""
    began = time.perf_counter()
    for least in find(problem):
        assumes = frozenset(token for token in problem.assumptions if token.startswith(least.uses))
        seconds = time.perf_counter() - began
        search.prove(problem.bound(least.component, least.value, method, assumes, seconds))


def shared_work(problem: Problem) -> list[Least]:
    """The largest piece, or an equal share of the work; forward and backward parts one by one under ``gpipe``.

    What a piece streams, or all of them, because it exceeds the memory of its devices is part of both.
    """
    parts = (0, 1) if problem.objective == "gpipe" else (None,)
    e = problem.evaluator
    value = sum(least_part(problem, e.work, part) for part in parts)
    if np.isfinite(e.budget).any() and np.isfinite(value) and problem.groups.count:
        value = max(value, streamed_part(problem, _pieces(problem, e.work, None)))
    return [Least(problem.objective, value)]


def least_part(problem: Problem, amount: Floats, part: int | None = None) -> float:
    """The bound on ``amount`` (float64[c, n], by class of device) of one part (None = all ops)."""
    e = problem.evaluator
    work = _pieces(problem, amount, part)
    if not work.size:
        return 0.0
    if e.sync_rate > 0.0:
        return replicated_part(problem, work)
    largest = float(work.min(axis=0).max())
    if not np.isfinite(largest):
        return float("inf")
    return max(largest, fractional_share(work, e.class_of))


def _pieces(problem: Problem, amount: Floats, part: int | None) -> Floats:
    """What each group has of ``amount`` on each device (float64[k, groups], inf = not allowed), of one part (None = all ops)."""
    e, groups = problem.evaluator, problem.groups
    chosen = np.ones(e.n, bool) if part is None else e.part == part
    work = np.empty((e.k, groups.count))
    for d in range(e.k):
        column = np.where(e.allowed[:, d], amount[e.class_of[d]], np.inf)
        inside = np.where(chosen, column, 0.0)
        # A group that holds a forbidden op of the other part cannot go there either.
        inside = np.where(~chosen & ~e.allowed[:, d], np.inf, inside)
        work[d] = np.bincount(groups.group_of, inside, groups.count)
    return work
