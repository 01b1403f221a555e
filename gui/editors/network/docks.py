"""The docks of a network's window and where they start."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt

from gui.shell.docks import LEFT, RIGHT, Docks


class NetworkDocks(Docks):
    """All docks of a network's window by panel id."""

    LAYOUT: ClassVar = (
        ("inspector", LEFT, ""), ("fast-memory", LEFT, "below"),
        ("planners", RIGHT, ""), ("memory-plot", RIGHT, "below"), ("plans", RIGHT, "planners"),
        ("story", RIGHT, "planners"), ("race", RIGHT, "planners"), ("convergence", RIGHT, "memory-plot"),
    )  # fmt: skip
    FRONT = ("planners", "memory-plot")
    HIDDEN = ("story", "race")
    TALL: ClassVar = {"story": ("memory-plot", 620)}

    def size(self, width: int, height: int) -> None:
        """Sizes that suit a window of this size, before anyone has dragged a border."""
        window, docks = self._window, self.docks
        left, right = (232, 284) if width < 1500 else (272, 380)
        window.resizeDocks([docks["inspector"], docks["planners"]], [left, right], Qt.Orientation.Horizontal)
        free = max(300, height - 110)
        for above, below, share in (("inspector", "fast-memory", 0.6), ("planners", "memory-plot", 0.62)):
            window.resizeDocks(
                [docks[above], docks[below]],
                [int(share * free), int((1 - share) * free)],
                Qt.Orientation.Vertical,
            )
        self._keep_room()
