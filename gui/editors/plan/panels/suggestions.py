"""What would help most, and why the bottleneck is the bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui.background.suggesting import MoveSearch
from gui.document.board import quick_bounds
from gui.document.values import Message
from gui.look.numbers import gap_text, plural, signed_percent, time_column
from gui.look.theme import Theme, device_colours
from gui.panels.base import Panel
from gui.widgets.bars import Part, StackedBar
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.later import Later
from gui.widgets.plain import PlainLabel
from gui.widgets.rows import RowButton
from gui.words.explaining import AMOUNTS, PROVEN_BEST, constraints_bind, gap_without_constraints, next_step
from gui.words.objectives import change, objective_title
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.problem.bound import Bound
    from planner.problem.evaluator import Move
    from planner.problem.problem import Problem

MOST = 8
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

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.moves: list[Move] = []
        self._serial = -1
        """The assignment that the moves are for."""
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
        for signal in (document.model_changed, document.problem_changed, document.decision_changed):
            signal.connect(self.request_refresh)
        document.readouts_changed.connect(self._bound_changed)

    def _bound_changed(self) -> None:
        """A bound may say that nothing can help any more, or why nothing does."""
        if (
            self.document.gap == 0.0
            or self.document.board.infeasible
            or (not self.moves and not self.waiting)
        ):
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
        elif self.document.gap == 0.0 or self.document.board.infeasible:
            self._found([])
        else:
            self.state.setText("Looking for the best moves …")
            for row in self.rows:
                row.set_faded(True)
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
        """Look for the best moves a few milliseconds at a time; not while something is dragged."""
        if self.document.problem is None:
            return
        if self.document.preview is not None:
            self._settle.ask()
            return
        self._searching.start(MOST)

    def _found(self, moves: list[Move]) -> None:
        document = self.document
        if document.problem is None:
            return
        if document.gap == 0.0:
            # Within what the proof rounds away a move may still seem to gain something.
            self._show([], "This plan is optimal: proven.")
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
            gap = document.gap
            if gap is not None and gap < PROVEN_BEST:
                more = f" No plan is more than {gap_text(gap)} better: proven."
            else:
                more = " A planner may find a better plan, a proof may show that there is none."
            self._show([], f"No single valid move lowers the objective.{idle}{more}")

    def _show(self, moves: list[Move], words: str) -> None:
        self.moves, self._serial = moves, self.document.assignment_serial
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


class WhyPanel(Panel):
    """The parts of the bottleneck's cost as bars, a sentence on them, and what to do about it."""

    id: ClassVar[str] = "why"
    title: ClassVar[str] = "Why the bottleneck"

    PARTS: ClassVar[tuple[str, ...]] = ("receive", "work", "streaming", "send", *AMOUNTS)
    sure_requested = Signal()
    """How sure is the plan?"""

    WORDS: ClassVar[dict[str, str]] = {
        "streaming": "stream parameters", "cache": "parameters on chip", "dram": "parameters off chip",
        "bytes_in": "enters from other stages", "bytes_out": "leaves for other stages",
    }  # fmt: skip
    HATCHED: ClassVar[frozenset[str]] = frozenset({"streaming", "dram"})

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self._free: tuple[Problem, tuple[Bound, ...]] | None = None
        """The problem without constraints, and what is proven of it at once."""
        self.heading = PlainLabel("", self)
        self.heading.setWordWrap(True)
        set_role(self.heading, "heading")
        self.sentence = PlainLabel("", self)
        self.sentence.setWordWrap(True)
        set_role(self.sentence, "muted")
        inside = QWidget()
        inside.setObjectName("scrolled")
        grid = QGridLayout(inside)
        grid.setContentsMargins(10, 8, 10, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.heading, 0, 0, 1, 2)
        grid.addWidget(self.sentence, 1, 0, 1, 2)
        # What to do stands before the parts: on a small screen these scroll.
        self.step = PlainLabel("", self)
        self.step.setWordWrap(True)
        grid.addWidget(self.step, 2, 0, 1, 2)
        self.free = QPushButton("Remove All Constraints", self)
        self.free.setToolTip("Remove every pin and keep-together: one step, which Undo takes back")
        self.free.clicked.connect(lambda _=False: self.document.clear_constraints())
        self.free.hide()
        grid.addWidget(self.free, 3, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        self.sure = QPushButton("How sure is this plan?", self)
        self.sure.setToolTip("What it costs when op times are off, and which errors would change it")
        self.sure.clicked.connect(lambda _=False: self.sure_requested.emit())
        grid.addWidget(self.sure, 4, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        self._rows: dict[str, tuple[ElidedLabel, QLabel, StackedBar]] = {}
        for i, part in enumerate(self.PARTS):
            name, value, bar = ElidedLabel(self.WORDS.get(part, part)), QLabel(""), StackedBar(theme, 6)
            set_role(name, "muted")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(name, 5 + 2 * i, 0)
            grid.addWidget(value, 5 + 2 * i, 1)
            grid.addWidget(bar, 6 + 2 * i, 0, 1, 2)
            self._rows[part] = (name, value, bar)
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(5 + 2 * len(self.PARTS), 1)
        scrolled(inside, self).setAccessibleName("Parts of the bottleneck's cost")
        for signal in (
            document.model_changed, document.problem_changed, document.decision_changed, document.readouts_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)

    def refresh(self) -> None:
        """Explain the bottleneck of the present plan."""
        problem = self.document.problem
        shown = problem is not None and problem.graph.n > 0
        self.sure.setVisible(shown and problem is not None and problem.unit(problem.components[0]) != "B")
        for widgets in self._rows.values():
            for widget in widgets:
                widget.setVisible(shown)
        if problem is None or not shown:
            self.heading.setText(self.document.nothing("No model is open."))
            self.sentence.setText("")
            self.step.setText("")
            self.free.hide()
            return
        rows, sentence = self.document.why_bottleneck()
        evaluation = self.document.evaluation
        document = self.document
        free_gap = self._gap_without_constraints(problem)
        optimum = document.optimum
        self.step.setText(
            next_step(
                problem, evaluation, document.device_of, document.gap, document.board.infeasible, free_gap,
                "" if optimum is None else optimum.name,
            )
        )  # fmt: skip
        best = document.gap is not None and document.gap < PROVEN_BEST and optimum is None
        self.free.setVisible(best and constraints_bind(problem, free_gap))
        device = evaluation.bottleneck
        colour = device_colours(len(problem.devices), self.theme)[device]
        by_bytes = problem.unit(problem.components[0]) == "B"
        what = "holds most" if by_bytes else "is the bottleneck"
        self.heading.setText(f"Why {problem.devices[device].title} {what}")
        self.sentence.setText(sentence)
        values = dict(rows)
        column = time_column(values.values(), problem.graph.time_unit)
        colours = {
            "work": colour.accent,
            "cache": colour.accent,
            "streaming": self.theme.bad,
            "dram": self.theme.bad,
        }
        for part, (name, value, bar) in self._rows.items():
            for widget in (name, value, bar):
                widget.setVisible(part in values)
            if part not in values:
                continue
            amount = values[part]
            value.setText(bytes_text(amount) if part in AMOUNTS else column.text(amount))
            bar.set_theme(self.theme)
            piece = Part(amount, colours.get(part, self.theme.faint), part in self.HATCHED)
            bar.set_parts([piece], self._full(part, values))
            bar.setAccessibleName(f"{name.text()}: {value.text()}")

    def _gap_without_constraints(self, problem: Problem) -> float | None:
        """What is proven at once of the problem without constraints counts as well."""
        if not problem.constraints:
            return None
        free = problem.with_constraints(())
        if self._free is None or self._free[0] != free:
            self._free = free, quick_bounds(free)
        return gap_without_constraints(
            problem, self.document.evaluation, (*self.document.bounds, *self._free[1])
        )

    def _full(self, part: str, values: dict[str, float]) -> float:
        """What the whole width of a part's bar stands for: the stage's memory, the dearest link, or its cost."""
        evaluation, device = self.document.evaluation, self.document.evaluation.bottleneck
        if part in ("bytes_in", "bytes_out"):
            return max(float(evaluation.details[name].max()) for name in ("bytes_in", "bytes_out"))
        if part in AMOUNTS:
            return float(evaluation.memory[device])
        return max(float(evaluation.cost[device]), max(values.values(), default=0.0))
