"""A strong heuristic for placements in any shape: anneal a coarse graph, then ever finer ones from its result.

Heavy tensors are contracted first, as multilevel graph partitioners do, so that the coarse annealing moves whole branches and layers
at once; the noise in the contraction makes every round another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from planner.evaluation import kernels
from planner.methods.annealing import Annealing
from planner.methods.mip.model import unchecked
from planner.methods.units import Units, build_units, renumbered, unit_edges
from planner.model.graph import Ints
from planner.problem.problem import Problem

COARSEST = 4
"""Units per device on the coarsest level."""
SHRINK = 0.5
POWER = 8.0
"""Exponent of the norm: 8 keeps an eye on all devices, and on the worst one most of all."""
PAIRS_PER_CHECK = 512
"""Pairs of units (or units) that are looked at one by one between two looks at the stop criteria."""
LARGEST_SHARE = 0.35
"""No coarse unit holds more than this part of a device's share of the work."""


def units_of(problem: Problem, unit_of: Ints) -> Units:
    """Units (``unit_of`` int32[n]) with the edges of each part between them, as :class:`Descent` wants them."""
    e = problem.evaluator
    same = e.part[e.edge_src] == e.part[e.edge_dst]
    return build_units(problem, unit_of, *unit_edges(unit_of, e.edge_src[same], e.edge_dst[same]))


def coarsened(
    units: Units, count: int, rng: np.random.Generator, check: Callable[[], None] = unchecked
) -> Ints:
    """A label per unit (int32[m], numbered 0..) such that about ``count`` labels are left, heavy tensors inside.

    ``check`` is called every few milliseconds and may raise to end it.
    """
    e = units.problem.evaluator
    m = units.count
    unit_of_entry = np.repeat(np.arange(m), np.diff(units.entry_ptr))
    touched = np.bincount(units.entry_tensor, minlength=len(units.tensor_time))
    home = units.tensor_producer[units.entry_tensor]
    away = unit_of_entry != home
    a, b = home[away].astype(np.int64), unit_of_entry[away].astype(np.int64)
    share = units.tensor_time / np.maximum(touched - 1, 1)
    low, high = np.minimum(a, b), np.maximum(a, b)
    keys, where = np.unique(low * m + high, return_inverse=True)
    weight = np.bincount(where.reshape(-1), weights=share[units.entry_tensor[away]], minlength=len(keys))
    order = np.argsort(-weight * rng.uniform(0.5, 1.5, len(weight)), kind="stable")
    parent = list(range(m))

    def root(u: int) -> int:
        while parent[u] != u:
            parent[u] = parent[parent[u]]
            u = parent[u]
        return u

    work = units.work[int(e.class_of[int(np.argmax(e.pays))])].sum(axis=1)
    cap = LARGEST_SHARE * float(work.sum()) / max(int(e.pays.sum()), 1)
    memory_cap = float(e.capacity.max()) / 4
    load, memory, allowed = work.copy(), units.memory.copy(), units.allowed.copy()
    left = m
    for i, key in enumerate(keys[order].tolist()):
        if left <= count:
            break
        if i % PAIRS_PER_CHECK == 0:
            check()
        u, v = root(key // m), root(key % m)
        if u == v or load[u] + load[v] > cap or memory[u] + memory[v] > memory_cap:
            continue
        both = allowed[u] & allowed[v]
        if not both.any():
            continue
        parent[v] = u
        load[u] += load[v]
        memory[u] += memory[v]
        allowed[u] = both
        left -= 1
    return renumbered(np.array([root(u) for u in range(m)], np.int32))


def majority(units: Units, labels: Ints, place: Ints) -> Ints:
    """A device per label: that of most of its work in ``place`` (int32[m]), among those allowed to all of it."""
    e = units.problem.evaluator
    count = int(labels.max()) + 1
    votes = np.zeros((count, e.k))
    np.add.at(votes, (labels, place), units.work[0].sum(axis=1) + 1e-12)
    forbidden = np.zeros((count, e.k), bool)
    np.logical_or.at(forbidden, labels, ~units.allowed)
    return np.argmax(np.where(forbidden, -1.0, votes), axis=1).astype(np.int32)


class Multilevel:
    """Rounds of multilevel annealing over ``units``; see :meth:`round`. :attr:`best` (int32[m] or None) is the best placement.

    ``check`` is called every few milliseconds and may raise to end a round.
    """

    def __init__(
        self, problem: Problem, units: Units, seed: int, check: Callable[[], None] = unchecked
    ) -> None:
        self._problem = problem
        self._check = check
        self._units = units
        self._rng = np.random.default_rng(seed)
        self._free = not any(rule.code == kernels.RULE_CONTIGUOUS for rule in problem.evaluator.rules)
        self.best: Ints | None = None
        self.objective = np.inf

    def round(self, calls: int, steps: int, start: Ints | None = None, hot: float = 0.1) -> Iterator[Ints]:
        """One round of some ``calls`` calls of the annealing kernel, ``steps`` steps each; yields after each.

        With ``start`` (int32[m], valid) the round begins there, else at a random placement.
        """
        levels = [np.arange(self._units.count, dtype=np.int32)]
        if self._free:
            coarse = COARSEST * self._problem.evaluator.k
            while levels[-1].max(initial=0) + 1 > coarse / SHRINK:
                self._check()
                before = levels[-1]
                units = units_of(self._problem, before[self._units.unit_of])
                labels = coarsened(units, max(int(units.count * SHRINK), coarse), self._rng, self._check)
                if labels.max() + 1 >= units.count:
                    break
                levels.append(labels[before])
        place = start
        share = max(1, calls // len(levels))
        for i, labels in enumerate(reversed(levels)):
            self._check()
            units = (
                self._units if labels is levels[0] else units_of(self._problem, labels[self._units.unit_of])
            )
            at = self._first(units) if place is None else majority(self._units, labels, place)
            if at is None or self._problem.evaluator.violations(at[units.unit_of]):
                continue
            annealing = Annealing(units, int(self._rng.integers(2**62)))
            annealing.begin(at)
            warm = hot * 0.35**i if len(levels) > 1 else hot
            cold = warm * (0.02 if i + 1 == len(levels) else 0.1)
            cooling = (cold / warm) ** (1 / share)
            for _ in range(share):
                annealing.step(warm, warm * cooling, POWER, steps, self._check)
                warm *= cooling
                if annealing.best < self.objective * (1 - 1e-9):
                    self.objective = annealing.best
                    self.best = (
                        annealing.best_of[labels] if units is not self._units else annealing.best_of.copy()
                    )
                if self.best is not None:
                    yield self.best
            place = annealing.best_of[labels]

    def _first(self, units: Units) -> Ints | None:
        """A random placement that keeps the caps, largest units first, or None where some unit finds no room."""
        e = self._problem.evaluator
        room = e.capacity.copy()
        place = np.zeros(units.count, np.int32)
        for i, u in enumerate(np.argsort(-units.memory, kind="stable").tolist()):
            if i % PAIRS_PER_CHECK == 0:
                self._check()
            options = np.flatnonzero(units.allowed[u] & (units.memory[u] <= room))
            if len(options) == 0:
                return None
            place[u] = self._rng.choice(options)
            room[place[u]] -= units.memory[u]
        return place
