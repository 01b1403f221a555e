"""Who has a turn when there are more entrants than cores: equal shares, in turns that grow, and a little more for who improves.

An entrant whose turn is over is held, process and all, and goes on later where it was: no search begins anew. See
``docs/race.md`` for why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

FIRST_TURN, LONGEST_TURN = 1.0, 8.0
"""Seconds of the first turn, and of any."""
GROWTH = 0.5
"""A turn's length as a share of what its entrant has had before."""
GENEROUS = 2.0
"""How many times as long the turn is of who found a better plan, or a better bound, for all in it."""
OPENING = 3.0
"""Seconds for which who is quick may keep everybody else waiting for a first plan, the start of its process included."""


@dataclass(frozen=True)
class Turn:
    """An entrant that is not over: what it needs and what it has had.

    ``active`` seconds in all, ``spell`` seconds of the present turn (None while it waits or its process still starts),
    ``improved`` whether it found something better for all in it.
    """

    index: int
    threads: int
    active: float
    waiting: bool
    spell: float | None = None
    improved: bool = False
    holdable: bool = True

    @property
    def length(self) -> float:
        """How many seconds its present turn may take."""
        had = self.active - (self.spell or 0.0)
        length = min(max(FIRST_TURN, GROWTH * had), LONGEST_TURN)
        return length * GENEROUS if self.improved else length

    @property
    def over(self) -> bool:
        """Whether its turn is over, should somebody wait."""
        return self.holdable and self.spell is not None and self.spell >= self.length


def opening(turns: Sequence[Turn], quick: Collection[int]) -> Sequence[Turn]:
    """Who may have a turn while nobody has a plan yet: the entrants ``quick`` alone, unless that takes them too long.

    A plan in the first second is worth more than a little time for all; and what costs more begins with it.
    """
    first = [turn for turn in turns if turn.index in quick]
    return first if first and all(turn.active < OPENING for turn in first) else turns


def next_turns(turns: Iterable[Turn], cores: int) -> tuple[list[int], list[int]]:
    """(indices to hold, indices to let run), such that never more than ``cores`` threads run.

    Who has had least goes next, the first of the field among equals. Nobody is held for one who has had more.
    """
    all_turns = list(turns)
    running = [turn for turn in all_turns if not turn.waiting]
    free = cores - sum(turn.threads for turn in running)
    hold: list[int] = []
    run: list[int] = []
    over = sorted((turn for turn in running if turn.over), key=lambda turn: -turn.active)
    for turn in sorted((t for t in all_turns if t.waiting), key=lambda turn: turn.active):
        room, held = free, []
        for other in over:
            if room >= turn.threads or other.active < turn.active:
                break
            room += other.threads
            held.append(other)
        if room < turn.threads:
            break  # who comes later must not take the room that this one waits for
        free = room - turn.threads
        over = [other for other in over if other not in held]
        hold += [other.index for other in held]
        run.append(turn.index)
    return hold, run
