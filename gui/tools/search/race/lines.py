"""The lines of a race's runners in the convergence plot: one per entrant, in its colour, with its glyph at its best plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gui.look.glyphs import glyph_path
from gui.look.theme import Theme, device_colours
from gui.tools.search.convergence_lines import Line, steps
from gui.tools.search.race.facts import final_values, scale_of

if TYPE_CHECKING:
    from gui.tools.search.race.course import Course

GLYPH = 9.0
"""Logical pixels."""


class RunnerLines:
    """Curves of one plot, reused from race to race. Imported with the plot: pyqtgraph is slow to import."""

    def __init__(self, plot: Any) -> None:
        self._plot = plot
        self._curves: list[tuple[Any, Any]] = []

    def hide(self) -> None:
        """Something that is no race is shown."""
        for curve, glyph in self._curves:
            curve.hide()
            glyph.hide()

    def values(self, course: Course, place: int) -> list[float]:
        """Values of component ``place`` that the plot should reach up to, so that most lines are seen."""
        finals = final_values(course, place)
        if not finals:
            return []
        _, high = scale_of(course, place)
        return [value for value in finals if value <= high] + [high]

    @property
    def shown(self) -> list[Line]:
        """The lines as they are drawn."""
        return [curve.getData() for curve, _ in self._curves if curve.isVisible()]

    def draw(self, course: Course, place: int, end: float, scale: float, theme: Theme) -> None:
        """Draw what each runner found by itself, of component ``place``, up to ``end`` seconds."""
        import pyqtgraph as pg

        item = self._plot.getPlotItem()
        while len(self._curves) < len(course.runners):
            curve, glyph = item.plot([], []), pg.ScatterPlotItem(pxMode=True)
            curve.setZValue(-1)
            item.addItem(glyph)
            self._curves.append((curve, glyph))
        colours = device_colours(len(course.runners), theme)
        for i, (curve, glyph) in enumerate(self._curves):
            trace = course.runners[i].trace if i < len(course.runners) else []
            x, y = steps(((seconds, found[place]) for seconds, found in trace), end)
            curve.setVisible(bool(len(x)))
            glyph.setVisible(bool(len(x)))
            if not len(x):
                continue
            chosen = i == course.chosen
            curve.setPen(pg.mkPen(colours[i].accent, width=2.5 if chosen else 1.3))
            curve.setData(x, y / scale)
            # The last but one corner is its last step: the end of the line only says that it is not over.
            last = max(0, len(x) - 2)
            glyph.setData(
                x=np.array([x[last]]), y=np.array([y[last] / scale]), symbol=glyph_path(colours[i].glyph),
                size=GLYPH + 3 * chosen, brush=pg.mkBrush(colours[i].accent), pen=pg.mkPen(colours[i].ink, width=0.8),
            )  # fmt: skip
