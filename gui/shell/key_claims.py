"""Whose a key is: a command of the window, or something that the widget with the keyboard does with it."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QDockWidget, QWidget

WITH_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def claims(event: QEvent, own: Container[int]) -> bool:
    """Whether ``event`` asks for a key in ``own`` that is pressed alone; it is accepted then, and no command of the window behind."""
    asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
    if not asked or event.modifiers() & WITH_COMMANDS or event.key() not in own:  # type: ignore[attr-defined]
        return False
    event.accept()
    return True


class TakesLetters:
    """Mixed into a widget that looks for what is typed into it: no letter is a command there."""

    takes_letters: ClassVar[bool] = True


class KeyClaims(QObject):
    """Leaves keys of commands to the widget with the keyboard where it needs them; Qt asks before it looks for a shortcut.

    Single letters, digits and signs are commands everywhere in ``window`` and its floating panels, except where one types, in
    a list of choices (a combo box) with an entry that begins so, in a widget that looks for what is typed
    (:class:`TakesLetters`) and in one that names the key in ``own_keys``. Home and Ctrl+A are commands in ``places`` and on
    buttons; elsewhere they belong to the list or plot that has the keyboard.
    """

    def __init__(self, window: QWidget, places: Iterable[QWidget]) -> None:
        super().__init__(window)
        self._places = tuple(places)
        for top in (window, *window.findChildren(QDockWidget)):
            top.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accepting the question sends the key to the widget."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        widget = QApplication.focusWidget()
        if widget is None or not self.belongs(event, widget):
            return False
        event.accept()
        return True

    def belongs(self, event: QKeyEvent, widget: QWidget) -> bool:
        """Whether a key is the widget's, not a command's. Fields for text have said so themselves by now."""
        text = event.text()
        if len(text) == 1 and text.isprintable() and not event.modifiers() & WITH_COMMANDS:
            if isinstance(widget, QComboBox):
                texts = (widget.itemText(i) for i in range(widget.count()))
                return any(entry.casefold().startswith(text.casefold()) for entry in texts)
            return getattr(widget, "takes_letters", False) or event.key() in getattr(widget, "own_keys", ())
        if event.key() == Qt.Key.Key_Home or event.matches(QKeySequence.StandardKey.SelectAll):
            at_home = any(place is widget or place.isAncestorOf(widget) for place in self._places)
            return not at_home and not isinstance(widget, QAbstractButton)
        return False
