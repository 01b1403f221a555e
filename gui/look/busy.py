"""The sign that the window is at work and takes nothing for a moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication


@contextmanager
def busy() -> Iterator[None]:
    """A waiting cursor while something is done in the window's own thread: it is shown at once, before any of that."""
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        yield
    finally:
        QGuiApplication.restoreOverrideCursor()
