"""Repair: from a plan that breaks rules to a valid one near it, looked for beside the window, as one undo step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.document.commands import MoveOps
from gui.document.plan.selection import EMPTY, named
from gui.look.numbers import plural
from gui.widgets.background_thread import Background
from gui.words.objectives import component_words, components_text
from planner.errors import StageboardError
from planner.evaluation import kernels
from planner.model.graph import Ints
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.repair import Repair

SECONDS = 0.5
"""What a repair may take; most are found in a few milliseconds."""
STEPS = 64
"""How many moves by hand are looked at to find those since the plan was last valid."""
LISTED = 12
"""Moved ops that a notice names."""


@dataclass(frozen=True, eq=False)
class Back:
    """The plan before the moves by hand that broke it: ``steps`` to undo, the ``ops`` (int32) that go back, and what it costs."""

    steps: int
    ops: Ints
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Report:
    """What a repair had to change: ``ops`` (int32) went from ``before`` to ``after`` (int32, devices).

    ``serial`` is the document's count of changes just after it: once that differs, the plan is another one.
    """

    problem: Problem
    ops: Ints
    before: Ints
    after: Ints
    text: str
    cost: str
    serial: int
    back: Back | None = None
    """What there is instead of keeping what was moved by hand, where that costs less."""

    @property
    def detail(self) -> str:
        """What the plan costs now, and the first of the moved ops, in lines."""
        rows = [self.row(i) for i in range(min(LISTED, len(self.ops)))]
        more = [f"and {len(self.ops) - LISTED} more"] if len(self.ops) > LISTED else []
        return "\n".join([self.cost, *rows, *more])

    def row(self, index: int) -> str:
        """One of the moved ops: its name, from where, to where."""
        devices = self.problem.devices
        name = self.problem.graph.op_names[int(self.ops[index])]
        return f"{name}: {devices[int(self.before[index])].name} → {devices[int(self.after[index])].name}"


BEING_REPAIRED = "a repair is being looked for"
"""Why nobody asks for one."""


class Repairing(QObject):
    """Looks for valid plans near broken ones on a thread. Call :meth:`close` before the window goes.

    ``repaired(Report)`` after a repair is on the canvas, ``failed(str, bool)`` with a sentence where none was found, and whether
    it is proven that there is none; then nothing has changed.
    """

    repaired = Signal(object)
    failed = Signal(str, bool)
    busy_changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._background = Background("repair", self)
        self._background.busy_changed.connect(self.busy_changed)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self.cancel)

    @property
    def busy(self) -> bool:
        """Whether a repair is being looked for."""
        return self._background.busy

    def cancel(self) -> None:
        """Look no further; nothing changes."""
        self._background.cancel()

    def close(self) -> None:
        """Stop, and wait until the thread is gone."""
        self._background.close()

    # ------------------------------------------------------------------ looking
    def look(self, device_of: Ints, keep: Ints, deliver: Callable[[Repair | StageboardError], None]) -> None:
        """Find a valid plan near ``device_of`` that leaves ``keep`` where they are before all others.

        ``deliver`` gets the repair, or why there is none, unless another request or an edit of the problem comes first.
        """
        # Here, not on the thread: two threads that import beside a window may wait for each other.
        from planner.feasibility import decide  # noqa: F401
        from planner.machines.catalogue import machine_of
        from planner.methods.repair import ordered  # noqa: F401
        from planner.repair import repair
        from planner.repair.kept import explained

        problem = self._document.board.open_problem
        machine_of(problem).part("repair")
        start, kept = np.array(device_of, np.int32), np.array(keep, np.int32)

        def found(result: object) -> None:
            if isinstance(result, Exception) and not isinstance(result, StageboardError):
                raise result
            deliver(result)  # type: ignore[arg-type]

        self._background.run(
            lambda stopped: explained(repair(problem, start, keep=kept, seconds=SECONDS, stopped=stopped)),
            found,
        )

    def repair(self) -> None:
        """Repair the plan on the canvas: pins are kept, then what was moved since it was last valid, then the rest."""
        document = self._document
        serial = document.assignment_serial

        def deliver(result: Repair | StageboardError) -> None:
            if (
                document.assignment_serial != serial
            ):  # it was edited meanwhile: that plan is the one to repair
                self.repair()
            elif isinstance(result, StageboardError):
                self._fail(result)
            else:
                self.apply(result, "Repair", back=before_moves(document))

        self.look(document.device_of, just_moved(document), deliver)

    def move_and_repair(self, ops: Ints, device: int, known: Repair | None = None) -> None:
        """Move ``ops`` (mates included) to ``device`` and whatever else must move then; ``known`` if it was found already."""
        document = self._document
        problem = document.board.open_problem
        text = f"Move {named(problem, ops)} to {problem.devices[device].title} and repair"
        serial = document.assignment_serial

        def deliver(result: Repair | StageboardError) -> None:
            if document.assignment_serial != serial:
                return
            if isinstance(result, StageboardError):
                self._fail(result)
            elif not stays(result, ops, device):
                self.failed.emit(
                    f"no valid plan was found with {named(problem, ops)} on {problem.devices[device].title};"
                    f" nothing changed{why_not(result)}",
                    False,
                )
            else:
                self.apply(result, text, ops)

        if known is not None:
            deliver(known)
        else:
            self.look(moved_to(document.device_of, ops, device), ops, deliver)

    def _fail(self, error: StageboardError) -> None:
        self.failed.emit(str(error), bool(getattr(error, "proven", False)))

    # ------------------------------------------------------------------ applying
    def apply(self, result: Repair, text: str, by_hand: Ints = EMPTY, back: Back | None = None) -> None:
        """Put a repair on the canvas: one undo step. ``by_hand`` are the ops whose move it completes, ``back`` is what there was before."""
        document = self._document
        problem, before = document.board.open_problem, document.device_of.copy()
        if not document.set_assignment(result.device_of, "repair", text):
            return
        moved = np.flatnonzero(before != result.device_of)
        ops = np.setdiff1d(moved, by_hand).astype(np.int32)
        cheaper = back is not None and back.values < tuple(document.evaluation.values)
        self.repaired.emit(
            Report(
                problem, ops, before[ops], document.device_of[ops].copy(),
                words(problem, ops, before, document.device_of, by_hand) + not_kept(result),
                cost_text(problem, document.evaluation.values), document.assignment_serial, back if cheaper else None,
            )
        )  # fmt: skip


def cost_text(problem: Problem, values: Sequence[float]) -> str:
    """What the plan costs now."""
    text = components_text(problem, values)
    what = "" if len(problem.components) > 1 else f"{component_words(problem.components[0]).title} "
    return f"Now {what}{text}."


def moved_to(device_of: Ints, ops: Ints, device: int) -> Ints:
    """An assignment with ``ops`` on ``device`` (int32[n])."""
    after = np.array(device_of, np.int32)
    after[ops] = device
    return after


def stays(result: Repair, ops: Ints, device: int) -> bool:
    """Whether a repair leaves ``ops`` on ``device``."""
    return bool((result.device_of[ops] == device).all())


def why_not(result: Repair) -> str:
    """Why an op cannot be where it was to be kept, as the next sentence; empty where nobody knows."""
    return next((f". {each.sentence}" for each in result.reasons if each.proven), "")


def not_kept(result: Repair) -> str:
    """Which of the ops that were just moved could not stay there, and why, as further sentences."""
    gone = result.kept_moved
    if not len(gone):
        return ""
    who = named(result.problem, gone)
    return f" {who}, just moved by hand, did not stay there{why_not(result)}."


def words(problem: Problem, ops: Ints, before: Ints, after: Ints, by_hand: Ints = EMPTY) -> str:
    """What a repair moved, in a sentence."""
    n = problem.graph.n
    text = f"Repair moved {len(ops):,} of {plural(n, 'op')}"
    if len(by_hand):
        place = problem.devices[int(after[by_hand[0]])].title
        text = (
            f"Moved {named(problem, by_hand)} to {place}; repair moved {len(ops):,} more of {plural(n, 'op')}"
        )
    ordered = any(rule.code == kernels.RULE_ORDER for rule in problem.evaluator.rules)
    near = int(np.count_nonzero(np.abs(after[ops] - before[ops]) == 1))
    if not ordered or not near:
        return f"{text}."
    one = problem.devices[0].kind
    which = "all" if near == len(ops) else f"{near:,}"
    if len(ops) == 1:
        return f"{text}, to a neighbouring {one}."
    return f"{text}, {which} of them to a neighbouring {one}."


def just_moved(document: Document) -> Ints:
    """The ops that were moved by hand since the plan was last valid, as far back as nothing else was done (int32)."""
    return _moves_since_valid(document)[1]


def before_moves(document: Document) -> Back | None:
    """The valid plan before the last moves by hand; None where there is none so near."""
    steps, ops, device_of = _moves_since_valid(document)
    problem = document.board.open_problem
    if not steps or problem.evaluator.violations(device_of):
        return None
    return Back(steps, ops, tuple(problem.evaluator.components(device_of)))


def _moves_since_valid(document: Document) -> tuple[int, Ints, Ints]:
    """How many moves by hand were made since the plan was last valid, their ops (int32), and the assignment before them (int32[n])."""
    history, problem = document.history, document.board.open_problem
    device_of = document.device_of.copy()
    steps, moved = 0, EMPTY
    for command in reversed(history.commands[: history.undo_stack.index()][-STEPS:]):
        if not isinstance(command, MoveOps):
            break
        steps, moved = steps + 1, np.union1d(moved, command.ops).astype(np.int32)
        device_of[command.ops] = command.before
        if not problem.evaluator.violations(device_of):
            break
    return steps, moved, device_of
