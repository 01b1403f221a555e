"""One thing on a painted widget, as assistive technology is told of it, and its interface (see :mod:`gui.widgets.accessible`)."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QAccessible, QAccessibleActionInterface, QAccessibleInterface, QColor, QPalette
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import isValid

Role, Text = QAccessible.Role, QAccessible.Text


@dataclass(frozen=True)
class Item:
    """One thing on a painted widget: its name, where it is (logical pixels of the widget), and what pressing it ``does``.

    ``selected`` is None where it cannot be selected.
    """

    name: str
    rect: QRectF
    role: QAccessible.Role = Role.ListItem
    description: str = ""
    selected: bool | None = None
    act: Callable[[], object] | None = None
    does: str = "Select"


class Told(Protocol):
    """What tells of a widget (see :class:`gui.widgets.accessible.Contents`)."""

    widget: QWidget

    def item(self, key: Hashable) -> Item | None:
        """One of its items, None once it is gone."""

    def current(self) -> Hashable | None:
        """The one that the keyboard is on."""


class Owner(Protocol):
    """The interface of a widget, as its items know it."""

    @property
    def contents(self) -> Told:
        """What it tells of."""

    def window(self) -> Any:
        """The window that it is in."""


class ItemAccess(QAccessibleWidget):
    """One item. It asks its widget anew whenever it is asked itself, so that it is never out of date.

    It is no widget, but what Qt has for widgets can be pressed: PySide 6.11 crashes where ``interface_cast`` is written in
    Python and has nothing to return.
    """

    def __init__(self, owner: Owner, key: Hashable) -> None:
        super().__init__(owner.contents.widget)
        self.key = key
        self._owner = owner
        self._name: str | None = None

    @property
    def item(self) -> Item | None:
        """What it is about; None once that is gone."""
        return self._owner.contents.item(self.key) if isValid(self._owner) else None

    def is_renamed(self) -> bool:
        """Whether someone knows it by another name."""
        if self._name is None:
            return False
        item = self.item
        before, self._name = self._name, "" if item is None else item.name
        return before != self._name

    # ------------------------------------------------------------------ what Qt asks
    def isValid(self) -> bool:
        """Whether it is still there."""
        return self.item is not None

    def object(self) -> Any:
        """No object of its own."""
        return None

    def window(self) -> Any:
        """That of its widget."""
        return self._owner.window() if isValid(self._owner) else None

    def parent(self) -> Any:
        """Its widget."""
        return self._owner if isValid(self._owner) else None

    def childCount(self) -> int:
        """It has no parts."""
        return 0

    def child(self, index: int) -> Any:
        """It has no parts."""
        return None

    def childAt(self, x: int, y: int) -> Any:
        """It has no parts."""
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """It has no parts."""
        return -1

    def rect(self) -> QRect:
        """Where it is on the screen, as far as its widget shows it."""
        item = self.item
        if item is None:
            return QRect()
        widget = self._owner.contents.widget
        seen = item.rect.toAlignedRect().intersected(widget.rect())
        return QRect(widget.mapToGlobal(seen.topLeft()), seen.size())

    def role(self) -> QAccessible.Role:
        """What kind of thing it is."""
        item = self.item
        return Role.NoRole if item is None else item.role

    def state(self) -> QAccessible.State:
        """Selected, under the keyboard, out of sight."""
        state, item = QAccessible.State(), self.item
        if item is None:
            state.invalid = state.invisible = True
            return state
        contents = self._owner.contents
        widget = contents.widget
        if item.selected is not None:
            state.selectable, state.selected = True, item.selected
        state.focusable = True
        state.focused = widget.hasFocus() and contents.current() == self.key
        state.offscreen = not item.rect.intersects(QRectF(widget.rect()))
        state.invisible = not widget.isVisible()
        return state

    def text(self, what: QAccessible.Text) -> str:
        """Name and description."""
        item = self.item
        if item is None:
            return ""
        if what == Text.Name:
            self._name = item.name
            return item.name
        return item.description if what == Text.Description else ""

    def setText(self, what: QAccessible.Text, text: str) -> None:
        """Nothing can be written on it."""

    def focusChild(self) -> Any:
        """It has no parts."""
        return None

    def foregroundColor(self) -> QColor:
        """That of its widget: Qt would look for one in the object that it is not."""
        return self._palette().windowText().color()

    def backgroundColor(self) -> QColor:
        """That of its widget."""
        return self._palette().window().color()

    def _palette(self) -> QPalette:
        return self._owner.contents.widget.palette() if isValid(self._owner) else QPalette()

    def relations(self, match: Any = None) -> list[Any]:
        """None: labels are its widget's."""
        return []

    def actionNames(self) -> list[str]:
        """It can be pressed where that does something."""
        item = self.item
        return [] if item is None or item.act is None else [QAccessibleActionInterface.pressAction()]

    def localizedActionName(self, name: str) -> str:
        """What that does."""
        item = self.item
        return "" if item is None else item.does

    def doAction(self, name: str) -> None:
        """Do it."""
        item = self.item
        if item is not None and item.act is not None and name == QAccessibleActionInterface.pressAction():
            item.act()

    def keyBindingsForAction(self, name: str) -> list[str]:
        """Keys go to the widget."""
        return []
