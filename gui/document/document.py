"""What every document is whose model is planned: a problem, the decision under edit, a list of plans, steps and their undoing.

It does not know what is decided: a :class:`~gui.document.board.Board` holds that. Jobs and panels that serve every kind
of window find what they ask for here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.document.being_opened import BeingOpened
from gui.document.board import Board, E, P, quick_bounds
from gui.document.commands import Command, OpenPlan, SetAssignment
from gui.document.history import History
from gui.document.plan_list import (
    PlanEntry,
    PlanList,
    bounds_with,
    drop_refuted,
    fill_figures,
    telling_of,
)
from gui.document.saving import count_as_saved, in_file, saving
from gui.document.steps import RemovePlan, RenamePlan, apply_words
from gui.document.values import DecisionChange, Message
from planner.errors import StageboardError
from planner.model.graph import Bools, Ints
from planner.problem.base import AnyPlan, PlanningProblem, decision_of
from planner.problem.bound import Bound, Standing
from planner.problem.claims import claimed
from planner.problem.provenance import HAND, Provenance


class PlannedDocument(BeingOpened, Generic[P, E]):
    """What is open. Signals carry no payload unless said; views read the state.

    ``model_changed``: another model is open, everything is new. ``decision_changed(DecisionChange)``: ops moved, or connections
    come in another order. ``problem_changed``: what is planned changed, the model did not. ``readouts_changed``: objective, bound, gap or
    violations are to be read again. ``modified_changed(bool)``. ``message(Message)``: something to say.
    """

    model_changed = Signal()
    decision_changed = Signal(object)
    problem_changed = Signal()
    readouts_changed = Signal()
    plans_changed = Signal()
    selection_changed = Signal()
    hover_changed = Signal()
    modified_changed = Signal(bool)
    message = Signal(object)

    entry_class: ClassVar[type[PlanEntry]] = PlanEntry

    def __init__(self, board: Board[P, E], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.board = board
        self.history = History(self)
        self.undo_stack = self.history.undo_stack
        self.plan_list = PlanList(self)
        self.paths: tuple[Path, ...] = ()
        self.model_serial = 0
        """Counts the models opened: what was begun on an earlier one is stale."""
        self.history.modified_changed.connect(self.modified_changed)
        self.history.in_file = partial(in_file, self)
        self.plan_list.plans_changed.connect(self.plans_changed)

    # ------------------------------------------------------------------ state
    @property
    def problem(self) -> P | None:
        """What is planned; None where nothing is open."""
        return self.board.problem

    @property
    def open_problem(self) -> P:
        """What is planned. Raises :class:`StageboardError` where nothing is open."""
        return self.board.open_problem

    @property
    def device_of(self) -> Ints:
        """The decision under edit (int32): the device of each op, or an order; read-only, copy it to keep it."""
        return self.board.device_of

    @property
    def evaluation(self) -> E:
        """Costs and violations of the decision. Raises :class:`StageboardError` where nothing is open."""
        return self.board.evaluation

    @property
    def bounds(self) -> list[Bound]:
        """Every bound that was proven, for this problem or another of the same model."""
        return self.board.bounds

    @property
    def bound(self) -> Bound | None:
        """The strongest bound on the objective's first component that applies to the problem."""
        return self.board.bound

    @property
    def standing(self) -> Standing | None:
        """How the decision stands against the bounds, component by component; None where nothing is open."""
        return self.board.standing

    @property
    def gap(self) -> float | None:
        """The gap of the first component not yet proven; None without a bound or while rules are broken."""
        return self.board.gap

    @property
    def plan_bounds(self) -> list[Bound]:
        """What is proven, and what the file of the plan on the canvas claims."""
        return bounds_with(self.active, self.bounds)

    @property
    def claim(self) -> Bound | None:
        """What the file of the plan on the canvas claims beyond what is proven; None where it claims nothing more."""
        active, problem = self.active, self.problem
        if active is None or problem is None or not active.claims:
            return None
        evaluation = self.evaluation
        return telling_of(active, problem, evaluation.values, evaluation.valid, self.bounds)

    @property
    def preview(self) -> Any:
        """What a drag in progress would do; None where there is none."""
        return None

    @property
    def plans(self) -> list[PlanEntry]:
        """The plan list."""
        return self.plan_list.entries

    @property
    def active(self) -> PlanEntry | None:
        """The plan on the canvas; None where nothing is open."""
        return self.plan_list.active

    @property
    def plan_path(self) -> Path | None:
        """The file of the plan on the canvas; None where it has none, and saving asks for one."""
        return None if self.active is None else self.active.path

    @property
    def modified(self) -> bool:
        """Whether the plan differs from what was opened or saved last."""
        return self.history.modified

    @property
    def title(self) -> str:
        """Model and plan as a window title names them."""
        if self.problem is None:
            return "Stageboard"
        return self.problem.name + (f" – {self.plan_path.name}" if self.plan_path else "")

    @property
    def edit_serial(self) -> int:
        """Counts what the user did to plan and problem: steps taken, undone and done again."""
        return self.history.edits

    @property
    def assignment_serial(self) -> int:
        """Counts every change of the decision or the problem, whoever made it."""
        return self.board.serial

    # ------------------------------------------------------------------ opening and saving
    def _installed(
        self, entries: Sequence[PlanEntry], active: PlanEntry, paths: tuple[Path, ...], plan_path: Path | None
    ) -> None:
        """Another model is on the board: so are its files and plans, and there is nothing to undo."""
        self.paths, active.path = paths, plan_path
        self.model_serial += 1
        if plan_path is not None:
            active.keep(self.device_of.copy(), self.open_problem, active.name)
        self.plan_list.reset(list(entries), active.id)
        self.history.reset()

    def _tell_warnings(self, warnings: Iterable[str]) -> None:
        for warning in warnings:
            self.message.emit(Message("warning", warning))

    def save_plan(self, path: str | Path) -> None:
        """Write the plan to a file, whole or not at all. Raises :class:`StageboardError`."""
        write, saved = saving(self, path)
        write()
        saved()

    def current_plan(self) -> Any:
        """The decision as a plan with where it came from. Raises :class:`StageboardError` where nothing is open."""
        self.open_problem  # raises where nothing is open  # noqa: B018
        active = self.active
        assert active is not None
        return self.board.plan(active.source, active.name)

    def plan_of(self, entry: PlanEntry) -> Any:
        """A plan of the list as a plan of the problem. Raises :class:`StageboardError` where it does not fit."""
        problem: Any = self.open_problem
        return problem.plan(entry.device_of, entry.source, entry.name)

    def _take(
        self, plan: AnyPlan, name: str, bounds: Sequence[Bound], text: str, path: Path | None, saved: bool
    ) -> None:
        """Take on a plan from a file, with its problem and what the file says of bounds: one undo step.

        ``path`` is the file to save to from then on; after the step the document counts as saved, or it does not.
        """
        note = plan.provenance
        entry = self.entry_class(
            self.plan_list.unused_name(name, path), self.board.own(decision_of(plan)), "file", planner=note.planner,
            seed=note.seed, seconds=note.seconds, provenance=note, claims=claimed(bounds),
        )  # fmt: skip
        self.board.add_bounds(bounds)
        self.history.proved(bounds)
        before = self.open_problem
        self.history.push(
            OpenPlan(
                self, text, *self.board.changes(entry.device_of), reason="load", active=entry.id, creates=entry, path=path,
                problems=None if plan.problem == before else (before, plan.problem),
            )
        )  # fmt: skip
        if saved:
            count_as_saved(self)
        self.plans_changed.emit()

    # ------------------------------------------------------------------ changes, each one undo step
    def push(self, command: Command) -> None:
        """Take a step that was made elsewhere, from a journal for one."""
        self.history.push(command)

    def by_hand(self, ops: Ints, devices: Ints) -> dict[str, Any]:
        """The ``creates`` and ``active`` arguments of a step by hand: an entry for what is edited, if none is yet."""
        active = self.active
        if not len(ops) or (active is not None and active.origin == "hand"):
            return {}
        device_of = self.device_of.copy()
        device_of[ops] = devices
        name = self.plan_list.unused_name(f"{'plan' if active is None else active.name}, edited")
        # An edit of a plan goes to its file, as in any editor.
        entry = self.entry_class(name, self.board.own(device_of), "hand", path=self.plan_path)
        return {"creates": entry, "active": entry.id}

    def set_assignment(self, device_of: Ints, reason: str, text: str, entry: PlanEntry | None = None) -> bool:
        """Let a decision take the place of the present one: one undo step, none where they are equal.

        ``entry`` is the plan of the list that it belongs to; without one it counts as edited by hand.
        Raises :class:`StageboardError` where it does not fit the problem.
        """
        ops, devices = self.board.changes(self.board.checked(device_of))
        if not len(ops) and (entry is None or entry is self.active):
            return False
        extra = self.by_hand(ops, devices) if entry is None else {"active": entry.id}
        self.history.push(SetAssignment(self, text, ops, devices, reason=reason, **extra))
        return True

    def apply_plan(self, entry: PlanEntry) -> bool:
        """Put a plan of the list on the canvas: one undo step. Raises :class:`StageboardError` where it does not fit."""
        return self.set_assignment(entry.device_of, "apply", apply_words(entry.name), entry)

    def follow(self, device_of: Ints, entry: PlanEntry, key: str, text: str) -> bool:
        """Show what a followed run found. All it finds in a row is one undo step; ``key`` names the run."""
        device_of = self.board.checked(device_of)
        ops, devices = self.board.changes(device_of)
        if not len(ops) and entry is self.active:
            return False
        last = self.history.extendable(key)
        if last is not None:
            last.extend(device_of, entry.id)
            self.enter(None, ops, devices, entry.id, "follow")
            self.history.extended(last)
        else:
            command = SetAssignment(self, text, ops, devices, reason="follow", active=entry.id)
            command.key = key
            self.history.push(command, by_user=False)
        return True

    def enter(self, problem: P | None, ops: Ints, devices: Ints, active: str, reason: str) -> None:
        """Called by undo commands only: take on a problem (None = the same), numbers at some places, and an active plan."""
        self.board.enter(problem, ops, devices)
        self.plan_list.active_id = active
        entry = self.active
        if entry is not None and entry.origin == "hand":
            entry.device_of = self.board.own(self.device_of)
            entry.made_for = self.problem if len(ops) else entry.made_for
        if problem is not None:
            self.board.add_bounds(quick_bounds(problem))
            self._evaluate([one for one in self.plans if one is not entry and one.is_of(problem)])
        if entry is not None and np.array_equal(entry.device_of, self.device_of):
            entry.set_figures(self.open_problem, self.evaluation, self.bounds)
            # Others were compared with the claims of files when they came into the list.
            if entry.origin == "hand":
                self._drop_refuted(entry)
        elif entry is not None and problem is not None:
            self.refresh_entry(entry)
        if problem is not None:
            self.problem_changed.emit()
        self._entered(ops, reason)
        self.readouts_changed.emit()
        self.plans_changed.emit()

    def _evaluate(self, entries: Sequence[PlanEntry]) -> None:
        """Fill in the figures of plans that are not on the canvas, after the problem changed."""
        for entry in entries:
            fill_figures(entry, self.open_problem, self.bounds)

    def _entered(self, ops: Ints, reason: str) -> None:
        """Say that the decision changed at ``ops`` (int32; perhaps nowhere)."""
        if len(ops):
            self.decision_changed.emit(DecisionChange(ops, reason))

    # ------------------------------------------------------------------ the list of plans
    def add_plan(
        self, device_of: Ints, name: str, *, origin: str = "planner", planner: str = "", seed: int | None = None,
        seconds: float | None = None, provenance: Provenance | None = None, claims: tuple[Bound, ...] = (), id: str = "",
        problem: P | None = None, path: Path | None = None,
    ) -> PlanEntry:  # fmt: skip
        """Add a proposal to the list; it changes nothing until applied. ``problem``: what it is a plan of (None = the open one); ``path``: its file.

        Raises :class:`planner.errors.PlanError`.
        """
        self._check_proposal(device_of)
        entry = self.entry_class(
            self.plan_list.unused_name(name, path), self.board.own(device_of), origin, planner=planner, seed=seed,
            seconds=seconds, provenance=provenance, claims=claims, problem=problem, path=path,
        )  # fmt: skip
        if id:
            entry.id = id
        self.refresh_entry(entry)
        self.plan_list.insert(entry)
        self.history.listed(entry)
        return entry

    def _check_proposal(self, device_of: Ints) -> None:
        """Raise :class:`planner.errors.PlanError` for what can be no plan of this model, whatever the problem."""
        self.board.checked(device_of)

    def update_plan(
        self, entry: PlanEntry, device_of: Ints | None = None, seconds: float | None = None
    ) -> None:
        """A planner improved its entry, or says how long it took."""
        if device_of is not None:
            entry.device_of = self.board.own(device_of)
            self.refresh_entry(entry)
        entry.seconds = entry.seconds if seconds is None else seconds
        self.history.listed(entry)
        self.plans_changed.emit()

    def refresh_entry(self, entry: PlanEntry) -> None:
        """Fill in the figures of an entry under the present problem, or its own if that is of another machine.

        What it refutes of the claims of files is dropped.
        """
        fill_figures(entry, self.open_problem, self.bounds)
        self._drop_refuted(entry)

    def _drop_refuted(self, entry: PlanEntry) -> None:
        """Drop the claims of files that a plan shows to be wrong, and say so."""
        self._tell_warnings(drop_refuted(self.plans, entry, self.open_problem))

    def rename_plan(self, entry: PlanEntry, name: str) -> bool:
        """Give a plan another name: an undo step. False where it has that name, or the name is empty."""
        name = " ".join(name.split())
        if not name or name in (entry.name, entry.shown_name) or entry not in self.plans:
            return False
        self.history.push(RenamePlan(self, entry, name))
        return True

    def remove_plan(self, entry: PlanEntry) -> None:
        """Take a plan out of the list: an undo step. Raises :class:`StageboardError` for one that is in use."""
        name = entry.shown_name
        if entry is self.active:
            raise StageboardError(f"'{name}' is the plan on the canvas; apply another before removing it")
        if entry.running:
            raise StageboardError(f"a planner still works on '{name}'; cancel it before removing its plan")
        if entry in self.plans:
            self.history.push(RemovePlan(self, entry))

    def add_bounds(self, bounds: Iterable[Bound]) -> None:
        """Add proven bounds; the strongest that applies to the problem is shown."""
        bounds = list(bounds)
        more = self.board.add_bounds(bounds)
        self.history.proved(bounds)
        if not more:
            return
        for entry in self.plans:
            if entry.components:
                problem: PlanningProblem = entry.problem or self.open_problem
                entry.standing = problem.standing(entry.components, self.bounds)
        self.readouts_changed.emit()
        self.plans_changed.emit()

    def differences(self, entry: PlanEntry) -> Bools:
        """Where a plan differs from the decision, devices matched (bool, a value per place); nowhere where it is for another machine."""
        if not entry.is_of(self.problem):
            return np.zeros(len(self.device_of), bool)
        both = self.active is not None and self.active.source.planner == entry.source.planner == HAND
        return self.board.differences(entry.device_of, by_hand=both)
