"""Where a window was and how its panels were arranged, kept beyond its own life. Without a session: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow, QWidget

if TYPE_CHECKING:
    from gui.shell.session import Session


class WindowPlace:
    """The place of a window, under two keys of a session."""

    def __init__(self, window: QMainWindow, session: Session | None, geometry: str, layout: str) -> None:
        self._window, self._session = window, session
        self._keys = (geometry, layout)

    @property
    def known(self) -> bool:
        """Whether it is known where the window was."""
        return self._session is not None and bool(self._session.value(self._keys[0]))

    def restore(self) -> bool:
        """Put the window back where it was; returns whether its panels have their places now."""
        if self._session is None:
            return False
        geometry, layout = (
            QByteArray.fromBase64(self._session.value(key).encode("ascii", "ignore")) for key in self._keys
        )
        if geometry.isEmpty() or not self._window.restoreGeometry(geometry):
            return False
        return not layout.isEmpty() and self._window.restoreState(layout)

    def store(self) -> None:
        """Keep where the window is now."""
        if self._session is None:
            return
        now = (self._window.saveGeometry(), self._window.saveState())
        for key, value in zip(self._keys, now, strict=True):
            self._session.set_value(key, bytes(value.toBase64().data()).decode("ascii"))
        self._session.sync()


PREFERRED = (1440, 900)
"""Width and height of a first window on a screen that has room for it."""


def show_first(window: QWidget, remembered: bool) -> None:
    """Show a window where it was last; the first time at a good size, or as large as a small screen allows."""
    if remembered:
        window.show()
        return
    room = window.screen().availableSize()
    if room.width() < PREFERRED[0] * 1.1 or room.height() < PREFERRED[1] * 1.1:
        window.showMaximized()
        return
    window.resize(*PREFERRED)
    window.show()
