"""A training run as the window sees it: what its folder holds, and the process that goes on with it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from planner.errors import StageboardError
from planner.loading import Named

if TYPE_CHECKING:
    from planner.machines.mcm.learning.aside import TrainingAside
    from planner.machines.mcm.learning.recorded import Progress
    from planner.machines.mcm.learning.training import Point, TrainingSettings

# Training is imported once somebody looks at it.
begun = Named("planner.machines.mcm.learning.aside:begun")
progress_of = Named("planner.machines.mcm.learning.recorded:Progress")
recorded = Named("planner.machines.mcm.learning.recorded:recorded")
weights_of = Named("planner.machines.mcm.learning.recorded:weights_of")
LOOK_MS = 200


class TrainingRun(QObject):
    """One folder at a time, at most one process. Call :meth:`close` before the window goes.

    ``changed`` says that anything is another; ``failed(str)`` why a run ended that nobody ended.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = Path()
        self.settings: TrainingSettings | None = None
        """What the run in the folder was asked; None where there is none."""
        self.curve: list[Point] = []
        self.progress: Progress | None = None
        self.problem = ""
        """Why what the folder holds is no run to go on with; empty where it is one, or nothing."""
        self.pausing = False
        self.heard = False
        """Whether the process told of a checkpoint since it was started."""
        self._aside: TrainingAside | None = None
        self._began, self._said = 0.0, 0
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def running(self) -> bool:
        """Whether a process is at it."""
        return self._aside is not None

    @property
    def seconds(self) -> float:
        """How long the process has been at it."""
        return time.monotonic() - self._began

    @property
    def words(self) -> str:
        """What is done, in a few words for where little room is."""
        of = "" if self.progress is None else f" {self.progress.samples:,} of {self.progress.of:,}"
        return f"Training{of}"

    @property
    def complete(self) -> bool:
        """Whether all samples are drawn."""
        return self.settings is not None and len(self.curve) >= self.settings.checkpoints

    @property
    def best(self) -> Point | None:
        """The checkpoint whose weights are kept."""
        return max(self.curve, key=lambda point: point.score, default=None)

    @property
    def weights(self) -> Path | None:
        """The best weights so far."""
        weights: Path | None = weights_of(self.folder)
        return weights

    def open(self, folder: Path) -> None:
        """Look at another folder. Nothing while a process is at work in this one."""
        if self.running:
            return
        self.folder, self.settings, self.curve, self.progress, self.problem = folder, None, [], None, ""
        try:
            found = recorded(folder)
        except StageboardError as error:
            self.problem = str(error)
        else:
            if found is not None:
                self.settings, self.curve = found.settings, list(found.curve)
                self.progress = found.progress
        self.changed.emit()

    def start(self, settings: TrainingSettings) -> None:
        """Begin in the folder, or go on with what is there. Nothing while a process is at work."""
        if self.running:
            return
        self.open(self.folder)  # another program may have gone on meanwhile
        if self.problem:
            return
        self._aside = begun(settings, str(self.folder.absolute()), self.settings is not None)
        self.settings, self.pausing, self.heard, self._began = settings, False, False, time.monotonic()
        per = settings.per_checkpoint
        seconds = 0.0 if self.progress is None else self.progress.cpu_seconds
        self.progress = progress_of(len(self.curve) * per, settings.checkpoints * per, seconds)
        self._timer.start()
        self.changed.emit()

    def pause(self) -> None:
        """End after the checkpoint at work."""
        if self._aside is not None:
            self.pausing = True
            self._aside.pause()
            self.changed.emit()

    def cancel(self) -> None:
        """End at once; what was trained up to the last checkpoint stays in the folder."""
        if self._aside is not None:
            self._end()
            self.open(self.folder)

    def close(self) -> None:
        """End the process, if there is one; nobody is told."""
        self._end()

    def _end(self) -> None:
        self._timer.stop()
        self.pausing = False
        if self._aside is not None:
            aside, self._aside = self._aside, None
            aside.close()

    def _look(self) -> None:
        """Hear what the process says; before it says anything, a second that has passed is something, too."""
        told = not self.heard and int(self.seconds) != self._said
        self._said = int(self.seconds)
        while self._aside is not None and (news := self._aside.poll()) is not None:
            told = True
            if news.point is not None:
                self.curve.append(news.point)
                self.progress, self.heard = news.progress, True
            if news.ended:
                self._end()
                self.open(self.folder)
                if news.sentence:
                    self.failed.emit(f"training ended: {news.sentence}")
        if told:
            self.changed.emit()
