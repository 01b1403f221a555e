"""The links view: neurons as dots in layers, connections as curves between them.

Layers go from left to right; where there are many more than the room is wide they turn at its end, like the rows of a field
that is ploughed, so that a long thin network fills the window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gui.canvas.network.layout import Arrangement, Rect, arrangement
from planner.model.graph import Ints
from planner.model.network import Network

MARGIN, HEAD = 26.0, 20.0
"""Around the dots, and above each row of layers for its words."""
LARGEST_DOT, SMALLEST_DOT = 16.0, 1.5
_PITCH = 64.0
"""Scene units between layers below which they go on in another row."""
_TURN = 24.0
"""How far a connection to the next row of layers goes on before it turns."""
_BOW = 0.22
"""How far connections that skip layers bend aside, as a share of the distance between rows."""


@dataclass(frozen=True, eq=False)
class LinksLayout:
    """Places of neurons: centres ``x``, ``y`` (float64[N]) and diameters ``size``, in scene units."""

    arranged: Arrangement
    x: np.ndarray
    y: np.ndarray
    size: np.ndarray
    forward: np.ndarray
    """Whether the row of each neuron goes from left to right (bool[N])."""
    row: Ints
    """The row of each neuron (int32[N])."""
    row_height: float
    room: tuple[float, float]

    @property
    def bounds(self) -> Rect:
        """All that is drawn."""
        return 0.0, 0.0, self.room[0], self.room[1]

    def curves(self, source: Ints, target: Ints) -> np.ndarray:
        """Control points float64[len(source), 8] of connections, in scene units."""
        x0, y0, x1, y1 = self.x[source], self.y[source], self.x[target], self.y[target]
        leave = np.where(self.forward[source], 1.0, -1.0)
        enter = np.where(self.forward[target], 1.0, -1.0)
        turns = self.row[source] != self.row[target]
        reach = np.where(turns, _TURN, 0.45 * np.abs(x1 - x0))
        middle = HEAD + MARGIN / 2 + (self.row[source] + 0.5) * self.row_height
        up = np.where(y0 + y1 < 2 * middle, -1.0, 1.0)
        bow = np.where(self.skips(source, target) & ~turns, up * _BOW * self.row_height, 0.0)
        # Bent aside, but not out of the row.
        half = self.row_height / 2 - MARGIN / 2
        bent0, bent1 = (
            np.clip(y + bow, np.minimum(y, middle - half), np.maximum(y, middle + half)) for y in (y0, y1)
        )
        points = (x0, y0, x0 + leave * reach, bent0, x1 - enter * reach, bent1, x1, y1)
        return np.stack(points, axis=-1).astype(np.float64)

    def skips(self, source: Ints, target: Ints) -> np.ndarray:
        """Whether connections pass over layers (bool)."""
        return self.arranged.group[target] - self.arranged.group[source] > 1

    def neuron_at(self, x: float, y: float, slop: float) -> int:
        """The neuron nearest to a place, within its dot or ``slop`` scene units of it; -1 for none."""
        distance = np.hypot(self.x - x, self.y - y) - self.size / 2
        nearest = int(np.argmin(distance))
        return nearest if distance[nearest] <= slop else -1

    def head(self, group: int) -> tuple[float, float]:
        """Where the words of a layer go: their centre and top."""
        some = int(self.arranged.neurons(group)[0])
        x, row = float(self.x[some]), int(self.row[some])
        return x, row * self.row_height + MARGIN / 2

    @property
    def pitch(self) -> float:
        """Scene units between layers."""
        per_row = max(
            1, int(np.count_nonzero(self.row[self.arranged.members[self.arranged.starts[:-1]]] == 0))
        )
        return (self.room[0] - 2 * MARGIN) / max(1, per_row - 1)


def links_layout(network: Network, first: Ints | None, room: tuple[float, float]) -> LinksLayout:
    """Dots that fill ``room`` (scene units); ``first`` (int32[N]) sorts the neurons of each layer by first use."""
    arranged = arrangement(network, first)
    groups, sizes = arranged.groups, np.diff(arranged.starts)
    rows = _rows(groups, int(sizes.max()), room)
    per_row = -(-groups // rows)
    wide, high = max(room[0] - 2 * MARGIN, 8.0), max(room[1] - MARGIN, 8.0)
    row_height = high / rows
    group = arranged.group
    row = (group // per_row).astype(np.int32)
    forward = row % 2 == 0
    column = group % per_row
    step = wide / max(1, per_row - 1)
    along = np.where(forward, column, per_row - 1 - column) * step
    x = MARGIN + (along if per_row > 1 else np.full(len(column), wide / 2))
    usable = row_height - HEAD - MARGIN / 2
    # A layer of few neurons stays together in the middle rather than at the ends of the room.
    spread = usable * np.minimum(1.0, sizes / min(float(sizes.max()), 12.0))
    pitch = spread[group] / sizes[group]
    top = MARGIN / 2 + HEAD + row * row_height + (usable - spread[group]) / 2
    y = top + (arranged.place + 0.5) * pitch
    size = np.clip(0.62 * np.minimum(pitch, 0.5 * step), SMALLEST_DOT, LARGEST_DOT)
    return LinksLayout(arranged, x, y, size, forward, row, row_height, room)


def _rows(groups: int, widest: int, room: tuple[float, float]) -> int:
    """Rows of layers: one, unless layers would stand closer than they can be told apart and rows can be low."""
    one_row = (room[0] - 2 * MARGIN) / max(1, groups - 1)
    if one_row >= _PITCH or groups <= 2:
        return 1
    lowest = HEAD + MARGIN + min(widest, 24) * 8.0
    most = max(1, math.floor(room[1] / lowest))
    wanted = math.ceil(
        math.sqrt(groups * _PITCH * room[1] / max(room[0], 1.0)) / max(room[1] / lowest, 1.0) + 1
    )
    return min(most, max(wanted, math.ceil(groups * _PITCH / max(room[0], 1.0))), groups)
