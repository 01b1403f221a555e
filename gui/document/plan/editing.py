"""The edits of the document: each turns a request into one undo command, or does nothing where nothing would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtCore import SignalInstance

from gui.document.commands import MoveOps, SetConstraints, SetProblem
from gui.document.plan import constraining, opening
from gui.document.plan.machine_change import (
    CARRIED_OVER,
    GIVEN,
    ChangingMachine,
    OnMachines,
    plan_name,
)
from gui.document.plan.retargeting import carried_over
from gui.document.plan.selection import EMPTY, named, op_array
from gui.document.plan_list import PlanEntry
from gui.document.values import Message
from gui.look.numbers import plural
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.model.times import Use, with_times_of, without_measured
from planner.problem.claims import claimed
from planner.problem.device_times import own_timed
from planner.problem.grouping import unkept_words
from planner.problem.problem import Constraint, Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison.renumbering import renumbered

if TYPE_CHECKING:
    from gui.document.history import History
    from gui.document.plan.board import AssignmentBoard
    from planner.model.cost_model import CostModel
    from planner.problem.bound import Bound
    from planner.problem.target import Target


class Editable(OnMachines, Protocol):
    """The document, for the edits: its parts, and somebody to tell."""

    board: AssignmentBoard
    history: History

    def by_hand(self, ops: Ints, devices: Ints) -> dict[str, Any]:
        """The ``creates`` and ``active`` arguments of a step by hand: an entry for what is edited, if none is yet."""

    @property
    def message(self) -> SignalInstance:
        """Something to say (a :class:`gui.document.values.Message`)."""


class Editing:
    """What a person can do to the plan and the problem. All of it raises :class:`StageboardError` with nothing open."""

    def __init__(self, document: Editable) -> None:
        self._document = document
        self._board = document.board
        self._history = document.history
        self._plans = document.plan_list
        self.machines = ChangingMachine(document)

    # ------------------------------------------------------------------ moving ops
    def moving_set(self, ops: object) -> Ints:
        """The ops with their colocated mates: what moves when they are dragged; sorted."""
        chosen = op_array(ops)
        return self._board.open_problem.groups.expand(chosen) if len(chosen) else chosen

    def closure(self, ops: object, device: int) -> Ints:
        """The ops and what must come along so that a move to ``device`` keeps the order rules; sorted."""
        return self._board.open_live.closure(self.moving_set(ops), self._board.device(device))

    def move(self, ops: object, device: int, along: bool = False) -> bool:
        """Move ops (mates included) to a device: one undo step. Returns False where they are there already.

        With ``along`` what the order rules require comes along. A move that breaks a rule is made and shown as broken.
        """
        problem, device = self._board.open_problem, self._board.device(device)
        moved = self.closure(ops, device) if along else self.moving_set(ops)
        moved = moved[self._board.device_of[moved] != device]
        if not len(moved):
            return False
        text = f"Move {named(problem, moved)} to {problem.devices[device].title}"
        devices = np.full(len(moved), device, np.int32)
        self._history.push(
            MoveOps(self._document, text, moved, devices, **self._document.by_hand(moved, devices))
        )
        return True

    # ------------------------------------------------------------------ problem and constraints
    def set_problem(self, target: Target, objective: str = "", cost_model: CostModel | None = None) -> bool:
        """Plan for another target, objective or cost model (None = as it is): one undo step.

        On the same devices the plan stays. On others the best plan of the list for that problem is there, else the ops are
        carried over (:mod:`gui.document.plan.retargeting`); the plan that was there stays in the list. ``machine_changed`` says which.
        Pins to devices that no longer exist are dropped, which a message says. Raises :class:`StageboardError` before anything changes.
        """
        before = self._board.open_problem
        graph = before.graph if cost_model is None else opening.with_times(before.graph, cost_model)
        constraints, lost = constraining.carried_over(before, target)
        if not objective:
            served = target.served_objectives()
            objective = before.objective if before.objective in served else served[0]
        after = Problem(graph, target, objective, constraints)
        if after == before:
            return False
        after.evaluator  # raises what is wrong with the target before anything changes  # noqa: B018
        text = "Change the target"
        if target == before.target:
            text = "Change the objective" if objective != before.objective else "Change the cost model"
        notes = constraining.lost_words(before.graph, lost)
        unkept = unkept_words(after, constraining.KEEP_CLASSES)
        if unkept and after.target.kind != before.target.kind:
            notes = [unkept, *notes]
        if after.same_machine(before):
            self._history.push(
                SetProblem(self._document, text, EMPTY, EMPTY, problems=(before, after), reason="apply")
            )
        else:
            self.machines.change(after, text, notes)
        for note in notes:
            self._document.message.emit(Message("warning", note))
        if after.same_machine(before):
            self.machines.keep(before, after)
        return True

    def set_times(self, uses: Sequence[Use] | None) -> bool:
        """Plan with measured times of ops in place of others, or (None) with those of the model's file again: one undo step.

        Raises :class:`StageboardError` where a profile is of another model, before anything changes.
        """
        before = self._board.open_problem
        graph = without_measured(before.graph) if uses is None else with_times_of(before.graph, uses)
        after = replace(before, graph=opening.with_times(graph, before.graph.cost_model))
        if after == before:
            return False
        after.evaluator  # raises what is wrong with the times before anything changes  # noqa: B018
        places = dict.fromkeys(use.place for use in uses or () if use.place)
        titles = own_timed(after.graph, after.target)
        of = f" of {', '.join(titles.get(place, place) for place in places)}" if places else ""
        text = "Forget measured times" if uses is None else f"Use measured times{of}"
        self._history.push(
            SetProblem(self._document, text, EMPTY, EMPTY, problems=(before, after), reason="apply")
        )
        return True

    def change_problem(self, after: Problem, text: str) -> bool:
        """Take on another problem of the same graph with its constraints as they are; ops stay as by :meth:`set_problem`.

        One undo step, called ``text``. Raises :class:`StageboardError` before anything changes.
        """
        before = self._board.open_problem
        if after == before:
            return False
        after.evaluator  # raises what is wrong with the target before anything changes  # noqa: B018
        kind = SetConstraints if after.target == before.target else SetProblem
        extra: dict[str, Any] = {}
        ops, devices = EMPTY, EMPTY
        if not after.same_machine(before):
            # A plan of its own: the one that is left stays as it is.
            device_of = carried_over(self._board.device_of, before, after)
            ops, devices = self._board.changes(device_of)
            name = self._plans.unused_name(plan_name(after, CARRIED_OVER))
            entry = PlanEntry(name, device_of, "carried")
            extra = {"creates": entry, "active": entry.id}
        self._history.push(kind(self._document, text, ops, devices, problems=(before, after), **extra))
        return True

    def take_over(
        self, after: Problem, device_of: Ints, planner: str, seconds: float, bounds: Sequence[Bound] = ()
    ) -> bool:
        """Take on another problem of the same graph together with a plan for it, and what was proven: one undo step.

        Raises :class:`StageboardError` before anything changes.
        """
        before = self._board.open_problem
        device_of = after.evaluator.checked(np.asarray(device_of))
        device_of = renumbered(after, device_of, carried_over(self._board.device_of, before, after))
        if after == before and not len(self._board.changes(device_of)[0]):
            return False
        self._board.add_bounds(bounds)
        self._history.proved(bounds)
        name = self._plans.unused_name(self._plans.name_by(planner, after))
        entry = PlanEntry(
            name, device_of, "planner", planner=planner, seconds=seconds,
            provenance=Provenance(planner=planner, seconds=seconds), claims=claimed(bounds),
        )  # fmt: skip
        self.machines.enter(after, entry, f"Plan for {after.places}", GIVEN)
        return True

    def pin(self, ops: object, device: int | None = None) -> bool:
        """Pin ops to a device, and move them there (None = to where each is): one undo step."""
        problem, chosen = self._board.open_problem, op_array(ops)
        if not len(chosen):
            return False
        if device is None:
            devices, moving = self._board.device_of[chosen], EMPTY
        else:
            devices, moving = (
                np.full(len(chosen), self._board.device(device), np.int32),
                self.moving_set(chosen),
            )
        where = "" if device is None else f" to {problem.devices[device].title}"
        text = f"Pin {named(problem, chosen)}{where}"
        return self._constrain(constraining.with_pins(problem, chosen, devices), text, moving, device)

    def unpin(self, ops: object) -> bool:
        """Remove the pins of ops: one undo step."""
        problem, chosen = self._board.open_problem, op_array(ops)
        if not len(chosen):
            return False
        return self._constrain(constraining.without_pins(problem, chosen), f"Unpin {named(problem, chosen)}")

    def keep_together(self, ops: object) -> bool:
        """Require that ops share a device, whichever: one undo step. They stay where they are."""
        problem, chosen = self._board.open_problem, op_array(ops)
        if len(chosen) < 2:
            raise StageboardError("keeping ops together takes at least two; select more")
        return self._constrain(
            constraining.with_together(problem, chosen), f"Keep {len(chosen)} ops together"
        )

    def plan_by(self, granularity: str) -> bool:
        """Keep every ``layer``, name ``scope`` or colour ``class`` together: one undo step. The ops stay where they are."""
        problem = self._board.open_problem
        constraints = constraining.with_granularity(problem, granularity)
        one, many = constraining.GRANULARITY_WORDS[granularity]
        changed = self._constrain(constraints, f"Keep {many} together")
        text = f"nothing changed: every {one} is one op or cannot be split already"
        if changed:
            added = constraints[len(problem.constraints) :]
            text = f"{plural(len(added), one, many)} of several ops now stay on one device"
            split = constraining.split_count(problem, added, self._board.device_of)
            if split:
                text += (
                    f"; {split} of them {'is' if split == 1 else 'are'} split in this plan, so run a planner"
                )
        self._document.message.emit(Message("info", text))
        return changed

    def separate(self, ops: object) -> bool:
        """Take ops out of the keep-together constraints: one undo step."""
        problem, chosen = self._board.open_problem, op_array(ops)
        if not len(chosen):
            return False
        text = f"Separate {named(problem, chosen)}"
        return self._constrain(constraining.without_together(problem, chosen), text)

    def clear_constraints(self) -> bool:
        """Remove every pin and keep-together constraint: one undo step."""
        return self._constrain((), "Remove all constraints")

    def _constrain(
        self, constraints: tuple[Constraint, ...], text: str, ops: Ints = EMPTY, device: int | None = None
    ) -> bool:
        before = self._board.open_problem
        after = before.with_constraints(constraints)
        if len(ops):
            ops = ops[self._board.device_of[ops] != device]
        if after == before and not len(ops):
            return False
        devices = np.full(len(ops), 0 if device is None else device, np.int32)
        extra = self._document.by_hand(ops, devices)
        self._history.push(
            SetConstraints(self._document, text, ops, devices, problems=(before, after), **extra)
        )
        return True
