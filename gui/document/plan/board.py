"""What is being planned: problem, assignment, evaluation, bounds. No Qt; the document says when it changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.document.plan.selection import EMPTY
from planner.errors import StageboardError
from planner.model.graph import Bools, Ints
from planner.problem.base import says_more
from planner.problem.bound import Bound, Standing, proven
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Live
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from planner.problem.evaluator import Move
    from planner.problem.problem import Problem

REBUILD_ABOVE = 64
"""Moves of more ops than this sum all loads afresh instead of following each op."""


class Board:
    """One problem with the assignment under edit. Figures are computed once per assignment, when asked for."""

    def __init__(self) -> None:
        self.problem: Problem | None = None
        self.live: Live | None = None
        self.bounds: list[Bound] = []
        self.bound: Bound | None = None
        self.serial = 0
        """Counts the changes of assignment and problem."""
        self._domains: Domains | None = None
        self._evaluation: Evaluation | None = None
        self._best: tuple[int, int, list[Move]] | None = None

    # ------------------------------------------------------------------ state
    @property
    def open_problem(self) -> Problem:
        """The problem. Raises :class:`StageboardError` where nothing is open."""
        if self.problem is None:
            raise StageboardError("no model is open; open one first")
        return self.problem

    @property
    def open_live(self) -> Live:
        """The live evaluation. Raises :class:`StageboardError` where nothing is open."""
        if self.live is None:
            raise StageboardError("no model is open; open one first")
        return self.live

    @property
    def device_of(self) -> Ints:
        """The device of each op (int32[n]): a read-only view of the present."""
        if self.live is None:
            return EMPTY
        view = self.live.device_of.view()
        view.setflags(write=False)
        return view

    @property
    def evaluation(self) -> Evaluation:
        """Costs and violations of the assignment."""
        if self._evaluation is None:
            self._evaluation = self.open_live.evaluation
        return self._evaluation

    @property
    def standing(self) -> Standing | None:
        """How the assignment stands against the bounds, component by component; None where nothing is open."""
        if self.problem is None or self.live is None:
            return None
        return self.problem.standing(self.evaluation.values, self.bounds)

    @property
    def domains(self) -> Domains | None:
        """The devices that the problem leaves to each op, whatever else moves; None where that is not known."""
        known = self._domains
        return known if known is not None and known.problem is self.problem else None

    @domains.setter
    def domains(self, domains: Domains | None) -> None:
        self._domains = domains

    @property
    def gap(self) -> float | None:
        """The gap of the first component not yet proven; None without a bound or while rules are broken."""
        standing = self.standing
        return None if standing is None or not self.evaluation.valid else standing.gap

    def device(self, device: int) -> int:
        """``device`` if it exists. Raises :class:`StageboardError`."""
        count = len(self.open_problem.devices)
        if not 0 <= device < count:
            raise StageboardError(f"there is no device {device}; the target has devices 0 to {count - 1}")
        return int(device)

    def changes(self, device_of: Ints) -> tuple[Ints, Ints]:
        """The ops that another assignment places elsewhere, and where."""
        ops = np.flatnonzero(self.device_of != device_of).astype(np.int32)
        return ops, device_of[ops].astype(np.int32)

    def best_moves(self, limit: int = 5) -> list[Move]:
        """The single moves that help most under the rules; computed once per assignment."""
        if self._best is None or self._best[0] != self.serial or self._best[1] < limit:
            self._best = (self.serial, limit, self.open_live.best_moves(limit))
        return self._best[2][:limit]

    def keep_best_moves(self, limit: int, moves: list[Move]) -> None:
        """Remember the best ``limit`` moves of the present assignment, which were found elsewhere."""
        self._best = (self.serial, limit, moves)

    # ------------------------------------------------------------------ changes
    def reset(self, problem: Problem, live: Live, bounds: Iterable[Bound]) -> None:
        """Start over with a problem and an assignment."""
        self.problem, self.live = problem, live
        self.bounds = []
        self._changed()
        self.add_bounds(bounds)

    def enter(self, problem: Problem | None, ops: Ints, devices: Ints) -> None:
        """Take on another problem (None = the same) and move ``ops`` to ``devices``."""
        live = self.open_live
        if problem is not None or len(ops) > REBUILD_ABOVE:
            device_of = live.device_of.copy()
            device_of[ops] = devices
            self.problem = problem or self.open_problem
            self.live = self.problem.live(device_of)
        elif len(ops):
            live.apply(ops, devices)
        else:
            return
        self._changed()

    def _changed(self) -> None:
        self._evaluation = None
        self.serial += 1

    def add_bounds(self, bounds: Iterable[Bound]) -> bool:
        """Keep bounds (of the same proof only the stronger) and find the strongest that applies.

        Returns whether one of them says more about the problem than was known.
        """
        more = False
        for bound in bounds:
            kept = kept_bounds(self.bounds, [bound])
            if kept is self.bounds:
                continue
            more = more or (self.problem is not None and says_more(bound, self.problem, self.bounds))
            self.bounds = kept
        self.bound = None if self.problem is None else self.problem.strongest_bound(self.bounds)
        return more


def kept_bounds(known: list[Bound], new: Iterable[Bound]) -> list[Bound]:
    """``known`` with further bounds, of the same proof only the stronger; the same list where none is new.

    What files claim is none of them.
    """
    for bound in proven(new):
        proof = _proof(bound)
        same = [b for b in known if _proof(b) == proof]
        if not any(b.value >= bound.value for b in same):
            known = [b for b in known if b not in same] + [bound]
    return known


def _proof(bound: Bound) -> tuple[str, str, str, frozenset[str], tuple[tuple[str, float], ...]]:
    return bound.component, bound.method, bound.relaxation, bound.assumes, bound.given


@dataclass(frozen=True, eq=False)
class Domains:
    """The chips that propagation leaves to each op of a problem: bit c of ``masks`` (uint64[n]) for chip c.

    No valid plan is outside them; a chip inside may still be impossible.
    """

    problem: Problem
    masks: np.ndarray

    def reachable(self, ops: Ints) -> Bools:
        """bool[k]: the devices that all of ``ops`` could be on in some valid plan, as far as is known."""
        common = np.bitwise_and.reduce(self.masks[ops])
        chips = np.arange(len(self.problem.devices), dtype=np.uint64)
        inside: Bools = (common >> chips & np.uint64(1)).astype(bool)
        return inside

    def sentence(self, ops: Ints, device: int) -> str:
        """Why ``ops`` cannot be on ``device``, naming the first op that cannot."""
        bit = np.uint64(1) << np.uint64(device)
        held = next(int(op) for op in ops if not self.masks[op] & bit)
        left = np.flatnonzero(self.reachable(np.array([held], np.int32)))
        name, titles = self.problem.graph.op_names[held], [d.title for d in self.problem.devices]
        first, last = titles[int(left[0])], titles[int(left[-1])]
        where = f"{len(left)} chips from {first} to {last}"
        if len(left) == int(left[-1]) - int(left[0]) + 1:
            where = f"{first} to {last}" if len(left) > 1 else f"only {first}"
        return f"{name} can never be on {titles[device]}: rules and constraints leave it {where}"
