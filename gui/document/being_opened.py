"""What a document says while it has nothing yet: that something is being opened."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

LONGEST = 25
"""Letters of a word that the panels at the side of a window have room for, behind one more word."""


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
        """What a panel says while nothing is open: what is being opened, in words that a narrow one has room for, else ``words``."""
        return " ".join(map(_shortened, self.opening.split(" "))) or words


def _shortened(word: str) -> str:
    """A word without its middle where it is so long that panels, which break lines between words, would cut it and the lines beside it."""
    half = (LONGEST - 1) // 2
    return word if len(word) <= LONGEST else f"{word[:half]}\N{HORIZONTAL ELLIPSIS}{word[-half:]}"
