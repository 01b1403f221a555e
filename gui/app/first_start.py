"""The first start on a machine: a picture at once, by other means, while kernels are compiled beside the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.app import kernels
from gui.background.preparing import Preparing, PreparingLabel
from gui.background.warming import warming
from gui.raster import engine
from planner.runs import preparing

if TYPE_CHECKING:
    from gui.look.theme import ThemeController
    from gui.shell.header import Header


class FirstStart(QObject):
    """Has Qt draw until the kernels that draw are there, and sees that all kernels will be."""

    _drawable = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preparing: Preparing | None = None
        self._themes: ThemeController | None = None
        self._drawable.connect(self._draw_compiled)
        self._stands_in = not kernels.can_draw()
        if self._stands_in:
            from gui.canvas.stand_in import StandIn

            engine.draw_by(StandIn())

    def begin(self, header: Header, themes: ThemeController, kind: str) -> None:
        """Compile what is missing, first what the open machine of that ``kind`` takes. Only the first call counts."""
        if self._preparing is not None:
            return
        self._themes = themes
        self._preparing = Preparing(
            lambda: preparing.missing(kernels.tasks(kind)),
            kernels.work_through,
            kernels.helpers(),
            warming.run,
            kernels.cost,
            kernels.made,
            sum(map(kernels.cost, kernels.tasks(kind))),
            self,
        )
        self._preparing.done.connect(self._task_done)
        header.add_news(PreparingLabel(self._preparing))
        self._preparing.begin()

    def _task_done(self, task: str) -> None:
        if task in kernels.DRAWING or task.startswith("edit:"):
            warming.load_again()
        if task == "draw":
            warming.run(self._drawable.emit)

    def _draw_compiled(self) -> None:
        """From now on; everything is painted again."""
        if self._stands_in:
            self._stands_in = False
            engine.draw_by(engine.COMPILED)
            if self._themes is not None:
                self._themes.changed.emit(self._themes.theme)

    def close(self) -> None:
        """End it."""
        if self._preparing is not None:
            self._preparing.close()
        engine.draw_by(engine.COMPILED)
