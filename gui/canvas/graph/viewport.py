"""The view transform: scene units to device pixels, and the ways a person changes it."""

from __future__ import annotations

from dataclasses import dataclass

Rect = tuple[float, float, float, float]
"""Left, top, width, height."""

LARGEST_SCALE = 4.0


@dataclass
class Viewport:
    """px = scene * scale + offset, in device pixels. ``left`` pixels are covered by the lane headers, ``below`` by a scale of colours."""

    width: int = 1
    height: int = 1
    scale: float = 1.0
    ox: float = 0.0
    oy: float = 0.0
    left: int = 0
    smallest: float = 0.01
    largest: float = LARGEST_SCALE
    below: int = 0

    def resize(self, width: int, height: int) -> None:
        """The widget has another size (device pixels)."""
        self.width, self.height = max(1, width), max(1, height)

    def to_scene(self, px: float, py: float) -> tuple[float, float]:
        """Device pixels to scene units."""
        return (px - self.ox) / self.scale, (py - self.oy) / self.scale

    def to_pixels(self, x: float, y: float) -> tuple[float, float]:
        """Scene units to device pixels."""
        return x * self.scale + self.ox, y * self.scale + self.oy

    def fit(self, bounds: Rect, margin: float = 12.0, largest: float = 1.6) -> None:
        """Show all of ``bounds`` centred, no larger than ``largest``."""
        x, y, w, h = bounds
        free_w, free_h = self._room(margin)
        fitting = min(free_w / max(w, 1e-9), free_h / max(h, 1e-9))
        self.scale = min(largest, fitting)
        self.smallest = min(0.25, 0.5 * fitting)
        self.ox = self.left + margin + (free_w - w * self.scale) / 2 - x * self.scale
        self.oy = margin + (free_h - h * self.scale) / 2 - y * self.scale

    def wastes(self, bounds: Rect, margin: float = 12.0, largest: float = 1.6, times: float = 1.5) -> bool:
        """Whether :meth:`fit` would show ``bounds`` at least so many ``times`` as large as they are."""
        free_w, free_h = self._room(margin)
        fitting = min(largest, free_w / max(bounds[2], 1e-9), free_h / max(bounds[3], 1e-9))
        return fitting >= times * self.scale

    def _room(self, margin: float) -> tuple[float, float]:
        return max(1.0, self.width - self.left - 2 * margin), max(1.0, self.height - self.below - 2 * margin)

    def zoom(self, factor: float, px: float, py: float) -> None:
        """Zoom by ``factor`` around a pixel, within limits."""
        x, y = self.to_scene(px, py)
        self.scale = min(self.largest, max(self.smallest, self.scale * factor))
        self.ox, self.oy = px - x * self.scale, py - y * self.scale

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture by pixels."""
        self.ox += dx
        self.oy += dy

    def keep_near(self, bounds: Rect, slack: float = 80.0) -> None:
        """Do not let the picture be pushed wholly out of sight."""
        x, y, w, h = bounds
        x0, y0 = self.to_pixels(x, y)
        x1, y1 = self.to_pixels(x + w, y + h)
        if x1 < self.left + slack:
            self.ox += self.left + slack - x1
        if x0 > self.width - slack:
            self.ox -= x0 - (self.width - slack)
        if y1 < slack:
            self.oy += slack - y1
        if y0 > self.height - slack:
            self.oy -= y0 - (self.height - slack)

    def shows(self, bounds: Rect, slack: float = 2.0) -> bool:
        """Whether all of ``bounds`` is visible, but for ``slack`` scene units at each side."""
        x, y, w, h = bounds
        left, top, width, height = self.visible()
        across = left <= x + slack and left + width >= x + w - slack
        return across and top <= y + slack and top + height >= y + h - slack

    def visible(self) -> Rect:
        """The visible part of the scene."""
        x0, y0 = self.to_scene(self.left, 0)
        x1, y1 = self.to_scene(self.width, self.height)
        return x0, y0, x1 - x0, y1 - y0
