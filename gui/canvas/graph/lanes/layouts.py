"""The layouts that a canvas has for its views, and in which rows each assignment had its lanes: an undo brings those back, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.layout.result import Layout
    from planner.model.graph import Ints

MOST_REMEMBERED = 64
"""Assignments of which is known in which rows their lanes were laid out."""


class Layouts:
    """One layout a view. Lanes are laid out in the rows of those before them, until these do not suit their room any more."""

    def __init__(self) -> None:
        self._of: dict[str, Layout] = {}
        self._rows: dict[bytes, Layout] = {}
        """By assignment, the layout whose rows its lanes were laid out in."""

    def clear(self) -> None:
        """Other cards, or another room for them."""
        self._of.clear()
        self._rows.clear()

    def drop_lanes(self) -> None:
        """What stands in them is elsewhere now."""
        self._of.pop("lanes", None)

    def rows_for(self, device_of: Ints) -> Layout | None:
        """The layout in whose rows the lanes of an assignment (int32[n]) are laid out: those that it had, else those that are there; None
        where none are."""
        return self._rows.get(device_of.tobytes(), self._of.get("lanes"))

    def had(self, device_of: Ints) -> bool:
        """Whether an assignment (int32[n]) was here before, so that its lanes are laid out and seen as they were."""
        return device_of.tobytes() in self._rows

    def take(self, view: str, layout: Layout, device_of: Ints, rows: Layout | None) -> None:
        """Keep the layout of an assignment (int32[n]) in a view, laid out in these ``rows`` if they were there before."""
        self._of[view] = layout
        if view != "lanes":
            return
        known = device_of.tobytes()
        self._rows.pop(known, None)
        self._rows[known] = layout if rows is None else rows
        if len(self._rows) > MOST_REMEMBERED:
            del self._rows[next(iter(self._rows))]
