"""Fonts of the canvas, made once per size."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF


@lru_cache(maxsize=64)
def font(pixels: int, bold: bool) -> QFont:
    """The interface font at a pixel size."""
    made = QFont()
    made.setPixelSize(max(6, pixels))
    made.setBold(bold)
    return made


@lru_cache(maxsize=64)
def metrics(pixels: int, bold: bool) -> QFontMetricsF:
    """Metrics of :func:`font`."""
    return QFontMetricsF(font(pixels, bold))
