"""What assistive technology is told of widgets that are painted by hand: what is on them, as items of their own.

A widget's class declares a cached property ``told`` that makes a :class:`Contents`: which items are on screen, what each
is called, where it is and what it does. Nothing of it runs before a screen reader asks. It must be known by the class
rather than made in the constructor, for Qt asks as soon as a widget is given a name, and never twice.

Qt keeps an interface by its number until it is told to forget it, and hands the pointer on while it asks further. So items
are kept here as long as their widget; those out of sight are freed in a later turn of the event loop, and never while Qt
asks. PySide in turn keeps whatever a factory returned for good: that holds its widget by a weak reference only.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import isValid

from gui.widgets.accessible_item import Item, ItemAccess, Role, Text
from gui.widgets.later import soon

MOST = 400
"""Items of one widget that are told at once; whoever needs others zooms in or walks there."""
__all__ = ["MOST", "Contents", "Item", "Role"]


def _none() -> tuple[()]:
    return ()


def _nobody() -> None:
    return None


class Contents:
    """What ``widget`` is to a screen reader: its role, and what can be seen on it.

    ``keys`` lists what is on screen, in the order in which it is read (the first :data:`MOST` count); ``item`` tells of
    one, None once it is gone; ``current`` is the one that the keyboard is on. ``selected`` and ``act`` are for a widget
    that can itself be chosen; ``name`` is for one whose name says more than its accessible name does.
    """

    def __init__(
        self,
        widget: QWidget,
        role: QAccessible.Role = Role.List,
        keys: Callable[[], Sequence[Hashable]] = _none,
        item: Callable[[Hashable], Item | None] | None = None,
        current: Callable[[], Hashable | None] = _nobody,
        selected: Callable[[], bool | None] = _nobody,
        act: Callable[[], object] | None = None,
        does: str = "Press",
        name: Callable[[], str] | None = None,
    ) -> None:
        self.widget, self.role, self.selected, self.act, self.does = widget, role, selected, act, does
        self.name = name
        self._keys, self._item, self._current = keys, item, current
        self.access: PaintedAccess | None = None
        """Made when it is first asked for."""

    def keys(self) -> list[Hashable]:
        """What can be seen."""
        return list(self._keys()[:MOST])

    def item(self, key: Hashable) -> Item | None:
        """One of them."""
        return None if self._item is None else self._item(key)

    def current(self) -> Hashable | None:
        """The one that the keyboard is on."""
        return self._current()

    # ------------------------------------------------------------------ what is said without being asked
    def say_current(self) -> None:
        """The keyboard is on another item, or another is selected."""
        access = self._listened()
        key = None if access is None else self.current()
        if access is None or key is None or self.item(key) is None:
            return
        item = access.of(key)
        if self.widget.hasFocus():
            say(QAccessibleEvent(item, QAccessible.Event.Focus))
        if item.state().selected:
            say(QAccessibleEvent(item, QAccessible.Event.Selection))

    def say_name(self) -> None:
        """The widget is called otherwise."""
        if QAccessible.isActive():
            say(QAccessibleEvent(self.widget, QAccessible.Event.NameChanged))

    def say_changes(self) -> None:
        """Figures are others: of the items that were asked for, those whose names changed say so."""
        access = self._listened()
        if access is not None:
            for item in access.renamed():
                say(QAccessibleEvent(item, QAccessible.Event.NameChanged))

    def _listened(self) -> PaintedAccess | None:
        if not QAccessible.isActive():
            return None
        QAccessible.queryAccessibleInterface(self.widget)
        return self.access


def say(event: QAccessibleEvent) -> None:
    """Tell who listens."""
    QAccessible.updateAccessibility(event)


class PaintedAccess(QAccessibleWidget):
    """A painted widget with the widgets on it and, after these, its items."""

    def __init__(self, contents: Contents) -> None:
        super().__init__(contents.widget, contents.role)
        self._contents = weakref.ref(contents)
        self._seen: list[Hashable] = []
        self._items: dict[Hashable, ItemAccess] = {}
        items = self._items
        contents.widget.destroyed.connect(lambda: _forget(items, list(items)))

    def of(self, key: Hashable) -> ItemAccess:
        """The interface of an item, always the same one."""
        found = self._items.get(key)
        if found is None:
            found = self._items[key] = ItemAccess(self, key)
        return found

    @property
    def contents(self) -> Contents:
        """What it tells of, which goes with the widget."""
        contents = self._contents()
        assert contents is not None, "asked after its widget was gone"
        return contents

    @property
    def kept(self) -> int:
        """How many items have an interface."""
        return len(self._items)

    def renamed(self) -> list[ItemAccess]:
        """The items that were called otherwise when they were last asked."""
        return [item for item in self._items.values() if item.is_renamed()]

    def _look(self) -> list[Hashable]:
        self._seen = self.contents.keys()
        if len(self._items) > 2 * MOST:
            here = weakref.ref(self)
            soon(self.contents.widget, lambda: _sweep(here()))
        return self._seen

    def sweep(self) -> None:
        """Free what is out of sight."""
        seen = {*self.contents.keys(), self.contents.current()}
        _forget(self._items, [key for key in self._items if key not in seen])

    # ------------------------------------------------------------------ what Qt asks
    def childCount(self) -> int:
        """Widgets, then what is seen now."""
        return super().childCount() + len(self._look())

    def child(self, index: int) -> Any:
        """One of those counted last."""
        widgets = super().childCount()
        if index < widgets:
            return super().child(index)
        place = index - widgets
        return self.of(self._seen[place]) if place < len(self._seen) else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """The place of a widget or an item; -1 once it is out of sight."""
        if not isinstance(child, ItemAccess):
            return super().indexOfChild(child)
        seen = self._look()
        return super().childCount() + seen.index(child.key) if child.key in seen else -1

    def childAt(self, x: int, y: int) -> Any:
        """What is at a place of the screen; of items that lie on one another the last."""
        widget = super().childAt(x, y)
        if widget is not None:
            return widget
        at = self.contents.widget.mapFromGlobal(QPoint(x, y))
        for key in reversed(self._look()):
            item = self.contents.item(key)
            if item is not None and item.rect.contains(at):
                return self.of(key)
        return None

    def focusChild(self) -> Any:
        """The item under the keyboard."""
        key = self.contents.current() if self.contents.widget.hasFocus() else None
        return super().focusChild() if key is None else self.of(key)

    def text(self, what: QAccessible.Text) -> str:
        """Name and description of the widget."""
        own = self.contents.name if what == Text.Name else None
        return super().text(what) if own is None else own()

    def state(self) -> QAccessible.State:
        """That of the widget, and whether it is selected."""
        state, selected = super().state(), self.contents.selected()
        if selected is not None:
            state.selectable, state.selected = True, selected
        return state

    def actionNames(self) -> list[str]:
        """Those of any widget, and its own before them."""
        names = super().actionNames()
        press = QAccessibleActionInterface.pressAction()
        return names if self.contents.act is None else [press, *(name for name in names if name != press)]

    def localizedActionName(self, name: str) -> str:
        """What its own action does."""
        own = self.contents.act is not None and name == QAccessibleActionInterface.pressAction()
        return self.contents.does if own else super().localizedActionName(name)

    def doAction(self, name: str) -> None:
        """Do it."""
        if self.contents.act is not None and name == QAccessibleActionInterface.pressAction():
            self.contents.act()
        else:
            super().doAction(name)


def _sweep(access: PaintedAccess | None) -> None:
    if access is not None and isValid(access):
        access.sweep()


def _forget(items: dict[Hashable, ItemAccess], keys: list[Hashable]) -> None:
    """Have Qt free the interfaces of ``keys``."""
    for key in keys:
        item = items.pop(key)
        if isValid(item):
            QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(item))


def _make(_: str, thing: QObject) -> QAccessibleInterface | None:
    """The interface of a widget whose class has ``told``; Qt makes all others."""
    if not hasattr(type(thing), "told"):
        return None
    contents = getattr(thing, "told", None)
    if not isinstance(contents, Contents):
        return None
    contents.access = PaintedAccess(contents)
    return contents.access


QAccessible.installFactory(_make)
