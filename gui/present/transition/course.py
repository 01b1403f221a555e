"""Where a talk is: at a keyframe, or on its way between two. It can be turned round at any moment and never jumps."""

from __future__ import annotations

from collections.abc import Callable

HASTE = 0.3
"""Seconds that the rest of a way takes at most once somebody has asked for what comes after it."""
JUMP = 0.6
"""Seconds of the way between keyframes that are not neighbours."""
ROUNDING = 1e-9
"""Share of a way that does not count as left to go."""
START = -1
"""Stands for the empty stage before the first keyframe."""


class Course:
    """A place on the way from keyframe ``first`` to ``second``: ``share`` of it is behind, from 0 to 1.

    ``length_of(i)`` are the seconds of the transition towards keyframe i. ``reduced`` makes every way a cut.
    """

    def __init__(self, count: int, length_of: Callable[[int], float], at: int = 0) -> None:
        self.count, self._length_of = count, length_of
        self.reduced = False
        self.first, self.second, self.share = START, min(max(at, 0), count - 1), 0.0
        self._heading = 1
        self._after: int | None = None

    @property
    def resting(self) -> bool:
        """Whether a keyframe is held."""
        return self.done >= 1.0

    @property
    def at(self) -> int:
        """The keyframe that is held or that is on its way in."""
        return self.second if self._heading > 0 else self.first

    @property
    def destination(self) -> int:
        """The keyframe that all this ends at."""
        return self.at if self._after is None else self._after

    @property
    def done(self) -> float:
        """How much of the way to :attr:`at` is over, 0 to 1."""
        return self.share if self._heading > 0 else 1.0 - self.share

    def go(self, index: int) -> bool:
        """Make for a keyframe; False where that is where this ends anyway. Indices out of range are the ends."""
        index = min(max(index, 0), self.count - 1)
        if index == self.destination:
            return False
        self._after = None
        if self.resting:
            self._leave(index)
        elif index == self.second:
            self._heading = 1
        elif index == self.first:
            self._heading = -1
        else:
            # The nearer end of the way comes first, then on from there.
            near = self.first != START and abs(self.first - index) < abs(self.second - index)
            self._heading = -1 if near else 1
            if self.resting:  # it has not set out yet
                self._leave(index)
            else:
                self._after = index
        if self.reduced:
            self._arrive(index)
        return True

    def skip(self) -> None:
        """Be there."""
        self._arrive(self.destination)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        if self.reduced:
            self._arrive(self.destination)
        while not self.resting and seconds > 0.0:
            length = self._length()
            if self._after is not None:
                length = min(length, HASTE)
            need = length * (1.0 - self.done)
            if seconds < need * (1.0 - ROUNDING):
                self.share += self._heading * seconds / length
                return
            seconds -= need
            self.share = 1.0 if self._heading > 0 else 0.0
            if self._after is not None:
                target, self._after = self._after, None
                self._leave(target)

    def _length(self) -> float:
        if self.first == START:
            return self._length_of(self.second)
        if abs(self.first - self.second) == 1:
            return self._length_of(max(self.first, self.second))
        return JUMP

    def _leave(self, index: int) -> None:
        here = self.at
        if index == here - 1:
            # Going back is the way there in reverse.
            self.first, self.second, self.share, self._heading = index, here, 1.0, -1
        else:
            self.first, self.second, self.share, self._heading = here, index, 0.0, 1

    def _arrive(self, index: int) -> None:
        self.first, self.second, self.share, self._heading = index, index, 1.0, 1
        self._after = None
