"""The docks around the canvas of a graph: which there are, where they start, and which go with the machine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from gui.editors.plan.panels.devices import DevicesPanel
from gui.panels.base import Panel
from gui.panels.mcm.state import is_package
from gui.shell.docks import BOTTOM, LEFT, RIGHT, Docks
from gui.widgets.later import soon


class GraphDocks(Docks):
    """All docks of a graph's window by panel id."""

    LAYOUT: ClassVar = (
        ("devices", LEFT, ""), ("ops", LEFT, "below"), ("inspector", LEFT, "ops"),
        ("planners", RIGHT, ""), ("help", RIGHT, "below"), ("plans", RIGHT, "planners"), ("target", RIGHT, "planners"), ("story", RIGHT, "planners"), ("race", RIGHT, "planners"),
        ("why", RIGHT, "help"), ("violations", RIGHT, "help"),
        ("schedule", BOTTOM, ""), ("convergence", BOTTOM, "beside"), ("counts", BOTTOM, "schedule"),
        ("package", BOTTOM, "schedule"), ("robust", BOTTOM, "schedule"), ("run", BOTTOM, "schedule"),
        ("training", BOTTOM, "schedule"),
    )  # fmt: skip
    FRONT = ("ops", "planners", "help")
    HIDDEN = ("schedule", "convergence", "counts", "package", "robust", "run", "training", "story", "race")
    SHORT: ClassVar = {"help": "Help most", "why": "Why", "violations": "Violations", "robust": "How sure"}
    TALL: ClassVar = {"story": ("help", 620)}
    panels: Mapping[str, Panel]
    BESIDE_FROM = 1600
    """Width in pixels from which schedule and convergence stand side by side; below they are tabs."""
    SCHEDULE_FROM = 860
    """Height in pixels from which the schedule is shown from the start."""
    MOST_DEVICES = 0.48
    """Share of the window's height that is the devices' at most: four cards around caches in 768 pixels."""
    BELOW, PER_DEVICE, MOST_BELOW = 120, 16, 0.34
    """Height of what stands below the canvas: at least so much, more per device, at most that share of the window."""

    def __init__(self, window: QMainWindow, panels: dict[str, Panel]) -> None:
        super().__init__(window, panels, {id: panel.title for id, panel in panels.items()})
        self._placed = False
        """Whether what stands below the canvas was fitted to the window since it was arranged."""
        self._packaged: bool | None = None
        """Whether the target was a multi-chip module when the docks looked last; None: there was none."""
        self.arrange()

    def arrange(self) -> None:
        """Put every dock where it starts."""
        super().arrange()
        self._packaged = None
        self.follow_target()
        self._placed = False

    def size(self, width: int, height: int) -> None:
        """Sizes that suit a window of this size, before anyone has dragged a border."""
        side = 228 if width < 1400 else 260
        window, docks = self._window, self.docks
        # As wide as the widest that may come there needs: else the canvas would jump when it comes.
        needs = (docks[id].minimumSizeHint().width() for id, area, _ in self.LAYOUT if area == RIGHT)
        right = max(264 if width < 1400 else 300, *needs)
        window.resizeDocks([docks["devices"], docks["planners"]], [side, right], Qt.Orientation.Horizontal)
        free = max(300, height - 110)
        top = self._devices_height(height)
        window.resizeDocks([docks["devices"], docks["ops"]], [top, free - top], Qt.Orientation.Vertical)
        window.resizeDocks(
            [docks["planners"], docks["help"]], [int(free * 0.68), int(free * 0.32)], Qt.Orientation.Vertical
        )
        self._keep_room()
        self._place_below(width, height)

    def _devices_height(self, height: int) -> int:
        """What all devices need, but not more than leaves room for the ops in a window of this height."""
        panel = cast(DevicesPanel, self.panels["devices"])
        return min(int(height * self.MOST_DEVICES), max(120, 42 + panel.wanted_height()))

    def make_room_for_devices(self) -> None:
        """Another machine may need more room for its devices: they get it, where it is there."""
        devices, ops = self.docks["devices"], self.docks["ops"]
        wanted, both = self._devices_height(self._window.height()), devices.height() + ops.height()
        beneath = devices.width() == ops.width() and devices.x() == ops.x()
        if self._placed and beneath and devices.height() < wanted and not devices.isFloating():
            self._window.resizeDocks([devices, ops], [wanted, both - wanted], Qt.Orientation.Vertical)

    def _device_count(self) -> int:
        problem = self.panels["devices"].document.problem
        return 4 if problem is None else len(problem.devices)

    def _place_below(self, width: int, height: int) -> None:
        """Schedule and convergence: tabs where the window is narrow; the schedule is shown where it is high."""
        window, schedule, convergence = self._window, self.docks["schedule"], self.docks["convergence"]
        if not self._placed:
            self._placed = True
            if width < self.BESIDE_FROM:
                window.tabifyDockWidget(schedule, convergence)
            schedule.setVisible(height >= self.SCHEDULE_FROM)
        below = min(
            int(self.MOST_BELOW * height), max(200, self.BELOW + self.PER_DEVICE * self._device_count())
        )
        window.resizeDocks([schedule, convergence], [below, below], Qt.Orientation.Vertical)
        self._share_below()

    def reveal(self, id: str) -> QDockWidget:
        """Bring a dock to the front."""
        appears = self.docks[id].isHidden()
        dock = super().reveal(id)
        if appears and id in ("schedule", "convergence"):
            soon(self, self._share_below)
        if appears and id in ("counts", "package", "robust", "run", "training"):
            soon(self, partial(self._fit, id))
        return dock

    def follow_target(self) -> None:
        """The package view comes with a multi-chip module and goes with it; in between it is as the user left it. One of a window as it
        was last goes where the first machine is none of that kind."""
        problem = self.panels["devices"].document.problem
        if problem is None or (packaged := is_package(problem)) == self._packaged:
            return
        self._packaged = packaged
        if packaged:
            self.reveal("package")
        else:
            self.docks["package"].hide()

    def _share_below(self) -> None:
        """Schedule and convergence side by side: the schedule has more to show."""
        schedule, convergence = self.docks["schedule"], self.docks["convergence"]
        width = schedule.width() + convergence.width()
        beside = not (schedule.isHidden() or convergence.isHidden()) and not schedule.isFloating()
        if beside and convergence not in self._window.tabifiedDockWidgets(schedule):
            self._window.resizeDocks(
                [schedule, convergence], [width * 3 // 5, width * 2 // 5], Qt.Orientation.Horizontal
            )

    def _fit(self, id: str) -> None:
        """What is compared or drawn in a dock below the canvas is as high as its figures need."""
        dock = self.docks[id]
        wanted = min(self.panels[id].sizeHint().height() + 30, int(0.4 * self._window.height()))
        if dock.height() < wanted and not dock.isFloating():
            self._window.resizeDocks([dock], [wanted], Qt.Orientation.Vertical)
