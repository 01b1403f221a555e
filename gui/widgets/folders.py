"""Folders in the desktop's own program for files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def show_folder(folder: Path) -> None:
    """Open a folder beside the window."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
