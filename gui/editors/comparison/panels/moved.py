"""The list of moved ops: filtered, sorted, selected together with the canvases, and taken into the other plan."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QVBoxLayout,
)

from gui.editors.comparison.base import CompareView
from gui.editors.comparison.panels.moved_model import (
    FROM,
    KIND,
    OP,
    OUTPUT,
    PARAMETERS,
    TO,
    WORK,
    MovedModel,
    Moves,
)
from gui.look.numbers import plural
from gui.panels.op_rows import choose_ops, chosen_ops, leave_find_box, op_table
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.later import Later
from gui.widgets.offering import offer
from gui.widgets.plain import plain_tip
from planner.lifetime import while_it_lives
from planner.model.graph import Graph, Ints

if TYPE_CHECKING:
    pass

WIDTHS = {OP: 160, FROM: 84, TO: 84, WORK: 76, KIND: 96, PARAMETERS: 92, OUTPUT: 92}
"""Columns in the order in which they stand, with their least widths; names and kinds grow with the list."""
TWO_WORKS = 132
"""The least width of a column that says what an op takes on both its devices."""
LONGEST = 20
"""Of so many words with the most letters the width is measured."""
PAUSE = 120
"""Milliseconds without a key after which the list follows the filter."""


def longest(texts: Iterable[str]) -> list[str]:
    """The longest of many words: the widest is likely to be among them."""
    return sorted(texts, key=len)[-LONGEST:]


@while_it_lives
def longest_names(graph: Graph) -> list[str]:
    """The longest names of ops."""
    return longest(graph.op_names)


class MovedList(CompareView):
    """Filter, number, table."""

    id: ClassVar[str] = "compare-moved"
    title: ClassVar[str] = "Moved Ops"

    take_requested = Signal(object, int)
    """Put these ops (int32 array) where plan ``source`` has them, in the plan that it is compared with."""
    zoom_requested = Signal(object)
    """Show these ops (int32 array) on the canvases."""
    left = Signal()
    """One is done with the filter: the keyboard goes back to the canvases."""

    def build(self) -> None:
        """Make the widgets, empty."""
        self.find_box = QLineEdit(self)
        self.find_box.setPlaceholderText("Filter: name, kind, device")
        self.find_box.setAccessibleName("Filter the moved ops")
        self.find_box.setToolTip("Words that an op's name, kind or devices hold; all of them have to")
        self.find_box.setClearButtonEnabled(True)
        self.find_box.installEventFilter(self)
        self.count = ElidedLabel("", self)
        set_role(self.count, "muted")
        self.take = QAction(self)
        self.take.triggered.connect(self._take)
        self.show_ops = QAction("Show on the Canvases", self)
        self.show_ops.triggered.connect(self._show_ops)
        self.model = MovedModel(self)
        self.table = op_table(self.model, "Ops on different devices", self)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._menu)
        header = self.table.horizontalHeader()
        for place, (column, width) in enumerate(WIDTHS.items()):
            header.moveSection(header.visualIndex(column), place)
            self.table.setColumnWidth(column, width)
        top = QHBoxLayout()
        top.setContentsMargins(8, 6, 8, 0)
        top.setSpacing(8)
        top.addWidget(self.find_box, 2)
        top.addWidget(self.count, 3)
        column_box = QVBoxLayout(self)
        column_box.setContentsMargins(0, 0, 0, 0)
        column_box.setSpacing(4)
        column_box.addLayout(top)
        column_box.addWidget(self.table, 1)
        self._following = False
        self._pause = Later(self.run_filter, self, PAUSE)
        self.find_box.textChanged.connect(self._pause.ask)
        self.table.selectionModel().selectionChanged.connect(self._selected_here)
        self.table.doubleClicked.connect(self._show_ops)
        self.table.entered.connect(lambda index: self.state.hover_op(self.model.op(index.row())))
        self.table.viewport().installEventFilter(self)
        self.table.installEventFilter(self)
        self.model.modelReset.connect(self._follow_selection)
        self.model.layoutChanged.connect(self._follow_selection)
        self.state.selection_changed.connect(self._selection_changed)

    def sizeHint(self) -> QSize:
        """A dozen rows."""
        return QSize(560, 280)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(260, 120)

    def fit_width(self) -> None:
        """Names get what the other columns leave."""
        self._give_names_the_rest()

    def _give_names_the_rest(self) -> None:
        """As wide as the longest name where there is room, then kinds; what is left then all columns share, so that nothing is empty."""
        work = WIDTHS[WORK] if self.model.one_work else TWO_WORKS
        widths = {**WIDTHS, WORK: work}
        others = sum(width for column, width in widths.items() if column not in (OP, KIND))
        room = self.width() - others - 16
        moves = self.model.moves
        graph = None if moves is None else moves.comparison.graph
        names = 0 if graph is None else self._widest(longest_names(graph))
        kinds = 0 if graph is None else self._widest(longest(set(graph.kinds)))
        name = max(WIDTHS[OP], min(names, room - WIDTHS[KIND]))
        kind = max(WIDTHS[KIND], min(kinds, room - name))
        more = max(0, room - name - kind) // len(WIDTHS)
        for column, width in {**widths, OP: name, KIND: kind}.items():
            self.table.setColumnWidth(column, width + more)

    def _widest(self, texts: Collection[str]) -> int:
        """Pixels for the widest of a few words."""
        measure = self.table.fontMetrics()
        return max((measure.horizontalAdvance(text) for text in texts), default=0) + 24

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """List what is moved now."""
        comparison = self.comparison
        self.model.show_moves(None if comparison is None else Moves(comparison, self.pair), self.theme)
        if comparison is not None:
            self._widen()
            self.find_box.setPlaceholderText(f"Filter: name, kind, {self._example()}")
            into, source = (comparison.letter(plan) for plan in reversed(self.pair))
            self.take.setText(f"Take into {into}")
            self.take.setToolTip(plain_tip(f"Put the selected ops where {source} has them, in {into} (T)"))
        self.run_filter()

    def _example(self) -> str:
        """A filter for devices that finds something: where the first op that moved comes from and goes to."""
        moves = self.model.moves
        if moves is None or not len(moves.ops):
            return "device"
        op = int(moves.ops[0])
        return f"{moves.short_names[int(moves.before[op])]} -> {moves.short_names[int(moves.after[op])]}"

    def _widen(self) -> None:
        """Devices are always named in full."""
        moves, measure = self.model.moves, self.table.fontMetrics()
        names = moves.short_names if moves is not None else []
        widest = max((measure.horizontalAdvance(name) for name in names), default=0)
        for column in (FROM, TO):
            self.table.setColumnWidth(column, max(WIDTHS[column], widest + 36))
        self._give_names_the_rest()

    def run_filter(self) -> None:
        """Follow the filter."""
        self._pause.stop()
        self.model.set_filter(self.find_box.text())
        self._count()

    def _count(self) -> None:
        moves, listed = self.model.moves, len(self.model.ops())
        chosen = len(self._chosen())
        offer(self.take, "" if chosen else "select ops of the list")
        if moves is None:
            self.count.setText(capital(self.state.why_not))
            return
        moved, n = len(moves.ops), moves.comparison.graph.n
        text = f"{moved:,} of {plural(n, 'op')} moved" if moved else "every op is on the same device in both"
        if listed < moved:
            text = f"{listed:,} of {moved:,} moved ops"
        self.count.setText(text + (f", {chosen:,} selected" if chosen else ""))

    # ------------------------------------------------------------------ selection, both ways
    def _chosen(self) -> Ints:
        """The selected ops that are listed."""
        selection = self.state.selection
        if not len(selection) or self.model.moves is None:
            return np.empty(0, np.int32)
        listed = np.zeros(self.model.moves.comparison.graph.n, bool)
        listed[self.model.ops()] = True
        return np.unique(selection[listed[selection]]).astype(np.int32)

    def _selected_here(self, *_: object) -> None:
        if self._following:
            return
        ops = chosen_ops(self.table, self.model)
        if QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier:
            # What is selected elsewhere is not in the list, and stays.
            ops = np.concatenate([ops, np.setdiff1d(self.state.selection, self.model.ops())])
        self._following = True
        try:
            self.state.select(ops)
        finally:
            self._following = False
        self._count()

    def _selection_changed(self) -> None:
        if not self._following and self.isVisible() and not self.waiting:
            self._follow_selection()
        elif not self.isVisible():
            self.request_refresh()

    def _follow_selection(self) -> None:
        """Select the canvases' ops in the list."""
        self._following = True
        try:
            choose_ops(self.table, self.model, self.state.selection)
        finally:
            self._following = False
        self._count()

    # ------------------------------------------------------------------ what can be done
    def _take(self) -> None:
        ops = self._chosen()
        if len(ops):
            self.take_requested.emit(ops, self.pair[0])

    def _show_ops(self, *_: object) -> None:
        if len(self.state.selection):
            self.zoom_requested.emit(self.state.selection)

    def _menu(self, at: QPoint) -> None:
        if not len(self._chosen()):
            return
        menu = QMenu(self)
        menu.addAction(self.take)
        menu.addAction(self.show_ops)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.table.viewport().mapToGlobal(at))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down goes on to the list, Escape ends the finding; Return in the list shows the selection on the canvases."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            within = watched is self.find_box or watched is self.table
            if within and leave_find_box(event.key(), self.find_box, self.table, self.left):
                return True
            plain = not event.modifiers() & Qt.KeyboardModifier.ControlModifier
            if watched is self.table and plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._show_ops()
                return True
        if event.type() == QEvent.Type.Leave and watched is self.table.viewport():
            self.state.hover_op(-1)
        return super().eventFilter(watched, event)
