"""The panels of a comparison of orders, and where they start."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt

from gui.shell.docks import RIGHT, Docks

TITLES = {
    "inspector": "Inspector", "memory-a": "Fast memory, A", "memory-b": "Fast memory, B", "memory-plot": "I/Os by memory",
}  # fmt: skip


class OrdersDocks(Docks):
    """All at the right: what is selected, what is in fast memory, and the curves of both orders."""

    LAYOUT: ClassVar = (
        ("inspector", RIGHT, ""), ("memory-plot", RIGHT, "below"), ("memory-a", RIGHT, "inspector"), ("memory-b", RIGHT, "inspector"),
    )  # fmt: skip
    FRONT = ("inspector",)
    SHORT: ClassVar = {"memory-a": "Memory A", "memory-b": "Memory B"}

    def size(self, width: int, height: int) -> None:
        """Sizes that suit a window of this size, before anyone has dragged a border."""
        window, docks = self._window, self.docks
        window.resizeDocks([docks["inspector"]], [280 if width < 1500 else 360], Qt.Orientation.Horizontal)
        free = max(300, height - 110)
        window.resizeDocks(
            [docks["inspector"], docks["memory-plot"]], [int(0.6 * free), int(0.4 * free)], Qt.Orientation.Vertical
        )  # fmt: skip
