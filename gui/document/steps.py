"""Undo steps of any document: what they all are, and those on its list of plans."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtGui import QUndoCommand

from gui.document.plan_list import PlanEntry, PlanList
from gui.words.methods import shown_name


def apply_words(name: str) -> str:
    """What the step is called that puts a plan of the list on the canvas."""
    return f"Apply '{shown_name(name)}'"


class Listing(Protocol):
    """A document with a list of plans, whatever they are plans of."""

    plan_list: PlanList

    def refresh_entry(self, entry: PlanEntry) -> None:
        """Fill in the figures of an entry under the present problem."""


class Step(QUndoCommand):
    """A step of any document."""

    changes_plan: bool = True
    """Whether the step changes what a plan file would hold."""


class RenamePlan(Step):
    """An entry of the plan list has another name. A plan file holds the name: that of the plan on the canvas has to be saved again."""

    kind = "rename"

    def __init__(self, document: Listing, entry: PlanEntry, name: str) -> None:
        super().__init__(f"Rename '{entry.shown_name}' to '{shown_name(name)}'")
        self.document, self.entry, self.names = document, entry, (entry.name, name)
        self.changes_plan = entry.path is not None and entry is document.plan_list.active

    def _set(self, name: str) -> None:
        self.entry.name = name
        self.document.plan_list.plans_changed.emit()

    def redo(self) -> None:
        """Use the new name."""
        self._set(self.names[1])

    def undo(self) -> None:
        """Use the old name."""
        self._set(self.names[0])


class RemovePlan(Step):
    """An entry left the plan list."""

    changes_plan = False
    kind = "remove"

    def __init__(self, document: Listing, entry: PlanEntry) -> None:
        super().__init__(f"Remove '{entry.shown_name}'")
        self.document, self.entry, self.index = document, entry, 0

    def redo(self) -> None:
        """Take the entry out."""
        self.index = self.document.plan_list.take(self.entry)

    def undo(self) -> None:
        """Put the entry back where it was."""
        self.document.refresh_entry(self.entry)
        self.document.plan_list.insert(self.entry, self.index)
