"""What all panels share: they follow the document, redraw at most once per event-loop turn, and only when seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.widgets.later import Later
from gui.widgets.turn import OTHERS, PANELS

if TYPE_CHECKING:
    from gui.document.plan.document import Document

MOST_PUT_OFF = 6
"""Turns of the event loop for which a panel waits at most for what is no panel."""


class Panel(QWidget):
    """A view of one part of the document. Subclasses implement :meth:`refresh`, which reads the state anew."""

    id: ClassVar[str] = ""
    title: ClassVar[str] = ""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.document = document
        self.theme = theme
        self._stale = True
        self._put_off = 0
        """How many turns of the event loop a refresh was left to the next one."""
        self._later = Later(self._refresh_if_seen, self)
        self.setAccessibleName(self.title)
        document.opening_changed.connect(self._opening_changed)

    def refresh(self) -> None:
        """Show the document as it is now."""
        raise NotImplementedError

    def prepare(self) -> bool:
        """Do a part of what a refresh needs beforehand; whether there is more, which follows in the next turns of the event loop."""
        return False

    def request_refresh(self, *_: object) -> None:
        """Refresh soon: once for any number of requests, and not before the panel can be seen."""
        self._stale = True
        if self.isVisible():
            self._later.ask_once()

    def refresh_now(self) -> None:
        """Refresh at once if anything asked for it."""
        self._later.stop()
        if self._stale:
            self._stale = False
            self.refresh()

    def _opening_changed(self) -> None:
        """A panel without a model says what is being opened."""
        if self.document.problem is None:
            self.request_refresh()

    @property
    def waiting(self) -> bool:
        """Whether a refresh is about to happen."""
        return self._later.waiting

    def set_theme(self, theme: Theme) -> None:
        """Other colours, at once: words in the old ones could not be read on the new ground."""
        self.theme = theme
        self._stale = True
        if self.isVisible():
            self.refresh_now()

    def _refresh_if_seen(self) -> None:
        """In this turn of the event loop, unless other panels took long in it: what a person does comes between two.

        They also come after an edit and a picture that take long, but wait a few turns at most: there may be one in every turn.
        """
        if not self.isVisible():
            return
        if PANELS.is_long or (OTHERS.is_long and self._put_off < MOST_PUT_OFF):
            self._put_off += 1
            self._later.ask()
            return
        with PANELS.counted():
            if self.prepare():
                self._later.ask()
                return
            self._put_off = 0
            self.refresh_now()

    def showEvent(self, event: QShowEvent) -> None:
        """What was asked for while hidden is done now, before the first paint."""
        super().showEvent(event)
        self.refresh_now()
