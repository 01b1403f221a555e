"""Ops glide to their new places: one short eased movement at a time."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

DURATION = 0.28
FRAME_MS = 16


def eased(t: float) -> float:
    """Slow in, slow out, 0..1."""
    return t * t * (3.0 - 2.0 * t)


class Glide(QObject):
    """Interpolates positions from where cards are drawn to where they belong. ``reduced`` skips the movement."""

    stepped = Signal()
    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reduced = False
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._step)
        self._began = 0.0
        self._from: tuple[np.ndarray, np.ndarray] | None = None
        self._to: tuple[np.ndarray, np.ndarray] | None = None
        self.x = np.empty(0)
        self.y = np.empty(0)

    @property
    def running(self) -> bool:
        """Whether cards are moving."""
        return self._timer.isActive()

    def start(self, x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray) -> bool:
        """Move from (x0, y0) to (x1, y1); returns False where there is nothing to show."""
        self.x, self.y = x1, y1
        if self.reduced or len(x0) != len(x1) or (np.array_equal(x0, x1) and np.array_equal(y0, y1)):
            self.stop()
            return False
        self._from, self._to = (x0.copy(), y0.copy()), (x1, y1)
        self.x, self.y = self._from
        self._began = time.perf_counter()
        self._timer.start()
        return True

    def stop(self) -> None:
        """End at the destination."""
        self._timer.stop()
        if self._to is not None:
            self.x, self.y = self._to
        self._from = self._to = None

    def _step(self) -> None:
        assert self._from is not None
        assert self._to is not None
        t = min(1.0, (time.perf_counter() - self._began) / DURATION)
        if t >= 1.0:
            self.stop()
            self.stepped.emit()
            self.finished.emit()
            return
        share = eased(t)
        self.x = self._from[0] + (self._to[0] - self._from[0]) * share
        self.y = self._from[1] + (self._to[1] - self._from[1]) * share
        self.stepped.emit()
