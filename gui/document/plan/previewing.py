"""What moving some ops would do, for every device at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.document.plan.board import Board
from gui.document.values import EMPTY, Preview
from gui.words.objectives import changes
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.evaluator import Live

if TYPE_CHECKING:
    from gui.document.values import Domains


def check(live: Live, ops: Ints, bounds: Sequence[Bound], domains: Domains | None = None) -> Preview:
    """Legality, components and gap of moving ``ops`` (colocated mates included) to each device.

    ``domains``: where ops can be whatever else moves, if that is known.
    """
    problem = live.evaluator.problem
    legality = live.check(ops)
    delta = live.delta(ops)
    gaps = [problem.standing(values, bounds).gap for values in delta.components.T.tolist()]
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
        ops=ops, components=delta.components, changes=changes(problem, live.components, delta.components),
        gap=np.array([math.nan if gap is None else gap for gap in gaps]), legal=legal, cost=delta.cost,
        memory=delta.memory, reasons=reasons, origins=origins, codes=legality.codes, violations=legality.violations,
    )  # fmt: skip
    if domains is not None:
        preview.take_domains(domains)
    return preview


def taken_along(live: Live, ops: Ints, device: int) -> Ints:
    """The further ops that make the move of ``ops`` to ``device`` legal; empty where they cannot."""
    closure = live.closure(ops, device)
    further = np.setdiff1d(closure, ops).astype(np.int32)
    if not len(further) or not live.check(closure).legal[device]:
        return EMPTY
    return further


class Previewing(QObject):
    """The preview of a drag in progress, or of a suggestion that is looked at."""

    preview_changed = Signal()

    def __init__(self, board: Board, parent: QObject | None = None) -> None:
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
        preview.along = taken_along(self._board.open_live, preview.ops, target) if needs else EMPTY
        self.preview_changed.emit()

    def domains_found(self) -> None:
        """It is known now where ops can be whatever else moves."""
        if self.preview is not None and self._board.domains is not None:
            self.preview.take_domains(self._board.domains)
            self.preview_changed.emit()

    def end(self) -> None:
        """The drag is over."""
        if self.preview is not None:
            self.preview = None
            self.preview_changed.emit()
