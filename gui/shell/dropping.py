"""Windows that files may be dropped on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow


class DropWindow(QMainWindow):
    """Takes files of this machine that are dropped anywhere on it; subclasses call ``setAcceptDrops`` and say what becomes of them."""

    def take_dropped(self, files: list[Path]) -> None:
        """Files were dropped."""
        raise NotImplementedError

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files are welcome."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take what was dropped."""
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.take_dropped(files)


def dropped_files(data: QMimeData) -> list[Path]:
    """The files in what is dragged, of this machine."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
