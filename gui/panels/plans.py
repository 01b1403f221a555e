"""The plan list: what there is to choose from, how good each is, and where it differs from the plan on the canvas."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.look.numbers import plural
from gui.look.theme import Theme, font
from gui.panels.base import Panel
from gui.panels.plans_model import ENTRY, PlanDelegate, PlansModel
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel
from gui.words.objectives import component_words
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.document.plan_list import PlanEntry
    from planner.model.graph import Bools


class PlansPanel(Panel):
    """A list with one row per plan; Return or a double click applies, F2 renames, Delete removes."""

    id: ClassVar[str] = "plans"
    title: ClassVar[str] = "Plans"
    model_class: ClassVar[type[PlansModel]] = PlansModel

    highlight_requested = Signal(object)
    """bool[n] of the ops to let stand out on the canvas, or None."""
    save_requested = Signal(object)
    """Save this entry (:class:`gui.document.plan_list.PlanEntry`)."""
    compare_requested = Signal(object)
    """Compare these entries (a list of two to four; the first is what the others are compared with)."""
    MOST_COMPARED: ClassVar[int] = 4

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self._highlighting = False
        self._active: PlanEntry | None = None
        self._looked_at: PlanEntry | None = None
        """The plan under the pointer, or under the cursor of the keyboard, whose differences the canvas shows."""
        self.model = self.model_class(document, self)
        self.delegate = PlanDelegate(theme, self)
        self.list = QListView(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(self.delegate)
        self.list.setAccessibleName("Plans")
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.list.doubleClicked.connect(self.apply_current)
        self.list.entered.connect(self._look_at)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._current_changed())
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._settle())
        self.list.viewport().installEventFilter(self)
        self.list.installEventFilter(self)
        self.head = QWidget(self)
        self.note = PlainLabel("", self)
        self.note.setWordWrap(True)
        self.note.setFont(font(8.0))
        set_role(self.note, "muted")
        self.note.setContentsMargins(10, 0, 10, 0)
        self.apply_button = self._button("Apply", "Put this plan on the canvas (Return)", self.apply_current)
        self.apply_button.setObjectName("primary")
        self.compare_button = self._button("Compare", "", self.compare_chosen)
        self.rename_button = self._button("Rename", "Give it another name (F2)", self.rename_current)
        self.remove_button = self._button("Remove", "Take it out of the list (Delete)", self.remove_current)
        self.head_labels = self._make_head()
        buttons = QHBoxLayout()
        buttons.setContentsMargins(8, 4, 8, 8)
        buttons.setSpacing(6)
        for button in (self.apply_button, self.compare_button, self.rename_button, self.remove_button):
            buttons.addWidget(button, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.head)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.note)
        layout.addLayout(buttons)
        remove = QAction("Remove plan", self.list)
        remove.setShortcut(QKeySequence(Qt.Key.Key_Delete))
        remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        remove.triggered.connect(self.remove_current)
        self.list.addAction(remove)
        for signal in (
            document.model_changed, document.problem_changed, document.plans_changed, document.decision_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)

    def _button(self, text: str, tip: str, run: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setToolTip(tip)
        button.setStyleSheet("padding-left: 4px; padding-right: 4px;")
        button.clicked.connect(lambda _=False: run())  # type: ignore[operator]
        return button

    def _make_head(self) -> tuple[ElidedLabel, ...]:
        self._columns = row = QHBoxLayout(self.head)
        row.setContentsMargins(10, 0, 10, 0)
        row.setSpacing(0)
        labels = []
        for text, width in (("plan", 0), ("objective", PlanDelegate.OBJECTIVE), ("gap", PlanDelegate.GAP)):
            label = ElidedLabel(text)
            label.setFont(font(8.0))
            set_role(label, "muted")
            if width:
                label.setFixedWidth(width)
                label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.addWidget(label, 0 if width else 1)
            labels.append(label)
        return tuple(labels)

    # ------------------------------------------------------------------ contents
    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.delegate.theme = theme
        super().set_theme(theme)

    def refresh(self) -> None:
        """Follow the document; the model has its list already. The current row stays on its plan."""
        suffix, problem = self.model.column.suffix, self.document.problem
        several = problem is not None and len(problem.components) > 1
        listed = [self.model.problem_of(entry) for entry in self.document.plans]
        # A column with figures of several objectives is named after none of them.
        named = several and len({one.components[0] for one in listed if one is not None}) < 2
        head = component_words(problem.components[0]).short if named and problem is not None else "objective"
        self.head_labels[1].setText(f"{head}, {suffix}" if suffix else head)
        self.head_labels[2].set_tip(
            "of the first component not yet proven; the tip of a plan tells all" if several else ""
        )
        # The cursor goes with the active plan, unless someone moved it to look at another.
        active = self.document.active
        if not self.list.currentIndex().isValid() or self.current() is self._active:
            self.make_current(active)
        self._select_current()
        self._active = active
        self.list.viewport().update()
        self._settle()

    def _select_current(self) -> None:
        """What the buttons speak of is seen: a reset of the list leaves it a cursor and no selection."""
        if not self.list.selectionModel().hasSelection():
            self.make_current(self.current())

    def make_current(self, entry: PlanEntry | None) -> None:
        """Put the list's cursor on a plan."""
        if entry is not None and entry in self.document.plans:
            index = self.model.index(self.document.plans.index(entry), 0)
            self.list.selectionModel().setCurrentIndex(
                index, QItemSelectionModel.SelectionFlag.ClearAndSelect
            )

    def current(self) -> PlanEntry | None:
        """The plan under the list's cursor."""
        index = self.list.currentIndex()
        entry = index.data(ENTRY) if index.isValid() else None
        return entry if entry in self.document.plans else None

    def chosen(self) -> list[PlanEntry]:
        """The plans selected in the list, from the top."""
        rows = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        entries = [self.model.index(row, 0).data(ENTRY) for row in rows]
        return [entry for entry in entries if entry in self.document.plans]

    def comparable(self) -> list[PlanEntry]:
        """What *Compare* would compare, first the plan on the canvas if it is among them.

        One selected plan is compared with the one on the canvas. Empty where there is nothing to compare.
        """
        chosen, active = self.chosen(), self.document.active
        if len(chosen) < 2 and active is not None and active not in chosen:
            chosen = [active, *chosen]
        chosen.sort(key=lambda entry: entry is not active)
        return chosen if 2 <= len(chosen) <= self.MOST_COMPARED else []

    def incomparable(self) -> str:
        """Why nothing can be compared: a sentence that ends in what to do."""
        if len(self.chosen()) > self.MOST_COMPARED:
            return f"at most {self.MOST_COMPARED} plans are compared at once: select fewer in Plans"
        if len(self.document.plans) < 2:
            return (
                "there is no second plan to compare with: start a planner, or open a saved plan of this model"
            )
        return "select another plan than the one on the canvas in Plans, to compare the two"

    def _settle(self) -> None:
        entry, active = self.current(), self.document.active
        compared = self.comparable()
        offer(self.compare_button, "" if compared else self.incomparable(), self._compare_tip(len(compared)))
        none = "" if entry is not None else "select a plan of the list"
        shown = "this plan is on the canvas" if entry is active else ""
        searched = (
            "a planner is at work on this plan: stop it first" if entry is not None and entry.running else ""
        )
        offer(self.apply_button, none or shown)
        offer(self.rename_button, none)
        offer(self.remove_button, none or shown or searched)
        self._note(self._looked_at if self._looked_at in self.document.plans else entry, entry)

    def _note(self, entry: PlanEntry | None, chosen: PlanEntry | None) -> None:
        """What there is to say of the plan that is looked at, by its name where another is ``chosen``."""
        if entry is None or self.document.problem is None:
            said = ""
        elif entry is self.document.active:
            said = "on the canvas"
        elif machine := self.model.machine(entry):
            said = f"for {machine}: Apply goes back to that machine"
        else:
            count = int(np.count_nonzero(self.document.differences(entry)))
            said = self.differing(count) if count else "the same as the canvas"
        other = entry is not None and entry is not chosen
        self.note.setText(f"“{entry.shown_name}”: {said}" if other and entry is not None else said)

    def _compare_tip(self, compared: int) -> str:
        if len(self.chosen()) < 2:
            return "Compare this plan with the one on the canvas; hold Ctrl or Shift to select up to four"
        return f"Compare {plural(compared, 'plan')} side by side"

    def differing(self, count: int) -> str:
        """How a plan differs from the one on the canvas."""
        return f"{plural(count, 'op')} {'differs' if count == 1 else 'differ'} from the canvas"

    # ------------------------------------------------------------------ highlighting differences
    def _current_changed(self) -> None:
        self._settle()
        if self.list.hasFocus():
            self._look_at(self.list.currentIndex())

    def _look_at(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY) if index.isValid() else None
        if entry is None or self.document.problem is None:
            self._look_away()
            return
        self._looked_at = entry
        self._settle()
        differ = self.document.differences(entry)
        if entry is self.document.active or not differ.any():
            self._highlight(None)
            return
        self._highlight(differ)

    def _look_away(self) -> None:
        if self._looked_at is not None:
            self._looked_at = None
            self._settle()
        self._highlight(None)

    def _highlight(self, ops: Bools | None) -> None:
        """Let ops (bool[n]) stand out on the canvas; None ends that."""
        if ops is not None or self._highlighting:
            self._highlighting = ops is not None
            self.highlight_requested.emit(ops)

    def _align_head(self) -> None:
        """The heads of columns stand above them, also where a scroll bar takes some room."""
        bar = self.list.width() - self.list.viewport().width() - 2 * self.list.frameWidth()
        self._columns.setContentsMargins(10, 0, 10 + max(0, bar), 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The pointer or the focus leaves; Return applies."""
        if event.type() == QEvent.Type.Resize and watched is self.list.viewport():
            self._align_head()
        leaves = event.type() == QEvent.Type.Leave and watched is self.list.viewport()
        if leaves or (event.type() == QEvent.Type.FocusOut and watched is self.list):
            self._look_away()
        if event.type() == QEvent.Type.FocusIn and watched is self.list:
            self._select_current()
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and watched is self.list
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        ):
            self.apply_current()
            return True
        return super().eventFilter(watched, event)

    # ------------------------------------------------------------------ actions
    def apply_current(self, *_: object) -> None:
        """Put the current plan on the canvas."""
        entry = self.current()
        if entry is not None and entry is not self.document.active:
            self._look_away()
            self._try(lambda: self.document.apply_plan(entry))

    def rename_current(self) -> None:
        """Edit the current plan's name in its row."""
        index = self.list.currentIndex()
        if index.isValid():
            self.list.setFocus()
            self.list.edit(index)

    def compare_chosen(self) -> None:
        """Ask for the selected plans side by side; a single one beside the plan on the canvas."""
        if compared := self.comparable():
            self._look_away()
            self.compare_requested.emit(compared)

    def remove_current(self) -> None:
        """Take the current plan out of the list."""
        entry = self.current()
        if entry is not None:
            self._look_away()
            self._try(lambda: self.document.remove_plan(entry))

    def _try(self, run: object) -> None:
        from gui.document.values import Message

        try:
            run()  # type: ignore[operator]
        except StageboardError as error:
            self.document.message.emit(Message("error", str(error)))

    def menu(self) -> QMenu:
        """The context menu of the current plan."""
        menu = QMenu(self)
        entry, active = self.current(), self.document.active
        menu.addAction("Apply\tReturn", self.apply_current).setEnabled(
            entry is not None and entry is not active
        )
        menu.addAction("Rename\tF2", self.rename_current).setEnabled(entry is not None)
        menu.addAction("Remove\tDel", self.remove_current).setEnabled(
            entry is not None and entry is not active
        )
        menu.addSeparator()
        menu.addAction("Compare", self.compare_chosen).setEnabled(bool(self.comparable()))
        self.add_to_menu(menu, entry not in (None, active) and entry.is_of(self.document.problem))
        menu.addAction("Save…", lambda: self.save_requested.emit(entry)).setEnabled(entry is not None)
        return menu

    def add_to_menu(self, menu: QMenu, differs: bool) -> None:
        """What can be done with the places at which a plan differs from the canvas."""
        menu.addAction("Select the ops that differ", self._select_differences).setEnabled(differs)

    def _select_differences(self) -> None:
        entry = self.current()
        if entry is not None:
            self.document.select(np.flatnonzero(self.document.differences(entry)))

    def _menu(self, position: QPoint) -> None:
        index = self.list.indexAt(position)
        if index.isValid():
            self.list.setCurrentIndex(index)
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(position))
