"""The op table: every op of the graph, sortable, searchable, and selected together with the canvas."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QObject,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from gui.document.find.find import with_paths
from gui.editors.plan.panels.ops_model import OF_TIMES, PARAMETERS, WORK, OpsModel
from gui.editors.plan.panels.ops_row import TwoLines
from gui.look.numbers import plural
from gui.look.theme import Theme, font
from gui.panels.base import Panel
from gui.panels.op_rows import LEFT, choose_ops, chosen_ops, leave_find_box, op_table
from gui.widgets.labels import ElidedLabel
from gui.widgets.later import Later
from gui.widgets.turn import OTHERS
from gui.words.objectives import plan_times
from planner.errors import StageboardError
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.document.plan.document import Document

PLACEHOLDER = "kind:Conv*  /regex/  A -> .* -> B"
HELP = (
    "Words match names. Also: kind:Conv*   shape:..64   device:“acc 0”   /regular expression/\n"
    "and paths such as  MatMul -> .* -> Softmax; Conv -> Relu is an edge\n"
    "Return and F3 go from match to match, with Shift backwards; Alt+Return selects them all"
)
WIDTHS = (150, 76, 76, 96, 80, 92, 96, 96, 64)
"""Of the columns: name (grows with the panel), work, parameters, kind, device, bytes, estimated, measured, their ratio."""
PAUSE = 120
"""Milliseconds without a key after which the table follows the find box."""


class OpsPanel(Panel):
    """Find box, number of results, table."""

    id: ClassVar[str] = "ops"
    title: ClassVar[str] = "Ops"

    zoom_requested = Signal(object)
    """Show these ops (int32 array) on the canvas."""
    reveal_requested = Signal(int)
    """Bring an op into sight."""
    found = Signal(object)
    """The ops (int32 array) that the find box asks for; None: it asks for nothing, or not in a way that is understood."""
    left = Signal()
    """One is done with finding: the keyboard goes back to the canvas."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.find_box = QLineEdit(self)
        self.find_box.setPlaceholderText(PLACEHOLDER)
        self.find_box.setToolTip(HELP)
        self.find_box.setAccessibleName("Find ops")
        self.find_box.setAccessibleDescription(HELP)
        self.find_box.setClearButtonEnabled(True)
        self.find_box.installEventFilter(self)
        self.count = ElidedLabel("", self)
        self.count.setFont(font(8.0))
        self.model = OpsModel(self)
        self.trouble = QLabel(self)
        """Why nothing is found, in as many lines as that takes."""
        self.trouble.setTextFormat(Qt.TextFormat.PlainText)
        self.trouble.setWordWrap(True)
        self.trouble.setFont(font(8.0))
        self.trouble.setContentsMargins(0, 0, 8, 0)
        self.trouble.hide()
        self.table = op_table(self.model, "Table of ops", self)
        self.rows = TwoLines(self.table, theme)
        self.table.setItemDelegate(self.rows)
        self._sorting = self._own_sorting = False
        """Whether the table is being sorted unasked, and whether a person has said by what."""
        header = self.table.horizontalHeader()
        header.sortIndicatorChanged.connect(self._sorted)
        header.setDefaultAlignment(LEFT)
        header.setStretchLastSection(True)
        for column, width in enumerate(WIDTHS):
            self.table.setColumnWidth(column, width)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 0, 0)
        layout.setSpacing(4)
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 8, 0)
        top.addWidget(self.find_box)
        layout.addLayout(top)
        layout.addWidget(self.count)
        layout.addWidget(self.trouble)
        layout.addWidget(self.table, 1)
        self._following = self._lit = False
        self._asked_last = ""
        """What was found last, of which the next match is asked for when the search has ended, too."""
        self._at = -1
        """The match that was gone to last."""
        self._pause = Later(self.run_find, self, PAUSE, lambda: document.graph)
        self.find_box.textChanged.connect(self._pause.ask)
        self.table.selectionModel().selectionChanged.connect(self._selected_here)
        self.table.doubleClicked.connect(lambda _: self.zoom_requested.emit(self.document.selection))
        self.table.entered.connect(lambda index: document.set_hover(self.model.op(index.row())))
        self.table.viewport().installEventFilter(self)
        self.table.installEventFilter(self)
        self.model.modelReset.connect(self._follow_selection)
        self.model.layoutChanged.connect(self._follow_selection)
        document.model_changed.connect(self._graph_changed)
        document.problem_changed.connect(self.request_refresh)
        document.decision_changed.connect(self._moved)
        document.readouts_changed.connect(self._take_plan_times)
        document.selection_changed.connect(self._selection_changed)
        self._graph_is_new = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names and work are always in sight, the rest below them; with more room all columns come in, then names grow."""
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        room = self.width() - 8 - 12
        shown = [width for column, width in enumerate(WIDTHS) if not self.table.isColumnHidden(column)]
        rest = sum(shown[2:])
        narrow = room < WIDTHS[0] + WIDTHS[1] + rest
        self.rows.set_on(narrow)
        self.table.setColumnWidth(0, max(100, room - WIDTHS[1] - (0 if narrow else rest)))

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.rows.theme = theme
        super().set_theme(theme)

    def _put_first(self) -> None:
        """The column beside the names is what the objective is about: parameters where it counts bytes, else work.

        The costliest ops come first, until a person wants another order.
        """
        problem = self.document.problem
        if problem is None:
            return
        header = self.table.horizontalHeader()
        column = PARAMETERS if problem.unit(problem.components[0]) == "B" else WORK
        header.moveSection(header.visualIndex(column), 1)
        if not self._own_sorting:
            self._sorting = True
            self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
            self._sorting = False

    def _sorted(self, *_: object) -> None:
        self._own_sorting = self._own_sorting or not self._sorting

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Read graph and problem anew. Where there is nothing, nothing can be scrolled to."""
        policy = Qt.ScrollBarPolicy
        none = self.document.problem is None
        self.table.setHorizontalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if none else policy.ScrollBarAsNeeded
        )
        self._take_plan_times()
        self.model.set_problem(self.document.problem, self.document.device_of, self.theme, self._graph_is_new)
        self._graph_is_new = False
        for column in OF_TIMES:
            self.table.setColumnHidden(column, not self.model.has_times)
        self._share_room()
        self._put_first()
        self.run_find()

    def _graph_changed(self) -> None:
        self._graph_is_new = True
        self.find_box.clear()
        self._pause.stop()
        self.request_refresh()

    def _moved(self, _change: object) -> None:
        if self._stale:
            return  # the devices may be those of a problem that the model has not seen yet
        scroll = self.table.verticalScrollBar()
        seen, at = self._selection_in_sight(), scroll.value()
        self.model.set_assignment(self.document.device_of)
        if not seen:
            # A list in another order goes to what is selected only where that was looked at.
            scroll.setValue(at)
        if "device:" in self.find_box.text():
            self._pause.ask()

    def _selection_in_sight(self) -> bool:
        """Whether the row of a selected op can be seen."""
        rows = self.model.rows_of(self.document.selection)
        first = self.table.rowAt(0)
        last = self.table.rowAt(self.table.viewport().height() - 1)
        return bool(np.any((rows >= first) & (rows <= (last if last >= 0 else self.model.rowCount()))))

    def _take_plan_times(self) -> None:
        """The unit of what is told of the plan, in the table too."""
        if (problem := self.document.problem) is not None and not self._stale:
            self.model.set_plan_times(plan_times(problem, self.document.evaluation))

    @OTHERS.counted()
    def run_find(self) -> None:
        """Show what the find box asks for."""
        self._pause.stop()
        query = self.find_box.text().strip()
        n, self._at = self.model.n, -1
        problem_text = hint = ""
        found: Ints = np.empty(0, np.int32)
        if not query:
            self.model.set_rows(None)
            self.count.setText(plural(n, "op") if n else self.document.nothing("no model open"))
        else:
            try:
                found = np.asarray(self.document.find(query), np.int32)
            except StageboardError as error:
                problem_text = str(error)
            else:
                hint = "" if len(found) else self._path_hint(query)
            self.model.set_rows(found)
            self._say_count()
        self._say_trouble(problem_text, hint)
        asked = bool(query) and not problem_text
        if asked:
            self._asked_last = query
        if asked or self._lit:
            self._lit = asked
            self.found.emit(found if asked else None)
        if self.find_box.property("invalid") != bool(problem_text):
            self.find_box.setProperty("invalid", bool(problem_text))
            self.find_box.style().unpolish(self.find_box)
            self.find_box.style().polish(self.find_box)

    def _say_count(self) -> None:
        """How many match, or which of them is looked at."""
        found, n = len(self.results()), self.model.n
        if self._at >= 0:
            self.count.setText(f"match {self._at + 1:,} of {found:,}")
        else:
            self.count.setText(f"{found:,} of {plural(n, 'op')}" + ("  ⏎ goes to them" if found else ""))

    def _say_trouble(self, error: str, hint: str) -> None:
        self.count.set_colour(self.theme.muted)
        self.count.setVisible(not error)
        colour = self.theme.bad if error else self.theme.text
        self.trouble.setStyleSheet(f"color: {colour}")
        self.trouble.setText(error or hint)
        self.trouble.setVisible(bool(error or hint))

    def _path_hint(self, query: str) -> str:
        """How to ask for paths, where edges were asked for and there are none."""
        paths = with_paths(query)
        if not paths:
            return ""
        try:
            count = len(self.document.find(paths))
        except StageboardError:
            return ""
        if not count:
            return "No edge does that, and no path either."
        return f"No edge does that. For paths write\n{paths}\n({plural(count, 'op')})"

    def show_find(self, query: str = "") -> None:
        """Put the keyboard into the find box."""
        if query:
            self.find_box.setText(query)
        self.find_box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_box.selectAll()

    def results(self) -> Ints:
        """The ops that the table lists, in its order."""
        return self.model.ops()

    def walk(self, step: int) -> None:
        """Go to the next match (``step`` 1) or the one before (-1), round and round: it is selected and comes into sight.

        Where nothing is asked for any more, that is of what was asked last.
        """
        if not self.find_box.text().strip():
            self.find_box.setText(self._asked_last)
        if self._pause.waiting:
            self.run_find()
        found = self.results()
        if not self.find_box.text().strip() or not len(found):
            return
        self._at = (self._at + step) % len(found) if self._at >= 0 else (0 if step > 0 else len(found) - 1)
        op = int(found[self._at])
        self.document.select([op])
        self._say_count()
        self.reveal_requested.emit(op)

    def _zoom_to_results(self) -> None:
        self.run_find()
        found = self.results()
        if self.find_box.text().strip() and len(found):
            self.document.select(found)
            self.zoom_requested.emit(np.sort(found))

    # ------------------------------------------------------------------ selection, both ways
    def _selected_here(self, *_: object) -> None:
        if self._following:
            return
        ops = chosen_ops(self.table, self.model)
        self._following = True
        try:
            hidden = (
                np.setdiff1d(self.document.selection, self.model.ops())
                if self._adding()
                else np.empty(0, np.int32)
            )
            self.document.select(np.concatenate([ops, hidden]))
        finally:
            self._following = False

    def _adding(self) -> bool:
        from PySide6.QtWidgets import QApplication

        return bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)

    def _selection_changed(self) -> None:
        if not self._following:
            self._follow_selection()

    def _follow_selection(self) -> None:
        """Select the document's ops in the table."""
        self._following = True
        try:
            choose_ops(self.table, self.model, self.document.selection)
        finally:
            self._following = False

    # ------------------------------------------------------------------ keys
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return walks through what is found, Down goes on to the table, Escape ends it; Return in the table shows the selection on the canvas."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if watched is self.find_box and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if event.modifiers() & Qt.KeyboardModifier.AltModifier:
                    self._zoom_to_results()
                else:
                    self.walk(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            within = watched is self.find_box or watched is self.table
            if within and leave_find_box(event.key(), self.find_box, self.table, self.left):
                return True
            if watched is self.table and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if len(self.document.selection):
                    self.zoom_requested.emit(self.document.selection)
                return True
        if event.type() == QEvent.Type.Leave and watched is self.table.viewport():
            self.document.set_hover(-1)
        return super().eventFilter(watched, event)
