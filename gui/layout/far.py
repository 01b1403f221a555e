"""Links between rows that are far apart, as the skips of a U-Net: from the gap below a row along the right side of all cards to the gap above another.

Far links that leave one op, or enter one, share a way, so that what many read, or what many are gathered in, is one trunk with branches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.layout.result import EdgeClass
from gui.layout.style import LayoutStyle

TRACK, NARROWEST = 7.0, 2.5
"""Distance of two tracks beside the cards in scene units, and the least where there are many."""
ALL_TRACKS = 90.0
"""How wide all tracks may be together."""
MOST_TRACKS = int(ALL_TRACKS / NARROWEST)
"""With more, a side full of lines says nothing: what is left over stays a stub at both ends."""
AWAY = 0.24
"""How far from the middle of a gap between rows far links run, in gaps: the middle is that of links to the next row."""

LEAVE, ENTER = 0.6, 0.2
"""How far from a card far links turn, in gaps between columns: links to the next row turn between the two."""


@dataclass(frozen=True)
class Grid:
    """Where the cards of a layout stand.

    x, y, w, h: float64[n]; row: int32[n]; lane: int32[n], the device's or the model's; strip: uint8[n], 1 in the backward pass;
    row_y: float64[rows], top of each row; gap: float64[rows], free height above it.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    w: NDArray[np.float64]
    h: NDArray[np.float64]
    row: NDArray[np.int32]
    lane: NDArray[np.int32]
    strip: NDArray[np.uint8]
    row_y: NDArray[np.float64]
    gap: NDArray[np.float64]


def route_far(
    src: NDArray[np.int32], dst: NDArray[np.int32], kind: NDArray[np.uint8], offsets: NDArray[np.int64],
    points: NDArray[np.float64], grid: Grid, style: LayoutStyle,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """Classes (uint8[m]) and waypoints (offsets int64[m + 1], float64[p, 2]) with a way for each stub of the forward pass that finds a track."""
    row, ahead = grid.row, grid.strip == 0
    far = (kind == EdgeClass.STUB) & (grid.lane[src] == grid.lane[dst]) & ahead[src] & ahead[dst]
    edges = np.flatnonzero(far & (row[src] <= row[dst]))
    if not len(edges):
        return kind, offsets, points
    trunk = _trunks(src[edges], dst[edges], len(row))
    track = _tracks(trunk, row[src[edges]], row[dst[edges]])
    count = int(track[track < MOST_TRACKS].max(initial=-1)) + 1
    apart = min(TRACK, ALL_TRACKS / max(count, 1))
    beside = np.full(int(grid.lane.max()) + 1, -np.inf)  # of each lane, as long as its rows are
    np.maximum.at(beside, grid.lane, grid.x + grid.w + 0.75 * style.gap_x)
    ways: dict[int, NDArray[np.float64]] = {}
    for e, lies in zip(edges.tolist(), track.tolist(), strict=True):
        if lies < MOST_TRACKS:
            u, v = int(src[e]), int(dst[e])
            ways[e] = _way(u, v, float(beside[grid.lane[u]]) + apart * max(lies, 0), grid, style)
    out = kind.copy()
    out[list(ways)] = EdgeClass.FAR
    parts = [ways.get(e, points[offsets[e] : offsets[e + 1]]) for e in range(len(src))]
    lengths = np.array([len(part) for part in parts], np.int64)
    return out, np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(parts).reshape(-1, 2)


def _trunks(src: NDArray[np.int32], dst: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """The trunk of each far edge (int64[m]): that of the op it leaves, or of the one it enters (n and more) where more of them meet there."""
    leaving, entering = np.bincount(src, minlength=n), np.bincount(dst, minlength=n)
    return np.where(entering[dst] > leaving[src], n + dst, src).astype(np.int64)


def _tracks(trunk: NDArray[np.int64], begin: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.int64]:
    """The track of each edge (int64[m]), counted from the cards; -1 for one that needs none, as it stays in one gap.

    Short ways lie inside long ones, so that brackets nest; ways side by side share a track.
    """
    needs = end - begin > 1
    names, which = np.unique(trunk[needs], return_inverse=True)
    first = np.full(len(names), np.iinfo(np.int32).max, np.int64)
    last = np.full(len(names), -1, np.int64)
    np.minimum.at(first, which, begin[needs])
    np.maximum.at(last, which, end[needs])
    taken: list[list[tuple[int, int]]] = []
    of = np.full(len(names), MOST_TRACKS, np.int64)
    for i in np.argsort(last - first, kind="stable").tolist():
        a, b = int(first[i]), int(last[i])
        # Where there is room farther in, a way around others lies outside them all the same.
        around = (t for t, ways in enumerate(taken) if any(a <= c and d <= b for c, d in ways))
        least = 1 + max(around, default=-1)
        of[i] = next(
            (t for t in range(least, len(taken)) if all(b <= c or d <= a for c, d in taken[t])), len(taken)
        )  # fmt: skip
        if of[i] >= MOST_TRACKS:
            continue
        if of[i] == len(taken):
            taken.append([])
        taken[int(of[i])].append((a, b))
    out = np.full(len(trunk), -1, np.int64)
    out[needs] = of[which]
    return out


def _way(u: int, v: int, beside: float, grid: Grid, style: LayoutStyle) -> NDArray[np.float64]:
    """The waypoints (float64[p, 2]) from ``u`` to ``v``, along ``beside`` where more than one gap lies between them."""
    leave = grid.x[u] + grid.w[u] + LEAVE * style.gap_x
    enter = grid.x[v] - ENTER * style.gap_x
    from_y, to_y = grid.y[u] + grid.h[u] / 2, grid.y[v] + grid.h[v] / 2
    into = grid.row_y[grid.row[v]] - (0.5 - AWAY) * grid.gap[grid.row[v]]
    if grid.row[v] - grid.row[u] <= 1:
        return np.array([(leave, from_y), (leave, into), (enter, into), (enter, to_y)])
    below = grid.row[u] + 1
    out = grid.row_y[below] - (0.5 + AWAY) * grid.gap[below]
    return np.array(
        [(leave, from_y), (leave, out), (beside, out), (beside, into), (enter, into), (enter, to_y)]
    )
