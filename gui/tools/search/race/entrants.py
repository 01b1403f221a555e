"""What can be done with an entrant of the race that is shown: its plan applied, looked at, compared and replayed, itself stopped and copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from gui.document.values import Message
from gui.tools.search.race.facts import describe
from gui.tools.search.race.leaderboard import Leaderboard
from gui.tools.search.race.racing import Racing
from gui.tools.search.race.replaying import Replaying
from gui.tools.search.race.table import race_table
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.document.plan_list import PlanEntry
    from gui.tools.search.race.runner import Runner


class Entrants(QObject):
    """Does what the leaderboard asks for an entrant, by its number, and has its context menu."""

    highlight_requested = Signal(object)
    """bool[n] of the ops to let stand out on the canvas, or None."""
    entry_shown = Signal(object)
    """An entrant's entry of the plan list was looked at."""
    compare_requested = Signal(object)
    """Compare these entries (a list of :class:`gui.document.plan_list.PlanEntry`)."""

    def __init__(
        self, document: Document, racing: Racing, replaying: Replaying, board: Leaderboard, panel: QWidget
    ) -> None:
        super().__init__(panel)
        self._document = document
        self._racing = racing
        self._replaying = replaying
        self._board = board
        self._panel = panel
        self._highlighting = False
        board.apply_requested.connect(self.apply)
        board.stop_requested.connect(self.stop_one)
        board.looked_at.connect(self._look_at)
        board.menu_requested.connect(self._popup)

    def runner(self, entrant: int) -> Runner | None:
        """The entrant of this number."""
        course = self._racing.course
        return course.runners[entrant] if course is not None and 0 <= entrant < len(course.runners) else None

    def entry(self, entrant: int) -> PlanEntry | None:
        """The entrant's entry, where the plan list still has it."""
        runner = self.runner(entrant)
        entry = None if runner is None else runner.entry
        return entry if entry is not None and entry in self._document.plans else None

    def apply(self, entrant: int) -> None:
        """Put an entrant's plan on the canvas: one undo step."""
        entry = self.entry(entrant)
        self._look_at(-1)
        if entry is None or entry is self._document.active:
            return
        try:
            self._document.apply_plan(entry)
        except StageboardError as error:
            self._document.message.emit(Message("error", str(error)))

    def _look_at(self, entrant: int) -> None:
        """Let stand out where an entrant's plan differs from the canvas."""
        entry, course = self.entry(entrant), self._racing.course
        if course is not None and course.chosen != entrant:
            course.chosen = entrant
            self._racing.changed.emit()
        if entry is not None:
            self.entry_shown.emit(entry)
        differ = (
            None if entry is None or entry is self._document.active else self._document.differences(entry)
        )
        if differ is not None and np.any(differ):
            self._highlighting = True
            self.highlight_requested.emit(differ)
        elif self._highlighting:
            self._highlighting = False
            self.highlight_requested.emit(None)

    def stop_one(self, entrant: int) -> None:
        """Ask one entrant to stop; what it found is kept."""
        runner = self.runner(entrant)
        if runner is not None and runner.alive:
            self._racing.stop_one(runner)

    # ------------------------------------------------------------------ the context menu
    def menu(self, entrant: int) -> QMenu:
        """What can be done with an entrant; whoever asks for the menu deletes it."""
        menu = QMenu(self._panel)
        runner, entry, active = self.runner(entrant), self.entry(entrant), self._document.active
        other = entry is not None and entry is not active
        best = self.listed()[:3]
        running = self._racing.running
        menu.addAction("Apply\tReturn", lambda: self.apply(entrant)).setEnabled(other)
        menu.addAction("Compare with the canvas", lambda: self.compare([active, entry])).setEnabled(other)
        menu.addAction("Compare the best three", lambda: self.compare(best)).setEnabled(len(best) > 1)
        can_replay = entry is not None and not running and not self._replaying.busy
        menu.addAction("Replay from its provenance", lambda: self.replay(entrant)).setEnabled(can_replay)
        menu.addSeparator()
        can_stop = runner is not None and runner.alive and running
        menu.addAction("Stop this one\tDel", lambda: self.stop_one(entrant)).setEnabled(can_stop)
        menu.addSeparator()
        menu.addAction("Copy this row", lambda: self.copy_row(entrant))
        menu.addAction("Copy the leaderboard", self.copy_all)
        return menu

    def _popup(self, position: QPoint, entrant: int) -> None:
        menu = self.menu(entrant)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    def listed(self) -> list[PlanEntry]:
        """The entries of all entrants from the best to the last."""
        found = [self.entry(row.index) for row in self._board.ranks.rows if row.rank]
        return [entry for entry in found if entry is not None]

    def compare(self, entries: Sequence[PlanEntry | None]) -> None:
        """Ask for these plans side by side."""
        self.compare_requested.emit([entry for entry in entries if entry is not None])

    def replay(self, entrant: int) -> None:
        """Run an entrant's best plan again from its provenance, beside the window."""
        runner, entry, course = self.runner(entrant), self.entry(entrant), self._racing.course
        if runner is not None and entry is not None and course is not None:
            self._replaying.replay(course.problem, entry)

    def copy_row(self, entrant: int) -> None:
        """All about an entrant on the clipboard."""
        runner, course = self.runner(entrant), self._racing.course
        if runner is not None and course is not None:
            rank = next((row.rank for row in self._board.ranks.rows if row.index == entrant), 0)
            QGuiApplication.clipboard().setText(describe(course, runner, rank))

    def copy_all(self) -> None:
        """The leaderboard as a table on the clipboard."""
        if self._racing.course is not None:
            QGuiApplication.clipboard().setText(race_table(self._racing.course))
