"""Which chips of a package an op can ever be on: what the static rules, pins and groups leave, whatever else moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.background import Background
from gui.board import Board
from planner.graph import Bools, Ints
from planner.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, eq=False)
class Domains:
    """The chips that propagation leaves to each op of a problem: bit c of ``masks`` (uint64[n]) for chip c.

    No valid plan is outside them; a chip inside may still be impossible.
    """

    problem: Problem
    masks: np.ndarray

    def reachable(self, ops: Ints) -> Bools:
        """bool[k]: the devices that all of ``ops`` could be on in some valid plan, as far as is known."""
        common = np.bitwise_and.reduce(self.masks[ops])
        chips = np.arange(len(self.problem.devices), dtype=np.uint64)
        inside: Bools = (common >> chips & np.uint64(1)).astype(bool)
        return inside

    def sentence(self, ops: Ints, device: int) -> str:
        """Why ``ops`` cannot be on ``device``, naming the first op that cannot."""
        bit = np.uint64(1) << np.uint64(device)
        held = next(int(op) for op in ops if not self.masks[op] & bit)
        left = np.flatnonzero(self.reachable(np.array([held], np.int32)))
        name, titles = self.problem.graph.op_names[held], [d.title for d in self.problem.devices]
        first, last = titles[int(left[0])], titles[int(left[-1])]
        where = f"{len(left)} chips from {first} to {last}"
        if len(left) == int(left[-1]) - int(left[0]) + 1:
            where = f"{first} to {last}" if len(left) > 1 else f"only {first}"
        return f"{name} can never be on {titles[device]}: rules and constraints leave it {where}"


class DomainSearch(QObject):
    """Finds the domains of each problem that has some, beside the window, and gives them to the board.

    ``found``: the board knows the domains of its problem now. Call :meth:`close` before the window goes.
    """

    found = Signal()

    def __init__(self, board: Board, parent: QObject | None = None) -> None:
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
        if problem is not None and problem.target.kind == "mcm":
            # Here, not on the thread: two threads that import beside a window may wait for each other.
            from planner.partition import chip_solver  # noqa: F401

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
    """The domains of a problem on a package; None where none is valid, so that they say nothing about a single op."""
    from planner.partition.chip_solver import ChipSolver

    if stopped():
        return None
    solver = ChipSolver(problem)
    return Domains(problem, solver.domains().copy()) if solver.feasible else None
