"""Painted pixels of a widget that are kept between frames: the scene, and what stands out on top of it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.painter import wrap_image
from gui.raster import engine as raster
from gui.widgets.later import soon
from gui.widgets.turn import OTHERS


class KeptPixels:
    """Buffers as large as a widget. ``base_stale`` asks for the scene to be painted again, ``over_stale`` for what stands out."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget
        self._buffer = raster.new_image(1, 1)
        self._image: QImage = wrap_image(self._buffer)
        self._over = raster.new_image(1, 1)
        self._over_image: QImage = wrap_image(self._over)
        self.base_stale = self.over_stale = True
        self._put_off = False
        """Whether painting the scene was left to the next turn of the event loop."""
        self.headers: HeaderData | None = None
        self.band: QRectF | None = None
        """The rubber band (logical pixels)."""

    def stale(self) -> None:
        """Everything is to be painted again."""
        self.base_stale = self.over_stale = True

    @property
    def patient(self) -> bool:
        """Whether the scene takes so long to paint that it comes in a turn of the event loop of its own, after that of what changed it."""
        return False

    def paint(self) -> None:
        """Blit what is kept onto the widget, then what follows the pointer."""
        raise NotImplementedError

    def paint_base(self, ratio: float) -> None:
        """Paint what does not follow the pointer into the kept buffer; ``ratio`` is pixels per logical pixel."""
        raise NotImplementedError

    def keep_base(self, ratio: float) -> None:
        """Follow the widget's size; paint the scene if it is stale."""
        size = (max(1, int(self._widget.height() * ratio)), max(1, int(self._widget.width() * ratio)))
        if self._buffer.shape != size:
            self._buffer, self._over = raster.new_image(size[1], size[0]), raster.new_image(size[1], size[0])
            self._image, self._over_image = wrap_image(self._buffer), wrap_image(self._over)
            self._image.setDevicePixelRatio(ratio)
            self._over_image.setDevicePixelRatio(ratio)
            self.stale()
        if self.base_stale and self.patient and OTHERS.has_some and not self._put_off:
            self._put_off = True
            soon(self._widget, self._widget.update)
        elif self.base_stale:
            self.base_stale = self._put_off = False
            with OTHERS.counted():
                self.paint_base(ratio)
