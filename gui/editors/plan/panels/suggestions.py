"""What would help most."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui.background.suggesting import MoveSearch
from gui.document.values import Message
from gui.look.numbers import plural, signed_percent
from gui.look.theme import Theme, device_colours
from gui.panels.base import Panel
from gui.widgets.labels import capital, set_role
from gui.widgets.later import Later
from gui.widgets.plain import PlainLabel
from gui.widgets.rows import RowButton
from gui.words.explaining import PROVEN_BEST
from gui.words.idle_devices import idle_words
from gui.words.machines import counted_words
from gui.words.objectives import change, components_text, objective_title
from gui.words.proofs import best_words
from planner.text_table import gap_percent

if TYPE_CHECKING:
    from gui.background.stage_counting import StageCounting
    from gui.document.plan.document import Document
    from planner.problem.evaluator import Move
    from planner.problem.problem import Problem
    from planner.runs.stage_counts import StageCount

MOST = 8
LOOKING = "Looking for the best moves …"
SETTLE = 150
"""Milliseconds without a change after which the best moves are looked for."""


def scrolled(inside: QWidget, panel: QWidget) -> QScrollArea:
    """Fill ``panel`` with ``inside``, which scrolls up and down where it is too high."""
    area = QScrollArea(panel)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(area)
    return area


class SuggestionsPanel(Panel):
    """The best single moves under the rules: hovering shows what one would do, a click makes it."""

    id: ClassVar[str] = "help"
    title: ClassVar[str] = "What would help"
    EDGES: ClassVar[int] = 20
    """Pixels left and right of the rows, a scroll bar's among them."""

    repair_requested = Signal()
    why_requested = Signal()
    """No plan can be valid: what would help?"""
    hovered = Signal(object)
    """The ops (int32 array) of the suggestion under the pointer, None when it leaves."""

    take_requested = Signal(int)
    """Take over the plan that the comparison of counts has for so many."""

    def __init__(
        self, document: Document, theme: Theme, parent: QWidget | None = None, counting: StageCounting | None = None,
        drawing: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        super().__init__(document, theme, parent)
        self._counting = counting
        self._drawing = drawing
        """Whether the picture of the graph is still to come: nothing is to slow it down."""
        self._better: StageCount | None = None
        """A better plan than the one on the canvas that was found when counts of stages were compared."""
        self.moves: list[Move] = []
        self._serial = -1
        """The assignment that the moves are for."""
        self._by_proof = False
        """Whether what is said rests on a proof, no search."""
        self._previewing = False
        self.state = PlainLabel("", self)
        self.state.setWordWrap(True)
        set_role(self.state, "muted")
        self.rows = [RowButton(theme, parent=self) for _ in range(MOST)]
        inside = QWidget()
        inside.setObjectName("scrolled")
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(4, 8, 4, 8)
        layout.setSpacing(1)
        self.state.setContentsMargins(6, 0, 6, 2)
        layout.addWidget(self.state)
        self.mend = QPushButton("", self)
        self.mend.clicked.connect(lambda _=False: self._mend())
        self.mend.hide()
        layout.addWidget(self.mend, 0, Qt.AlignmentFlag.AlignLeft)
        for i, row in enumerate(self.rows):
            row.hide()
            row.clicked.connect(lambda _=False, i=i: self.apply(i))
            row.entered.connect(lambda i=i: self._look_at(i))
            row.left.connect(self._look_away)
            layout.addWidget(row)
        self.take = QPushButton("Take the Better Plan", self)
        self.take.setToolTip("Put that plan on the canvas: one step, which Undo takes back")
        self.take.clicked.connect(lambda _=False: self._take())
        self.take.hide()
        layout.addWidget(self.take, 0, Qt.AlignmentFlag.AlignLeft)
        self.other = QPushButton("", self)
        self.other.clicked.connect(lambda _=False: self._plan_for_suggested())
        self.other.hide()
        layout.addWidget(self.other)
        layout.addStretch(1)
        area = scrolled(inside, self)
        area.setAccessibleName("Moves that would help")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._settle = Later(self._search, self, SETTLE)
        self._searching = MoveSearch(document, self)
        self._searching.found.connect(self._found)
        if counting is not None:
            counting.changed.connect(self._counted)
        for signal in (document.model_changed, document.problem_changed, document.decision_changed):
            signal.connect(self._outdated)
            signal.connect(self.request_refresh)
        document.readouts_changed.connect(self._bound_changed)

    @property
    def _settled(self) -> bool:
        """Whether a proof says that there is nothing to look for."""
        return self.document.gap == 0.0 or self.document.board.infeasible

    def _outdated(self, *_: object) -> None:
        """The plan is another: what was proven of the one before is said no longer, however busy the window is until it looks for moves."""
        if self.document.problem is not None and not self._settled:
            self.state.setText(LOOKING)
            for row in self.rows:
                row.set_faded(True)

    def _bound_changed(self) -> None:
        """A bound may say that nothing can help any more, or why nothing does; or one that said so does not count any more."""
        if self._by_proof and not self._settled:
            self._by_proof = False
            self._outdated()
            self.request_refresh()
        elif self._settled or (not self.moves and not self.waiting):
            self._settle.stop()
            self._searching.stop()
            self._found([])

    def refresh(self) -> None:
        """The plan changed: look for moves once it has rested for a moment, so that a run is not slowed down.

        Until then the moves of the plan before are greyed and do nothing.
        """
        self._settle.stop()
        self._searching.stop()
        if self.document.problem is None:
            self._show([], self.document.nothing("No model is open."))
        elif self._settled:
            self._found([])
        else:
            self._outdated()
            self._settle.ask()

    @property
    def waiting(self) -> bool:
        """Whether the list is about to change."""
        return super().waiting or self._settle.waiting or self._searching.busy

    def search_now(self) -> None:
        """Look for the best moves at once, however long it takes (the user asked for one)."""
        self._settle.stop()
        self._searching.stop()
        if self.document.problem is not None:
            self._found([] if self.document.board.infeasible else self.document.best_moves(MOST))

    def apply_best(self) -> None:
        """Make the single move that helps most, or say why there is none."""
        self.search_now()
        if self.moves:
            self.apply(0)
        else:
            self.document.message.emit(Message("info", self.state.text()))

    def _search(self) -> None:
        """Look for the best moves a few milliseconds at a time; not while something is dragged or laid out."""
        if self.document.problem is None:
            return
        if self.document.preview is not None or self._drawing():
            self._settle.ask()
            return
        self._searching.start(MOST)

    def _found(self, moves: list[Move]) -> None:
        document = self.document
        if document.problem is None:
            return
        self._by_proof = self._settled
        if document.gap == 0.0:
            # Within what the proof rounds away a move may still seem to gain something.
            self._show([], f"This plan is {best_words(document.problem)}.")
        elif document.board.infeasible:
            self._show([], "No plan can be valid: proven.")
        elif moves and not document.evaluation.valid:
            self._show(
                moves, "The plan breaks rules: repair it first. Below, the best single moves under the rules."
            )
        elif moves:
            self._show(moves, "Best single moves under the rules. Click to make one.")
        elif not document.evaluation.valid:
            self._show([], "No single valid move lowers the objective. Repair the broken rules first.")
        else:
            empty = int((document.evaluation.ops == 0).sum())
            idle = f" {plural(empty, 'device is', 'devices are')} empty." if empty else ""
            if why := idle_words(document.problem, document.evaluation, document.device_of):
                idle = f" {why}"
            gap = document.gap
            if document.optimum is not None:
                more = f" “{document.optimum.shown_name}” in Plans is {best_words(document.problem)}."
            elif gap is not None and gap < PROVEN_BEST:
                more = f" No plan is more than {gap_percent(gap)} better: proven."
            else:
                more = " A planner may find a better plan, a proof may show that there is none."
            self._show([], f"No single valid move lowers the objective.{idle}{more}")

    def _show(self, moves: list[Move], words: str) -> None:
        self.moves, self._serial = moves, self.document.assignment_serial
        better = self._better = None if self._counting is None else self._counting.better
        self.take.setVisible(better is not None)
        if better is not None and better.problem is not None and better.evaluation is not None:
            proven = ", proven optimal" if better.proven else ""
            told = components_text(better.problem, better.evaluation.values)
            words = f"A better plan for as many {counted_words(better.problem)[1]} was found while counting them: {told}{proven}."
        objective, why = self.document.suggested_objective
        self.other.setVisible(bool(objective))
        if objective:
            self.other.setText(f"Plan for {objective_title(objective)}")
            words = f"{words} {capital(why)}."
        self.state.setText(words)
        broken = self.document.problem is not None and not self.document.evaluation.valid
        self.mend.setText("What would help?" if self.document.board.infeasible else "Repair")
        self.mend.setVisible(broken)
        problem = self.document.problem
        names = [] if problem is None else [self._what(problem, move) for move in moves]
        for i, row in enumerate(self.rows):
            row.setVisible(i < len(moves))
            row.set_faded(False)
            if i >= len(moves) or problem is None:
                continue
            move = moves[i]
            gives = change(problem, self.document.evaluation.values, move.components)
            what = names[i]
            device = problem.devices[move.device]
            colour = device_colours(len(problem.devices), self.theme)[move.device].accent
            row.set_theme(self.theme)
            # A figure that names its component leaves no room for an op's name beside it.
            several = len(problem.components) > 1
            figure = gives.brief if several else signed_percent(gives.share)
            row.set_row(what, figure, self.theme.good, colour, f"{what} to {device.title}: {gives.text}")
            row.set_below(f"→ {device.name}", tuple(names))
        self._set_lines()

    @staticmethod
    def _what(problem: Problem, move: Move) -> str:
        """Which ops a move is about."""
        name = problem.graph.op_names[move.ops[0]]
        return name if len(move.ops) == 1 else f"{name} and {plural(len(move.ops) - 1, 'mate')}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows have one line where all of them have room for it."""
        super().resizeEvent(event)
        self._set_lines()

    def _set_lines(self) -> None:
        shown = self.rows[: len(self.moves)]
        width = self.width() - self.EDGES
        two = not all(row.fits_one_line(width) for row in shown)
        for row in shown:
            row.set_two_lines(two)

    def _mend(self) -> None:
        """Repair the plan, or where none can be valid see what would help."""
        (self.why_requested if self.document.board.infeasible else self.repair_requested).emit()

    def _counted(self) -> None:
        """Counts of stages were planned: one of them may have a better plan."""
        if self._counting is not None and self._counting.better is not self._better and not self.waiting:
            self._found(self.moves)

    def _take(self) -> None:
        if self._better is not None:
            self.take_requested.emit(self._better.count)

    def _plan_for_suggested(self) -> None:
        objective, _ = self.document.suggested_objective
        if objective:
            self.document.editing.machines.plan_for(objective)

    def apply(self, index: int = 0) -> None:
        """Make one of the moves (the best by default); nothing where the plan is another by now."""
        if not 0 <= index < len(self.moves) or self._serial != self.document.assignment_serial:
            return
        self._look_away()
        move = self.moves[index]
        self.document.select(move.ops)
        self.document.move(np.array(move.ops, np.int32), move.device)

    def _look_at(self, index: int) -> None:
        stale = self._serial != self.document.assignment_serial
        if index >= len(self.moves) or stale or self.document.preview is not None:
            return
        move = self.moves[index]
        self._previewing = True
        self.document.begin_preview(np.array(move.ops, np.int32))
        self.document.update_preview(move.device)
        self.hovered.emit(np.array(move.ops, np.int32))

    def _look_away(self) -> None:
        if self._previewing:
            self._previewing = False
            self.document.end_preview()
            self.hovered.emit(None)
