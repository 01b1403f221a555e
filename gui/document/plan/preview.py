"""What moving some ops would do, for every device at once: the preview of a drag."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.document.plan.board import AssignmentBoard, Domains
from gui.document.plan.selection import EMPTY
from gui.words.objectives import Change, change, changes, column_of
from planner.model.graph import Bools, Floats, Ints
from planner.problem.bound import Bound
from planner.problem.evaluator import Delta, EvaluatedProblem, Live

if TYPE_CHECKING:
    from planner.problem.decision import Violation


@dataclass(eq=False)
class Preview:
    """What moving ``ops`` to each of the k devices would do. What has a default may change afterwards.

    ``before`` float64[c]: the objective's parts now; ``components`` float64[c, k]: what they would be; ``gap`` float64[k] (NaN without a bound); ``legal`` bool[k]; ``cost`` and ``memory``
    float64[k, k] (destination first); ``target`` is the device under the pointer (-1 = none); ``along`` holds the
    further ops that would be taken along to ``target`` to keep every rule (empty if none, or if that cannot help).
    ``along_change`` is what becomes of the objective with them, None where that is not what a drop offers first; ``along_cost`` and
    ``along_memory`` (float64[k]) are what devices have then.
    ``reachable`` (bool[k]) says where the ops could be in some valid plan, whatever else moves; None where that is not
    known.
    """

    problem: EvaluatedProblem
    ops: Ints
    before: Sequence[float]
    components: Floats
    gap: Floats
    legal: Bools
    cost: Floats
    memory: Floats
    reasons: Callable[[int], tuple[str, ...]]
    origins: Ints
    """The devices that the ops are on now (sorted int32)."""
    target: int = -1
    along: Ints = field(default_factory=lambda: EMPTY)
    along_change: Change | None = None
    along_cost: Floats | None = None
    along_memory: Floats | None = None
    reachable: Bools | None = None
    domains: Domains | None = None
    """Where ``reachable`` is from."""
    codes: Ints = field(default_factory=lambda: EMPTY)
    """The rules in the way of each destination (int32[k], see :mod:`planner.evaluation.kernels`)."""
    rules: tuple[int, ...] = ()
    """The bits of all rules, in the order in which sentences on them follow one another."""
    violations: Callable[[int], tuple[Violation, ...]] = lambda device: ()
    """What the move to a device would break that is not broken now; computed when asked."""

    def take_domains(self, domains: Domains) -> None:
        """It is known where the ops can be."""
        self.domains, self.reachable = domains, domains.reachable(self.ops)

    def possible(self, device: int) -> bool:
        """Whether some valid plan may have the ops on ``device``, as far as is known."""
        return self.reachable is None or bool(self.reachable[device] or self.legal[device])

    def after(self, target: int) -> tuple[Floats, Floats] | None:
        """What each device costs and holds (float64[k] both) after a drop on ``target``: where that keeps the rules, or takes others along so
        that it does. None where it is not known what the drop will do."""
        if self.legal[target]:
            return self.cost[target], self.memory[target]
        if target != self.target or self.along_cost is None or self.along_memory is None:
            return None
        return self.along_cost, self.along_memory

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The first of the objective's parts that each destination changes, in words (k of them)."""
        return changes(self.problem, self.before, self.components)

    @property
    def objective(self) -> Floats:
        """The first component for each destination (float64[k])."""
        return self.components[0]


def gaps(problem: EvaluatedProblem, components: Floats, bounds: Sequence[Bound]) -> Floats:
    """The gap of each destination (float64[k], NaN without a bound) from ``components`` float64[c, k]."""
    found = [problem.standing(values, bounds).gap for values in components.T.tolist()]
    return np.array([math.nan if gap is None else gap for gap in found])


def check(live: Live, ops: Ints, bounds: Sequence[Bound], domains: Domains | None = None) -> Preview:
    """Legality, components and gap of moving ``ops`` (colocated mates included) to each device.

    ``domains``: where ops can be whatever else moves, if that is known.
    """
    problem = live.evaluator.problem
    legality = live.check(ops)
    delta = live.delta(ops)
    legal = legality.legal
    # Where all the ops are already nothing would change: that is no move that could break a rule.
    origins = np.unique(live.device_of[ops]).astype(np.int32)
    if len(origins) == 1:
        legal = legal.copy()
        legal[origins[0]] = True

    def reasons(device: int) -> tuple[str, ...]:
        """Sentences on what the move to ``device`` would break that is not broken now; computed when asked.

        Where the ops can never be is said first.
        """
        said = tuple(violation.sentence for violation in legality.violations(device))
        if preview.possible(device) or preview.domains is None:
            return said
        return (preview.domains.sentence(ops, device), *said)

    preview = Preview(
        problem=problem, ops=ops, before=live.components, components=delta.components,
        gap=gaps(problem, delta.components, bounds), legal=legal, cost=delta.cost,
        memory=delta.memory, reasons=reasons, origins=origins, codes=legality.codes, violations=legality.violations,
        rules=tuple(rule.code for rule in live.evaluator.rules),
    )  # fmt: skip
    if domains is not None:
        preview.take_domains(domains)
    return preview


def taken_along(live: Live, ops: Ints, device: int) -> Ints:
    """The further ops that make the move of ``ops`` to ``device`` legal; empty where they cannot."""
    closure = live.closure(ops, device)
    further = np.setdiff1d(closure, ops).astype(np.int32)
    return further if len(further) and legal_along(live, closure, device) else EMPTY


def legal_along(live: Live, closure: Ints, device: int) -> bool:
    """Whether moving all that must move together to ``device`` breaks no rule."""
    return bool(live.check(closure).legal[device])


def reason_of(check: Preview, device: int) -> str:
    """What is in the way of the move to ``device``, in one sentence."""
    sentences = check.reasons(device)
    return sentences[0] if sentences else "breaks a rule"


def along_change(live: Live, preview: Preview, device: int) -> Change:
    """What becomes of the objective where the neighbours come along to ``device``."""
    return moved_change(live, _with_neighbours(preview), device)


def _with_neighbours(preview: Preview) -> Ints:
    """What is dragged, and what comes along."""
    return np.union1d(preview.ops, preview.along).astype(np.int32)


def moved_change(live: Live, ops: Ints, device: int) -> Change:
    """What becomes of the objective where ``ops`` are moved to ``device``, whatever rules that breaks."""
    return _change_in(live, live.delta(ops), device)


def _change_in(live: Live, delta: Delta, device: int) -> Change:
    """The same of a move that was counted already."""
    after = delta.components[:, device].tolist()
    problem = live.evaluator.problem
    column = column_of(problem, problem.components[0], [live.components[0] or after[0]])
    return change(problem, live.components, after, column)


class Previewing(QObject):
    """The preview of a drag in progress, or of a suggestion that is looked at."""

    preview_changed = Signal()

    def __init__(self, board: AssignmentBoard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self.preview: Preview | None = None

    def begin(self, ops: Ints) -> Preview | None:
        """A drag of ``ops`` (mates included) begins. Returns the preview, None without ops."""
        if not len(ops):
            return None
        self.preview = check(self._board.open_live, ops, self._board.bounds, self._board.domains)
        self.preview_changed.emit()
        return self.preview

    def update(self, target: int) -> None:
        """Say over which device the pointer is (-1 = none)."""
        preview = self.preview
        if preview is None:
            return
        if not 0 <= target < len(preview.objective):
            target = -1
        if target == preview.target:
            return
        preview.target = target
        needs = target >= 0 and not preview.legal[target]
        live = self._board.open_live
        preview.along = taken_along(live, preview.ops, target) if needs else EMPTY
        preview.along_change = preview.along_cost = preview.along_memory = None
        if len(preview.along) and not live.evaluator.problem.target.repair_first:
            delta = live.delta(_with_neighbours(preview))
            preview.along_change = _change_in(live, delta, target)
            preview.along_cost, preview.along_memory = delta.cost[target], delta.memory[target]
        self.preview_changed.emit()

    def domains_found(self) -> None:
        """It is known now where ops can be whatever else moves."""
        if self.preview is not None and self._board.domains is not None:
            self.preview.take_domains(self._board.domains)
            self.preview_changed.emit()

    def bounds_found(self) -> None:
        """More may be proven now than when the drag began."""
        preview = self.preview
        if preview is None:
            return
        gap = gaps(preview.problem, preview.components, self._board.bounds)
        if not np.array_equal(gap, preview.gap, equal_nan=True):
            preview.gap = gap
            self.preview_changed.emit()

    def end(self) -> None:
        """The drag is over."""
        if self.preview is not None:
            self.preview = None
            self.preview_changed.emit()
