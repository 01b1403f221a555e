"""The undo stack, what is recorded of it, and whether anything is unsaved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from gui.document.commands import Command, Edit
from gui.document.plan_list import PlanEntry
from gui.document.steps import Step
from planner.problem.bound import Bound

Column = PlanEntry | Path
"""What is in one column of a comparison: a plan of the list, or of a file."""


class Recorder(Protocol):
    """What keeps a record of the document's steps (see :mod:`gui.document.plan.journal`)."""

    def opened(self) -> None:
        """Another model is open."""

    def pushed(self, command: Command) -> None:
        """A step was taken."""

    def extended(self, command: Edit) -> None:
        """The last step was extended."""

    def went_to(self, index: int) -> None:
        """Steps were undone or done again; ``index`` steps are done now."""

    def saved(self) -> None:
        """The plan was saved, or a saved one opened."""

    def listed(self, entry: PlanEntry) -> None:
        """A plan that no step creates came into the list or changed there."""

    def proved(self, bounds: Iterable[Bound]) -> None:
        """Bounds became known, by a proof or from a file."""

    def compared(self, comparison: int, columns: Sequence[Column]) -> None:
        """These plans are beside each other now in a comparison, which has a number of its own; none where it is closed."""


class History(QObject):
    """A QUndoStack with its commands in Python's keeping."""

    modified_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = QUndoStack(self)
        self.undo_stack.indexChanged.connect(self._index_changed)
        self.undo_stack.cleanChanged.connect(self._update_modified)
        self.recorder: Recorder | None = None
        self.in_file: Callable[[], bool] = lambda: False
        """Whether the file of the plan on screen has what is on screen, whatever steps led there."""
        self.modified = False
        self.edits = 0
        """Counts what the user did: steps taken, undone and done again; not what a followed planner shows."""
        self._shown = -1
        """What :attr:`edits` was when all that was done had been done to be shown; -1 where it never was."""
        self.commands: list[Step] = []
        self._pushing = False

    @property
    def for_show(self) -> bool:
        """Whether all that was done was done by the program to show something: nobody needs to save it."""
        return self.edits == self._shown

    @contextmanager
    def showing(self) -> Iterator[None]:
        """What is done inside the program does to show something. It counts as unsaved where a person did something before."""
        own = self.for_show
        before = self.commands
        try:
            yield
        finally:
            if own or self.commands is not before:  # reset: another model is open
                self._shown = self.edits
                self._update_modified()

    def reset(self) -> None:
        """Forget every step."""
        self._pushing = True
        self.undo_stack.clear()
        self._pushing = False
        self.commands = []
        self.edits += 1
        self._update_modified()

    def push(self, command: Step, *, by_user: bool = True) -> None:
        """Take a step. Steps that were undone before it are gone."""
        del self.commands[self.undo_stack.index() :]
        self.commands.append(command)
        self._pushing = True
        if by_user:
            self.edits += 1
        try:
            self.undo_stack.push(command)
        finally:
            self._pushing = False
        if self.recorder is not None:
            # Only documents of graphs have a recorder.
            self.recorder.pushed(cast(Command, command))
        self._update_modified()

    @property
    def last_open(self) -> Step | None:
        """The last step, where it may still be extended: neither undone nor saved."""
        index = self.undo_stack.index()
        if not self.commands or index != len(self.commands) or index == self.undo_stack.cleanIndex():
            return None
        return self.commands[-1]

    def extendable(self, key: str) -> Edit | None:
        """The last step, if it is called ``key`` by who made it and may still extend it."""
        last = self.last_open
        return last if isinstance(last, Edit) and last.key == key else None

    def extended(self, command: Edit) -> None:
        """The last step was extended."""
        if self.recorder is not None:
            self.recorder.extended(command)

    def set_saved(self) -> None:
        """What is on screen is what a file holds."""
        self.undo_stack.setClean()
        self._update_modified()
        if self.recorder is not None:
            self.recorder.saved()

    def listed(self, entry: PlanEntry) -> None:
        """A plan came into the list or changed there without a step."""
        if self.recorder is not None:
            self.recorder.listed(entry)

    def proved(self, bounds: Iterable[Bound]) -> None:
        """Bounds became known that cannot be found again in a moment."""
        if self.recorder is not None:
            self.recorder.proved(bounds)

    def _index_changed(self, index: int) -> None:
        if self._pushing:
            return
        self.edits += 1
        if self.recorder is not None:
            self.recorder.went_to(index)
        self._update_modified()

    def _update_modified(self) -> None:
        clean = self.undo_stack.cleanIndex()
        if clean < 0:
            modified = True
        else:
            low, high = sorted((clean, self.undo_stack.index()))
            modified = any(command.changes_plan for command in self.commands[low:high])
        modified = modified and not self.for_show and not self.in_file()
        if modified != self.modified:
            self.modified = modified
            self.modified_changed.emit(modified)
