"""Why a plan costs what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from gui.document.board import quick_bounds
from gui.document.proven_here import PROVEN
from gui.editors.plan.panels.suggestions import scrolled
from gui.look.numbers import time_column
from gui.look.theme import Theme, device_colours
from gui.panels.base import Panel
from gui.widgets.bars import Part, StackedBar
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.plain import PlainLabel
from gui.words.explaining import AMOUNTS, PROVEN_BEST, constraints_bind, gap_without_constraints, next_step
from gui.words.more_devices import more_devices
from planner.problem.worst import LATENCY
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from gui.background.stage_counting import StageCounting
    from gui.document.plan.document import Document
    from planner.problem.bound import Bound
    from planner.problem.problem import Problem


class WhyPanel(Panel):
    """The parts of the cost as bars, of the bottleneck or of whatever the objective is about, a sentence on them, and what to do about it."""

    id: ClassVar[str] = "why"
    title: ClassVar[str] = "Why this cost"

    PARTS: ClassVar[tuple[str, ...]] = ("receive", "work", "streaming", "send", *AMOUNTS)
    sure_requested = Signal()
    """How sure is the plan?"""

    WORDS: ClassVar[dict[str, str]] = {
        "streaming": "stream parameters", "cache": "parameters placed on chip", "dram": "parameters off chip",
        "bytes_in": "enters from other stages", "bytes_out": "leaves for other stages",
    }  # fmt: skip
    HATCHED: ClassVar[frozenset[str]] = frozenset({"streaming", "dram"})

    def __init__(
        self, document: Document, theme: Theme, parent: QWidget | None = None, counting: StageCounting | None = None,
    ) -> None:  # fmt: skip
        super().__init__(document, theme, parent)
        self._counting = counting
        """What is known of other counts of devices."""
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
        self.back = QPushButton("Go Back to It", self)
        self.back.setToolTip("Put the better plan on the canvas: one step, which Undo takes back")
        self.back.clicked.connect(lambda _=False: self._go_back())
        self.back.hide()
        grid.addWidget(self.back, 4, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        self.sure = QPushButton("How sure is this plan?", self)
        self.sure.setToolTip("What it costs when op times are off, and which errors would change it")
        self.sure.clicked.connect(lambda _=False: self.sure_requested.emit())
        grid.addWidget(self.sure, 5, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        self._rows: dict[str, tuple[ElidedLabel, QLabel, StackedBar]] = {}
        for i, part in enumerate(self.PARTS):
            name, value, bar = ElidedLabel(self.WORDS.get(part, part)), QLabel(""), StackedBar(theme, 6)
            set_role(name, "muted")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(name, 6 + 2 * i, 0)
            grid.addWidget(value, 6 + 2 * i, 1)
            grid.addWidget(bar, 7 + 2 * i, 0, 1, 2)
            self._rows[part] = (name, value, bar)
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(6 + 2 * len(self.PARTS), 1)
        scrolled(inside, self).setAccessibleName("Parts of the cost")
        for signal in (
            document.model_changed, document.problem_changed, document.decision_changed, document.readouts_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)
        if counting is not None:
            counting.changed.connect(self.request_refresh)

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
            self.back.hide()
            return
        rows, sentence = self.document.why_bottleneck()
        evaluation = self.document.evaluation
        document = self.document
        free_gap = self._gap_without_constraints(problem)
        optimum, better = document.optimum, document.better
        known = {} if self._counting is None else self._counting.others
        more = more_devices(known, problem, evaluation) if evaluation.valid else None
        self.step.setText(
            next_step(
                problem, evaluation, document.device_of, document.gap, document.board.infeasible, free_gap,
                "" if optimum is None else optimum.shown_name, "" if better is None else better.shown_name, document.bounds,
                more, PROVEN.exhausted(problem),
            )
        )  # fmt: skip
        self.back.setVisible(better is not None)
        best = document.gap is not None and document.gap < PROVEN_BEST and optimum is None
        self.free.setVisible(best and constraints_bind(problem, free_gap))
        device = evaluation.bottleneck
        colour = device_colours(len(problem.devices), self.theme)[device]
        by_bytes = problem.unit(problem.components[0]) == "B"
        what = "holds most" if by_bytes else "is the bottleneck"
        whose = {}
        if problem.components[0] == LATENCY:
            self.heading.setText("Why one sample takes so long")
        elif evaluation.rests is not None:
            self.heading.setText("Why an inference takes so long")
            title = problem.devices[device].title
            whose = {
                "streaming": f"all {problem.target.words.many}",
                "receive": title,
                "work": title,
                "send": title,
            }
        else:
            self.heading.setText(f"Why {problem.devices[device].title} {what}")
        self.sentence.setText(sentence)
        values = dict(rows)
        column = time_column(values.values(), problem.graph.time_unit)
        colours = {
            "work": colour.accent,
            "cache": colour.accent,
            "streaming": self.theme.slow,
            "dram": self.theme.slow,
        }
        for part, (name, value, bar) in self._rows.items():
            for widget in (name, value, bar):
                widget.setVisible(part in values)
            if part not in values:
                continue
            word, amount = self.WORDS.get(part, part), values[part]
            name.set_texts(*([f"{word}, {whose[part]}"] if part in whose else []), word)
            value.setText(bytes_text(amount) if part in AMOUNTS else column.level(amount))
            bar.set_theme(self.theme)
            shares = evaluation.streaming.tolist() if whose and part == "streaming" else [amount]
            colour_of = colours.get(part, self.theme.faint)
            pieces = [Part(share, colour_of, part in self.HATCHED) for share in shares]
            bar.set_parts(pieces, self._full(part, values))
            bar.setAccessibleName(f"{name.text()}: {value.text()}")

    def _go_back(self) -> None:
        """Put the better plan on the canvas; the one on it stays in the list."""
        if (better := self.document.better) is not None:
            self.document.apply_plan(better)

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
        """What the whole width of a part's bar stands for: the stage's memory, the dearest link, its cost, or the objective."""
        evaluation, device = self.document.evaluation, self.document.evaluation.bottleneck
        if part in ("bytes_in", "bytes_out"):
            return max(float(evaluation.details[name].max()) for name in ("bytes_in", "bytes_out"))
        if part in AMOUNTS:
            return float(evaluation.memory[device])
        if self.document.open_problem.components[0] == LATENCY or evaluation.rests is not None:
            return sum(values.values())
        return max(float(evaluation.cost[device]), max(values.values(), default=0.0))
