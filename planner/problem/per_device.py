"""Parameters with one number for all devices of a machine, or one for each: ``memory=8MiB`` and ``memory=8MiB/8MiB/16MiB``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from planner.errors import TargetError

PerDevice = float | tuple[float, ...]
"""One number for all, or a number for each device in order. A list of equal numbers is the number: :func:`settled` sees to that."""
TYPE = "PerDevice"
"""What annotations of such fields say."""
MOST_SAID = 4
"""Devices whose numbers are said one by one."""


def settled(value: PerDevice, counts: Sequence[tuple[int, float]], what: str, devices: str) -> PerDevice:
    """``value`` in its plainest form: a number where the devices of the first kind have the same one and those of others their default.

    ``counts``: how many devices of each kind there are, and what those of the kind have where nothing is said of them; a list says
    something of the first kinds. ``what`` and ``devices`` name the parameter and what it is of in sentences. Raises :class:`TargetError`.
    """
    if not isinstance(value, (tuple, list)):
        return value
    given = tuple(float(x) if isinstance(x, int) and not isinstance(x, bool) else x for x in value)
    ends = [sum(count for count, _ in counts[: i + 1]) for i in range(len(counts))]
    if len(given) not in ends or not given:
        said = " or ".join(str(end) for end in dict.fromkeys(ends) if end)
        raise TargetError(
            f"{what} has {len(given)} {'number' if len(given) == 1 else 'numbers'}; give one for all, or {said}: {devices}"
        )
    whole = expanded(given, counts)
    first = counts[0][0]
    rest = [default for count, default in counts[1:] for _ in range(count)]
    if list(whole[first:]) == rest:
        whole = whole[:first]
        if len(set(whole)) <= 1:
            return whole[0] if whole else counts[0][1]
    return whole


def expanded(value: PerDevice, counts: Sequence[tuple[int, float]]) -> tuple[float, ...]:
    """The number of every device; ``counts`` as in :func:`settled`. One number is that of all devices of the first kind."""
    given = (value,) * counts[0][0] if not isinstance(value, tuple) else value
    every = [default for count, default in counts for _ in range(count)]
    return (*given, *every[len(given) :])


def resized(value: PerDevice, old: int, new: int, unsaid: float) -> PerDevice:
    """``value`` for ``new`` devices of the first kind in place of ``old``: the first ones are kept, further ones are like the last.

    Where there was none, they have what is ``unsaid``.
    """
    if not isinstance(value, tuple):
        return value
    first, rest = value[:old], value[old:]
    like = first[-1] if first else unsaid
    return (*first[:new], *(like,) * (new - len(first)), *rest) or unsaid


def at_least(value: PerDevice, least: float) -> PerDevice:
    """``value`` with every number that is less raised to ``least``."""
    return tuple(max(x, least) for x in value) if isinstance(value, tuple) else max(value, least)


def smallest(value: PerDevice) -> float:
    """The number, or the least of them."""
    return min(value) if isinstance(value, tuple) else value


def limited(value: PerDevice) -> tuple[float, ...]:
    """The numbers of those that have a limit, in order."""
    given = value if isinstance(value, tuple) else (value,)
    return tuple(number for number in given if math.isfinite(number))


def unlike(value: PerDevice) -> bool:
    """Whether those that have a limit have different ones."""
    return len(set(limited(value))) > 1


def in_words(values: Sequence[Any], written: Callable[[Any], str]) -> str:
    """A number for each device for a person: ``99.56 MiB each``, ``64.00 MiB, 64.00 MiB and 99.56 MiB``; of many devices those in a row
    that are alike at once: ``64.00 MiB (6) and 99.56 MiB (2)``."""
    said = [written(value) for value in values]
    if len(said) > 1 and len(set(said)) == 1:
        return f"{said[0]} each"
    if len(said) > MOST_SAID:
        rows = [(text, len(list(row))) for text, row in groupby(said)]
        said = [f"{text} ({count})" if count > 1 else text for text, count in rows]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def checked(value: PerDevice, check: Callable[[float], None]) -> None:
    """Check the number, or every one of them."""
    for number in value if isinstance(value, tuple) else (value,):
        check(number)
