"""Numbers as the window shows them: one unit per column, so that digits line up and can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from planner import printable
from planner.quantity import bytes_text, time_text
from planner.text_table import gap_limit

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
BLANK = "\N{FIGURE SPACE}"
LARGE = 100.0
"""A number from which on two decimals are enough, however many the small ones in its column need."""
FINE = 6
"""Decimals that small numbers of a column have at most."""
IOS = "I/Os"
"""The unit of what is counted: reads and writes."""
_BYTE_SCALES = (("TiB", 2.0**40, 2), ("GiB", 2.0**30, 2), ("MiB", 2.0**20, 2), ("KiB", 2.0**10, 1))
_SCALES = (("s", 1.0), ("ms", 1e-3), ("\N{MICRO SIGN}s", 1e-6), ("ns", 1e-9))


@dataclass(frozen=True)
class Column:
    """How a column of amounts is written: value / scale with ``digits`` decimals, then ``suffix`` (maybe empty).

    What is :data:`LARGE` at least has no more than ``coarse`` decimals; what would look like nothing has up to ``fine`` of them before it
    gets a smaller unit.
    """

    scale: float = 1.0
    suffix: str = ""
    digits: int = 2
    coarse: int = 9
    fine: int = 0

    def number(self, value: float) -> str:
        """The number without its unit."""
        if math.isnan(value):
            return DASH
        if math.isinf(value):
            return "unlimited"
        return f"{value / self.scale:,.{self._digits(value)}f}".replace("-", MINUS)

    def _digits(self, value: float) -> int:
        large = abs(round(value / self.scale, self.digits)) >= LARGE
        return min(self.digits, self.coarse) if large else self.digits

    def lined_up(self, value: float) -> str:
        """:meth:`number` with blanks as wide as digits for the decimals that it lacks, for a column whose right ends are in line."""
        if not math.isfinite(value):
            return self.number(value)
        return self.number(value) + BLANK * (self.digits - self._digits(value))

    def text(self, value: float) -> str:
        """The number with its unit: where what is not nothing would look like it with more decimals, else in a smaller one."""
        shown = self.number(value)
        if not self.suffix or not math.isfinite(value):
            return shown
        if value and not shown.strip(f"{MINUS}0.,"):
            digits = two_digits(abs(value) / self.scale)
            smaller = replace(self, digits=digits) if digits <= self.fine else self._smaller(abs(value))
            shown = "" if smaller is None else smaller.text(value)
            return shown or f"{self.number(0.0)} {self.suffix}"
        return f"{shown} {self.suffix}"

    def level(self, value: float) -> str:
        """The number in this column's unit, for lists in which one looks from row to row: ``< 0.01 ms`` for what is next to nothing."""
        if self.suffix and value > 0 and not self.number(value).strip("0.,"):
            return f"< {self.number(self.scale * 10.0**-self.digits)} {self.suffix}"
        return self.text(value)

    def _smaller(self, value: float) -> Column | None:
        """The column in which a value of this one's kind is more than nothing; None where there is none."""
        found: Column | None = None
        if any(suffix == self.suffix for suffix, _ in _SCALES):
            found = time_column((value,), "s")
        elif any(suffix == self.suffix for suffix, *_ in _BYTE_SCALES):
            found = byte_column((value,))
        return found if found is not None and found.number(value).strip("0.,") else None

    def telling_apart(self, values: Iterable[float]) -> Column:
        """With as many more digits, three at most, as tell those of ``values`` apart that are not the same but for rounding."""
        known = sorted(value for value in values if math.isfinite(value))
        pairs = [(a, b) for a, b in pairwise(known) if b - a > 1e-6 * abs(b)]
        for digits in range(self.digits, self.digits + 4):
            column = replace(self, digits=digits)
            if all(column.number(a) != column.number(b) for a, b in pairs):
                break
        return column


def byte_column(values: Iterable[float]) -> Column:
    """The binary unit that suits the largest of ``values`` in bytes: two decimals from MiB up, as the compiler reports."""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    for suffix, scale, digits in _BYTE_SCALES:
        if largest >= scale:
            return Column(scale, suffix, digits)
    return Column(1.0, "B", 0)


def amount_column(values: Iterable[float], unit: str | None) -> Column:
    """Like :func:`time_column`; like :func:`byte_column` where ``unit`` is ``B``, and whole numbers of I/Os."""
    if unit == IOS:
        return Column(1.0, IOS, 0)
    return byte_column(values) if unit == "B" else time_column(values, unit)


def time_column(values: Iterable[float], unit: str | None) -> Column:
    """The unit that suits the largest of ``values`` (in seconds, or in no unit when ``unit`` is None)."""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if unit is None:
        digits = 2
        if 0 < largest < 0.1:
            digits = min(9, 2 - math.floor(math.log10(largest)))
        return Column(1.0, "", digits)
    for suffix, scale in _SCALES:
        if largest >= scale:
            return Column(scale, suffix)
    return Column(1e-3 if largest == 0 else 1e-9, "ms" if largest == 0 else "ns")


def detailed_column(values: npt.ArrayLike, unit: str | None, beside: Column | None = None) -> Column:
    """Like :func:`amount_column`, with as many decimals as the small ones of ``values`` (one for each row, maybe 100,000) need: at most six,
    and what is large has no more for that. In the unit of what stands ``beside`` them, where something does."""
    given = np.asarray(values, float)
    known = given[(given > 0) & np.isfinite(given)]
    if not len(known):
        return beside or amount_column((), unit)
    column, quarter = beside or amount_column([float(known.max())], unit), len(known) // 4
    small = float(np.partition(known, quarter)[quarter]) / column.scale
    digits = column.digits if small >= 0.1 else min(FINE, two_digits(small))
    return Column(column.scale, column.suffix, max(column.digits, digits), column.digits, FINE)


def two_digits(small: float) -> int:
    """Decimals that show two digits of a number below one."""
    return 1 - math.floor(math.log10(small))


def percent(fraction: float, digits: int = 1) -> str:
    """``4.2 %``."""
    if not math.isfinite(fraction):
        return DASH
    return f"{100 * fraction:.{digits}f} %".replace("-", MINUS)


def signed(change: float) -> str:
    """``+12``, ``−1,204`` or ``±0``."""
    sign = "+" if change > 0 else MINUS if change < 0 else "±"
    return f"{sign}{abs(round(change)):,}"


def signed_percent(fraction: float, digits: int = 1) -> str:
    """``−1.6 %`` or ``+0.4 %``; a small change gets up to two more digits, one too small for those is ``±0.0 %``."""
    if not math.isfinite(fraction):
        return DASH
    for more in range(3):
        shown = f"{abs(100 * fraction):.{digits + more}f}"
        if float(shown) != 0.0:
            return f"{MINUS if fraction < 0 else '+'}{shown} %"
    return f"±{0.0:.{digits}f} %"


def gap_text(gap: float | None, digits: int = 1) -> str:
    """A gap for a person (:func:`planner.text_table.gap_limit`), ``optimal`` only where a bound proves it."""
    if gap is None or not math.isfinite(gap):
        return DASH
    return "optimal" if gap <= 0.0 else gap_limit(gap, digits)


def ratio_text(ratio: float) -> str:
    """How many times as much: ``1.3 x``, ``0.25 x``, ``120 x``."""
    return f"{ratio:,.0f} x" if ratio >= 99.5 else f"{ratio:.2g} x"


def rate_text(per_second: float) -> str:
    """``70.4``, ``1,204`` or ``0.31``: three significant digits are enough for a rate."""
    if per_second >= 1000:
        return f"{per_second:,.0f}"
    if per_second >= 100:
        return f"{per_second:.0f}"
    if per_second >= 10:
        return f"{per_second:.1f}"
    return f"{per_second:.2f}"


def share_text(used: float, capacity: float) -> str:
    """``28.90 / 32.00 MiB``: both in one unit where they have the same."""
    whole = bytes_text(capacity)
    return f"{bytes_text(used).removesuffix(' ' + whole.split()[-1])} / {whole}"


def cache_text(
    used: float,
    cache: float,
    brief: bool = False,
    beside: Column | None = None,
    pushed: float = 0.0,
    needs: float = 0.0,
) -> str:
    """``8.00 MiB on chip + 0.31 MiB off chip``, or what is free: all in the unit of the larger, from MiB up as the compiler reports it.

    Where what stands ``beside`` it is in bytes, too, what is used and what is off chip have the unit of that. What activations have
    ``pushed`` out is not on chip, and what they ``need`` (bytes of ``needs``) is not free.
    """
    column, whole = cache_column(used, cache, beside), byte_column([used, cache])
    least = column.scale * 10.0**-column.digits  # what is off chip is never rounded away
    stays = column.text(max(0.0, min(used, cache) - pushed))
    off, pushed = max(used - cache, least) if used > cache else 0.0, max(pushed, least) if pushed > 0 else 0.0
    if brief:
        if not off and not pushed:
            return f"{stays} on chip"
        return f"{stays} + {column.number(off + pushed)} {streamed_word(off, pushed)}"
    if not off and not pushed:
        free = max(0.0, cache - used - needs)
        left = column.number(free) if column == whole else whole.text(free)
        need = f", activations need {(column if column == whole else whole).text(needs)}" if needs > 0 else ""
        return f"{stays} on chip{need}, {left} free"
    told = [f"{stays} on chip"]
    if off:
        told.append(f"{column.text(off)} off chip")
    if pushed:
        need = f", which need {whole.text(needs)}" if needs > 0 else ""
        told.append(f"{column.text(pushed)} pushed out by activations{need}")
    return " + ".join(told)


def streamed_word(off: float, pushed: float) -> str:
    """What is said of bytes that are not on chip: why, where all are for one reason."""
    if off and pushed:
        return "streamed"
    return "off chip" if off else "pushed out"


def pushed_text(pushed: float) -> str:
    """``2.97 MiB pushed out``: what activations push out of a cache, in few words; empty where that is nothing."""
    return f"{bytes_text(pushed)} pushed out" if pushed > 0.0 else ""


def cache_column(used: float, cache: float, beside: Column | None = None) -> Column:
    """How :func:`cache_text` writes what is used: in the unit of the larger, or of what is in bytes ``beside`` it where that is smaller or
    not all has room."""
    column = byte_column([used, cache])
    if beside is not None and beside.suffix.endswith("B") and (used > cache or beside.scale < column.scale):
        return beside
    return column


plural = printable.plural


def seconds_text(seconds: float | None) -> str:
    """Wall time: ``0.3 s``, ``48 s``, ``3 min 20 s``."""
    if seconds is None:
        return DASH
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def brief_seconds(seconds: float) -> str:
    """Wall time that may be short: ``20 ms``, ``0.4 s``."""
    return f"{seconds * 1e3:.0f} ms" if seconds < 0.0995 else seconds_text(seconds)


def one_time(value: float, unit: str | None) -> str:
    """A single time in the unit that suits it best."""
    return DASH if math.isnan(value) else time_text(value, unit).replace("-", MINUS)


def one_amount(value: float, unit: str | None) -> str:
    """A single amount in the unit that suits it best; ``unit`` is ``B`` for bytes, ``I/Os``, else that of a time."""
    if unit == IOS:
        return Column(1.0, IOS, 0).text(value)
    if unit != "B":
        return one_time(value, unit)
    return DASH if math.isnan(value) else bytes_text(value).replace("-", MINUS)


def signed_amount(change: float, beside: float, unit: str | None) -> str:
    """``+0.31 MiB`` or ``−120 KiB``: in the unit of the amount that it changes, a smaller one where that shows 0."""
    if not math.isfinite(change):
        return DASH
    column = amount_column([beside], unit)
    if change and float(f"{abs(change) / column.scale:.{column.digits}f}") == 0.0:
        column = amount_column([change], unit)
    if column.suffix == "KiB" and abs(change) >= 100 * column.scale:
        column = Column(column.scale, column.suffix, 0)
    sign = MINUS if change < 0 else "+" if change > 0 else "±"
    return sign + column.text(abs(change))


def energy_text(joules: float) -> str:
    """An energy for a person: ``28.4 mJ``."""
    for suffix, scale in (("J", 1.0), ("mJ", 1e-3), ("µJ", 1e-6)):
        if abs(joules) >= scale:
            return f"{joules / scale:.3g} {suffix}"
    return f"{joules / 1e-6:.3g} µJ"


def listed(names: list[str], most: int = 8) -> str:
    """``7``, ``7 and 8`` or ``7, 8 and 9``; of more than ``most`` the last are counted: ``7, 8 and 4 more``."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
