"""What a layout hands to the drawing code: plain frozen arrays."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Rect = tuple[float, float, float, float]
"""Left, top, width, height in scene units."""


class EdgeClass(IntEnum):
    """How an edge wants to be drawn."""

    #: a curve inside one row; with waypoints where a straight curve would run through other cards
    LOCAL = 0
    #: from one row of the wrapped ribbon to the next
    WRAP = 1
    #: a far edge or one of a hub's that has no way of its own: a short stub at both ends unless hovered or selected
    STUB = 2
    #: between the forward and the backward strip of a training graph
    FOLD = 3
    #: between two lanes
    LANE = 4
    #: between rows that are far apart, or a hub's: through the gaps between rows, and beside all cards
    FAR = 5


@dataclass(frozen=True)
class Frame:
    """The numbers that tie all rows of a layout together; hand them on to keep a layout stable.

    columns: most columns a row may hold; cap: most cards one column may hold; card_w, gap_x, row_gap, lane_pad: justified.
    """

    columns: int
    cap: int
    card_w: float
    gap_x: float
    row_gap: float
    lane_pad: float


@dataclass(frozen=True)
class Row:
    """One row of the wrapped ribbon: its vertical extent, its ranks [first_rank, last_rank] and its lane."""

    y: float
    h: float
    first_rank: int
    last_rank: int
    lane: int


@dataclass(frozen=True)
class Lane:
    """The band of one device, and the part of it kept free for the header."""

    band: Rect
    header: Rect


@dataclass(frozen=True)
class Stages:
    """The blocks of the stages view: a plate on top, the cells of the device's ops below it.

    blocks: per device, an empty one where it has no ops; place: int32[k], its place in reading order, -1 for none;
    columns: blocks in a row; gap: free width between two; channel: free height above each row of blocks;
    plate, lines: height of the plates and the lines that fit on one; cell: the pitch of the cells; grown: how many times as
    large all of it is shown in the room that it was laid out for, one for usual rooms.
    unit: how long a unit of the layout is in units of the scene, after which type is sized: another than 1 where blocks are on their way.
    figure: height of the figures above plates, in units of the layout; tracks lie above them.
    """

    blocks: tuple[Rect, ...]
    place: NDArray[np.int32]
    columns: int
    gap: float
    channel: tuple[float, ...]
    plate: float
    lines: int
    cell: float
    grown: float = 1.0
    unit: float = 1.0
    figure: float = 0.0


@dataclass(frozen=True)
class Layout:
    """Places of n cards and routes of m edges, in scene units.

    x, y: float64[n], the top left corner of each card; w, h: float64[n], its size.
    mirrored: bool[n], cards of the backward strip: they are read from right to left, so edges leave on their
    left side and enter on their right.
    row, column, slot: int32[n], where the card stands on the grid. row indexes `rows`, column counts from the row's
    left end, slot from the top of its row.
    edge_class: uint8[m], see `EdgeClass`.
    route_offsets: int64[m + 1] and route_points: float64[p, 2]: the waypoints of edge e, between the middle of
    the side it leaves and the middle of the side it enters, are route_points[route_offsets[e]:route_offsets[e + 1]].
    Draw horizontal and vertical pieces straight, oblique ones as S-curves with horizontal tangents, and round the
    corners: no route then touches a card it does not belong to.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    w: NDArray[np.float64]
    h: NDArray[np.float64]
    mirrored: NDArray[np.bool_]
    row: NDArray[np.int32]
    column: NDArray[np.int32]
    slot: NDArray[np.int32]
    bounds: Rect
    rows: tuple[Row, ...]
    lanes: tuple[Lane, ...]
    frame: Frame
    edge_src: NDArray[np.int32]
    edge_dst: NDArray[np.int32]
    edge_class: NDArray[np.uint8]
    route_offsets: NDArray[np.int64]
    route_points: NDArray[np.float64]
    #: the blocks, in the stages view
    stages: Stages | None = None
    #: the band that stands for all devices without ops, in the lanes view, where these are folded
    rest: Lane | None = None

    def __len__(self) -> int:
        return len(self.x)

    def route(self, edge: int) -> NDArray[np.float64]:
        """The whole polyline of one edge, both ends included: float64[k, 2]."""
        u, v = self.edge_src[edge], self.edge_dst[edge]
        start = (self.x[u] + (0.0 if self.mirrored[u] else self.w[u]), self.y[u] + self.h[u] / 2)
        end = (self.x[v] + (self.w[v] if self.mirrored[v] else 0.0), self.y[v] + self.h[v] / 2)
        inner = self.route_points[self.route_offsets[edge] : self.route_offsets[edge + 1]]
        return np.vstack([np.array([start]), inner, np.array([end])])


def route_table(
    layout: Layout, edges: np.ndarray
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Polylines (CSR: int32[m + 1], float64 x and y) of ``edges`` (int[m]) of a layout: from the side of the source through the waypoints to the side of the target.

    A horizontal run-in and run-out keep the joints tangent to the cards.
    """
    edges = np.asarray(edges, np.int64)
    if len(edges) == 0:
        return np.zeros(1, np.int32), np.empty(0), np.empty(0)
    u, v = layout.edge_src[edges], layout.edge_dst[edges]
    inner = np.diff(layout.route_offsets)[edges]
    ptr = np.zeros(len(edges) + 1, np.int32)
    np.cumsum(inner + 2, out=ptr[1:])
    xs, ys = np.empty(ptr[-1]), np.empty(ptr[-1])
    xs[ptr[:-1]] = layout.x[u] + np.where(layout.mirrored[u], 0.0, layout.w[u])
    ys[ptr[:-1]] = layout.y[u] + layout.h[u] / 2
    xs[ptr[1:] - 1] = layout.x[v] + np.where(layout.mirrored[v], layout.w[v], 0.0)
    ys[ptr[1:] - 1] = layout.y[v] + layout.h[v] / 2
    starts = layout.route_offsets[:-1][edges]
    source = np.repeat(starts - np.concatenate([[0], np.cumsum(inner)[:-1]]), inner) + np.arange(inner.sum())
    place = np.repeat(ptr[:-1] + 1 - np.concatenate([[0], np.cumsum(inner)[:-1]]), inner) + np.arange(
        inner.sum()
    )
    xs[place] = layout.route_points[source, 0]
    ys[place] = layout.route_points[source, 1]
    return ptr, xs, ys
