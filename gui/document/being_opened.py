"""What a document says while it has nothing yet: that something is being opened."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class BeingOpened(QObject):
    """A document into which something may be read. ``opening_changed``: something else, or nothing, is being opened."""

    opening_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.opening = ""
        """What is being read to be opened, for a person: ``Opening unet.onnx …``; empty where nothing is."""

    def set_opening(self, words: str) -> None:
        """Something is being read to be opened, or no longer."""
        if words != self.opening:
            self.opening = words
            self.opening_changed.emit()

    def nothing(self, words: str) -> str:
        """What a panel says while nothing is open: what is being opened, else ``words``."""
        return self.opening or words
