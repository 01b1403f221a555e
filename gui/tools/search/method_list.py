"""The list of planners and bound methods: what serves the problem, what kind it is, and why the rest does not."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.look.theme import Theme
from gui.look.writing import LEFT, RIGHT, face, write
from gui.shell.key_claims import TakesLetters
from gui.tools.search.refusals import Refusals
from planner.problem.base import PlanningProblem
from planner.search.method import BoundMethod, Method, Planner

METHOD = int(Qt.ItemDataRole.UserRole)
REASON = METHOD + 1
"""Why a method does not serve the problem; empty where it does."""
ROW, TALL_ROW, HEADING_ROW = 22, 34, 22
LEAST_HEIGHT = 150
FIND, PROVE, OTHERS = "Find plans", "Prove a bound", "Not for this problem"

Index = QModelIndex | QPersistentModelIndex


def tag(method: Method) -> str:
    """What :attr:`~planner.search.method.Planner.kind` of planner it is; nothing for bound methods."""
    return method.kind if isinstance(method, Planner) else ""


def methods_for(problem: PlanningProblem) -> list[Method]:
    """Planners and bound methods: for graphs those of graphs, for networks those of networks, whether they serve or not."""
    from planner.machines.catalogue import methods_about

    plans, proofs = methods_about(problem)
    return [*plans, *proofs]


def matches(method: Method, words: str) -> bool:
    """Whether every word is somewhere in what a method is called, what it is, its source or its kind."""
    text = " ".join((method.name, method.title, method.summary, str(method.source), tag(method))).lower()
    return all(word in text for word in words.lower().split())


class _Rows(QStyledItemDelegate):
    """A title with its tag at the right; below the titles of those that do not serve, why."""

    def __init__(self, owner: MethodList) -> None:
        super().__init__(owner)
        self._owner = owner

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Two lines where there is a reason."""
        method, reason = index.data(METHOD), index.data(REASON)
        return QSize(80, HEADING_ROW if method is None else TALL_ROW if reason else ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Ground as the style has it, then the words."""
        t = self._owner.theme
        method, reason = index.data(METHOD), index.data(REASON)
        room = QRectF(option.rect).adjusted(6, 0, -6, 0)  # type: ignore[attr-defined]
        if method is None:
            write(painter, room, LEFT, str(index.data()), face(8.0), t.muted)
            return
        widget = option.widget  # type: ignore[attr-defined]
        plain = QStyleOptionViewItem(option)
        plain.text = ""  # type: ignore[attr-defined]
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, plain, painter, widget)
        kind = tag(method)
        line = QRectF(room.left(), room.top(), room.width(), 20.0 if reason else room.height())
        colour = t.faint if reason else t.good if kind == "exact" else t.muted
        used = write(painter, line, RIGHT, kind, face(8.0), colour) if kind else 0.0
        title = line.adjusted(0, 0, -used - 8, 0)
        write(painter, title, LEFT, str(index.data()), face(9.0), t.muted if reason else t.text)
        if reason:
            below = QRectF(room.left(), room.top() + 17, room.width(), 14)
            write(painter, below, LEFT, reason, face(7.5), t.faint)


class MethodList(TakesLetters, QListWidget):
    """Headings and methods. What does not serve cannot be chosen; its reason stands below its name."""

    typed = Signal(str)
    """Letters that were typed here: they are looked for."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.refusals = Refusals()
        self._room = LEAST_HEIGHT
        self.setAccessibleName("Planners and bound methods")
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_Rows(self))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters look for a method, everything else is as in any list."""
        plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if plain and event.text().strip() and event.text().isprintable():
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.viewport().update()

    def fill(
        self, problem: PlanningProblem, methods: list[Method], preferred: Method | None, words: str = ""
    ) -> None:
        """List the methods that match ``words``; the preferred one, or the first that serves, is chosen."""
        self.clear()
        groups: dict[str, list[tuple[Method, str]]] = {FIND: [], PROVE: [], OTHERS: []}
        for method in methods:
            reason = self.refusals.of(method, problem)
            if matches(method, words):
                place = OTHERS if reason else PROVE if isinstance(method, BoundMethod) else FIND
                groups[place].append((method, reason))
        for title, found in groups.items():
            if not found:
                continue
            heading = QListWidgetItem(title)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            self.addItem(heading)
            for method, reason in found:
                self.addItem(self._item(method, reason))
        self.fit(self._room)
        if preferred is None or not self.choose(preferred.name, isinstance(preferred, BoundMethod)):
            first = next((i for i in range(self.count()) if self._serves(i)), None)
            if first is not None:
                self.setCurrentRow(first)

    def fit(self, room: int) -> None:
        """As high as its rows, up to ``room`` pixels (but never less than shows a few)."""
        self._room = room
        self.ensurePolished()
        ends = list(accumulate(self.sizeHintForRow(i) for i in range(self.count())))
        # No row is cut: of those that have no room the list shows none, and scrolls.
        height = max((end for end in ends if end <= max(room, LEAST_HEIGHT)), default=ROW)
        margins = self.contentsMargins()
        self.setFixedHeight(height + margins.top() + margins.bottom())

    @staticmethod
    def _item(method: Method, reason: str) -> QListWidgetItem:
        item = QListWidgetItem(method.title)
        item.setData(METHOD, method)
        item.setData(REASON, reason)
        item.setToolTip(reason or f"{method.summary}\n{method.source}")
        kind = f" ({tag(method)})" if tag(method) else ""
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{method.title}{kind}: {reason or method.summary}")
        if reason:
            item.setFlags(Qt.ItemFlag.ItemIsSelectable)
        return item

    def _serves(self, row: int) -> bool:
        item = self.item(row)
        return item.data(METHOD) is not None and not item.data(REASON)

    def method(self) -> Method | None:
        """The chosen planner or bound method."""
        item = self.currentItem()
        found: Method | None = None if item is None else item.data(METHOD)
        return found

    def choose(self, name: str, bound: bool = False) -> bool:
        """Choose a method by its name; returns whether it is listed and serves.

        Where a planner and a bound method have the same name, the bound method if ``bound`` is set.
        """
        rows = [i for i in range(self.count()) if self._serves(i) and self.item(i).data(METHOD).name == name]
        if rows:
            self.setCurrentRow(rows[-1 if bound else 0])
        return bool(rows)
