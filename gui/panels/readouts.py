"""The readout strip: how good, how provably good, valid or not, and what is the bottleneck. It never hides.

An objective that is one number has its value, its bound and the gap side by side; of one with several components each
has a figure of its own, in the order in which they are compared, with what is proven about it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from gui.background.repairing import BEING_REPAIRED
from gui.document.proven_here import PROVEN
from gui.look.numbers import DASH, gap_text, plural
from gui.look.theme import Theme
from gui.panels.readout_figures import (
    dragged,
    dragged_component,
    figures_tip,
    memory_shown,
    memory_tip,
    rate_words,
    rules_shown,
    rules_tip,
    times_tip,
)
from gui.panels.readout_row import Readouts
from gui.panels.speed_readout import SpeedReadout
from gui.widgets.offering import offer
from gui.widgets.plain import plain_tip
from gui.widgets.readout import Readout
from gui.words.objectives import STAGE_COSTS, SUMS, amount, column_of, component_words, units_of, worst_device
from gui.words.proofs import (
    ABOVE_TIP,
    GAP_MEANS,
    GAP_TIP,
    above_words,
    best_words,
    claim_sentence,
    claimed_shortly,
    component_note,
    component_tip,
    proven_words,
    prover_lines,
    prover_words,
    standing_lines,
    took_tip,
    wrapped,
)
from planner.evaluation.memory_words import assumed_precision
from planner.evaluation.times_source import times_mark

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.problem.bound import ComponentStanding, Standing
    from planner.problem.problem import Problem

MOST_COMPONENTS = 3
MOST_BACK = 130
"""Pixels up to which the plan that one can go back to is named."""
ALL_FROM = 1080
"""Pixels from which there is room for the number of devices, which the device dock shows too."""


class ReadoutStrip(Readouts):
    """Objective, bound, gap, rules, memory and size in one line of big figures."""

    violations_requested = Signal()
    bottleneck_requested = Signal()
    repair_requested = Signal()
    help_requested = Signal()
    """No plan can be valid: what would help?"""
    prove_requested = Signal()
    target_requested = Signal()
    """Where times come from."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.objective = Readout(theme, "Objective")
        self.rules = Readout(theme, "Rules", whole=True)
        self.memory = Readout(theme, "Memory")
        self.speed = SpeedReadout(theme)
        self.speed.keyboard_left.connect(self.keyboard_left)
        self.components = [Readout(theme, f"Component {i + 1}", margin=9) for i in range(MOST_COMPONENTS)]
        self.devices = Readout(theme, "Devices")
        self.objective.make_button("Select the ops of the device that it is about")
        self.objective.clicked.connect(self.bottleneck_requested)
        self.times = self.objective.add_link("estimated", "")
        self.times.clicked.connect(lambda _=False: self.target_requested.emit())
        self.times.hide()
        for i, part in enumerate(self.components):
            part.make_button("Select the ops of the stage that it is about")
            part.clicked.connect(lambda i=i: self._part_clicked(i))
        self.rules.make_button("Show the broken rules")
        self.rules.clicked.connect(self.violations_requested)
        self.repair = QPushButton("Repair", self)
        self.repair.setToolTip("Find a valid plan near this one, keeping what was just moved (Ctrl+R)")
        self.repair.clicked.connect(lambda _=False: self.repair_requested.emit())
        self.repair.hide()
        self.help = QPushButton("What would help?", self)
        self.help.setToolTip("Why no plan can be valid, and which changes would allow one")
        self.help.clicked.connect(lambda _=False: self.help_requested.emit())
        self.help.hide()
        self.prove = QPushButton("Prove", self)
        self.prove.setToolTip(
            "Spend up to a minute of processor time on a stronger bound, longer on a busy machine: perhaps the plan is optimal already"
        )
        self.prove.clicked.connect(lambda _=False: self.prove_requested.emit())
        self.prove.hide()
        self.back = QPushButton("Back", self)
        self.back.clicked.connect(lambda _=False: self._go_back())
        self.back.hide()
        self._proving = ""
        self._timed: Problem | None = None
        """The problem whose times the link beside the objective is about."""
        self.gap_bar.setMaximumWidth(520)
        self._scalar = (self.objective, self.bound, self.gap)
        self._readouts = (*self._scalar, *self.components, self.rules, self.memory, self.speed, self.devices)
        for widget in (*self._scalar, *self.components):
            self.row.addWidget(widget)
        self.row.addWidget(self.prove)
        self.row.addWidget(self.back)
        self.row.addWidget(self.gap_bar, 1)
        beside: tuple[QWidget, ...] = (
            self.rules, self.repair, self.help, self.memory, self.speed, self.devices,
        )  # fmt: skip
        for shown in beside:
            self.row.addWidget(shown)
        for widget in (*self.components, self.speed):
            widget.hide()
        document.preview_changed.connect(self.request_refresh)
        document.plans_changed.connect(self.request_refresh)

    def set_repairing(self, busy: bool) -> None:
        """Whether a repair is being looked for: there is nothing to ask for meanwhile."""
        if busy and self.repair.hasFocus():
            self.keyboard_left.emit()
        offer(self.repair, BEING_REPAIRED if busy else "")
        self.repair.setText("Repairing …" if busy else "Repair")

    def set_proving(self, words: str) -> None:
        """What is said of a proof that is under way, empty where none is: what is known now may soon be more."""
        if words != self._proving:
            self._proving = words
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow window has no room for everything."""
        super().resizeEvent(event)
        self.devices.setVisible(event.size().width() >= ALL_FROM)

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Read everything anew."""
        document, t = self.document, self.theme
        if document.preview is not None:
            self._hold_widths(True)
        if document.problem is None or document.graph is None:
            for readout in self._readouts:
                readout.show_value(readout.label, DASH, "", t.faint)
            self.gap_bar.set_values(None, None)
            self.times.hide()
            self._timed = None
            for part in (self.repair, self.help, self.prove, self.back):
                self._show_button(part, False)
            return
        standing = document.standing
        assert standing is not None
        parts = len(standing.components)
        for widget in self._scalar:
            widget.setVisible(parts == 1)
        for i, widget in enumerate(self.components):
            widget.setVisible(parts > 1 and i < parts)
        if parts == 1:
            self._show_objective(standing.components[0])
            self._show_bound(standing.components[0])
            self._show_gap()
        else:
            self._show_components(standing)
        self._show_gap_bar(standing)
        self.gap_bar.setVisible(not document.board.infeasible)  # there is nothing to measure a plan by
        self._show_ways()
        self._show_rules()
        in_view = {one.name for one in standing.components}
        self.memory.setVisible("max-memory" not in in_view)
        problem, evaluation = document.problem, document.evaluation
        self.memory.show_value(*memory_shown(problem, evaluation, t), tip=memory_tip(problem, evaluation))
        self.speed.show_speed(problem, evaluation, *document.suggested_objective)
        self.speed.setVisible(parts > 1 and "throughput" in evaluation.figures)
        active = document.active
        self.devices.show_value(
            "Devices", str(len(document.problem.devices)),
            f"{plural(int(np.count_nonzero(document.evaluation.ops)), 'device')} used",
            tip="" if active is None else f"plan “{active.shown_name}”",
        )  # fmt: skip
        if document.preview is None:
            self._hold_widths(False)

    def _show_ways(self) -> None:
        """To a better plan or a stronger bound: back to what is proven optimal, or prove more."""
        document, optimum = self.document, self.document.optimum
        is_open = document.evaluation.valid and document.gap != 0.0
        self._show_button(
            self.prove,
            is_open and optimum is None and not self._proving and not PROVEN.exhausted(document.problem),
        )
        if optimum is not None:
            text = f"Back to {optimum.name}"
            fits = self.fontMetrics().horizontalAdvance(text) <= MOST_BACK
            self.back.setText(text if fits else "Back to Optimum")
            self.back.setToolTip(
                plain_tip(f"Put “{optimum.name}”, which is {best_words(self._problem)}, on the canvas")
            )
        self._show_button(self.back, optimum is not None)

    def _go_back(self) -> None:
        optimum = self.document.optimum
        if optimum is not None:
            self.document.apply_plan(optimum)

    # ------------------------------------------------------------------ an objective that is one number
    def _show_times(self, problem: Problem) -> None:
        """Whether op times were measured: every op is asked, so only once a problem, not at every move."""
        if problem is not self._timed:
            self._timed, mark = problem, times_mark(problem)
            self.times.setText(mark)
            self.times.setAccessibleName(f"Times are {mark}: go to the target")
            self.times.setToolTip(plain_tip(times_tip(problem)))
        # What a drag would do has the line to itself: it would read on into the link.
        self._show_button(self.times, bool(self.times.text()) and self.document.preview is None)

    def _show_objective(self, one: ComponentStanding) -> None:
        problem, evaluation = self._problem, self.document.evaluation
        preview = self.document.preview
        self._show_times(problem)
        label, devices = component_words(one.name).title, problem.devices
        label = label[:1].upper() + label[1:]
        if one.name in STAGE_COSTS and 0 <= evaluation.bottleneck < len(devices):
            label = f"{label} ({devices[evaluation.bottleneck].name})"
        note, note_colour = rate_words(problem, evaluation, one.value), ""
        shorter: tuple[str, ...] = ()
        if preview is not None and 0 <= preview.target < len(preview.changes):
            note, note_colour, shorter = dragged(preview, self.theme)
        self.objective.show_value(
            label,
            amount(problem, one.name, one.value),
            note,
            note_colour=note_colour,
            tip=figures_tip(problem, evaluation),
            shorter=shorter,
        )

    def _show_bound(self, one: ComponentStanding) -> None:
        label, bound, claim = "Best proven lower bound", one.bound, self.document.claim
        lines = [] if bound is None else prover_lines(self._problem, bound)
        note = "none yet: prove one" if bound is None else prover_words(bound)
        colour = ""
        broken = not self.document.evaluation.valid
        infeasible = self.document.board.infeasible
        if infeasible:
            note = "proven"
        elif broken and bound is not None:
            note = "of valid plans"
        if claim is not None:
            # What is proven stands above in large figures; the tip says who proved it.
            note, colour = claimed_shortly(self._problem, claim), self.theme.warning
            lines.append(claim_sentence(self._problem, claim))
        if bound is None:
            self.bound.show_value(label, DASH, note, self.theme.faint, colour, wrapped(lines))
            return
        self.bound.show_value(
            label,
            "infeasible" if infeasible else self._bound_text(one),
            note,
            self.theme.bad if infeasible else self.theme.faint if broken else "",
            colour,
            wrapped(lines),
        )

    def _bound_text(self, one: ComponentStanding) -> str:
        """The bound in the unit of the plan's value, with digits that tell it from that."""
        assert one.bound is not None
        column = column_of(self._problem, one.name, [one.value or one.bound.value])
        told = column.telling_apart([0.0, one.bound.value, one.value])
        return told.text(one.bound.value)

    def _show_gap(self) -> None:
        gap, t = self.document.gap, self.theme
        if not self.document.evaluation.valid:
            self.gap.show_value(
                "Gap", DASH, "plan breaks rules", t.faint, tip="A gap is that of a valid plan."
            )
        elif gap is None:
            self.gap.show_value("Gap", DASH, self._proving or "needs a bound", t.faint)
        elif gap <= 0.0:
            bound = self.document.bound
            self.gap.show_value("Gap", "optimal", proven_words(bound), t.good, tip=took_tip(bound))
        elif (optimum := self.document.optimum) is not None and optimum.objective > 0:
            above = self.document.evaluation.values[0] / optimum.objective - 1
            self.gap.show_value(
                "Gap", gap_text(gap), above_words(above), self._gap_colour(gap),
                tip=f"{GAP_TIP}\n{ABOVE_TIP.format(name=optimum.name)}",
            )  # fmt: skip
        else:
            self.gap.show_value(
                "Gap", gap_text(gap),
                self._proving or GAP_MEANS,
                self._gap_colour(gap), tip=GAP_TIP,
            )  # fmt: skip

    def _gap_colour(self, gap: float) -> str:
        return self.theme.good if gap < 0.05 else self.theme.text if gap < 0.25 else self.theme.warning

    # ------------------------------------------------------------------ an objective of several components
    def _show_components(self, standing: Standing) -> None:
        problem, evaluation, t = self._problem, self.document.evaluation, self.theme
        units = units_of(problem, evaluation.values)
        first = standing.first_open if evaluation.valid else None
        claim = self.document.claim if evaluation.valid else None
        for i, (one, readout) in enumerate(zip(standing.components, self.components, strict=False)):
            words = component_words(one.name)
            label = f"then {words.title}" if i else words.title[:1].upper() + words.title[1:]
            if one.name == "max-memory" and (precision := assumed_precision(problem)):
                label += f", {precision}"
            device = worst_device(evaluation, one.name)
            if i == 0 and device >= 0 and one.name not in SUMS:
                label += f" ({problem.devices[device].name})"
            is_open = one is first
            note, tone = component_note(problem, one, is_open, units), t.good if one.proven else t.muted
            tip = component_tip(problem, one, is_open)
            if not evaluation.valid:
                note, tone, tip = "" if i else "plan breaks rules", t.faint, words.help
            elif is_open and one.gap is not None:
                tone = self._gap_colour(one.gap)
            if claim is not None and claim.component == one.name:
                note, tone = f"{note}, claimed {units.text(one.name, claim.value)}", t.warning
                tip += "\n" + wrapped([claim_sentence(problem, claim)])
            if device >= 0:
                where = "Most of it is on" if one.name in SUMS else "Now it is"
                tip += f"\n{where} {problem.devices[device].title}: click to select its ops."
            shown = dragged_component(self._problem, self.document.preview, i, one, self.theme)
            shorter: tuple[str, ...] = ()
            if shown is not None:
                note, tone, shorter = shown
            waits = evaluation.valid and not one.proven and not is_open
            readout.show_value(
                label,
                units.text(one.name, one.value),
                note,
                t.muted if waits else "",
                tone,
                tip,
                shorter=shorter,
            )
            readout.set_strong(not waits)
            readout.set_mark(t.accent if is_open else "")

    def _part_clicked(self, index: int) -> None:
        """Select the ops of the stage that a component is about: of the first, whose stage is the bottleneck, as ever."""
        if index == 0:
            self.bottleneck_requested.emit()
            return
        device = worst_device(self.document.evaluation, self._problem.components[index])
        if device >= 0:
            self.document.select(np.flatnonzero(self.document.device_of == device))

    # ------------------------------------------------------------------ beside them
    @property
    def _problem(self) -> Problem:
        problem = self.document.problem
        assert problem is not None
        return problem

    def _show_gap_bar(self, standing: Standing) -> None:
        shown = standing.first_open or standing.components[-1]
        bound = shown.bound if shown.bound is not None and math.isfinite(shown.bound.value) else None
        claim = self.document.claim
        about = claim is not None and claim.component == shown.name
        self.gap_bar.set_values(
            shown.value,
            None if bound is None else bound.value,
            claim.value if claim is not None and about else None,
            self.document.evaluation.valid,
        )
        lines = standing_lines(self._problem, standing)
        self.gap_bar.setToolTip(
            "\n".join([*lines, *([] if claim is None else [wrapped([claim_sentence(self._problem, claim)])])])
        )

    def _show_rules(self) -> None:
        board = self.document.board
        self.rules.show_value(*rules_shown(board, self.theme), tip=rules_tip(board))
        self._show_button(self.repair, not board.evaluation.valid and not board.infeasible)
        self._show_button(self.help, board.infeasible)
