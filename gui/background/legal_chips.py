"""Which chips of a package an op can ever be on: what the static rules, pins and groups leave, whatever else moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.document.plan.board import AssignmentBoard, Domains
from gui.widgets.background_thread import Background
from planner.machines.catalogue import machine_of
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable


class DomainSearch(QObject):
    """Finds the domains of each problem that has some, beside the window, and gives them to the board.

    ``found``: the board knows the domains of its problem now. Call :meth:`close` before the window goes.
    """

    found = Signal()

    def __init__(self, board: AssignmentBoard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._background = Background("legal chips", self)

    @property
    def busy(self) -> bool:
        """Whether domains are on their way."""
        return self._background.busy

    def problem_changed(self) -> None:
        """Another problem: what is known of the one before says nothing about it."""
        problem = self._board.problem
        self._background.cancel()
        if problem is None:
            return
        # Loaded here, not on the thread: two threads that import beside a window may wait for each other.
        if machine_of(problem).part("domains") is not None:
            self._background.run(lambda stopped: domains_of(problem, stopped), self._found)

    def _found(self, result: object) -> None:
        if isinstance(result, Exception):
            raise result
        if isinstance(result, Domains) and result.problem is self._board.problem:
            self._board.domains = result
            self.found.emit()

    def close(self) -> None:
        """Wait for what runs, and drop it."""
        self._background.close()


def domains_of(problem: Problem, stopped: Callable[[], bool]) -> Domains | None:
    """The domains of a problem; None where none is valid, so that they say nothing about a single op, or where nobody knows."""
    find = machine_of(problem).part("domains")
    masks = None if stopped() or find is None else find(problem)
    return None if masks is None else Domains(problem, masks)
