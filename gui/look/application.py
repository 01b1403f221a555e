"""The application as the desktop knows it."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def application() -> QApplication:
    """The one of this process, made now where there is none."""
    QApplication.setApplicationName("stageboard")
    QApplication.setApplicationDisplayName("Stageboard")
    QApplication.setDesktopFileName("stageboard")
    app = QApplication.instance() or QApplication(["stageboard"])
    assert isinstance(app, QApplication)
    return app


def put_away(app: QApplication) -> None:
    """Hide every window and take it off the screen, which ends whatever is dragged or typed in it.

    For when the event loop has ended and windows still stand, as after a signal: Qt would close them once Python is on its
    way out, and tell widgets that it took the focus from which can no longer be told anything.
    """
    for window in app.topLevelWidgets():
        window.hide()
        shown = window.windowHandle()
        if shown is not None:
            shown.destroy()
