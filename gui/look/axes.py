"""How the axes of plots look. pyqtgraph is slow to import, so that only its plots import this."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg

from gui.look.theme import Theme, font


def style_axes(widget: Any, theme: Theme, left: int) -> None:
    """Ground, lines and letters of a plot whose values have ``left`` pixels."""
    widget.setBackground(theme.panel)
    for side in ("left", "bottom"):
        axis = widget.getPlotItem().getAxis(side)
        axis.setPen(pg.mkPen(theme.border))
        axis.setTextPen(pg.mkPen(theme.muted))
        axis.setStyle(tickFont=font(8.0), tickLength=-4, autoExpandTextSpace=False)
        axis.enableAutoSIPrefix(False)
        axis.showLabel(False)
    widget.getPlotItem().getAxis("left").setWidth(left)
