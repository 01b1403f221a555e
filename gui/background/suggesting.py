"""The search for the moves that help most, in steps between which the window stays alive."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.plan.document import Document
from gui.widgets.turn import OTHERS, PANELS

if TYPE_CHECKING:
    from planner.problem.evaluator import Move

MOST_PUT_OFF = 3
"""Long turns of the event loop in a row that are left alone: there may be one after the other."""


class MoveSearch(QObject):
    """Finds what :meth:`gui.document.plan.document.Document.best_moves` finds, a few milliseconds at a time.

    ``found(list)``: the best moves of the assignment as it is now. An edit ends a search without a word.
    """

    found = Signal(object)

    SLICE_SECONDS = 0.006

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._steps: Iterator[list[Move]] | None = None
        self._moves: list[Move] = []
        self._serial = -1
        self._limit = 0
        self._put_off = 0
        """How many turns of the event loop in a row were left to what else took long in them."""
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)

    @property
    def busy(self) -> bool:
        """Whether a search is under way."""
        return self._steps is not None

    def start(self, limit: int = 5) -> None:
        """Search from the beginning. Nothing is said where nothing is open."""
        self.stop()
        live = self._document.live
        if live is None:
            return
        self._serial, self._limit, self._moves = self._document.assignment_serial, limit, []
        self._steps = live.improving_moves()
        self._timer.start()

    def stop(self) -> None:
        """End the search without a word."""
        self._timer.stop()
        self._steps = None

    def _step(self) -> None:
        if self._steps is None or self._serial != self._document.assignment_serial:
            self.stop()
            return
        if (OTHERS.is_long or PANELS.is_long) and self._put_off < MOST_PUT_OFF:
            self._put_off += 1
            return
        self._put_off = 0
        until = time.perf_counter() + self.SLICE_SECONDS
        with OTHERS.counted():
            for moves in self._steps:
                self._moves += moves
                if time.perf_counter() > until:
                    return
        self.stop()
        best = sorted(self._moves, key=lambda move: (move.components, move.ops))[: self._limit]
        self._document.board.keep_best_moves(self._limit, best)
        self.found.emit(best)
