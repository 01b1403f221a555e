"""What a device holds around its cache: in words and as a bar."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.look.numbers import Column, cache_column, cache_text
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
        """What it is in words, in the unit of what stands ``beside`` it: during a preview what it would be."""
        return self._then(beside) or cache_text(
            self.used, self.cache, beside=beside, pushed=self.pushed, needs=self.needs
        )

    def brief(self, beside: Column | None) -> str:
        """The same in few words."""
        return self._then(beside, brief=True) or cache_text(
            self.used, self.cache, brief=True, beside=beside, pushed=self.pushed
        )

    def _then(self, beside: Column | None, brief: bool = False) -> str:
        """What it would be after the change in preview, empty without one. What activations will push out then is not known, and not said."""
        if self.after is None:
            return ""
        if self.pushed or self.needs:
            return f"{cache_column(self.after, self.cache, beside).text(self.after)} of parameters"
        return cache_text(self.after, self.cache, brief=brief, beside=beside)

    @property
    def streamed(self) -> bool:
        """Whether some of it is not on chip."""
        held = self.used if self.after is None else self.after
        return held > self.cache or (self.after is None and self.pushed > 0)

    def paint(self, painter: QPainter, bar: QRectF, colour: DeviceColour, theme: Theme) -> None:
        """The parameters around the cache line."""
        paint_load(
            painter, bar, self.used, self.cache, self.full, colour, theme, self.after, self.pushed, self.needs
        )
