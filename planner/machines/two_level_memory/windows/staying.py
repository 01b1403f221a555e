"""How long windows with stays are annealed: by steps, or until the time limit; and what is reported meanwhile."""

from __future__ import annotations

import math

from planner.machines.two_level_memory.windows import stays
from planner.machines.two_level_memory.windows.locality import Window
from planner.machines.two_level_memory.windows.stays import Stays
from planner.search.search import Search

EFFORT = 12_000_000
"""Steps per unit of effort: about two seconds."""
ENOUGH = 400_000
"""Within a time limit, no more steps than so many per sum are spent."""
MARGIN, SHARE = 0.1, 0.99
"""Of the time that is left, what is used: this share, less so many seconds, for the last order has to be made and counted."""
REPORTS = 20
"""Orders that are counted and proposed on the way."""
RENEWED, PER_CONNECTION = 400_000, 6
"""Prices and rooms are brought up to date after so many steps, or after so many per connection."""


class Allowance:
    """What may be spent: ``effort`` times :data:`EFFORT` steps; where ``search`` has a time limit, all the time until then."""

    def __init__(self, search: Search, effort: float, sums: int) -> None:
        self._search = search
        self._remaining = search.remaining
        limited = math.isfinite(self._remaining)
        self._seconds = max(1e-6, SHARE * self._remaining - MARGIN) if limited else math.inf
        self._steps = ENOUGH * sums if limited else max(1.0, effort * EFFORT)
        self._spent = 0

    def spend(self, steps: int) -> None:
        """Take note that ``steps`` more have been spent."""
        self._spent += steps

    @property
    def left(self) -> float:
        """Steps that are left, not regarding the time."""
        return self._steps - self._spent

    @property
    def share(self) -> float:
        """How much has been spent, 0 to 1."""
        spent = self._spent / self._steps
        if math.isfinite(self._seconds):
            spent = max(spent, (self._remaining - self._search.remaining) / self._seconds)
        return min(1.0, spent)


def anneal_stays(window: Window, places: int, search: Search, allowance: Allowance) -> None:
    """Anneal ``window`` for a memory of ``places`` neurons' values and propose its orders. Raises :class:`planner.search.search.Stopped`."""
    chosen = Stays(window, places)
    renewed = max(RENEWED, PER_CONNECTION * window.links.network.connection_count)
    since, reported = 0, 0.0
    while (share := allowance.share) < 1.0:
        search.check()
        search.progress(share, f"refining a window of {chosen.width} sums")
        if chosen.priced and share >= stays.FIRST_PHASE:
            chosen.choose()
            chosen.renew(search)
        if share >= reported + 1 / REPORTS:
            reported = share
            search.incumbent(chosen.fitting(search))
            search.iteration()
        steps = max(1, int(min(stays.PART, allowance.left, renewed - since)))
        spent = chosen.anneal(search, steps, *_temperatures(chosen, share))
        allowance.spend(spent)
        since += spent
        if since >= renewed:
            since = 0
            chosen.renew(search)
    search.check()
    search.incumbent(chosen.fitting(search))
    search.iteration()


def _temperatures(chosen: Stays, share: float) -> tuple[float, float]:
    """The temperature now; it is the same until the next is asked for."""
    if chosen.priced:
        at = share / stays.FIRST_PHASE
        now = stays.HOT * (stays.WARM / stays.HOT) ** at
    else:
        at = (share - stays.FIRST_PHASE) / (1 - stays.FIRST_PHASE)
        now = stays.AGAIN * (stays.COLD / stays.AGAIN) ** at
    return now, now
