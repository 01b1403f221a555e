"""A block being dragged: where it would go, whether it may, and what that would change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.machines.two_level_memory.evaluator import Counts
from planner.machines.two_level_memory.orders.blocks import BlockMove

REACH = 7.0
"""Pixels beside the legal range from which a block still goes to its end: ranges can be narrower than a pointer."""


@dataclass(eq=False)
class Drag:
    """One drag. ``place`` is the start the block would have, ``counts`` what the order would then cost, once known."""

    move: BlockMove
    place: int = 0
    position: float = 0.0
    """Where the place is drawn, in positions of the present order."""
    reason: str = ""
    """Why the block may not go there; empty where it may."""
    counts: Counts | None = None

    def __post_init__(self) -> None:
        self._places = self.move.places()

    @property
    def legal(self) -> bool:
        """Whether it can be dropped."""
        return not self.reason

    @property
    def lit(self) -> tuple[int, int]:
        """The present positions between which it can be dropped."""
        move = self.move
        low = move.position_of(move.first - 1) + 1 if move.first > 0 else 0
        return low, max(low, move.position_of(move.last))

    def go_to(self, position: float, scale: float, freely: bool) -> bool:
        """Follow the pointer at a position, at ``scale`` pixels each; True where the place is another than before.

        The block goes between other runs, ``freely`` anywhere. Near the ends of the legal range it goes there.
        """
        move, before = self.move, (self.place, self.reason)
        at = round(position)
        low, high = self.lit
        if low - REACH / scale <= position <= high + REACH / scale and len(self._places):
            place = min(max(move.place_of(at), move.first), move.last)
            if not freely:
                place = int(self._places[np.argmin(np.abs(self._places - place))])
            self.place, self.reason = place, ""
            self.position = min(max(move.position_of(place), low), high)
        else:
            self.place = move.place_of(at)
            self.reason = move.why_not(self.place)
            self.position = position
        if (self.place, self.reason) != before:
            self.counts = None
            return True
        return False
