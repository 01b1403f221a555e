"""Axes of the memory plot. Imported when the plot is first seen, as pyqtgraph is slow to import."""

from __future__ import annotations

import math

import pyqtgraph as pg


class SizeAxis(pg.AxisItem):  # type: ignore[misc]
    """Sizes of memory on a logarithmic scale: the values are log10 of the sizes, the ticks 1, 2 and 5 times powers of ten."""

    def tickValues(self, least: float, most: float, size: float) -> list[tuple[float, list[float]]]:
        """All ticks on one level; powers of ten alone where they would crowd."""
        powers = range(math.floor(least), math.ceil(most) + 1)
        factors = (1, 2, 5) if size / max(most - least, 1e-9) > 110 else (1,)
        ticks = [p + math.log10(f) for p in powers for f in factors]
        return [(1.0, [t for t in ticks if least <= t <= most])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Whole numbers."""
        return [f"{round(10**value):,}" for value in values]


class CountAxis(pg.AxisItem):  # type: ignore[misc]
    """Numbers of I/Os: ``80k``, ``1.2M``."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Short numbers."""
        return [short_count(value) for value in values]


def short_count(value: float) -> str:
    """``950``, ``80k``, ``1.25M``."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}"
