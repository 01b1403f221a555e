"""Undo commands of any document whose plan is a decision: one small class per kind of edit.

A command holds what differs before and after, never a copy of the document. Commands do not merge, but a planner that
is followed extends its own :class:`SetAssignment` while it is the last step, so that it stays one step; so does the plan
that is made anew for another machine the :class:`SetProblem` that chose it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from gui.document.plan_list import PlanEntry
from gui.document.steps import Listing, RemovePlan, RenamePlan, Step
from gui.widgets.turn import OTHERS
from planner.model.graph import Ints

if TYPE_CHECKING:
    from pathlib import Path

    from planner.problem.base import PlanningProblem


class Edited(Listing, Protocol):
    """A document, for the steps that change it. Problems are what it plans: a :class:`planner.problem.base.PlanningProblem`."""

    @property
    def problem(self) -> Any:
        """What is planned; None where nothing is open."""

    @property
    def device_of(self) -> Ints:
        """The decision under edit (int32, read-only)."""

    def enter(self, problem: Any, ops: Ints, devices: Ints, active: str, reason: str) -> None:
        """Take on a problem (None = the same), numbers at some places of the decision, and an active plan."""


class Edit(Step):
    """A step of the document: from one problem, decision and active plan to another.

    ``problems`` is (before, after) or None where the problem stays. ``ops`` int32 with ``before`` and ``after`` int32
    of the same length say where the decision changes: which ops change device, which positions of an order hold another
    connection. ``active`` holds the ids of the active entry before and after;
    ``creates`` is an entry that exists only after the step.
    """

    kind: ClassVar[str] = ""
    key: str = ""
    """Names the run or the planning that may still extend this step; empty: nothing does."""

    def __init__(
        self,
        document: Edited,
        text: str,
        ops: Ints,
        after: Ints,
        *,
        problems: tuple[PlanningProblem, PlanningProblem] | None = None,
        active: str = "",
        creates: PlanEntry | None = None,
        reason: str = "edit",
    ) -> None:
        super().__init__(text)
        self.document = document
        self.ops = ops
        self.before = document.device_of[ops].copy()
        self.after = after.astype(np.int32)
        self.problems = problems
        self.active = (document.plan_list.active_id, active or document.plan_list.active_id)
        self.creates = creates
        self.reason = reason
        self._done = False

    @OTHERS.counted()
    def redo(self) -> None:
        """Enter the later state."""
        if self.creates is not None:
            self.document.plan_list.entries.append(self.creates)
        problem = None if self.problems is None else self.problems[1]
        reason = "redo" if self._done else self.reason
        self._done = True
        self.document.enter(problem, self.ops, self.after, self.active[1], reason)

    @OTHERS.counted()
    def undo(self) -> None:
        """Return to the earlier state."""
        if self.creates is not None:
            self.document.plan_list.entries.remove(self.creates)
        problem = None if self.problems is None else self.problems[0]
        self.document.enter(problem, self.ops, self.before, self.active[0], "undo")

    def extend(self, device_of: Ints, active: str) -> None:
        """Go on to a further decision and entry as part of the same step (which must be the last one, and done)."""
        self.active = (self.active[0], active)
        base = self.document.device_of.copy()
        base[self.ops] = self.before
        self.ops = np.flatnonzero(base != device_of).astype(np.int32)
        self.before, self.after = base[self.ops], device_of[self.ops].astype(np.int32)


class MoveOps(Edit):
    """Ops were moved by hand."""

    kind: ClassVar[str] = "move"


class SetAssignment(Edit):
    """A whole plan took the place of the decision; only the differences are kept."""

    kind: ClassVar[str] = "assign"


class SetConstraints(Edit):
    """Pins and keep-together constraints changed, and perhaps ops moved to where they were pinned."""

    kind: ClassVar[str] = "constraints"


class SetProblem(Edit):
    """What is planned changed, but not the model: machine, objective or cost model."""

    kind: ClassVar[str] = "problem"


class OpenPlan(SetProblem):
    """A plan file of the same model was opened."""

    kind: ClassVar[str] = "open"

    def __init__(self, *args: Any, path: Path | None, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.path = path
        """The file to save to from then on."""
        if self.creates is not None:
            self.creates.path = path


Command = Edit | RenamePlan | RemovePlan
