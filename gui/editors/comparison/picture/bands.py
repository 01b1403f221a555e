"""The table of devices on a page of its own: whole, or where much of the page would stay empty, in bands of columns below one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from operator import itemgetter

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.editors.comparison.panels.devices_painter import (
    HEAD,
    MOST_ROW,
    explained,
    paint_devices,
    picture_columns,
    whole_width,
)
from gui.editors.comparison.panels.devices_table import PARTS, DeviceColumn, DeviceTable
from gui.look.theme import Theme

Band = tuple[DeviceColumn, ...]
"""Columns that stand beside one another, of which the first names the devices."""
BETWEEN = 16.0
"""Pixels between bands."""
LARGEST, HIGHEST_ROW = 4 / 3, 42.0
"""How much larger than usual a band may be (its letters are a title's then), and pixels of its rows before that."""


@dataclass(frozen=True)
class Bands:
    """Some ``bands`` of one table, drawn ``scale`` times as large as usual."""

    table: DeviceTable
    bands: tuple[Band, ...]
    scale: float = 1.0

    @property
    def fixed(self) -> float:
        """Pixels of all that is no row, before they are scaled."""
        heads = sum(HEAD + explained(self.table, band) for band in self.bands)
        return heads + BETWEEN * (len(self.bands) - 1)

    @property
    def count(self) -> int:
        """Rows of all bands."""
        return len(self.bands) * len(self.table.comparison.rows)

    def paint(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        """All bands in ``box``, their rows as high as it allows."""
        painter.save()
        painter.translate(box.topLeft())
        painter.scale(self.scale, self.scale)
        wide, high = box.width() / self.scale, box.height() / self.scale
        each = min(HIGHEST_ROW, (high - self.fixed) / self.count)
        y = 0.0
        for band in self.bands:
            tall = HEAD + each * len(self.table.comparison.rows) + explained(self.table, band)
            place = QRectF(0.0, y, wide, tall)
            paint_devices(painter, place, self.table, theme, columns=band, most=each)
            y += tall + BETWEEN
        painter.restore()


def bands_of(table: DeviceTable, width: float, height: float) -> Bands | None:
    """The bands in which every column is whole and letters are largest, of these the most, and most even; none where columns have no room."""
    found: list[tuple[float, int, float, Bands]] = []
    for bands in _ways(picture_columns(table, details=True)):
        tried = Bands(table, bands)
        high = tried.fixed + MOST_ROW * tried.count
        wide = max(whole_width(table, band) for band in bands)
        scale = min(LARGEST, width / wide, height / high)
        found.append((scale, len(bands), -wide, Bands(table, bands, scale)))
    best = max(found, key=itemgetter(0, 1, 2))[-1]
    return best if best.scale >= 1.0 else None


def _ways(columns: list[DeviceColumn]) -> Iterator[tuple[Band, ...]]:
    """All ways to part columns into bands, none of them within what belongs together: a cost, its parts, memory, ops."""
    name, *others = columns
    groups = [tuple(group) for _, group in groupby(others, _belongs)]
    for count in range(len(groups)):
        for cuts in combinations(range(1, len(groups)), count):
            ends = (0, *cuts, len(groups))
            yield tuple(
                (name, *(column for group in groups[first:last] for column in group))
                for first, last in pairwise(ends)
            )


def _belongs(column: DeviceColumn) -> str:
    return "parts" if column.part in PARTS else column.part
