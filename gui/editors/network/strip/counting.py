"""Counting while a block is on its way: what an order with the block elsewhere costs, and where it would be best."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.widgets.background_thread import Background
from planner.machines.two_level_memory.orders.blocks import BlockMove, Place, best_place

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from planner.machines.two_level_memory.evaluator import Counts
    from planner.machines.two_level_memory.problem import NetworkProblem

AT_ONCE_SECONDS = 0.02
"""A count expected to take no longer is made where it is asked for: the figures then keep up with the pointer."""
SEARCH_SECONDS = 2.0
"""How long a search for a place may take; it is cut by the number of counts, so that results do not depend on load."""
LEAST_COUNTS, MOST_COUNTS = 24, 400


class Counting(QObject):
    """Counts orders of one document: live ones for a drag, many in a row for a search. The latest request counts."""

    busy_changed = Signal()

    def __init__(self, document: OrderDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self._live = Background("block counts", self)
        self._search = Background("block search", self)
        self._live.busy_changed.connect(self.busy_changed)
        self._search.busy_changed.connect(self.busy_changed)
        self._known: tuple[NetworkProblem, float] | None = None
        """Seconds of a count under a problem, once the kernels are loaded."""

    @property
    def busy(self) -> bool:
        """Whether a figure or a place is still to come."""
        return self._live.busy or self._search.busy

    @property
    def searching(self) -> bool:
        """Whether a place is being searched for."""
        return self._search.busy

    def count(self, move: BlockMove, place: int, deliver: Callable[[Counts], None]) -> None:
        """``deliver`` the I/Os of the order with the block at a legal place: at once, or as soon as they are counted."""
        problem = self.document.open_problem
        if self._known is not None and self._known[0] is problem and self._known[1] <= AT_ONCE_SECONDS:
            self._live.cancel()
            deliver(self._timed(problem, move, place)[0])
            return

        def take(result: object) -> None:
            if isinstance(result, Exception):
                raise result
            assert isinstance(result, tuple)
            self._known = problem, result[1]
            deliver(result[0])

        self._live.run(lambda stopped: self._timed(problem, move, place), take)

    def _timed(self, problem: NetworkProblem, move: BlockMove, place: int) -> tuple[Counts, float]:
        begin = time.perf_counter()
        counts = problem.evaluator.count(move.order_at(place))
        return counts, time.perf_counter() - begin

    def _total(self, problem: NetworkProblem, move: BlockMove) -> tuple[Callable[..., float], int]:
        """What is minimised, and how often it may be counted. Run on the thread."""
        count = problem.evaluator.count
        count(move.order)  # loads the kernels, which is no part of what a count takes
        begin = time.perf_counter()
        count(move.order)
        each = max(1e-6, time.perf_counter() - begin)
        return (lambda order: float(count(order).total)), int(
            min(MOST_COUNTS, max(LEAST_COUNTS, SEARCH_SECONDS / each))
        )

    def find_best(self, move: BlockMove, deliver: Callable[[Place | None], None]) -> None:
        """``deliver`` the best place found for a block."""
        problem = self.document.open_problem

        def work(stopped: Callable[[], bool]) -> Place | None:
            total, budget = self._total(problem, move)
            return best_place(move, total, stopped, budget)

        self._search.run(work, lambda result: _hand_over(result, deliver))

    def find_better(self, move: BlockMove, side: int, deliver: Callable[[Place | None], None]) -> None:
        """``deliver`` the nearest place earlier (side -1) or later (1) at which the order is better than now, or None."""
        problem = self.document.open_problem

        def work(stopped: Callable[[], bool]) -> Place | None:
            total, budget = self._total(problem, move)
            now = total(move.order)
            for place in move.places_beside(side)[:budget].tolist():
                if stopped():
                    return None
                found = total(move.order_at(place))
                if found < now:
                    return Place(place, found)
            return None

        self._search.run(work, lambda result: _hand_over(result, deliver))

    def cancel(self) -> None:
        """Nobody waits any more."""
        self._live.cancel()
        self._search.cancel()

    def close(self) -> None:
        """End the threads."""
        self._live.close()
        self._search.close()


def _hand_over(result: object, deliver: Callable[[Place | None], None]) -> None:
    if isinstance(result, Exception):
        raise result
    assert result is None or isinstance(result, Place)
    deliver(result)
