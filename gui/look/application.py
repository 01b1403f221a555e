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
