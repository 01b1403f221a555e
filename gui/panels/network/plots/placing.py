"""Where words lie off all curves. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Line = np.ndarray
"""Points of a line that is drawn from one to the next: float64[n, 2], n > 1."""


def free_place(
    lines: Sequence[Line], tops: Sequence[float], size: tuple[float, float], between: tuple[float, float]
) -> tuple[float, float] | None:
    """Left and top of words of ``size`` (width, height) that no line crosses: below one of ``tops``, as far right as there is room
    ``between`` two places, and at the first of the tops where that is as far; None where every place is crossed."""
    found = [(left, -i) for i, top in enumerate(tops) if (left := _rightmost(lines, top, size, between)) is not None]  # fmt: skip
    if not found:
        return None
    left, at = max(found)
    return left, tops[-at]


def _rightmost(
    lines: Sequence[Line], top: float, size: tuple[float, float], between: tuple[float, float]
) -> float | None:
    """The rightmost left end of words below ``top``."""
    taken = sorted((span for line in lines for span in _spans(line, top, top + size[1])), key=lambda s: -s[1])
    end = between[1]
    for first, last in taken:
        if end - size[0] >= last:
            break
        end = min(end, first)
    return end - size[0] if end - size[0] >= between[0] else None


def _spans(line: Line, top: float, bottom: float) -> list[tuple[float, float]]:
    """From where to where each part of a line lies between two heights."""
    found = []
    for (x0, y0), (x1, y1) in zip(line[:-1].tolist(), line[1:].tolist(), strict=True):
        low, high = min(y0, y1), max(y0, y1)
        if high < top or low > bottom:
            continue
        # How much of the way from one end to the other is gone where the part enters, and where it leaves.
        shares = (0.0, 1.0) if y0 == y1 else [min(max((y - y0) / (y1 - y0), 0.0), 1.0) for y in (top, bottom)]
        ends = [x0 + share * (x1 - x0) for share in shares]
        found.append((min(ends), max(ends)))
    return found
