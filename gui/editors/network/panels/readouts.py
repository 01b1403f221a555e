"""The readout strip of a network's window: I/Os, how provably good they are, reads and writes, valid or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.look.numbers import DASH, gap_text
from gui.look.theme import Theme
from gui.panels.readout_row import Readouts
from gui.widgets.readout import Readout
from gui.words.methods import by_method
from gui.words.proofs import GAP_MEANS, bound_sentence, claim_sentence, claimed_shortly, wrapped
from planner.text_table import gap_percent

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.machines.two_level_memory.orders.io_bounds import IoBounds
    from planner.machines.two_level_memory.problem import NetworkProblem

BAR_FROM = 1120
"""Pixels from which there is room for the bar of the gap."""


class OrderReadouts(Readouts):
    """I/Os beside their bound, then what they consist of, then whether the order is valid. It never hides."""

    document: OrderDocument  # type: ignore[assignment]

    violation_requested = Signal()
    """The broken rule was clicked."""

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.objective = Readout(theme, "I/Os")
        self.gap_bar.setMaximumWidth(420)
        self.reads = Readout(theme, "Reads")
        self.writes = Readout(theme, "Writes")
        self.rules = Readout(theme, "Order")
        self.rules.make_button("Show where the order breaks the rule")
        self.rules.clicked.connect(self.violation_requested)
        self._readouts = (self.objective, self.bound, self.gap, self.reads, self.writes, self.rules)
        for widget in (self.objective, self.bound, self.gap):
            self.row.addWidget(widget)
        self.row.addWidget(self.gap_bar, 1)
        for widget in (self.reads, self.writes, self.rules):
            self.row.addWidget(widget)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow window has no room for everything."""
        super().resizeEvent(event)
        self.gap_bar.setVisible(event.size().width() >= BAR_FROM)

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Read everything anew."""
        from planner.machines.two_level_memory.orders.io_bounds import io_bounds

        document, t = self.document, self.theme
        problem = document.problem
        if problem is None:
            for readout in self._readouts:
                readout.show_value(readout.label, DASH, "", t.faint)
            self.gap_bar.set_values(None, None)
            return
        evaluation, least = document.evaluation, io_bounds(problem.network)
        self._show_total(problem, evaluation, least)
        self._show_bound(problem)
        self._show_gap(evaluation)
        extra = evaluation.reads - least.least_reads
        self.reads.show_value(
            "Reads", f"{evaluation.reads:,}", f"{extra:,} more than once" if extra else "nothing twice",
            note_colour=t.warning if extra else t.good,
            tip=f"At least {least.least_reads:,}: each of the {least.connections:,} connections and the value or bias of each"
            f" of the {least.neurons:,} neurons is read once. What was evicted too early is read again.",
        )  # fmt: skip
        spilled = evaluation.writes - least.least_writes
        self.writes.show_value(
            "Writes", f"{evaluation.writes:,}", f"{spilled:,} spilled" if spilled else "only results",
            note_colour=t.warning if spilled else t.good,
            tip=f"At least {least.least_writes:,}: each output is written once. What is evicted before its last use and was"
            " changed is written, too.",
        )  # fmt: skip
        self._show_rules(evaluation)

    def _show_total(self, problem: NetworkProblem, evaluation: OrderEvaluation, least: IoBounds) -> None:
        beyond = evaluation.objective / least.least
        self.objective.show_value(
            "I/Os", f"{int(evaluation.objective):,}", f"{beyond:.3f} × W + N + S",
            tip=f"Reads and writes between slow memory and a fast one of {problem.target.size:,} values. However large the fast"
            f" memory, {least.least:,} are needed; the best order never needs more than {least.most:,}.",
        )  # fmt: skip

    def _show_bound(self, problem: NetworkProblem) -> None:
        bound, claim = self.document.bound, self.document.claim
        lines = [] if bound is None else [bound_sentence(problem, bound)]
        note = "none yet: prove one" if bound is None else f"proven by {by_method(bound.method)}"
        if claim is not None:
            note = claimed_shortly(problem, claim)
            lines.append(claim_sentence(problem, claim))
        self.bound.show_value(
            "Best proven lower bound", DASH if bound is None else f"{int(bound.value):,}", note,
            self.theme.faint if bound is None else "", "" if claim is None else self.theme.warning, wrapped(lines),
        )  # fmt: skip

    def _show_gap(self, evaluation: OrderEvaluation) -> None:
        gap, t, bound = self.document.gap, self.theme, self.document.bound
        claim = self.document.claim
        self.gap_bar.set_values(
            evaluation.objective,
            None if bound is None else bound.value,
            None if claim is None else claim.value,
            evaluation.valid,
        )
        if not evaluation.valid:
            self.gap.show_value("Gap", DASH, "the order is not valid", t.faint)
        elif gap is None:
            self.gap.show_value("Gap", DASH, "needs a bound", t.faint)
        elif gap <= 0.0:
            self.gap.show_value("Gap", "optimal", "proven", t.good)
        else:
            self.gap.show_value(
                "Gap", gap_text(gap), GAP_MEANS,
                t.good if gap < 0.1 else t.text,
                tip=f"(I/Os − bound) / I/Os: at most {gap_percent(gap)} of these I/Os could be saved by another order.",
            )  # fmt: skip

    def _show_rules(self, evaluation: OrderEvaluation) -> None:
        valid = evaluation.valid
        self.rules.show_value(
            "Order", "valid" if valid else "broken", "each neuron complete before use" if valid else "click to see where",
            self.theme.good if valid else self.theme.bad, tip="" if valid else evaluation.violations[0].sentence,
        )  # fmt: skip
