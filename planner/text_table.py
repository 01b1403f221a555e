"""Text for people: tables with aligned digits and one unit per column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from planner.quantity import time_text

NONE = "\N{EN DASH}"
"""Stands where there is no number."""
_SCALES = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, indent: str = "  ") -> str:
    """Rows under a head; the first ``left`` columns flush left, the others flush right, trailing space cut."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    out = []
    for line in lines:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        out.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(out)


def times(values: Iterable[float], unit: str | None) -> list[str]:
    """Times in one common unit, that of the largest, with two decimals; a dash for those that are not known (NaN)."""
    numbers = [float(v) for v in values]
    finite = [abs(v) for v in numbers if math.isfinite(v)]
    top = max(finite, default=0.0)
    if unit is None:
        digits = 2 if top >= 0.1 or top == 0 else 2 - math.floor(math.log10(top))
        return [f"{v:,.{digits}f}" if math.isfinite(v) else _not_finite(v) for v in numbers]
    name = time_text(top, unit).rpartition(" ")[2]
    return [f"{v / _SCALES[name]:.2f} {name}" if math.isfinite(v) else _not_finite(v) for v in numbers]


def _not_finite(value: float) -> str:
    return NONE if math.isnan(value) else time_text(value, None)


def percent(share: float) -> str:
    """A share for a person: ``4.2 %``; small ones keep two significant digits, NaN is a dash."""
    if math.isnan(share):
        return NONE
    value = 100.0 * share
    if value == 0 or value >= 0.1:
        return f"{value:.1f} %"
    return f"{value:.2g} %"


def gap_percent(gap: float, digits: int = 1) -> str:
    """A gap for a person: ``28.9 %``, one below 0.1 % as ``0.042 %``. It is a limit and said wherever a gap is: rounded up, never to nothing."""
    if not math.isfinite(gap):
        return NONE
    digits = max(digits, 3) if 0 < gap < 0.001 else digits
    # What floating point adds to a round figure is no reason for another step.
    steps = math.ceil(100.0 * gap * 10**digits - 1e-7)
    return f"{max(steps, int(gap > 0)) / 10**digits:.{digits}f} %"


def gap_limit(gap: float | None, digits: int = 1) -> str:
    """The same where no words say that it is a limit: ``≤ 28.9 %`` may be much better than that, or not at all. A dash where none is known."""
    if gap is None or not math.isfinite(gap):
        return NONE
    shown = gap_percent(gap, digits)
    return shown if gap <= 0 else f"\N{LESS-THAN OR EQUAL TO} {shown}"


def with_article(words: str) -> str:
    """``a stage``, ``an inference time``."""
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def large(value: float) -> str:
    """A count for a person: ``25.64 M``, ``3.86 G``; small ones in full."""
    for name, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= scale:
            return f"{value / scale:.2f} {name}"
    return f"{value:,.0f}"


def whole_number(value: float) -> int | float:
    """A count as JSON shows it best: whole ones without a decimal point."""
    number = float(np.float64(value))
    return int(number) if number.is_integer() else number


def seconds_text(value: float) -> str:
    """A duration for a person: ``0.042 s``, ``3.10 s``, ``125 s``."""
    return f"{value:.3f} s" if value < 1 else f"{value:.2f} s" if value < 100 else f"{value:.0f} s"
