"""What was found for the document: plans that come into its list and get better there, and bounds. None of it edits the plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from PySide6.QtCore import SignalInstance

from gui.document.plan.editing import Editable
from gui.document.plan_list import PlanEntry, drop_refuted, fill_figures, set_figures
from gui.document.values import Message
from planner.errors import PlanError
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.provenance import Provenance


class Told(Editable, Protocol):
    """The document, for what is found: its parts, and who hears of it."""

    @property
    def readouts_changed(self) -> SignalInstance:
        """Objective, bound, gap or violations are to be read again."""


class Results:
    """Keeps plans in the list of ``document``, each with its figures under the problem, and bounds beside them."""

    def __init__(self, document: Told) -> None:
        self._document = document
        self._board = document.board
        self._history = document.history
        self._plans = document.plan_list

    def add_bounds(self, bounds: Iterable[Bound]) -> None:
        """Add proven bounds; the strongest that applies to the problem is shown."""
        bounds = list(bounds)
        more = self._board.add_bounds(bounds)
        self._history.proved(bounds)
        if not more:
            return
        problem = self._board.open_problem
        for entry in self._plans.entries:
            if entry.components:
                set_figures(entry, problem, entry.components, entry.broken, self._board.bounds)
        self._document.readouts_changed.emit()
        self._plans.plans_changed.emit()

    def add_plan(
        self, device_of: Ints, name: str, *, origin: str = "planner", planner: str = "", seed: int | None = None,
        seconds: float | None = None, provenance: Provenance | None = None, claims: tuple[Bound, ...] = (), id: str = "",
    ) -> PlanEntry:  # fmt: skip
        """Add a proposal to the list; it is evaluated under the problem and changes nothing until applied."""
        problem = self._board.open_problem
        device_of = np.array(device_of, np.int32)
        if device_of.shape != (problem.graph.n,):
            raise PlanError(
                f"a plan for {problem.graph.n} ops was expected, this one places {device_of.size}"
            )
        entry = PlanEntry(
            self._plans.unused_name(name), device_of, origin, planner=planner, seed=seed, seconds=seconds,
            provenance=provenance, claims=claims,
        )  # fmt: skip
        if id:
            entry.id = id
        self.refresh_entry(entry)
        self._plans.insert(entry)
        self._history.listed(entry)
        return entry

    def update_plan(
        self, entry: PlanEntry, device_of: Ints | None = None, seconds: float | None = None
    ) -> None:
        """A planner improved its entry, or says how long it took."""
        if device_of is not None:
            entry.device_of = np.array(device_of, np.int32)
            self.refresh_entry(entry)
        entry.seconds = entry.seconds if seconds is None else seconds
        self._history.listed(entry)
        self._plans.plans_changed.emit()

    def refresh_entry(self, entry: PlanEntry) -> None:
        """Fill in the figures of an entry under the present problem; what it refutes of the claims of files is dropped."""
        fill_figures(entry, self._board.open_problem, self._board.bounds)
        self.drop_refuted(entry)

    def drop_refuted(self, entry: PlanEntry) -> None:
        """Drop the claims of files that a plan shows to be wrong, and say so."""
        for note in drop_refuted(self._plans.entries, entry, self._board.open_problem):
            self._document.message.emit(Message("warning", note))
