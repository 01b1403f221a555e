"""Where everything in the order strip lies: lanes from top to bottom, positions of the order from left to right."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gui.panels.network.base import GUTTER, MARGIN

BLOCK_LANE, AXIS, OVERVIEW, GAP = 13.0, 15.0, 9.0, 2.0
LEAST_RIBBON, LEAST_DENSITY, MOST_RIBBON = 18.0, 16.0, 84.0
CLOSEST = 48.0
"""Pixels of one connection at the closest zoom."""


@dataclass
class StripLayout:
    """The view on an order of ``count`` connections: ``left`` (position at the left edge) and ``scale`` (pixels each)."""

    count: int
    width: float
    height: float
    left: float = 0.0
    scale: float = 0.0

    def __post_init__(self) -> None:
        self.fit()

    # ------------------------------------------------------------------ lanes
    @property
    def plot_width(self) -> float:
        """Room for the order."""
        return max(1.0, self.width - GUTTER - MARGIN)

    @property
    def ribbon(self) -> tuple[float, float]:
        """Top and height of the ribbon."""
        room = self.overview[0] - BLOCK_LANE - AXIS - 2 * GAP
        return BLOCK_LANE, min(MOST_RIBBON, max(LEAST_RIBBON, 0.5 * room))

    @property
    def density(self) -> tuple[float, float]:
        """Top and height of the reads and writes."""
        top = sum(self.ribbon) + GAP
        return top, max(LEAST_DENSITY, self.overview[0] - AXIS - GAP - top)

    @property
    def axis(self) -> float:
        """Top of the positions."""
        return sum(self.density)

    @property
    def overview(self) -> tuple[float, float]:
        """Top and height of the whole order in small, which is there while only a part is seen."""
        height = 0.0 if self.fitted else OVERVIEW
        return self.height - height - 1, height

    def lane_at(self, y: float) -> str:
        """``block``, ``ribbon``, ``density`` (with the axis) or ``overview``."""
        if y < BLOCK_LANE:
            return "block"
        if y < sum(self.ribbon) + GAP / 2:
            return "ribbon"
        return "density" if y < self.overview[0] else "overview"

    # ------------------------------------------------------------------ positions
    @property
    def fitting(self) -> float:
        """The scale at which the whole order is seen."""
        return self.plot_width / max(1, self.count)

    @property
    def fitted(self) -> bool:
        """Whether the whole order is seen."""
        return self.scale <= self.fitting * (1 + 1e-9)

    def x(self, position: float) -> float:
        """Where a position lies: the left edge of its connection."""
        return GUTTER + (position - self.left) * self.scale

    def position(self, x: float) -> float:
        """Which position lies at x, within the order."""
        return min(max(self.left + (x - GUTTER) / self.scale, 0.0), float(self.count))

    def overview_x(self, position: float) -> float:
        """Where a position lies in the overview."""
        return GUTTER + position * self.fitting

    @property
    def seen(self) -> tuple[float, float]:
        """The positions at both edges."""
        return self.left, min(float(self.count), self.left + self.plot_width / self.scale)

    def fit(self) -> None:
        """Show the whole order."""
        self.left, self.scale = 0.0, self.fitting

    def resize(self, width: float, height: float) -> None:
        """Another size; what was fitted stays fitted."""
        fitted = self.fitted
        self.width, self.height = width, height
        if fitted:
            self.fit()
        self._keep()

    def zoom(self, factor: float, x: float) -> None:
        """Zoom around a point."""
        at = self.left + (x - GUTTER) / self.scale
        self.scale = min(max(CLOSEST, self.fitting), max(self.fitting, self.scale * factor))
        self.left = at - (x - GUTTER) / self.scale
        self._keep()

    def pan(self, dx: float) -> None:
        """Move the picture by pixels."""
        self.left -= dx / self.scale
        self._keep()

    def centre(self, position: float) -> None:
        """Bring a position into the middle."""
        self.left = position - self.plot_width / self.scale / 2
        self._keep()

    def show(self, begin: float, end: float) -> None:
        """Pan as little as needed to see positions; the middle of what does not fit."""
        first, last = self.seen
        if end - begin >= last - first:
            self.centre((begin + end) / 2)
        elif begin < first:
            self.left = begin
        elif end > last:
            self.left = end - (last - first)
        self._keep()

    def _keep(self) -> None:
        """Nothing beyond the order's ends."""
        self.scale = max(self.scale, self.fitting)
        self.left = max(0.0, min(self.left, self.count - self.plot_width / self.scale))

    def ticks(self) -> list[int]:
        """Round positions that can be labelled without crowding."""
        raw = max(1.0, 92.0 / self.scale)
        power = 10.0 ** math.floor(math.log10(raw))
        step = int(max(1, next(power * m for m in (1, 2, 5, 10) if power * m >= raw * (1 - 1e-9))))
        first, last = self.seen
        return list(range(math.ceil(first / step) * step, math.floor(last) + 1, step))
