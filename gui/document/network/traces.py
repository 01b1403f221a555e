"""The traces of the order under edit and of the one beside it: at once where that is quick, else on a thread."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.widgets.background_thread import Background
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.document.network.memory_history import History
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.machines.two_level_memory.trace import Trace

AT_ONCE_SECONDS = 0.012
"""A trace expected to take no longer is made where it is asked for: a picture without it would flicker."""


class OneTrace(QObject):
    """The trace of one order; None while it is being made, or where there is no order."""

    changed = Signal()

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background(name, self)
        self._wanted: tuple[NetworkProblem, Ints] | None = None
        self._per_connection: float | None = None
        """Seconds per connection of the last trace on this problem; None before the kernels were loaded."""
        self.trace: Trace | None = None
        self._history: History | None = None
        """Kept, so that those who look at the trace find it made: of a large network it takes a while."""

    @property
    def busy(self) -> bool:
        """Whether a trace is on its way."""
        return self._background.busy

    def follow(self, problem: NetworkProblem | None, order: Ints) -> None:
        """Make the trace of another order, or of the same under another problem."""
        if problem is None or not len(order):
            self._wanted, self.trace, self._history = None, None, None
            self._background.cancel()
            self.changed.emit()
            return
        if self._wanted is not None and self._wanted[0] is problem and self._wanted[1] is order:
            return
        if self._wanted is not None and self._wanted[0].network is not problem.network:
            self._per_connection = None
        self._wanted, self.trace, self._history = (problem, order), None, None
        expected = None if self._per_connection is None else self._per_connection * len(order)
        if expected is not None and expected <= AT_ONCE_SECONDS:
            self._background.cancel()
            self._take(self._make(problem, order))
            return
        self._background.run(lambda stopped: self._make(problem, order), self._take)
        self.changed.emit()

    def _make(self, problem: NetworkProblem, order: Ints) -> object:
        """The trace, its history and the seconds that both took; also run on the thread."""
        from gui.document.network.memory_history import history_of

        begin = time.perf_counter()
        trace = problem.evaluator.trace(order)
        history = history_of(problem.network, order, trace, problem.evaluator.slots)
        return trace, history, (time.perf_counter() - begin) / len(order)

    def _take(self, result: object) -> None:
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, tuple)
        self.trace, self._history, self._per_connection = result
        self.changed.emit()

    def close(self) -> None:
        """Nobody looks any more."""
        self._background.close()
