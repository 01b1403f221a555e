"""The matrix view: one panel per pair of layers with connections between them, sources down, targets across.

Panels fill the room in rows. A network with many layers has too many pairs: it becomes one panel of all neurons.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from gui.canvas.network.layout import Arrangement, Rect, arrangement
from planner.model.graph import Ints
from planner.model.network import Network

MOST_PANELS = 24
STRIP, GAP, TITLE, SPACE = 7.0, 3.0, 18.0, 14.0
"""Thickness of a strip of neurons, its distance from the matrix, the title's height, the space between panels."""
MARGIN = 10.0
_LEAST_SHARE = 0.4
"""A panel of few neurons is at least this share of the mean panel in its row."""


@dataclass(frozen=True)
class Panel:
    """The connections from one group to another; ``x, y, w, h`` is the matrix itself, its strips lie left and below."""

    source: int
    target: int
    rows: int
    columns: int
    connections: int
    x: float
    y: float
    w: float
    h: float

    @property
    def skips(self) -> int:
        """Layers that the connections pass over."""
        return max(0, self.target - self.source - 1)

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of one connection's cell."""
        return self.w / self.columns, self.h / self.rows


@dataclass(frozen=True, eq=False)
class MatrixLayout:
    """Panels in scene units, whose size is ``room``. ``whole``: one panel holds all neurons."""

    arranged: Arrangement
    panels: tuple[Panel, ...]
    panel_of_pair: Ints
    """Index of the panel by source group * G + target group; -1 where there is none."""
    whole: bool
    room: tuple[float, float]

    @property
    def bounds(self) -> Rect:
        """All that is drawn."""
        return 0.0, 0.0, self.room[0], self.room[1]

    def panel_of(self, source: Ints, target: Ints) -> Ints:
        """The panel of each connection, int32."""
        group = self.arranged.group
        pairs = group[source].astype(np.int64) * self.arranged.groups + group[target]
        return self.panel_of_pair[pairs]


def uses_whole(network: Network) -> bool:
    """Whether there are too many pairs of layers for a panel each."""
    depth = network.depth + 1
    if depth > 4 * MOST_PANELS:
        return True
    pairs = np.bincount(network.layer[network.source] * np.int64(depth) + network.layer[network.target])
    return int(np.count_nonzero(pairs)) > MOST_PANELS


def matrix_layout(
    network: Network, first: Ints | None, room: tuple[float, float], whole: bool | None = None
) -> MatrixLayout:
    """Panels that fill ``room`` (scene units); ``first`` (int32[N]) sorts the neurons by first use."""
    whole = uses_whole(network) if whole is None else whole
    arranged = arrangement(network, first, whole=whole)
    groups = arranged.groups
    pairs = arranged.group[network.source].astype(np.int64) * groups + arranged.group[network.target]
    counts = np.bincount(pairs, minlength=groups * groups)
    used = np.flatnonzero(counts)
    # Layers that follow each other first, in order; connections that skip layers after them.
    sources, targets = used // groups, used % groups
    used = used[np.lexsort((targets, sources, targets - sources))]
    index = np.full(groups * groups, -1, np.int32)
    index[used] = np.arange(len(used), dtype=np.int32)
    shapes = [(arranged.size(int(p) // groups), arranged.size(int(p) % groups)) for p in used]
    places = _places(shapes, room)
    panels = tuple(
        Panel(int(p) // groups, int(p) % groups, rows, columns, int(counts[p]), *place)
        for p, (rows, columns), place in zip(used, shapes, places, strict=True)
    )
    return MatrixLayout(arranged, panels, index, whole, room)


def _places(shapes: list[tuple[int, int]], room: tuple[float, float]) -> list[Rect]:
    """The matrices of panels with so many rows and columns each, in rows that fill ``room``."""
    per_row = _per_row(len(shapes), room)
    rows = -(-len(shapes) // per_row)
    cuts = [len(shapes) * i // rows for i in range(rows + 1)]
    lines = [shapes[i:j] for i, j in itertools.pairwise(cuts)]
    around_x, around_y = STRIP + GAP, STRIP + GAP + TITLE
    free_h = room[1] - 2 * MARGIN - (len(lines) - 1) * SPACE - len(lines) * around_y
    heights = _shares([max(math.sqrt(rows) for rows, _ in line) for line in lines], max(free_h, 8.0))
    places: list[Rect] = []
    y = MARGIN
    for line, height in zip(lines, heights, strict=True):
        free_w = room[0] - 2 * MARGIN - (len(line) - 1) * SPACE - len(line) * around_x
        x = MARGIN
        for width in _shares([math.sqrt(columns) for _, columns in line], max(free_w, 8.0)):
            places.append((x + around_x, y + TITLE, width, height))
            x += around_x + width + SPACE
        y += height + around_y + SPACE
    return places


def _per_row(count: int, room: tuple[float, float]) -> int:
    """So many panels in a row that they come nearest to squares, with few places left empty."""

    def badness(per_row: int) -> float:
        rows = -(-count // per_row)
        aspect = (room[0] / per_row) / max(1.0, room[1] / rows - TITLE)
        return abs(math.log(max(aspect, 1e-6))) + 1.2 * (rows * per_row - count) / count

    return min(range(1, count + 1), key=badness)


def _shares(weights: list[float], room: float) -> list[float]:
    """``room`` shared by weight, none getting less than :data:`_LEAST_SHARE` of the mean."""
    mean = sum(weights) / len(weights)
    raised = [max(w, _LEAST_SHARE * mean) for w in weights]
    return [room * w / sum(raised) for w in raised]
