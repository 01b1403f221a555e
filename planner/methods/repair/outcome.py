"""What repair gives back: a plan, how far it is from the one that was given, and a sentence on that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.errors import StageboardError
from planner.methods.repair.measure import Distance
from planner.model.graph import Ints
from planner.problem.decision import Evaluation, Violation
from planner.problem.problem import Problem

TOLD = 3
"""So many moves the sentence tells one by one."""


class RepairError(StageboardError):
    """No valid plan was found near the given one; ``proven``: there is none at all."""

    def __init__(self, sentence: str, proven: bool = False) -> None:
        super().__init__(sentence)
        self.proven = proven


@dataclass(frozen=True)
class KeptMove:
    """Why ``op`` is not where it was to be kept. ``proven``: no valid plan has it there, ``beside`` the kept ops named.

    ``sentence`` is for a person.
    """

    op: int
    beside: tuple[int, ...]
    proven: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class Repair:
    """A valid plan near a given one.

    ``device_of`` int32[n]; ``moved`` int32[..]: the ops that are elsewhere than in ``given`` int32[n]; ``before`` and
    ``evaluation``: the given plan's and the new one's; ``distance`` counts moves (:class:`Distance`). ``proven``: no valid
    plan is nearer, that is, moves fewer ops (of those to be kept first, then of all). ``keep`` int32[..]: the ops that were to be
    kept; every valid plan moves at least ``least_kept`` of them, and ``least_moved`` ops in all if no more than that;
    ``reasons``: why some of them moved (:func:`planner.repair.kept.explained`).
    """

    problem: Problem
    given: Ints
    device_of: Ints
    moved: Ints
    before: Evaluation
    evaluation: Evaluation
    distance: Distance
    keep: Ints
    least_kept: int
    least_moved: int
    proven: bool
    reasons: tuple[KeptMove, ...] = ()

    @property
    def kept_moved(self) -> Ints:
        """The ops that were to be kept and moved (int32[moved])."""
        return np.intersect1d(self.keep, self.moved).astype(np.int32)

    @property
    def at_least(self) -> int:
        """The most that is proven of the number of ops that every valid plan moves which spares the kept ones as well as this one."""
        if self.distance.kept == self.least_kept:
            return self.least_moved
        # One that moves more of them than there is need moves these.
        return min(self.least_moved, self.least_kept + 1)

    @property
    def keeping_at_least(self) -> int:
        """The same of plans that spare the kept ones better than this one; 0 where it is proven that there are none."""
        return self.least_moved if self.distance.kept > self.least_kept else 0

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What was broken."""
        return self.before.violations

    @property
    def sentence(self) -> str:
        """What was moved, for a person."""
        n = self.problem.graph.n
        if not len(self.moved):
            return "The plan breaks no rule; nothing was moved"
        if len(self.moved) <= TOLD:
            what = ": " + "; ".join(self.moves())
        else:
            near = int((np.abs(self.device_of[self.moved] - self.given[self.moved]) == 1).sum())
            kind = self.problem.devices[0].kind
            alike = all(device.kind == kind for device in self.problem.devices)
            which = "all" if near == len(self.moved) else str(near)
            what = f", {which} of them to a neighbouring {kind}" if alike and near else ""
        which = "valid plan that spares the ops to be kept as well" if len(self.keep) else "valid plan"
        proof = f"; no {which} moves fewer" if self.proven else ""
        ops = "op" if n == 1 else "ops"
        return f"Moved {len(self.moved)} of {n} {ops}{what}{self._not_kept}{proof}"

    @property
    def _not_kept(self) -> str:
        """Which of the ops to be kept are among those that moved."""
        gone = self.kept_moved.tolist()
        if not gone:
            return ""
        names = [self.problem.graph.op_names[v] for v in gone[:TOLD]]
        more = f" and {len(gone) - TOLD:,} more" if len(gone) > TOLD else ""
        return f"; {', '.join(names)}{more} {'was' if len(gone) == 1 else 'were'} to be kept"

    def moves(self, limit: int | None = None) -> list[str]:
        """``op from device to device`` of the moved ops, the first ``limit`` of them."""
        names, devices = self.problem.graph.op_names, self.problem.devices
        return [
            f"{names[v]} from {devices[self.given[v]].name} to {devices[self.device_of[v]].name}"
            for v in self.moved[:limit].tolist()
        ]
