"""The docks of a network's window and where they start."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from gui.shell.docks import LEFT, RIGHT, dock_of, set_up_docking, settle_titles
from gui.widgets.later import Later

LAYOUT = (
    ("inspector", LEFT, ""), ("fast-memory", LEFT, "below"),
    # Docks are split before they get tabs: what is split off a dock with tabs becomes one more tab.
    ("planners", RIGHT, ""), ("memory-plot", RIGHT, "below"), ("plans", RIGHT, "planners"),
    ("story", RIGHT, "planners"), ("race", RIGHT, "planners"), ("convergence", RIGHT, "memory-plot"),
)  # fmt: skip
SHORT = {"memory-plot": "I/Os by memory"}


class OrderDocks(QObject):
    """All docks of a window by panel id. ``panels`` maps ids to (title, widget)."""

    def __init__(self, window: QMainWindow, panels: dict[str, tuple[str, QWidget]]) -> None:
        super().__init__(window)
        self._window = window
        self.titles = {id: title for id, (title, _) in panels.items()}
        self.docks: dict[str, QDockWidget] = {}
        self._settle = Later(lambda: settle_titles(window, self.docks.values()), self)
        set_up_docking(window)
        for id, (title, widget) in panels.items():
            self.docks[id] = dock_of(window, id, title, SHORT.get(id, title), widget, self._settle.ask)
        self.arrange()

    def arrange(self) -> None:
        """Put every dock where it starts."""
        window = self._window
        above: dict[Qt.DockWidgetArea, str] = {}
        for id, area, how in LAYOUT:
            dock = self.docks[id]
            dock.setFloating(False)
            window.removeDockWidget(dock)
            if how in ("", "below"):
                window.addDockWidget(area, dock, Qt.Orientation.Vertical)
                if how:
                    window.splitDockWidget(self.docks[above[area]], dock, Qt.Orientation.Vertical)
                above.setdefault(area, id)
            else:
                window.tabifyDockWidget(self.docks[how], dock)
            dock.show()
        for id in ("planners", "memory-plot"):
            self.docks[id].raise_()
        self.docks["story"].hide()
        self.docks["race"].hide()
        self._settle.ask()

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

    def reveal(self, id: str) -> QDockWidget:
        """Bring a dock to the front."""
        dock = self.docks[id]
        dock.show()
        dock.raise_()
        return dock
