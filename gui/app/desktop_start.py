"""A start from the desktop: nobody sees standard error there, so what would stand on it alone is said in a window, too."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from planner.cli.command import Console
from planner.errors import StageboardError
from planner.printable import concise

FROM_DESKTOP = "STAGEBOARD_FROM_DESKTOP"
"""The variable of the environment that our entry in the menu of programs sets (:mod:`gui.app.desktop`)."""
LAUNCHED = "GIO_LAUNCHED_DESKTOP_FILE_PID"
"""What GNOME's and GTK's launchers set, for entries that others wrote: the id of the process that was launched."""


def from_desktop(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this program was started by a desktop, and nobody reads its standard error.

    A script that leads standard error elsewhere is none: it would wait for ever for somebody to answer.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        return False
    return FROM_DESKTOP in environment or environment.get(LAUNCHED, "") == str(os.getpid())


class DesktopConsole(Console):
    """As any console; what it notes is said in a message box, too."""

    def note(self, sentence: str) -> None:
        """One line on stderr, and a window until it is closed."""
        super().note(sentence)
        show(concise(sentence))


def show(sentence: str) -> None:
    """A sentence in a message box, until it is closed. Where no window can be opened there is none."""
    from gui.look.display import check_display, check_qt

    try:
        check_qt()
        check_display()
    except StageboardError:
        return
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QMessageBox

    from gui.look.application import application

    app = application()
    box = QMessageBox(QMessageBox.Icon.Critical, app.applicationDisplayName(), sentence)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.exec()


def console() -> Console:
    """Where a start of the window says what is wrong."""
    return DesktopConsole() if from_desktop() else Console()
