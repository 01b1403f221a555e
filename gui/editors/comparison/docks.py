"""The panels of the compare window: what differs, around the canvases."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from gui.panels.base import Panel
from gui.shell.docks import BOTTOM, RIGHT, Docks, tab_bars

TITLES = {
    "moved": "Moved ops", "devices": "Devices", "flows": "Flows of ops", "schedules": "Schedules", "figures": "Figures",
}  # fmt: skip
WIDE = 1500
"""Pixels of the window from which there is room for lists at its right."""


SHARE = 0.36
"""Of the window's height is below the canvases: two schedules of a few devices fit there."""


class CompareDocks(Docks):
    """All docks of the compare window by panel id."""

    panels: Mapping[str, Panel]

    def __init__(self, window: QMainWindow, panels: dict[str, Panel]) -> None:
        super().__init__(window, panels, TITLES)
        for corner in (Qt.Corner.BottomRightCorner, Qt.Corner.TopRightCorner):
            window.setCorner(corner, RIGHT)

    def arrange(self) -> None:
        """Put every dock where it starts: lists at the right where there is room, else all in one row of tabs."""
        window, docks = self._window, self.docks
        wide = window.width() >= WIDE
        self._bars_before = tab_bars(window)
        for dock in docks.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        bottom: tuple[str, ...]
        if wide:
            window.addDockWidget(RIGHT, docks["moved"], Qt.Orientation.Vertical)
            window.splitDockWidget(docks["moved"], docks["devices"], Qt.Orientation.Vertical)
            bottom = ("figures", "flows", "schedules")
        else:
            bottom = ("figures", "moved", "devices", "flows", "schedules")
        window.addDockWidget(BOTTOM, docks[bottom[0]])
        for id in bottom[1:]:
            window.tabifyDockWidget(docks[bottom[0]], docks[id])
        for dock in docks.values():
            dock.show()
        docks["flows" if wide else "moved"].raise_()
        high = max(150, int(SHARE * window.height()))
        window.resizeDocks([docks[bottom[0]]], [high], Qt.Orientation.Vertical)
        if wide:
            window.resizeDocks([docks["moved"]], [440], Qt.Orientation.Horizontal)
            window.resizeDocks([docks["moved"], docks["devices"]], [500, 500], Qt.Orientation.Vertical)
        self.settle.ask()
