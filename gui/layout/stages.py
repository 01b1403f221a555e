"""The stages view: one block per device that has ops, a mosaic of small cells under a plate, in rows that wrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gui.layout.result import EdgeClass, Frame, Layout, Rect, Stages
from gui.layout.skeleton import Skeleton
from gui.layout.stage_links import CHANNEL_USED, bent_ways, crowding

MARGIN, PAD = 14.0, 5.0
"""Free room around everything, and around the cells of a block; scene units, which are pixels where all of it is in sight."""
WIDE_PLATE, WIDE_HEIGHT = 172.0, 42.0
"""From this width on a plate has two long lines, else as many short ones as :data:`SORTS` say; and the height then."""
MOST_GAP, GAP_SHARE = 74.0, 0.3
"""The largest free width between blocks, and its share of a block's width."""
WIDEST_BLOCK, LARGEST_CELL, CELL_GAP = 420.0, 60.0, 3.0
PLAIN, LARGER = 6.0, 0.3
"""A pitch at which cells are told apart, and what more is worth."""
WRAPPED = 0.82
"""How much smaller cells may be for the sake of a single row."""
MOST_TRACKS = 9
"""How many ribbons in a channel get room of their own."""


FIGURE = 16.0
"""Height of the figures beside ribbons where nobody says another; scene units."""


@dataclass(frozen=True)
class Words:
    """What has to be written in letters of a least size: the width of a plate that has room for it, and how high a figure beside a ribbon
    is; scene units, 0 where it does not matter."""

    plate: float = 0.0
    figure: float = 0.0


NO_WORDS = Words()
UNTOLD = 0.3
"""What cells are worth under plates that have no room for their words."""
TRACK_SHARE, TRACKED = 0.6, 2
"""How far tracks above figures are apart, of the height of one, and of how many tracks."""


@dataclass(frozen=True)
class Sort:
    """How much room plates and ribbons have: lines on a narrow plate and its height, the width from which on it can be read,
    the height of a channel above a row of blocks and what each ribbon in it adds, and what the cells are worth then."""

    lines: int
    plate: float
    readable: float
    channel: float
    track: float
    worth: float


SORTS = (Sort(4, 61.0, 100.0, 26.0, 12.0, 1.0), Sort(2, 31.0, 64.0, 19.0, 2.6, 0.6))
"""The usual, and that of a small window with many devices."""


@dataclass(frozen=True)
class Fit:
    """One way to set the blocks: in rows of ``columns``, ``cells`` to a row of a block."""

    sort: Sort
    columns: int
    cells: int
    pitch: float
    width: float
    gap: float
    channel: tuple[float, ...]
    score: float


def stages_layout(
    skeleton: Skeleton, device: ArrayLike, devices: int, rank: ArrayLike, viewport: tuple[float, float], in_order: bool = True,
    columns: int = 0, taken: ArrayLike | None = None, links: ArrayLike | None = None, words: Words = NO_WORDS,
) -> Layout:  # fmt: skip
    """Places of all ops as cells in the blocks of their devices.

    device: int32[n], 0..devices-1; rank: int64[n], the place of each op in a topological order; viewport: (width, height)
    px. in_order: blocks stand in the order of the devices, else each behind those that feed it. columns: blocks in a row; 0
    where that is free. Where groups of ops are laid out, ``taken`` (bool[devices]) says which devices have ops, though no group is
    theirs, and ``links`` (int[pairs, 2]) between which something flows. ``words``: what there must be room for. Raises ValueError for a device that does not exist.
    """
    where, order = np.ascontiguousarray(device, np.int32), np.ascontiguousarray(rank, np.int64)
    n = skeleton.n
    if where.shape != (n,) or order.shape != (n,):
        raise ValueError(f"device and rank need one value for each of the {n} ops.")
    if devices < 1 or (n and (where.min() < 0 or where.max() >= devices)):
        raise ValueError(f"An op is on a device outside 0..{devices - 1}; assign it to one that exists.")
    counts = np.bincount(where, minlength=devices)
    used = np.flatnonzero(counts if taken is None else (counts > 0) | np.asarray(taken, bool))
    if links is None:
        src, dst = where[skeleton.edge_src], where[skeleton.edge_dst]
        away = src != dst
        pairs = np.unique(np.stack([src[away], dst[away]], axis=1), axis=0)
    else:
        pairs = np.asarray(links, np.int32).reshape(-1, 2)
    if not in_order:
        used = fed_order(
            used, pairs, np.bincount(where, weights=order, minlength=devices) / np.maximum(counts, 1)
        )
    place = np.full(devices, -1, np.int32)
    place[used] = np.arange(len(used))
    fit = best_fit(counts[used], place, pairs, viewport, columns, words)
    stages = _blocks(counts, used, place, fit, max(FIGURE, words.figure))
    x, y, column, row = _cells(where, order, stages, fit)
    side = fit.pitch - min(CELL_GAP, 0.14 * fit.pitch)
    size = np.full(n, side)
    boxes = np.array([stages.blocks[d] for d in used.tolist()] or [(0.0, 0.0, 0.0, 0.0)])
    bounds = (
        0.0, 0.0, float((boxes[:, 0] + boxes[:, 2]).max()) + MARGIN, float((boxes[:, 1] + boxes[:, 3]).max()) + MARGIN,
    )  # fmt: skip
    m = len(skeleton.edge_src)
    return Layout(
        x, y, size, size.copy(), np.zeros(n, bool), np.zeros(n, np.int32), column, row, bounds, (), (),
        Frame(0, 0, 0.0, 0.0, 0.0, 0.0), skeleton.edge_src, skeleton.edge_dst, np.full(m, EdgeClass.STUB, np.uint8),
        np.zeros(m + 1, np.int64), np.empty((0, 2)), stages,
    )  # fmt: skip


def fed_order(
    used: NDArray[np.intp], pairs: NDArray[np.int32], mean: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Devices so that each stands behind those that feed it; in a circle the one whose ops come first (least ``mean``) leads."""
    feeds: dict[int, set[int]] = {d: set() for d in used.tolist()}
    for a, b in pairs.tolist():
        feeds[b].add(a)
    out: list[int] = []
    left = set(feeds)
    while left:
        ready = [d for d in left if not feeds[d] & left] or list(left)
        chosen = min(ready, key=lambda d: (float(mean[d]), d))
        out.append(chosen)
        left.remove(chosen)
    return np.array(out, np.intp)


def best_fit(
    counts: NDArray[np.intp], place: NDArray[np.int32], pairs: NDArray[np.int32], viewport: tuple[float, float],
    columns: int = 0, words: Words = NO_WORDS,
) -> Fit:  # fmt: skip
    """The row length that gives the largest cells, in blocks wide enough to be read, unless ``columns`` says it; ``counts``: ops of each
    block in order; ``words``: what there must be room for."""
    longest = max(len(counts), 1)
    # Rows of other lengths differ little from one of these.
    lengths = sorted(
        {-(-longest // rows) for rows in (*range(1, 9), *range(10, 33, 4)) if rows <= longest} | {1}
    )
    tried = []
    for many in [columns] if columns else lengths:
        beside = crowding(bent_ways(place, many, pairs), -(-len(counts) // many), many)
        tried += [_fit(counts, beside, viewport, many, sort, words) for sort in SORTS]
    return max(tried, key=lambda fit: (fit.score, fit.columns))


def _fit(
    counts: NDArray[np.intp],
    beside: NDArray[np.int64],
    viewport: tuple[float, float],
    columns: int,
    sort: Sort,
    words: Words,
) -> Fit:
    """With rows of ``columns`` blocks; ``beside``: how many ribbons lie beside each other above each row."""
    rows = -(-len(counts) // columns)
    room = max(viewport[0] - 2 * MARGIN, 10.0 * columns)
    gap = room / columns * GAP_SHARE / (1 + GAP_SHARE)
    gap = min(MOST_GAP, gap)
    width = min(WIDEST_BLOCK, (room - (columns - 1) * gap) / columns)
    figure = max(FIGURE, words.figure)
    channel = tuple(_channel(sort, min(many, MOST_TRACKS), figure) for many in beside.tolist())
    fullest = [int(counts[r * columns : (r + 1) * columns].max()) for r in range(rows)] if len(counts) else []
    high = viewport[1] - 2 * MARGIN - sum(channel) - rows * (_plate(width, sort) + 2 * PAD)
    inner = max(width - 2 * PAD, 4.0)
    most = max(fullest, default=1)
    across = np.arange(
        max(1, int(np.ceil(inner / LARGEST_CELL))), max(2, most, int(inner / LARGEST_CELL) + 2) + 1
    )
    needed = sum((-(-count // across)) * (inner / across) for count in fullest) + 0.0 * across
    fits = np.flatnonzero(needed <= max(high, 1.0))
    cells = int(across[fits[0]]) if len(fits) else int(across[np.argmin(needed)])
    pitch = inner / cells
    seen = min(pitch, PLAIN) + LARGER * max(0.0, pitch - PLAIN)
    untold = UNTOLD if width < words.plate else 1.0
    score = (
        untold * sort.worth * seen * min(1.0, width / sort.readable) ** 2 * (1.0 if rows == 1 else WRAPPED)
    )
    # Where nothing fits, all of it is shown smaller.
    over = max(1.0, (needed[cells - across[0]] + viewport[1] - high) / viewport[1])
    return Fit(sort, columns, cells, pitch, width, gap, channel, score / over**2)


def _channel(sort: Sort, tracks: int, figure: float) -> float:
    """How high a channel is in which so many ribbons run beside each other, above the figures of what runs from plate to plate."""
    run = max(sort.track * tracks, TRACK_SHARE * figure * min(tracks, TRACKED))
    return max(sort.channel + sort.track * tracks, (figure + run) / CHANNEL_USED)


def _plate(width: float, sort: Sort) -> float:
    return WIDE_HEIGHT if width >= WIDE_PLATE else sort.plate


def _blocks(
    counts: NDArray[np.intp], used: NDArray[np.intp], place: NDArray[np.int32], fit: Fit, figure: float
) -> Stages:
    """Each as high as its cells need, below the channel of its row."""
    blocks: list[Rect] = [(0.0, 0.0, 0.0, 0.0)] * len(counts)
    plate, top = _plate(fit.width, fit.sort), MARGIN
    for r, channel in enumerate(fit.channel):
        top += channel
        row = used[r * fit.columns : (r + 1) * fit.columns].tolist()
        for c, d in enumerate(row):
            high = plate + 2 * PAD + -(-int(counts[d]) // fit.cells) * fit.pitch
            blocks[d] = (MARGIN + c * (fit.width + fit.gap), top, fit.width, high)
        top += max(blocks[d][3] for d in row)
    lines = 2 if fit.width >= WIDE_PLATE else fit.sort.lines
    return Stages(
        tuple(blocks), place, fit.columns, fit.gap, fit.channel, plate, lines, fit.pitch, figure=figure
    )


def _cells(
    where: NDArray[np.int32], rank: NDArray[np.int64], stages: Stages, fit: Fit
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]:
    """Top left corners, columns and rows of all cells: in each block in topological order, line by line."""
    n = len(where)
    order = np.lexsort((rank, where))
    begins = np.searchsorted(where[order], np.arange(len(stages.blocks)))
    index = np.empty(n, np.int64)
    index[order] = np.arange(n) - begins[where[order]]
    row, column = np.divmod(index, fit.cells)
    corner = np.array([block[:2] for block in stages.blocks])[where]
    x = corner[:, 0] + PAD + column * fit.pitch
    y = corner[:, 1] + stages.plate + PAD + row * fit.pitch
    half = min(CELL_GAP, 0.14 * fit.pitch) / 2
    return x + half, y + half, column.astype(np.int32), row.astype(np.int32)
