"""Hierarchies of a pool's accelerators: groups of consecutive ones, level by level, with faster transfers inside (device placement, C.3)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.errors import TargetError
from planner.model.graph import Floats, Ints

_GROUP = re.compile(r"(?:(\d{1,4})x)?(\d{1,4})(?:@([^@]+))?")
_HOW = "write a level's groups as 4@8/2@16, sizes and how many times as fast transfers inside are, and levels from the innermost as 2x2@8:4@2"


@dataclass(frozen=True)
class Level:
    """One level: the sizes of its groups of consecutive accelerators, and how many times as fast transfers inside each are."""

    sizes: tuple[int, ...]
    rates: tuple[float, ...]

    def of(self) -> Ints:
        """The group of each accelerator: int32[accelerators]."""
        return np.repeat(np.arange(len(self.sizes), dtype=np.int32), self.sizes)

    def resized(self, count: int) -> Level:
        """The level of ``count`` accelerators: the last groups are cut, or the last one has the further ones as well."""
        sizes: list[int] = []
        for size in self.sizes:
            sizes.append(min(size, count - sum(sizes)))
        rates = list(self.rates)
        if sum(sizes) < count:
            rates[-1] = rates[-1] if sizes[-1] > 1 else max(rates)
            sizes[-1] += count - sum(sizes)
        kept = [i for i, size in enumerate(sizes) if size > 0]
        return Level(tuple(sizes[i] for i in kept), tuple(rates[i] for i in kept))

    def __str__(self) -> str:
        groups: list[tuple[int, str]] = []
        for size, rate in zip(self.sizes, self.rates, strict=True):
            speed = str(rate).removesuffix(".0")
            one = str(size) if size == 1 else f"{size}@{speed}"
            repeated = bool(groups) and groups[-1][1] == one
            groups[-1:] = [(groups[-1][0] + 1, one)] if repeated else [*groups[-1:], (1, one)]
        return "/".join(f"{count}x{one}" if count > 1 else one for count, one in groups)


def parse_levels(text: str, accelerators: int) -> tuple[Level, ...]:
    """The levels that ``2x2@8/4@4:2x4@2`` says, the innermost first; one of single accelerators says nothing. Raises :class:`TargetError`."""
    said = [_level(part.strip(), accelerators) for part in text.split(":")] if text.strip() else []
    levels = tuple(level for level in said if max(level.sizes) > 1)
    for inner, outer in pairwise(levels):
        of, within = inner.of(), outer.of()
        for group, rate in enumerate(inner.rates):
            homes = np.unique(within[of == group])
            first = int(np.flatnonzero(of == group)[0])
            what = f"hierarchy: the group of acc {first} in {inner}"
            if len(homes) > 1:
                raise TargetError(
                    f"{what} is in {len(homes)} groups of {outer}; a group lies in one group of the next level"
                )
            if inner.sizes[group] > 1 and rate < outer.rates[homes[0]]:
                raise TargetError(
                    f"{what} is {rate:g} times as fast inside, less than the {outer.rates[homes[0]]:g} of the next level around it;"
                    " inner groups are at least as fast"
                )
    return levels


def _level(text: str, accelerators: int) -> Level:
    sizes: list[int] = []
    rates: list[float] = []
    for part in text.split("/"):
        found = _GROUP.fullmatch(part.strip())
        if found is None:
            raise TargetError(f"hierarchy: '{part.strip()}' is no group; {_HOW}")
        times, size = int(found[1] or 1), int(found[2])
        if not times or not size:
            raise TargetError(f"hierarchy: '{part.strip()}' is an empty group; {_HOW}")
        if size > 1 and found[3] is None:
            raise TargetError(
                f"hierarchy: '{part.strip()}' does not say how fast transfers inside are; {_HOW}"
            )
        sizes += [size] * times
        rates += [_rate(found[3]) if size > 1 else 1.0] * times
    if sum(sizes) != accelerators:
        raise TargetError(
            f"hierarchy: the groups of {text} hold {sum(sizes)} accelerators, and there are {accelerators}; each is in one group of a level"
        )
    return Level(tuple(sizes), tuple(rates))


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        raise TargetError(f"hierarchy: '{text}' is not a number; {_HOW}") from None
    if not 1.0 <= rate < math.inf:
        raise TargetError(
            f"hierarchy: transfers inside a group are {rate:g} times as fast; it must be 1 or more, those inside being the faster ones"
        )
    return rate


def written(levels: tuple[Level, ...]) -> str:
    """Levels as :func:`parse_levels` reads them."""
    return ":".join(map(str, levels))


def fastest_common(levels: tuple[Level, ...], devices: int) -> Floats:
    """float64[devices, devices]: how many times as fast transfers between two devices are, by the innermost group that holds both.

    Accelerators come first; devices behind them, as those without a group in common, have 1.
    """
    pace = np.ones((devices, devices))
    for level in reversed(levels):
        of = level.of()
        together = of[:, None] == of[None, :]
        inside = np.array(level.rates)[of]
        k = len(of)
        pace[:k, :k] = np.where(together, inside[:, None], pace[:k, :k])
    return pace
