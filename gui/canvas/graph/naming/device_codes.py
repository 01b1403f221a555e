"""The few characters by which the cards of a picture say whose they are."""

from __future__ import annotations

from collections.abc import Sequence


def device_codes(titles: Sequence[str]) -> tuple[str, ...]:
    """A number for each device, its place; of those called otherwise than the first initial and number of their own: ``0``, ``1``, ``C0``
    of Accelerator 0, Accelerator 1, CPU 0."""
    first = titles[0].rpartition(" ")[0] if titles else ""
    found = []
    for place, title in enumerate(titles):
        word, _, number = title.rpartition(" ")
        other = word and word != first and number.isdecimal()
        found.append(f"{word[0].upper()}{number}" if other else str(place))
    return tuple(found) if len(set(found)) == len(found) else tuple(map(str, range(len(titles))))
