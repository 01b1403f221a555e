"""Another machine under the same model: what is on the canvas then, and where the plan that was there stays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import SignalInstance

from gui.document.commands import Edited, SetProblem
from gui.document.plan.retargeting import carried_over
from gui.document.plan_list import PlanEntry, fill_figures
from gui.document.steps import apply_words
from gui.words.objectives import objective_in_words
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance

if TYPE_CHECKING:
    from gui.document.history import History
    from gui.document.plan.board import AssignmentBoard
    from planner.problem.bound import Bound
    from planner.runs.start_plan import StartPlan

_keys = itertools.count(1)

CARRIED, KNOWN, GIVEN, PLANNED, LISTED, KEPT = "carried", "known", "given", "planned", "listed", "kept"
"""Where the plan for another machine comes from: carried over, already in the list, from a file or a count of stages,
made anew, on the canvas or, where somebody went on meanwhile, in the list; or it is the one that was there, as the devices are."""


@dataclass(frozen=True, eq=False)
class MachineChange:
    """A step to another machine: from the plan ``left`` of the list to ``entry``, which is there now.

    ``came`` says where that is from, one of :data:`CARRIED` to :data:`KEPT`; ``key`` names the step; ``notes`` are sentences on what could not
    go along.
    """

    left: PlanEntry
    entry: PlanEntry
    before: Problem
    after: Problem
    came: str
    key: str
    notes: tuple[str, ...] = ()
    at_hand: Ints | None = None
    """A valid plan of ``after`` (int32[n]) that is known already, for where no planner finds one."""

    @property
    def objective_only(self) -> bool:
        """Whether the machine is the same with the same parameters, and another objective is planned for."""
        return self.after.target == self.before.target


class OnMachines(Edited, Protocol):
    """The document, for a change of its machine."""

    board: AssignmentBoard
    history: History

    @property
    def machine_changed(self) -> SignalInstance:
        """The machine is another one (:class:`MachineChange`)."""

    def follow(self, device_of: Ints, entry: PlanEntry, key: str, text: str) -> bool:
        """Go on with the step called ``key`` to another plan."""

    def add_plan(
        self, device_of: Ints, name: str, *, planner: str, provenance: Provenance, problem: Problem
    ) -> PlanEntry:
        """Add a plan to the list."""

    def add_bounds(self, bounds: Iterable[Bound]) -> None:
        """Add proven bounds, and say so where they change what is known."""

    def refresh_entry(self, entry: PlanEntry) -> None:
        """Fill in the figures of an entry."""


CARRIED_OVER = "carried over"
"""Who is said to have made a plan whose ops were carried over from another machine."""


def plan_name(problem: Problem, who: str) -> str:
    """``carried over, 6 stages``: what a plan is called that no planner made, with its machine."""
    return f"{who}, {problem.places}"


class ChangingMachine:
    """The steps of a document to other machines. What is left is never overwritten: it stays in the plan list."""

    def __init__(self, document: OnMachines) -> None:
        self._document = document
        self._board = document.board
        self._history = document.history
        self._plans = document.plan_list

    def change(self, after: Problem, text: str, notes: Sequence[str] = ()) -> None:
        """Take on ``after``, with the best plan of the list for it or the ops carried over: one undo step.

        A plan that is made anew may take the place of what was carried over, see :meth:`planned`.
        """
        known = self._plans.best(after)
        if known is not None and known.problem == after:
            self.enter(after, known, text, KNOWN, notes)
            return
        self.plan_anew(after, text, notes=notes)

    def plan_anew(
        self,
        after: Problem,
        text: str,
        name: str = "",
        notes: Sequence[str] = (),
        at_hand: Ints | None = None,
    ) -> None:
        """Take on ``after`` with the ops carried over, and have a plan made anew for it: one undo step.

        What is carried over is a plan of its own, called ``name``; ``at_hand`` (int32[n]) is a valid plan of ``after``, taken where no
        planner finds one. Raises :class:`StageboardError` before anything changes.
        """
        after.evaluator  # raises what is wrong with the target  # noqa: B018
        before, device_of = self._board.open_problem, self._board.own(self._board.device_of)
        if not after.same_machine(before):
            device_of = carried_over(device_of, before, after)
        own = self._plans.unused_name(name or plan_name(after, CARRIED_OVER))
        self.enter(after, PlanEntry(own, device_of, "carried"), text, CARRIED, notes, at_hand)

    def enter(
        self,
        after: Problem,
        entry: PlanEntry,
        text: str,
        came: str,
        notes: Sequence[str] = (),
        at_hand: Ints | None = None,
    ) -> None:
        """Take on ``after`` with a plan for it, in the list or new: one undo step."""
        before, left = self._board.open_problem, self._plans.active
        assert left is not None
        ops, devices = self._board.changes(entry.device_of)
        command = SetProblem(
            self._document, text, ops, devices, problems=(before, after), active=entry.id,
            creates=None if entry in self._plans.entries else entry, reason="apply",
        )  # fmt: skip
        command.key = f"machine {next(_keys)}" if came == CARRIED else ""
        self._history.push(command)
        if came == CARRIED or not after.same_machine(before):
            self.tell(MachineChange(left, entry, before, after, came, command.key, tuple(notes), at_hand))

    def keep(self, before: Problem, after: Problem) -> None:
        """Say that ``after`` has been taken on with the plan as it is, since its devices are those of ``before``."""
        active = self._plans.active
        assert active is not None
        self.tell(MachineChange(active, active, before, after, KEPT, ""))

    def plan_for(self, objective: str) -> None:
        """Take on another objective and have a plan made anew for it: one undo step. Raises :class:`StageboardError`."""
        before, active = self._board.open_problem, self._plans.active
        assert active is not None
        after = Problem(before.graph, before.target, objective, before.constraints)
        words = objective_in_words(objective)
        self.plan_anew(after, f"Plan for {words}", f"{active.name}, {words}")

    def tell(self, change: MachineChange) -> None:
        """Say that the machine is another one."""
        self._document.machine_changed.emit(change)

    def back_to(self, entry: PlanEntry) -> None:
        """Take on a plan of the list for another machine, and that machine: one undo step."""
        of = entry.problem
        assert isinstance(of, Problem)
        after = Problem(self._board.open_problem.graph, of.target, of.objective, of.constraints)
        after.evaluator  # raises what is wrong with the target before anything changes  # noqa: B018
        self.enter(after, entry, apply_words(entry.name), KNOWN)

    def planned(self, change: MachineChange, found: StartPlan) -> str:
        """A plan was made anew for a machine that was changed to; returns what became of it.

        Where nothing else was done meanwhile and it is better, it takes the place of what was carried over: the same undo step. Else it waits
        in the list, or is dropped where it is no better (:data:`PLANNED`, :data:`LISTED`, :data:`CARRIED`).
        """
        document, entry, planner = self._document, change.entry, found.planner
        document.add_bounds(found.bounds)
        name = self._plans.name_by(planner, change.after, besides=entry)
        device_of = self._board.called_alike(change.after, found.device_of)
        made = PlanEntry(name, device_of, "start", planner=planner)
        fill_figures(made, change.after, self._board.bounds)
        if not planner or not made.better_than(self._plans.active):
            return CARRIED
        if self._history.extendable(change.key) is None:
            document.add_plan(
                device_of, made.name, planner=planner, provenance=Provenance(planner), problem=change.after
            )
            return LISTED
        entry.name, entry.origin, entry.planner = self._plans.unused_name(made.name), made.origin, planner
        entry.device_of = self._board.own(device_of)
        document.refresh_entry(entry)
        self._history.listed(entry)
        document.follow(device_of, entry, change.key, "")
        return PLANNED
