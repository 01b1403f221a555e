"""The readout strip: how good, how provably good, valid or not, and what is the bottleneck. It never hides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.methods import method_words
from gui.panels.base import Panel
from gui.theme import Theme, font
from gui.widgets.bars import GapBar
from gui.widgets.labels import ElidedLabel
from gui.widgets.numbers import DASH, gap_text, one_time, plural, rate_text, share_text, signed_percent
from planner.quantity import bytes_text
from planner.targets import kernels

if TYPE_CHECKING:
    from gui.document import Document

HEIGHT = 66


class Readout(QWidget):
    """A small label, a big value, and a line that explains it. Clickable when something is behind it."""

    clicked = Signal()

    def __init__(self, theme: Theme, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._widest = 0
        self._label, self._value, self._note = (
            ElidedLabel(label, self),
            ElidedLabel("", self),
            ElidedLabel("", self),
        )
        self._label.setFont(font(8.0))
        self._value.setFont(font(14.0, weight=QFont.Weight.Bold))
        self._note.setFont(font(8.0))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 5, 0, 5)
        layout.setSpacing(0)
        for part in (self._label, self._value, self._note):
            layout.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.set_theme(theme)

    def sizeHint(self) -> QSize:
        """As wide as it has been for this graph, so that figures that change do not push one another about."""
        hint = super().sizeHint()
        self._widest = max(self._widest, hint.width())
        return QSize(self._widest, hint.height())

    def forget_width(self) -> None:
        """Another graph: widths start over."""
        self._widest = 0
        self.updateGeometry()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self._label.set_colour(theme.muted)
        self._note.set_colour(theme.muted)

    def make_button(self, tip: str) -> None:
        """The keyboard and the mouse may activate it."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tip)

    def show_value(
        self, label: str, value: str, note: str, colour: str = "", note_colour: str = "", tip: str = ""
    ) -> None:
        """Show all three lines; a colour is ``#rrggbb`` or empty."""
        self._label.setText(label)
        self._value.setText(value)
        self._value.set_colour(colour or self._theme.text)
        self._note.setText(note)
        self._note.set_colour(note_colour or self._theme.muted)
        self._value.set_tip(tip)
        self.setAccessibleName(f"{label}: {value}. {note}" if note else f"{label}: {value}")

    @property
    def value(self) -> str:
        """The big value."""
        return self._value.text()

    @property
    def note(self) -> str:
        """The small line below it."""
        return self._note.text()

    @property
    def label(self) -> str:
        """The small line above it."""
        return self._label.text()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click."""
        super().mouseReleaseEvent(event)
        if self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return and space click."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Show the focus by underlining the value."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            shown = QFont(self._value.font())
            shown.setUnderline(event.type() == QEvent.Type.FocusIn)
            self._value.setFont(shown)
        return super().event(event)


class ReadoutStrip(Panel):
    """Objective, bound, gap, rules, memory and size in one line of big figures."""

    id: ClassVar[str] = "readouts"
    title: ClassVar[str] = "Readouts"

    violations_requested = Signal()
    bottleneck_requested = Signal()

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.setObjectName("readouts")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self.objective = Readout(theme, "Objective")
        self.bound = Readout(theme, "Best proven lower bound")
        self.gap = Readout(theme, "Gap")
        self.gap_bar = GapBar(theme)
        self.rules = Readout(theme, "Rules")
        self.memory = Readout(theme, "Memory")
        self.devices = Readout(theme, "Devices")
        self.objective.make_button("Select the ops of the bottleneck")
        self.objective.clicked.connect(self.bottleneck_requested)
        self.rules.make_button("Show the broken rules")
        self.rules.clicked.connect(self.violations_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 0, 16, 0)
        layout.setSpacing(28)
        self.gap_bar.setMaximumWidth(520)
        for widget, stretch in (
            (self.objective, 0), (self.bound, 0), (self.gap, 0), (self.gap_bar, 1), (self.rules, 0), (self.memory, 0),
            (self.devices, 0),
        ):  # fmt: skip
            layout.addWidget(widget, stretch)
        self._readouts = (self.objective, self.bound, self.gap, self.rules, self.memory, self.devices)
        document.graph_changed.connect(self._forget_widths)
        for signal in (
            document.graph_changed, document.problem_changed, document.assignment_changed,
            document.readouts_changed, document.preview_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        for readout in self._readouts:
            readout.set_theme(theme)
        self.gap_bar.set_theme(theme)
        super().set_theme(theme)

    def _forget_widths(self) -> None:
        for readout in self._readouts:
            readout.forget_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow window has no room for the number of devices: the device dock shows it too."""
        super().resizeEvent(event)
        self.devices.setVisible(event.size().width() >= 1080)

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Read everything anew."""
        document, t = self.document, self.theme
        if document.problem is None or document.graph is None:
            for readout in self._readouts:
                readout.show_value(readout.label, DASH, "", t.faint)
            self.gap_bar.set_values(None, None)
            return
        problem, evaluation = document.problem, document.evaluation
        unit, objective = document.graph.time_unit, evaluation.objective
        valid = evaluation.valid
        preview = document.preview
        would = None
        if preview is not None and 0 <= preview.target < len(preview.objective):
            would = float(preview.objective[preview.target])

        label, devices = problem.objective.replace("-", " ").capitalize(), problem.devices
        single = _is_one_devices_cost(problem.objective)
        if single and 0 <= evaluation.bottleneck < len(devices):
            label = f"{'Bottleneck' if problem.objective == 'bottleneck' else label} ({devices[evaluation.bottleneck].name})"
        note, note_colour = self._rate(objective), ""
        if would is not None:
            change = (would - objective) / objective if objective else 0.0
            note = f"→ {one_time(would, unit)}  {signed_percent(change)}"
            note_colour = t.good if would < objective else t.bad if would > objective else t.muted
        self.objective.show_value(label, one_time(objective, unit), note, note_colour=note_colour)

        bound = document.bound
        if bound is None:
            self.bound.show_value(
                "Best proven lower bound", DASH, "none yet: prove one with a planner", t.faint
            )
        elif math.isinf(bound.value):
            self.bound.show_value(
                "Best proven lower bound", "infeasible", f"proven by {method_words(bound.method)}", t.bad
            )
        else:
            self.bound.show_value(
                "Best proven lower bound", one_time(bound.value, unit),
                f"proven by {method_words(bound.method)}",
                tip="No valid plan of this problem can be better.",
            )  # fmt: skip
        gap = document.gap if valid else None
        if not valid:
            self.gap.show_value(
                "Gap", DASH, "plan breaks rules", t.faint, tip="A gap is that of a valid plan."
            )
        elif gap is None:
            self.gap.show_value("Gap", DASH, "needs a bound", t.faint)
        elif gap <= 0.0:
            self.gap.show_value("Gap", "optimal", "proven", t.good)
        else:
            colour = t.good if gap < 0.05 else t.text if gap < 0.25 else t.warning
            self.gap.show_value(
                "Gap", f"≤ {gap_text(gap)}" if gap >= 0.0005 else gap_text(gap), "from the optimum", colour,
                tip="(objective − bound) / objective: how far from optimal this plan can be at most.",
            )  # fmt: skip
        finite = bound is not None and math.isfinite(bound.value)
        self.gap_bar.set_values(objective, bound.value if finite and bound is not None else None)
        self.gap_bar.setToolTip(f"plan {one_time(objective, unit)}" + (
            f", bound {one_time(bound.value, unit)}" if finite and bound is not None else ""))  # fmt: skip

        broken, pins = len(evaluation.violations), len(problem.constraints)
        self.rules.show_value(
            "Rules", "valid" if valid else f"{broken:,} broken",
            ("0 violations" if valid else "click to see them") + (f", {plural(pins, 'constraint')}" if pins else ""),
            t.good if valid else t.bad,
        )  # fmt: skip
        self._show_memory()
        active = document.active
        self.devices.show_value(
            "Devices", str(len(devices)), f"{plural(int(np.count_nonzero(evaluation.ops)), 'device')} used",
            tip="" if active is None else f"plan “{active.name}”",
        )  # fmt: skip

    def _rate(self, objective: float) -> str:
        graph = self.document.graph
        if graph is None or graph.time_unit is None or not objective > 0 or not math.isfinite(objective):
            return "the file names no time unit" if graph is not None and graph.time_unit is None else ""
        what = "training steps/s" if graph.backward.any() else "inferences/s"
        return f"{rate_text(1 / objective)} {what}"

    def _show_memory(self) -> None:
        problem, evaluation = self.document.problem, self.document.evaluation
        assert problem is not None
        capacity = problem.evaluator.capacity
        capped = np.isfinite(capacity)
        # Slots of one accelerator say what all of them hold; count that once.
        e = problem.evaluator
        total = float(evaluation.memory[~e.pays | (e.owner == np.arange(e.k))].sum())
        if not capped.any():
            self.memory.show_value("Memory", bytes_text(total), "all devices, no limit set")
            return
        worst = int(np.argmax(np.where(capped, evaluation.memory / np.maximum(capacity, 1), -1)))
        used, cap = float(evaluation.memory[worst]), float(capacity[worst])
        limits = any(rule.code == kernels.RULE_MEMORY for rule in problem.evaluator.rules)
        colour, words = "", f"{bytes_text(total)} on all devices"
        if used > cap:
            # Where no rule limits the memory, what does not fit costs time instead.
            colour = self.theme.bad if limits else self.theme.warning
            words = words if limits else "the rest is streamed each time"
        self.memory.show_value(
            f"Memory (fullest, {problem.devices[worst].name})", share_text(used, cap), words, colour
        )


def _is_one_devices_cost(objective: str) -> bool:
    """Whether the objective is the cost of the worst device (a sum of parts such as gpipe is not)."""
    return objective in {"bottleneck", "max-load", "stage-time", "chip-latency"}
