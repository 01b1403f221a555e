"""Which weights the learned policy plans with: those that come with Stageboard, or a file of one's own."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

PLANNERS = ("chip-learned", "chip-local-search")
"""The planners that ask the policy, the one that is nothing else first; their option is :data:`OPTION`."""
OPTION = "weights"


class ChosenWeights(QObject):
    """The path of the file that was chosen; empty: the weights that come with Stageboard."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = ""

    def choose(self, path: str) -> None:
        """Plan with a file from now on, or with the weights that come with Stageboard."""
        if path != self.path:
            self.path = path
            self.changed.emit()

    @property
    def is_gone(self) -> bool:
        """Whether the chosen file is no longer there."""
        return bool(self.path) and not Path(self.path).is_file()
