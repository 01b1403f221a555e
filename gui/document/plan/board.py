"""The assignment that is being planned: problem, live evaluation, what is known of each op. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.document.board import Board
from gui.document.plan.selection import EMPTY
from planner.errors import StageboardError
from planner.machines.stuck import stuck
from planner.model.graph import Bools, Ints
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Live
from planner.problem.problem import Problem
from planner.reports.comparison.renumbering import elsewhere, renumbered

if TYPE_CHECKING:
    from planner.feasibility import Explanation
    from planner.methods.feasibility.conflicts import Conflict
    from planner.methods.simulation import SimulationReport
    from planner.problem.bound import Bound
    from planner.problem.evaluator import Move
    from planner.problem.problem import Plan
    from planner.problem.provenance import Provenance

REBUILD_ABOVE = 64
"""Moves of more ops than this sum all loads afresh instead of following each op."""


class AssignmentBoard(Board[Problem, Evaluation]):
    """One problem of a graph with the assignment under edit, and its live evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.live: Live | None = None
        self._domains: Domains | None = None
        self._stuck: tuple[Evaluation, SimulationReport | None] | None = None
        self._best: tuple[int, int, list[Move]] | None = None
        self._why_none: list[tuple[Problem, Conflict | Explanation]] = []

    # ------------------------------------------------------------------ state
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

    def own(self, device_of: Ints) -> Ints:
        """A copy."""
        return np.array(device_of, np.int32)

    def plan(self, provenance: Provenance, name: str) -> Plan:
        """The assignment as a plan."""
        return self.open_problem.plan(self.device_of.copy(), provenance, name)

    def _evaluated(self) -> Evaluation:
        return self.open_live.evaluation

    def _different(self, device_of: Ints, by_hand: bool) -> Bools:
        """Devices are matched, as where both are compared."""
        return elsewhere(self.open_problem, device_of, self.device_of, by_hand=by_hand)

    def called_alike(self, problem: Problem, device_of: Ints) -> Ints:
        """With interchangeable devices numbered so that as few ops as possible differ; as it is where the machine is another one."""
        if self.problem is None or not problem.same_machine(self.problem):
            return device_of
        return renumbered(problem, device_of, self.device_of)

    @property
    def domains(self) -> Domains | None:
        """The devices that the problem leaves to each op, whatever else moves; None where that is not known."""
        known = self._domains
        return known if known is not None and known.problem is self.problem else None

    @domains.setter
    def domains(self, domains: Domains | None) -> None:
        self._domains = domains

    @property
    def infeasible(self) -> bool:
        """Whether it is proven that the problem has no valid plan."""
        return self.bound is not None and math.isinf(self.bound.value)

    @property
    def why_none(self) -> Conflict | Explanation | None:
        """Why the problem has no valid plan: an explanation with its remedies, or the conflict alone; None where nobody knows."""
        return next((why for problem, why in self._why_none if problem == self.problem), None)

    @property
    def stuck(self) -> SimulationReport | None:
        """What a machine's simulation says of a valid assignment that is known at once not to execute; else None."""
        evaluation = self.evaluation
        if self._stuck is None or self._stuck[0] is not evaluation:
            self._stuck = (evaluation, stuck(self.open_problem, evaluation, self.device_of))
        return self._stuck[1]

    def keep_why_none(self, problem: Problem, why: Conflict | Explanation) -> None:
        """Remember why ``problem`` has no valid plan, in the place of what was remembered of it."""
        self._why_none = [known for known in self._why_none if known[0] != problem] + [(problem, why)]

    def device(self, device: int) -> int:
        """``device`` if it exists. Raises :class:`StageboardError`."""
        count = len(self.open_problem.devices)
        if not 0 <= device < count:
            raise StageboardError(f"there is no device {device}; the target has devices 0 to {count - 1}")
        return int(device)

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
        self.live, self._why_none = live, []
        self._reset(problem, bounds)

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
