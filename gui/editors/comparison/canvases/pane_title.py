"""The lines over a pane: which plan it shows, how good that is, how far it is from the reference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gui.document.plan_list import PlanEntry
from gui.editors.comparison.sources import Source
from gui.editors.comparison.state import CompareState
from gui.look.numbers import signed_percent
from gui.look.theme import Theme, font
from gui.panels.comparison.names import plan_title
from gui.panels.comparison.words import (
    BETWEEN,
    judged_words,
    moved_words,
    rules_words,
    standing_choices,
    standing_tip,
)
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel, plain_tip
from gui.words.methods import shown_name
from gui.words.objectives import SAME
from planner.reports.comparison.figures import filed

if TYPE_CHECKING:
    from planner.reports.comparison import Comparison


def figures_words(comparison: Comparison, plan: int, proving: bool) -> list[str]:
    """How good a plan is, then the same for less and less room; ``proving``: its bound may soon be better."""
    choices = standing_choices(comparison, plan)
    return [*([f"{choices[0]}{BETWEEN}proving …"] if proving else []), *choices]


def marked_rules(comparison: Comparison, plan: int) -> str:
    """Whether a plan keeps the rules, with a mark that says so, too."""
    valid = comparison.plans[plan].evaluation.valid
    return ("\N{CHECK MARK} " if valid else "\N{BALLOT X} ") + rules_words(comparison, plan)


def plan_lines(comparison: Comparison, plan: int, proving: bool) -> list[str]:
    """All that a title says of a plan itself, in a line, then the same for less and less room: whole facts, the name and the first
    figure last."""
    name, rules = plan_title(comparison, plan), marked_rules(comparison, plan)
    figures = figures_words(comparison, plan, proving)
    return [BETWEEN.join([name, words, rules]) for words in figures[:-1]] + [
        BETWEEN.join([name, figures[-1]])
    ]


class PaneTitle(QWidget):
    """Over the pane of plan ``index``. ``replaced(Source)``: another plan was chosen for the pane."""

    replaced = Signal(object)
    reference_requested = Signal()
    close_requested = Signal()

    def __init__(self, state: CompareState, index: int, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._index, self._name = state, index, ""
        self.badge = QLabel(state.label(index), self)
        self.badge.setFont(font(10.0, bold=True))
        self.badge.setObjectName("letter")
        self.name = QToolButton(self)
        self.name.setObjectName("link")
        self.name.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.name.setFont(font(10.0, bold=True))
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.menu = QMenu(self.name)
        self.menu.aboutToShow.connect(self._fill)
        self.name.setMenu(self.menu)
        self.live = QLabel("on the canvas", self)
        set_role(self.live, "muted")
        self.live.setToolTip("Edits in the main window show here at once")
        self.reference = QToolButton(self)
        self.reference.clicked.connect(lambda _=False: self.reference_requested.emit())
        self.close_button = QToolButton(self)
        self.close_button.setText("\N{MULTIPLICATION SIGN}")
        self.close_button.clicked.connect(lambda _=False: self.close_requested.emit())
        self.figures = ElidedLabel("", self)
        self.versus = PlainLabel("", self)
        self.rules = PlainLabel("", self)
        self.moved = ElidedLabel("", self)
        set_role(self.moved, "muted")
        first = QHBoxLayout()
        first.setContentsMargins(0, 0, 0, 0)
        first.setSpacing(6)
        for widget in (self.badge, self.name, self.live):
            first.addWidget(widget)
        first.addStretch(1)
        first.addWidget(self.reference)
        first.addWidget(self.close_button)
        second = QHBoxLayout()
        second.setContentsMargins(0, 0, 6, 0)
        second.setSpacing(12)
        self.figures.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        second.addWidget(self.figures, 20)
        second.addWidget(self.versus)
        second.addWidget(self.rules)
        second.addWidget(self.moved, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 4, 5)
        column.setSpacing(1)
        column.addLayout(first)
        column.addLayout(second)
        self.setObjectName("paneTitle")
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.badge.setStyleSheet(
            f"#letter {{ background: {theme.text}; color: {theme.panel}; border-radius: 4px; padding: 0 5px; }}"
        )
        self.name.setStyleSheet("QToolButton::menu-indicator { image: none; }")

    def show_plan(self, comparison: Comparison, shown: tuple[int, int], proving: bool = False) -> None:
        """Say what there is to say about the plan; ``shown`` is the pair that lists are about, ``proving``: its bound may soon be better."""
        i = self._index
        letter, name = comparison.letter(i), shown_name(comparison.figures(i).name)
        self._name = name
        self._elide()
        self.name.setToolTip(plain_tip(f"{name}: choose another plan for this place"))
        self.name.setAccessibleName(f"Plan {letter}: {name}; choose another")
        self.show_live()
        first = i == shown[1]
        self.reference.setText("reference" if i == 0 else "make reference")
        is_reference = "the others are compared with this plan" if i == 0 else ""
        offer(self.reference, is_reference, "Compare the others with this plan")
        self.reference.setAccessibleName(
            f"Plan {letter} is the reference" if i == 0 else f"Make plan {letter} the reference"
        )
        self.close_button.setVisible(len(comparison.plans) > 2)
        self.close_button.setToolTip("Take this plan out of the comparison")
        self.close_button.setAccessibleName(f"Take plan {letter} out of the comparison")
        self.figures.set_texts(*figures_words(comparison, i, proving))
        self._say_difference(comparison)
        valid = comparison.plans[i].evaluation.valid
        self.rules.setText(marked_rules(comparison, i))
        set_role(self.rules, "good" if valid else "bad")
        sentences = [violation.sentence for violation in comparison.plans[i].evaluation.violations[:4]]
        self.rules.setToolTip(plain_tip("\n".join(filter(None, [*sentences, judged_words(comparison)]))))
        against = shown[0] if first else shown[1] if i == shown[0] else 0
        moved = len(comparison.moved(i, against))
        self.moved.set_texts(f"{moved:,} moved" if moved else f"as {comparison.letter(against)}", "")
        self.moved.set_tip(moved_words(comparison, i, against))
        self.figures.set_tip(standing_tip(comparison, i))
        self.setAccessibleName(
            f"Plan {letter}, {name}: {self.figures.text()}, {rules_words(comparison, i)}, {moved_words(comparison, i, against)}"
        )

    def show_live(self) -> None:
        """Say whether this is the plan on the main canvas."""
        state = self._state
        if self._index < len(state.sources):
            self.live.setVisible(state.sources[self._index].live(state.document))

    def _say_difference(self, comparison: Comparison) -> None:
        """By how much the objective is better or worse than the reference's."""
        i = self._index
        by, base = comparison.objective_difference(i), comparison.plans[0].objective
        known = i > 0 and math.isfinite(by)
        same = known and abs(by) <= SAME * abs(base)
        words = "" if not known or not base else "as in A" if same else signed_percent(by / base)
        self.versus.setText(words)
        self.versus.setToolTip(f"{words} against A" if words and not same else "")
        self.versus.setVisible(bool(words))
        set_role(self.versus, "muted" if same else "good" if by < 0 else "warning")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A long name is cut where it does not fit."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        taken = sum(w.sizeHint().width() for w in (self.badge, self.reference) if not w.isHidden())
        taken += sum(w.sizeHint().width() for w in (self.live, self.close_button) if not w.isHidden())
        room = max(60, self.width() - taken - 64)
        shown = self.name.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, room)
        self.name.setText(f"{shown} \N{BLACK DOWN-POINTING SMALL TRIANGLE}")

    def _fill(self) -> None:
        """The plans of the main window's list, and of the files that are compared already."""
        self.menu.clear()
        state = self._state
        mine = state.sources[self._index]
        for entry in state.document.plans:
            if entry.components:
                self._offer(shown_name(entry.name), Source(entry), entry is mine.entry, _used(state, entry))
        for source in state.sources:
            if source.entry is None:
                name = source.name if source.path is None else filed(source.name, source.path)
                self._offer(shown_name(name), source, source is mine, "")

    def _offer(self, name: str, source: Source, current: bool, used: str) -> None:
        action = self.menu.addAction(
            name + (f"    (is {used}: they change places)" if used and not current else "")
        )
        action.setCheckable(True)
        action.setChecked(current)
        action.triggered.connect(lambda _=False: self.replaced.emit(source))


def _used(state: CompareState, entry: PlanEntry) -> str:
    """The letter of the column that shows an entry already; empty for none."""
    return next((state.label(i) for i, source in enumerate(state.sources) if source.entry is entry), "")
