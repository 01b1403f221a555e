"""The actions of a window as Qt actions, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence, QUndoStack
from PySide6.QtWidgets import QMenu, QWidget

from gui.shell.action import ActionSpec
from gui.shell.key_claims import KeyClaims
from gui.widgets.offering import offer
from gui.widgets.turn import OTHERS


def shortcut_text(action: ActionSpec[Any]) -> str:
    """The first shortcut as people read it."""
    if not action.shortcut:
        return ""
    return QKeySequence(action.shortcut[0]).toString(QKeySequence.SequenceFormat.NativeText)


class Acting(Protocol):
    """What actions ask of their window, a QObject."""

    def attempt(self, change: Callable[[], object]) -> None:
        """Do something that may be refused; the window says why."""

    def update_actions(self) -> None:
        """Enable what can be done now."""


class ActionSet(QObject):
    """The specs as live QActions of a window. What goes wrong when one is triggered is said in the window."""

    def __init__(self, specs: Iterable[ActionSpec[Any]], window: Acting) -> None:
        super().__init__(cast(QObject, window))
        self.specs = tuple(specs)
        self.actions: dict[str, QAction] = {}
        self._window = window
        for item in self.specs:
            action = QAction(item.text, self)
            action.setObjectName(item.id)
            action.setShortcuts([QKeySequence(s) for s in item.shortcut])
            offer(action, "", item.tip)
            action.setCheckable(item.state is not None)
            action.triggered.connect(lambda _=False, item=item: self.run(item))
            self.actions[item.id] = action

    def run(self, item: ActionSpec[Any]) -> None:
        """Do what an action says."""
        with OTHERS.counted():
            self._window.attempt(lambda: item.run(self._window))
            self._window.update_actions()

    def __getitem__(self, id: str) -> QAction:
        return self.actions[id]

    def install(self, window: QWidget, plan_widgets: Iterable[QWidget]) -> None:
        """Let shortcuts work everywhere in the window; see :class:`~gui.shell.key_claims.KeyClaims` for ``plan_widgets``."""
        window.addActions(list(self.actions.values()))
        KeyClaims(window, plan_widgets)

    def fill_menu(self, menu: QMenu, name: str) -> dict[str, QMenu]:
        """Put the actions of one menu into it; returns its submenus by title."""
        submenus: dict[str, QMenu] = {}
        last = None
        entries = ((place, item) for item in self.specs for place in item.places if place.menu == name)
        for place, item in sorted(entries, key=lambda entry: entry[0].group):
            if last is not None and place.group != last:
                menu.addSeparator()
            last = place.group
            into = menu
            if place.submenu:
                if place.submenu not in submenus:
                    submenus[place.submenu] = QMenu(place.submenu, menu, toolTipsVisible=True)
                    menu.addMenu(submenus[place.submenu])
                into = submenus[place.submenu]
            into.addAction(self.actions[item.id])
        return submenus

    def update(self) -> None:
        """Enable what can be done now, say of the rest what is lacking, and check what is on. A condition that several actions share is asked once."""
        window = self._window
        lacking = {when: when.lacking(window) for when in {item.when for item in self.specs}}
        for item in self.specs:
            action = self.actions[item.id]
            offer(action, lacking[item.when], item.tip)
            if item.called is not None:
                action.setText(item.called(window))
            if item.state is not None:
                action.setChecked(item.state(window))

    def name_undo(self, stack: QUndoStack) -> None:
        """Let undo and redo say what they do."""
        for id, word, text in (
            ("edit.undo", "Undo", stack.undoText()),
            ("edit.redo", "Redo", stack.redoText()),
        ):
            self[id].setText(f"{word}: {text}" if text else word)
