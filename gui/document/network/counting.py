"""Counting the orders of the list again after the fast memory changed: at once where that is quick, else on a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.widgets.background_thread import Background
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.plan_list import PlanEntry
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.machines.two_level_memory.problem import NetworkProblem

AT_ONCE = 300_000
"""Connections of all orders together that are counted where it is asked for: some tens of milliseconds."""
Counted = list[tuple["PlanEntry", "OrderEvaluation | None"]]


class Counting(QObject):
    """Evaluates entries under a problem; ``counted(problem, list of (entry, evaluation))`` brings the figures."""

    counted = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background("counting orders", self)

    @property
    def busy(self) -> bool:
        """Whether orders are being counted."""
        return self._background.busy

    def count(self, problem: NetworkProblem, entries: Sequence[PlanEntry]) -> None:
        """Evaluate the entries; what was being counted for another problem is dropped."""
        orders = [(entry, entry.device_of) for entry in entries]
        if sum(len(order) for _, order in orders) <= AT_ONCE:
            self._background.cancel()
            self.counted.emit(problem, [(entry, _evaluated(problem, order)) for entry, order in orders])
            return

        def work(stopped: Callable[[], bool]) -> Counted:
            found: Counted = []
            for entry, order in orders:
                if stopped():
                    break
                found.append((entry, _evaluated(problem, order)))
            return found

        def deliver(result: object) -> None:
            if isinstance(result, Exception):
                raise result
            self.counted.emit(problem, result)

        self._background.run(work, deliver)

    def cancel(self) -> None:
        """Nobody waits any more."""
        self._background.cancel()

    def close(self) -> None:
        """Wait until the thread is gone."""
        self._background.close()


def _evaluated(problem: NetworkProblem, order: object) -> OrderEvaluation | None:
    """The evaluation of an order; None where it is none of this network's."""
    try:
        return problem.evaluate(order)  # type: ignore[arg-type]
    except StageboardError:
        return None
