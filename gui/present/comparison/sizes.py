"""How large plans that are compared are written on a slide whose letters are larger than usual: as far as no less is said and no name is smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from gui.present.captions import STEPS

Told = tuple[int, ...]
"""How much the names on a picture say: more is more."""
Sizes = tuple[float, float, float]
"""How many times as large as usual titles are, how many times graphs, and how high letters on cards are at least (pixels of the graphs)."""
USUAL: Sizes = (1.0, 1.0, 0.0)


class Sized(Protocol):
    """A picture that was made in some sizes."""

    names_grown: float

    @property
    def told(self) -> Told:
        """How many cards carry whole names and how high their letters are, and what else there is to be read."""


S = TypeVar("S", bound=Sized)


def largest(make: Callable[[Sizes], S], usual: S, grown: float) -> S:
    """The picture in the largest of sizes up to ``grown`` that says no less than the ``usual`` one; else the one that says most.

    Graphs, and the names on them, give way before titles do, and become no smaller than usual."""
    wanted, found = usual.told, list[S]()
    for titles, graphs in _sizes(grown):
        shot = make((titles, graphs, float(wanted[1])))
        shot.names_grown = graphs
        if all(now >= before for now, before in zip(shot.told, wanted, strict=True)):
            return shot
        found.append(shot)
    return max(found, key=lambda shot: shot.told)


def _sizes(grown: float) -> Iterator[tuple[float, float]]:
    steps = [grown, *(step for step in STEPS if step < grown)]
    yield from ((grown, graphs) for graphs in steps)
    yield from ((titles, 1.0) for titles in steps[1:])
