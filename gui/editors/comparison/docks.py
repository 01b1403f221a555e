"""The panels of the compare window: what differs, around the canvases."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from gui.panels.base import Panel
from gui.shell.docks import BOTTOM, RIGHT, dock_of, set_up_docking, settle_titles
from gui.widgets.later import Later

TITLES = {
    "moved": "Moved ops", "devices": "Devices", "flows": "Flows of ops", "schedules": "Schedules", "figures": "Figures",
}  # fmt: skip
WIDE = 1500
"""Pixels of the window from which there is room for lists at its right."""


SHARE = 0.36
"""Of the window's height is below the canvases: two schedules of a few devices fit there."""


class CompareDocks(QObject):
    """All docks of a window by panel id."""

    def __init__(self, window: QMainWindow, panels: dict[str, Panel]) -> None:
        super().__init__(window)
        self._window, self.panels = window, panels
        self.docks: dict[str, QDockWidget] = {}
        self._settle = Later(lambda: settle_titles(window, self.docks.values()), self)
        set_up_docking(window)
        for corner in (Qt.Corner.BottomRightCorner, Qt.Corner.TopRightCorner):
            window.setCorner(corner, RIGHT)
        for id, panel in panels.items():
            self.docks[id] = dock_of(window, id, TITLES[id], TITLES[id], panel, self._settle.ask)

    def arrange(self) -> None:
        """Put every dock where it starts: lists at the right where there is room, else all in one row of tabs."""
        window, docks = self._window, self.docks
        wide = window.width() >= WIDE
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
        self._settle.ask()

    def focus(self, id: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        dock, panel = self.docks[id], self.panels[id]
        dock.show()
        dock.raise_()
        panel.refresh_now()
        found = [
            child
            for child in (panel, *panel.findChildren(QWidget))
            if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        if found:
            found[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
