"""What a device holds around its cache: in words and as a bar."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.look.numbers import Column, cache_text
from gui.look.theme import DeviceColour, Theme
from gui.widgets.bars import paint_load


@dataclass(frozen=True)
class CacheLoad:
    """Parameters of a device around its cache, in bytes; ``full`` is what the whole bar stands for.

    ``after`` is what the change in preview would make of ``used``; ``pushed``: what activations push out of what fits, and
    ``needs`` what they need of the cache.
    """

    used: float
    cache: float
    full: float
    after: float | None = None
    pushed: float = 0.0
    needs: float = 0.0

    def text(self, beside: Column | None) -> str:
        """What it is in words, in the unit of what stands ``beside`` it."""
        return cache_text(self.used, self.cache, beside=beside, pushed=self.pushed, needs=self.needs)

    def brief(self, beside: Column | None) -> str:
        """The same in few words."""
        return cache_text(self.used, self.cache, brief=True, beside=beside, pushed=self.pushed)

    @property
    def streamed(self) -> bool:
        """Whether some of it is not on chip."""
        return self.used > self.cache or self.pushed > 0

    def paint(self, painter: QPainter, bar: QRectF, colour: DeviceColour, theme: Theme) -> None:
        """The parameters around the cache line."""
        paint_load(
            painter, bar, self.used, self.cache, self.full, colour, theme, self.after, self.pushed, self.needs
        )
