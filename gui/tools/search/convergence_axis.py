"""An axis of the convergence plot. Imported when the plot is first seen, as pyqtgraph is slow to import."""

from __future__ import annotations

import pyqtgraph as pg

from gui.look.numbers import IOS


class UnitAxis(pg.AxisItem):  # type: ignore[misc]
    """Every tick says what it counts."""

    def __init__(self, side: str, unit: str = "") -> None:
        super().__init__(side)
        self.unit = unit

    def set_unit(self, unit: str) -> None:
        """Count something else."""
        if unit != self.unit:
            self.unit = unit
            self.picture = None
            self.update()

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """The numbers with the unit; counts are long enough without one."""
        if self.unit == IOS:
            return [f"{value:,.0f}" for value in values]
        return [f"{text} {self.unit}".rstrip() for text in super().tickStrings(values, scale, spacing)]
