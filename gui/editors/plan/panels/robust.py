"""The dock that says how sure the plan on the canvas is: what it costs when op times are off, which errors matter, which plan regrets least."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.background.robustness import RobustnessSearch
from gui.document.values import Message
from gui.editors.plan.panels.robust_chart import OutlookView, outlook_of
from gui.editors.plan.panels.robust_model import SAME, TIME, TolerancesModel
from gui.look.numbers import one_time, percent
from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.widgets.apart import ApartDelegate
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.number_boxes import NumberBox
from gui.widgets.offering import offer
from gui.widgets.tables import row_table
from gui.words.methods import method_words, shown_name
from planner.errors import StageboardError
from planner.reports.robustness.report import Robustness
from planner.reports.robustness.spread import (
    DEPENDENCES,
    ESTIMATED,
    GIVEN,
    MOST_FACTOR,
    Dependence,
    spread_of,
)
from planner.reports.robustness.words import changing_words, regret_sentence, standing_words

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.problem.problem import Problem

ERRORS: dict[Dependence, str] = {
    "independent": "All ops off, independently",
    "by-kind": "Kinds of ops off alike",
    "together": "All ops off alike",
}
USUAL = 1.0
"""What the box shows as "usual": the factors that are assumed where nobody says."""
SHARES = (45, 55)
"""Of the width: the chart, the ops."""
ROOM = {SAME: 440, TIME: 520}
"""Columns of the table that are shown from these widths on."""


class RobustPanel(Panel):
    """Looks when it is shown for the first time, then when asked; a click on an op selects it."""

    id: ClassVar[str] = "robust"
    title: ClassVar[str] = "How Sure Is This Plan?"

    def __init__(
        self, document: Document, search: RobustnessSearch, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(document, theme, parent)
        self.search = search
        self._spread_of: Problem | None = None
        self._factors: tuple[float, ...] = ()
        self._held = False
        """Whether somebody stopped the search for the present problem."""
        self.dependence = DropDown(self)
        for each in DEPENDENCES:
            self.dependence.addItem(ERRORS[each], each)
        self.dependence.setAccessibleName("How errors of op times go together")
        self.dependence.setToolTip(
            "How errors go together: all ops independently of one another, ops of a kind alike, or all ops alike"
        )
        self.dependence.activated.connect(self.request_refresh)
        self.spread = NumberBox(self)
        self.spread.setRange(USUAL, MOST_FACTOR)
        self.spread.setSingleStep(0.1)
        self.spread.setDecimals(2)
        self.spread.setPrefix("by up to ")
        self.spread.setSuffix("x")
        self.spread.setKeyboardTracking(False)
        self.spread.setAccessibleName("Factor by which op times may be off")
        self.spread.setToolTip(
            f"How far op times may be off where no profile says how far its runs spread; the usual: a factor of {ESTIMATED:g} for estimates,"
            f" {GIVEN:g} for times that a file gives"
        )
        self.spread.valueChanged.connect(self._look)
        self.words = ElidedLabel("", self, lines=2)
        self.button = QPushButton("", self)
        self.button.clicked.connect(self._look_or_cancel)
        self.chart = OutlookView(theme)
        self.model = TolerancesModel(theme, self)
        self.table = row_table(self.model, "Ops whose errors matter most", self, 22)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setItemDelegateForColumn(0, ApartDelegate(self.table))
        self.table.setIconSize(QSize(10, 10))
        self.table.selectionModel().currentRowChanged.connect(self._chosen)
        self.table.clicked.connect(self._chosen)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.regret = ElidedLabel("", self, lines=2)
        self.take = QPushButton("Put It on the Canvas", self)
        self.take.setToolTip(
            "Let the plan of least regret take the place of the one on the canvas: one undo step"
        )
        self.take.clicked.connect(lambda _=False: self.take_least_regret())
        self._lay_out()
        search.changed.connect(self.request_refresh)
        search.failed.connect(lambda words: document.message.emit(Message("error", capital(words) + ".")))
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self._problem_changed)
        for signal in (document.decision_changed, document.plans_changed):
            signal.connect(self.request_refresh)

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        bottom.setContentsMargins(10, 0, 10, 2)
        for row in (top, bottom):
            row.setSpacing(8)
        top.addWidget(self.dependence)
        top.addWidget(self.spread)
        top.addWidget(self.words, 1)
        top.addWidget(self.button)
        bottom.addWidget(self.regret, 1)
        bottom.addWidget(self.take)
        self.body = QSplitter(Qt.Orientation.Horizontal, self)
        self.body.setChildrenCollapsible(False)
        self.body.addWidget(self.chart)
        self.body.addWidget(self.table)
        self.table.setMinimumWidth(200)
        self.table.viewport().installEventFilter(self)
        self.body.setSizes([*SHARES])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(self.body, 1000)
        column.addLayout(bottom)
        column.addStretch(1)  # a sentence alone stands at the top

    def sizeHint(self) -> QSize:
        """Room for the histogram and some ops."""
        return QSize(760, 236)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(240, 150)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Where the table is narrow, names of ops are worth more than its last columns."""
        if event.type() == QEvent.Type.Resize:
            self._show_columns()
        return super().eventFilter(watched, event)

    def _show_columns(self) -> None:
        """Columns that have room, and say something of some op; where nothing is known of errors all that there is."""
        wide, columns = self.table.viewport().width(), range(1, self.model.columnCount())
        told = [column for column in columns if not self.model.is_blank(column)]
        roomy = [column for column in told if wide >= ROOM.get(column, 0)]
        for column in columns:
            self.table.setColumnHidden(column, column not in (roomy or told))

    @property
    def chosen_dependence(self) -> Dependence:
        """How errors go together in what is shown."""
        found: Dependence = self.dependence.currentData()
        return found

    # ------------------------------------------------------------------ running
    def _problem_changed(self) -> None:
        self._held = False
        self.request_refresh()

    def _look_or_cancel(self) -> None:
        if self.search.running:
            self._held = True
            self.search.stop()
        else:
            self._look()

    def _look(self) -> None:
        value = self.spread.value()
        self._held = False
        self.search.stop()
        self.search.start(None if value == USUAL else value)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: what is being found out ends, what is known stays."""
        super().hideEvent(event)
        self.search.stop()

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Show what is known; begin where nothing is known of the present problem and nobody held it."""
        search, refusal = self.search, self.search.refusal
        known = search.known
        if not refusal and known is None and not search.running and not self._held:
            self._look()
        found = None if refusal else search.known
        faded = not search.current
        self.spread.setSpecialValueText(self._usual())
        for widget in (self.dependence, self.spread, self.button, self.body, self.regret, self.take):
            widget.setVisible(not refusal)
        self.button.setText("Cancel" if search.running else "Look Again" if found is not None else "Look")
        self.button.setAccessibleName(
            "Stop looking how sure the plan is" if search.running else "Look how sure the plan is"
        )
        self.chart.show_outlook(None if found is None else outlook_of(found, self.chosen_dependence, faded))
        self.model.show(found, faded)
        self._show_columns()
        set_role(self.words, "warning" if found is not None and faded else "muted")
        if refusal:
            self.words.set_texts(capital(refusal) + ".")
            self.words.set_tip("")
            return
        self.words.set_texts(*self._state(found, faded))
        self.words.set_tip(
            ""
            if found is None
            else "\n".join([standing_words(found, method_words), found.spread.words, *found.notes])
        )
        self._show_regret(found, faded)

    def _usual(self) -> str:
        """What the box says where nobody chose a factor: what is assumed then, of ops whose spread is not measured."""
        problem = self.document.problem
        if problem is not self._spread_of:
            self._spread_of = problem
            self._factors = () if problem is None else spread_of(problem).assumed_factors
        factors = self._factors
        return (
            f"by up to {' or '.join(f'{factor:g}x' for factor in factors)} (usual)"
            if factors
            else "as measured"
        )

    def _state(self, found: Robustness | None, faded: bool) -> tuple[str, ...]:
        """What is known, or done, and ever shorter ways to say it: the box names the factor that is assumed."""
        search = self.search
        if search.running:
            return (f"{percent(search.done, 0)}  {search.words} …" if search.words else "…",)
        if found is None:
            return ("Not looked for yet.",)
        if faded:
            return (
                f"{search.changed_since or 'The plan has changed'}: these figures are of what was before.",
            )
        stands = f"{_upper(standing_words(found, method_words))}."
        changes = f"{_upper(changing_words(found))}."
        return f"{stands} {changes} {_upper(found.spread.words)}.", f"{stands} {changes}", changes, stands

    def _regret_words(self, found: Robustness) -> str:
        if self.search.running and len(found.compared) == 1 and not found.runs:
            return "Other plans to compare with are still being looked for."
        return regret_sentence(found, self.chosen_dependence)

    def _show_regret(self, found: Robustness | None, faded: bool) -> None:
        best = 0 if found is None else found.least_regret(self.chosen_dependence)
        self.regret.setText("" if found is None else self._regret_words(found))
        set_role(self.regret, "faint" if faded else "")
        takes = found is not None and not faded and best > 0
        if not takes and self.take.hasFocus():
            self.table.setFocus()  # else the keyboard would go to whatever comes next
        lacking = (
            "these figures are of what was before: look again"
            if faded
            else "no other plan is found to regret less"
        )
        offer(self.take, "" if takes else "nothing is known yet: look first" if found is None else lacking)
        lines = [] if found is None else self._regret_lines(found)
        self.regret.set_tip("\n".join(lines))

    def _regret_lines(self, found: Robustness) -> list[str]:
        sampled, unit = found.outlooks[self.chosen_dependence], found.problem.graph.time_unit
        return [
            f"{shown_name(each.name)}: {one_time(each.nominal, unit)}, regret {percent(float(sampled.expected_regret[p]))} on average,"
            f" {percent(float(sampled.most_regret[p]))} at most"
            for p, each in enumerate(found.compared)
        ] + [
            f"{shown_name(each.name)}: {one_time(each.nominal, unit)}, better where one op is off, not compared for regret"
            for each in found.rivals
        ]

    # ------------------------------------------------------------------ doing
    def _chosen(self, index: QModelIndex, *_: object) -> None:
        each = self.model.each(index.row())
        if each is not None and self.document.problem is not None and each.op < self.document.problem.graph.n:
            self.document.select([each.op])

    def take_least_regret(self) -> None:
        """Put the plan of least regret on the canvas: one undo step. Nothing where it is there already."""
        found = self.search.known
        if found is None or not self.search.current:
            return
        best = found.compared[found.least_regret(self.chosen_dependence)]
        document = self.document
        device_of = document.board.called_alike(document.open_problem, best.device_of)
        entry = next(
            (
                e
                for e in document.plans
                if e.is_of(document.problem)
                and any(np.array_equal(e.device_of, one) for one in (best.device_of, device_of))
            ),
            None,
        )
        try:
            if entry is None:
                made = found.least_regret_provenance(self.chosen_dependence)
                entry = document.add_plan(device_of, "Least regret", planner=made.planner, provenance=made)
            document.apply_plan(entry)
        except StageboardError as error:
            document.message.emit(Message("error", str(error)))

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.chart.set_theme(theme)
        self.model.set_theme(theme)
        super().set_theme(theme)


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
