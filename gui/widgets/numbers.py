"""Numbers as the window shows them: one unit per column, so that digits line up and can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from planner.quantity import bytes_text, time_text

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
_SCALES = (("s", 1.0), ("ms", 1e-3), ("\N{MICRO SIGN}s", 1e-6), ("ns", 1e-9))


@dataclass(frozen=True)
class TimeColumn:
    """How a column of times is written: value / scale with ``digits`` decimals, then ``suffix`` (maybe empty)."""

    scale: float = 1.0
    suffix: str = ""
    digits: int = 2

    def number(self, value: float) -> str:
        """The number without its unit."""
        if math.isnan(value):
            return DASH
        if math.isinf(value):
            return "unlimited"
        return f"{value / self.scale:,.{self.digits}f}".replace("-", MINUS)

    def text(self, value: float) -> str:
        """The number with its unit."""
        shown = self.number(value)
        return f"{shown} {self.suffix}" if self.suffix and math.isfinite(value) else shown


def time_column(values: Iterable[float], unit: str | None) -> TimeColumn:
    """The unit that suits the largest of ``values`` (in seconds, or in no unit when ``unit`` is None)."""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if unit is None:
        digits = 2
        if 0 < largest < 0.1:
            digits = min(9, 2 - math.floor(math.log10(largest)))
        return TimeColumn(1.0, "", digits)
    for suffix, scale in _SCALES:
        if largest >= scale:
            return TimeColumn(scale, suffix)
    return TimeColumn(1e-3 if largest == 0 else 1e-9, "ms" if largest == 0 else "ns")


def detailed_column(values: Iterable[float], unit: str | None) -> TimeColumn:
    """Like :func:`time_column`, with as many decimals as the small ones of ``values`` need (at most six)."""
    known = sorted(v for v in values if v > 0 and math.isfinite(v))
    column = time_column(known, unit)
    if not known:
        return column
    small = known[len(known) // 4] / column.scale
    digits = column.digits if small >= 0.1 else min(6, 1 - math.floor(math.log10(small)))
    return TimeColumn(column.scale, column.suffix, max(column.digits, digits))


def percent(fraction: float, digits: int = 1) -> str:
    """``4.2 %``."""
    if not math.isfinite(fraction):
        return DASH
    return f"{100 * fraction:.{digits}f} %".replace("-", MINUS)


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
    """A gap for a person: ``optimal`` only where a bound proves it, never rounded down to zero."""
    if gap is None or not math.isfinite(gap):
        return DASH
    if gap <= 0.0:
        return "optimal"
    shown = f"{100 * gap:.{digits}f}"
    if float(shown) == 0.0:
        return f"< {10**-digits:.{digits}f} %"
    return f"{shown} %"


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


def plural(count: int, one: str, many: str = "") -> str:
    """``1 op``, ``2 ops``, ``20,000 ops``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def seconds_text(seconds: float | None) -> str:
    """Wall time: ``0.3 s``, ``48 s``, ``3 min 20 s``."""
    if seconds is None:
        return DASH
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def one_time(value: float, unit: str | None) -> str:
    """A single time in the unit that suits it best."""
    return DASH if math.isnan(value) else time_text(value, unit).replace("-", MINUS)
