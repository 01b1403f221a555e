"""What is selected, what is under the pointer, and the broken rule that is looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from planner.model.graph import Graph, Ints
from planner.problem.decision import Violation
from planner.problem.problem import Problem

EMPTY: Ints = np.empty(0, np.int32)
EMPTY.setflags(write=False)


def op_array(ops: object) -> Ints:
    """Any sequence of op indices as a sorted int32 array without repeats."""
    array = np.asarray(ops if isinstance(ops, np.ndarray) else list(ops), np.int64)  # type: ignore[call-overload]
    if len(array) > 1 and not (array[1:] > array[:-1]).all():
        array = np.unique(array)
    return array.astype(np.int32)


MODES = ("replace", "add", "toggle", "remove")


class Selection(QObject):
    """A sorted set of ops, one hovered op (-1 = none), and one violation whose paths are drawn (None = none)."""

    selection_changed = Signal()
    hover_changed = Signal()
    pointed_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graph: Graph | None = None
        self.ops: Ints = EMPTY
        self.hover = -1
        self.pointed: Violation | None = None

    def reset(self, graph: Graph | None) -> None:
        """Another graph is open: nothing is selected. Tells nobody; the document does."""
        self._graph = graph
        self.ops = EMPTY
        self.hover = -1
        self.pointed = None

    def select(self, ops: object, mode: str = "replace") -> None:
        """Replace, add to, toggle in or remove from the selection. Unknown ops are ignored."""
        if mode not in MODES:
            raise ValueError(f"selection mode '{mode}' is not one of {', '.join(MODES)}")
        given = op_array(ops)
        n = 0 if self._graph is None else self._graph.n
        given = given[(given >= 0) & (given < n)]
        if mode == "add":
            chosen = np.union1d(self.ops, given)
        elif mode == "toggle":
            chosen = np.setxor1d(self.ops, given)
        elif mode == "remove":
            chosen = np.setdiff1d(self.ops, given)
        else:
            chosen = given
        if np.array_equal(chosen, self.ops):
            return
        chosen = chosen.astype(np.int32)
        chosen.setflags(write=False)
        self.ops = chosen
        self.selection_changed.emit()

    def select_connected(self, direction: str) -> None:
        """Add everything upstream (``ancestors``) or downstream (``descendants``) of the selection."""
        if direction not in ("ancestors", "descendants"):
            raise ValueError(f"direction '{direction}' is neither ancestors nor descendants")
        if self._graph is None or not len(self.ops):
            return
        reached = getattr(self._graph, direction)(self.ops.tolist())
        self.select(np.flatnonzero(reached), "add")

    def set_hover(self, op: int) -> None:
        """Say which op is under the pointer (-1 = none)."""
        n = 0 if self._graph is None else self._graph.n
        op = op if 0 <= op < n else -1
        if op != self.hover:
            self.hover = op
            self.hover_changed.emit()

    def point_at(self, violation: Violation | None) -> None:
        """Say which broken rule is looked at."""
        if violation != self.pointed:
            self.pointed = violation
            self.pointed_changed.emit()


def named(problem: Problem, ops: Ints | Sequence[int]) -> str:
    """A few words for some ops: the name of one, else how many."""
    return problem.graph.op_names[int(ops[0])] if len(ops) == 1 else f"{len(ops)} ops"
