"""What an editor's window does when it is asked for help: it opens the window to read in, at the right page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from gui.look.theme import Theme
from gui.shell.help.pages import SHARED, panel_page
from gui.shell.help.window import HelpWindow

if TYPE_CHECKING:
    from gui.shell.docks import Docks


class Helped(Protocol):
    """What is asked of an editor's window, a widget."""

    docks: Docks
    manual: ClassVar[tuple[str, str]]

    @property
    def theme(self) -> Theme:
        """Its colours."""

    def topic(self, widget: QWidget | None) -> str:
        """The title of the page about the part of the window that ``widget`` belongs to."""

    def attempt(self, change: Callable[[], object]) -> None:
        """Do something that may be refused; the window says why."""


class Helping(QObject):
    """One window to read in for each editor."""

    def __init__(self, window: Helped) -> None:
        self._widget = cast(QWidget, window)
        super().__init__(self._widget)
        self._window = window

    @property
    def reading(self) -> HelpWindow | None:
        """The window to read in, where it is open."""
        return self._widget.findChild(HelpWindow)

    def show_group(self, group: str) -> None:
        """Glossary, panels or documentation, ready to search."""
        self._shown().open_group(group)

    def explain_focused(self) -> None:
        """What the panel with the keyboard shows."""
        self._open(self._window.topic(QApplication.focusWidget() or self._widget.focusWidget()))

    def explain(self, id: str) -> None:
        """What the panel ``id`` shows."""
        self._window.attempt(lambda: self._open(self._window.docks.titles[id]))

    def _open(self, title: str) -> None:
        page = panel_page((self._window.manual[0], *SHARED), title)
        self._shown().open_page(page)

    def _shown(self) -> HelpWindow:
        """In front of the editor's window. Raises :class:`StageboardError` where there is nothing to read."""
        reading = self.reading or HelpWindow(self._widget, self._window.theme)
        reading.show()
        reading.raise_()
        reading.activateWindow()
        return reading

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        if self.reading is not None:
            self.reading.set_theme(theme)
