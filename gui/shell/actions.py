"""The actions of a window as Qt actions, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QUndoStack
from PySide6.QtWidgets import QMenu, QWidget

from gui.shell.action import ActionSpec
from gui.shell.key_claims import KeyClaims


def shortcut_text(action: ActionSpec) -> str:
    """The first shortcut as people read it."""
    if not action.shortcut:
        return ""
    return QKeySequence(action.shortcut[0]).toString(QKeySequence.SequenceFormat.NativeText)


class ActionSet(QObject):
    """The specs as live QActions. ``run(spec)`` is called when one is triggered."""

    def __init__(
        self, specs: Iterable[ActionSpec], run: Callable[[ActionSpec], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self.specs = tuple(specs)
        self.actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for item in self.specs:
            action = QAction(item.text, self)
            action.setObjectName(item.id)
            action.setShortcuts([QKeySequence(s) for s in item.shortcut])
            tip = item.tip[:1].upper() + item.tip[1:]
            action.setToolTip(tip)
            action.setStatusTip(tip)
            action.setCheckable(bool(item.state))
            action.triggered.connect(lambda _=False, item=item: run(item))
            self.actions[item.id] = action

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
        for item in sorted((s for s in self.specs if s.menu == name and s.in_menu), key=lambda s: s.group):
            if last is not None and item.group != last:
                menu.addSeparator()
            last = item.group
            place = menu
            if item.submenu:
                if item.submenu not in submenus:
                    submenus[item.submenu] = menu.addMenu(item.submenu)
                place = submenus[item.submenu]
            place.addAction(self.actions[item.id])
        return submenus

    def update(self, holds: Mapping[str, bool], checked: Callable[[str], bool]) -> None:
        """Enable what can be done now (``holds``: condition -> whether it holds) and check what is on."""
        for item in self.specs:
            action = self.actions[item.id]
            action.setEnabled(holds.get(item.when, True))
            if item.state:
                action.setChecked(checked(item.state))

    def name_undo(self, stack: QUndoStack) -> None:
        """Let undo and redo say what they do."""
        for id, word, text in (
            ("edit.undo", "Undo", stack.undoText()),
            ("edit.redo", "Redo", stack.redoText()),
        ):
            self[id].setText(f"{word}: {text}" if text else word)
