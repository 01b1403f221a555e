"""From columns to places: pack the tracks, wrap the ribbon, set the cards, route the edges."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gui.layout.csr import adjacency
from gui.layout.far import Grid, route_far
from gui.layout.order import MAX_GAP, compress, cover, leaves, profiles
from gui.layout.repeats import regions, spine_codes
from gui.layout.result import Frame, Lane, Layout, Row
from gui.layout.routes import route
from gui.layout.skeleton import Skeleton
from gui.layout.style import LayoutStyle
from gui.layout.tracks import pack, sweep
from gui.layout.wrap import Ribbon, candidates, choose_breaks, lane_padding, row_heights, scale_of
from planner.compiling.kernel import njit

#: how often every path is taken out and put back at the better place
ROUNDS = 2
#: edges per op from which on a graph is dense, and barycentre sweeps for it
DENSE, SWEEPS = 1.7, 8
#: free height between two models that are laid out one under the other, in row gaps
MODEL_GAP = 2.0
#: least room around links that run beside all cards
ROOM = 6.0
#: how much a card may grow in width to fill the viewport, in cards, and then a gap, in gaps
JUSTIFY_W, JUSTIFY_X, JUSTIFY_Y = 0.8, 1.0, 1.0


@njit(cache=True, nogil=True)
def _estimate(counts, offsets, cap, lengths):
    """Rough height in slots, rows and longest row when columns hold `cap` cards, for every row length: int64[k] each."""
    height = np.zeros(len(lengths), np.int64)
    rows = np.zeros(len(lengths), np.int64)
    longest = np.zeros(len(lengths), np.int64)
    for i in range(len(lengths)):
        row = lengths[i]
        for lane in range(len(offsets) - 1):
            at = total = one = two = 0
            for c in range(offsets[lane], offsets[lane + 1]):
                most = max(counts[c, 0], counts[c, 1])
                if most == 0:
                    continue
                parts = (most + cap - 1) // cap if most > cap else 1
                one = max(one, (counts[c, 0] + parts - 1) // parts if parts > 1 else counts[c, 0])
                two = max(two, (counts[c, 1] + parts - 1) // parts if parts > 1 else counts[c, 1])
                at += parts
                total += parts
                if at >= row:
                    full = (at + row - 1) // row
                    height[i] += full * (one + two)
                    rows[i] += full
                    at = one = two = 0
            if at > 0:
                height[i] += one + two
                rows[i] += 1
            longest[i] = max(longest[i], min(total, row))
    return height, rows, longest


def _caps(skeleton: Skeleton, lane: NDArray[np.int32], lane_count: int, style: LayoutStyle,
          viewport: tuple[float, float], framed: bool) -> list[int]:  # fmt: skip
    """How many cards a column should hold at most: one or two numbers to try, the higher first.

    Structure reads better in high columns, so of all caps whose estimated scale is nearly the largest the highest wins.
    The estimate knows no holes; where a little less tolerance gives another answer, both are worth trying.
    """
    deep = int(skeleton.column.max(initial=-1)) + 1
    counts = np.zeros((lane_count * deep, 2), np.int32)
    np.add.at(counts, (lane.astype(np.int64) * deep + skeleton.column, skeleton.strip), skeleton.tall)
    offsets = np.arange(lane_count + 1, dtype=np.int64) * deep
    most = int(counts.max(initial=1))
    lowest = 1 if framed else 4
    if most <= lowest:
        return [max(most, 1)]
    caps = [
        c for c in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384) if lowest <= c < most
    ] + [most]
    pad_w, pad_h = lane_padding(style, framed)
    scales = []
    lengths = np.array(candidates(max(4, int(counts.sum())), 20))
    for cap in caps:
        height, rows, longest = _estimate(counts, offsets, cap, lengths)
        w = longest * style.pitch_x + pad_w + 2 * style.margin
        h = (
            height * style.pitch_y
            + (rows - lane_count) * style.row_gap
            + lane_count * pad_h
            + 2 * style.margin
        )
        scales.append(float(np.minimum(viewport[0] / w, viewport[1] / np.maximum(h, 1.0)).max()))

    def highest(share: float) -> int:
        return max(cap for cap, scale in zip(caps, scales, strict=True) if scale >= share * max(scales))

    return [highest(0.85)] if framed else sorted({highest(0.9), highest(0.97)}, reverse=True)


@njit(cache=True, nogil=True)
def _borders(total, column, span, out_off, out, leaf):
    """What a break at the left border of each column cuts, and the borders where no row may break.

    A cut tensor counts one, every further edge of it a fifth. out_off, out: consumers of each op in its strip.
    """
    cut = np.zeros(total + 2, np.float64)
    stuck = np.zeros(total + 2, np.bool_)
    for u in range(len(column)):
        reach = 0
        for k in range(out_off[u], out_off[u + 1]):
            v = out[k]
            if leaf[u] == v or leaf[v] == u:
                continue
            cut[column[u] + 1] += 0.2
            cut[column[v] + 1] -= 0.2
            reach = max(reach, column[v])
        if reach > 0:
            cut[column[u] + 1] += 0.8
            cut[reach + 1] -= 0.8
    for c in range(total + 1):
        cut[c + 1] += cut[c]
    for v in range(len(column)):
        w = leaf[v]
        if w < 0:
            continue
        # a leaf in the column beside its op moves along with it over a break; from farther away it cannot
        a, b = (v, w) if column[v] < column[w] else (w, v)
        end = column[a] + span[a]
        if end < column[b]:
            for c in range(end, column[b] + 1):
                stuck[c] = True
    return cut[: total + 1].copy(), stuck[: total + 1].copy()


@njit(cache=True, nogil=True)
def _dense_slots(n, rows, height, row, strip, slot, tall):
    """Slots counted from the top of each row strip, unused ones dropped."""
    used = np.zeros((rows, 2, height + 1), np.int32)
    for v in range(n):
        for k in range(slot[v], slot[v] + tall[v]):
            used[row[v], strip[v], k] = 1
    count = np.zeros((rows, 2), np.int32)
    for r in range(rows):
        for s in range(2):
            total = 0
            for k in range(height + 1):
                here = used[r, s, k]
                used[r, s, k] = total
                total += here
            count[r, s] = total
    dense = np.empty(n, np.int32)
    for v in range(n):
        dense[v] = used[row[v], strip[v], slot[v]]
    return dense, count


def justify(style: LayoutStyle, viewport: tuple[float, float], wide: int, heights: NDArray[np.float64],
            rows: NDArray[np.int32], framed: bool) -> LayoutStyle:  # fmt: skip
    """Widen cards and the gaps between columns, or those between rows, where the other direction decides the scale.

    Cards come first, for they have names to show.
    """
    pad_w, pad_h = lane_padding(style, framed)
    gaps = int(np.maximum(rows - 1, 0).sum())
    w = wide * style.pitch_x - style.gap_x + pad_w + 2 * style.margin
    h = float(heights.sum()) + gaps * style.row_gap + 2 * style.margin
    h += pad_h * float((rows > 0).sum()) + (style.empty_lane_h + style.lane_gap) * float((rows == 0).sum())
    scale = scale_of(w, h, viewport)
    free = max(0.0, viewport[0] / scale - w)
    more_w = min(JUSTIFY_W * style.card_w, free / wide)
    more_x = min(JUSTIFY_X * style.gap_x, (free - wide * more_w) / max(1, wide - 1))
    spare = max(0.0, viewport[1] / scale - h)
    more_y = min(JUSTIFY_Y * style.row_gap, spare / max(1, gaps)) if gaps else 0.0
    more_pad = 0.0
    if framed and (rows > 0).any():
        more_pad = min(JUSTIFY_Y * style.lane_pad, max(0.0, spare - gaps * more_y) / (2 * (rows > 0).sum()))
    return replace(style, card_w=float(style.card_w + more_w), gap_x=float(style.gap_x + more_x),
                   row_gap=float(style.row_gap + more_y), lane_pad=float(style.lane_pad + more_pad))  # fmt: skip


def _pack(skeleton: Skeleton, lane: NDArray[np.int32], lane_count: int, leaf, out_off, out, in_off, ins, cap: int,
          framed: bool, look_for_period: bool) -> tuple[Ribbon, int]:  # fmt: skip
    """The ribbon with at most `cap` cards in a column, and the period of the graph in columns, 0 for none."""
    n, strip, span, tall = skeleton.n, skeleton.strip, skeleton.span, skeleton.tall
    col, width = compress(n, lane, lane_count, strip, skeleton.column, span, tall, leaf, cap)
    lane_off = np.concatenate([[0], np.cumsum(width, dtype=np.int64)])
    # bands are kept as flat as their fullest column, so there paths cannot reserve room in columns they skip
    flat = framed and not (tall > 1).any()
    # a dense graph has no long chains worth keeping straight: there every card finds its own place
    dense = len(out) > DENSE * n
    path, offsets, members = cover(n, col, span, leaf, out_off, out, -1 if dense else 0 if flat else MAX_GAP)
    offset, owner, first, begin, depth = profiles(n, col, span, tall, leaf, path, offsets, members)
    most = int(depth.max(initial=1))
    height = cap + (cap > 1) if flat else min(8 * max(cap, 2) + 2 * most + 32, 4 * n + 2 * most + 8)
    group = (lane * 2 + strip).astype(np.int32)
    bases = np.concatenate([[0], np.cumsum(np.repeat(width, 2), dtype=np.int64)])
    slot = pack(n, group, bases, height, col, span, tall, leaf, owner, offset, path, offsets, members,
                first, begin, depth, out_off, out, in_off, ins, ROUNDS)  # fmt: skip
    if dense:
        sweep(n, group, bases, col, span, tall, leaf, path, offsets, slot, out_off, out, in_off, ins, SWEEPS)
    column = (lane_off[lane] + col).astype(np.int32)
    cut, stuck = _borders(int(lane_off[-1]), column, span, out_off, out, leaf)
    ribbon = Ribbon(
        lane_off, column, np.argsort(column, kind="stable"), slot, tall, strip, height, cut, stuck
    )
    if lane_count > 1 or not n or not look_for_period:
        return ribbon, 0
    code = spine_codes(
        n, col, np.where(strip == 0, path, -1), offsets, members, skeleton.kinds, out_off, in_off
    )
    found = regions(code, 1)
    return ribbon, found[0].period if found and 2 * found[0].length > len(code) else 0


@dataclass(frozen=True)
class Packed:
    """The grid of a layout before it has heights: where each of n cards stands in which of r rows of which lane.

    lane, row, xcol, dense: int32[n], of each card its lane, row, column in the row and slot in its strip of the row;
    count: int32[r, 2], slots of both strips of each row; heights: float64[r]; rows: int32[lanes], rows of each lane;
    first_rank, last_rank: int64[r], columns of the lane's ribbon that a row holds; wide: columns of the widest row.
    framed: lanes have a band and a header; frame: the numbers that tie the rows together, which `style` has, too.
    """

    skeleton: Skeleton
    style: LayoutStyle
    framed: bool
    frame: Frame
    lane: NDArray[np.int32]
    row: NDArray[np.int32]
    xcol: NDArray[np.int32]
    dense: NDArray[np.int32]
    count: NDArray[np.int32]
    heights: NDArray[np.float64]
    rows: NDArray[np.int32]
    first_rank: NDArray[np.int64]
    last_rank: NDArray[np.int64]
    wide: int

    @property
    def lane_of_row(self) -> NDArray[np.int64]:
        """The lane of each row: int64[r]."""
        return np.repeat(np.arange(len(self.rows)), self.rows)

    @property
    def band_width(self) -> float:
        """How wide the bands of the lanes are, in scene units."""
        pad_w, _ = lane_padding(self.style, self.framed)
        return self.wide * self.style.pitch_x - self.style.gap_x + pad_w


@dataclass(frozen=True)
class Bands:
    """How high everything stands, in scene units: the top of each row (float64[r]), the lanes, the whole picture's height."""

    row_y: NDArray[np.float64]
    lanes: tuple[Lane, ...]
    height: float


def pack_rows(skeleton: Skeleton, lane: NDArray[np.int32], lane_count: int, viewport: tuple[float, float],
              style: LayoutStyle, framed: bool, frame: Frame | None) -> Packed:  # fmt: skip
    """Every op on the grid of its lane. framed: lanes have a band and a header; frame: numbers to keep."""
    n, src, dst = skeleton.n, skeleton.edge_src, skeleton.edge_dst
    strip, span, tall = skeleton.strip, skeleton.span, skeleton.tall
    if not (viewport[0] > 0 and viewport[1] > 0):
        raise ValueError(f"The viewport is {viewport[0]} x {viewport[1]} px; both must be greater than zero.")
    inside = (lane[src] == lane[dst]) & (strip[src] == strip[dst])
    back = strip[src[inside]] == 1
    left = np.where(back, dst[inside], src[inside])
    right = np.where(back, src[inside], dst[inside])
    out_off, out = adjacency(n, left, right)
    in_off, ins = adjacency(n, right, left)
    leaf = leaves(n, out_off, out, in_off, ins)

    tried = []
    for cap in [frame.cap] if frame else _caps(skeleton, lane, lane_count, style, viewport, framed):
        packed = _pack(
            skeleton, lane, lane_count, leaf, out_off, out, in_off, ins, cap, framed, frame is None
        )
        tried.append((cap, packed, choose_breaks(packed[0], style, viewport, framed, packed[1], frame)))
    # the higher columns come first and keep the structure better, so lower ones must be worth it
    cap, (ribbon, _), (starts, rows, columns, _) = max(
        tried, key=lambda one: one[2][3] * (1.08 if one is tried[0] else 1.0)
    )
    column, lane_off = ribbon.column, ribbon.offsets
    row = (np.searchsorted(starts, column, side="right") - 1).astype(np.int32)
    start_of = starts.astype(np.int64)
    ends = np.append(starts[1:], lane_off[-1])

    # a leaf cut off from its op by a break joins the op's row, at its own place before or behind the row's columns
    home = np.where(leaf >= 0, leaf, np.arange(n))
    row = row[home].astype(np.int32) if n else row
    xcol = (column - start_of[row]).astype(np.int32) if n else column
    # all rows begin at one line: also one that such a leaf begins, and one whose first column is under the last row's overhanging card
    first = np.full(len(starts), n + 1, np.int32)
    np.minimum.at(first, row, xcol)
    xcol -= first[row]
    # a wide card in a row's last column hangs over its end
    wide = int((xcol + span).max(initial=1))

    dense, count = _dense_slots(n, len(starts), ribbon.height, row, strip, ribbon.slot, tall)
    heights = row_heights(count, style)
    if frame is None:
        style = justify(style, viewport, wide, heights, rows, framed)
    else:
        style = replace(
            style, card_w=frame.card_w, gap_x=frame.gap_x, row_gap=frame.row_gap, lane_pad=frame.lane_pad
        )
    kept = Frame(columns, cap, style.card_w, style.gap_x, style.row_gap, style.lane_pad)
    lane_of_row = np.repeat(np.arange(lane_count), rows)
    first_rank, last_rank = starts - lane_off[lane_of_row], ends - 1 - lane_off[lane_of_row]
    return Packed(skeleton, style, framed, kept, lane, row, xcol, dense, count, heights, rows, first_rank, last_rank, wide)  # fmt: skip


def bands_of(packed: Packed) -> Bands:
    """The heights of rows and lanes."""
    style, rows, heights, framed = packed.style, packed.rows, packed.heights, packed.framed
    x0, y, band_w = style.margin, style.margin, packed.band_width
    row_y = np.zeros(len(heights))
    lanes: list[Lane] = []
    next_row = 0
    for k in range(len(rows)):
        top = y
        if framed:
            y += style.lane_pad + (style.header_h if style.header == "top" else 0.0)
            inside = heights[next_row : next_row + rows[k]].sum() + style.row_gap * max(rows[k] - 1, 0)
            spare = max(0.0, style.least_lane_h - (y - top + inside + style.lane_pad)) / 2 if rows[k] else 0.0
            y += spare
        for i in range(rows[k]):
            row_y[next_row] = y
            y += heights[next_row] + (style.row_gap if i + 1 < rows[k] else 0.0)
            next_row += 1
        if framed:
            y = y + spare + style.lane_pad if rows[k] else top + style.empty_lane_h
            tall_header = min(style.header_h, y - top) if style.header == "top" else y - top
            wide_header = style.header_w if style.header == "left" else band_w
            lanes.append(Lane((x0, top, band_w, y - top), (x0, top, wide_header, tall_header)))
            y += style.lane_gap if k + 1 < len(rows) else 0.0
        elif rows[k] and k + 1 < len(rows):
            y += MODEL_GAP * style.row_gap
    return Bands(row_y, tuple(lanes), y + style.margin)


def place(packed: Packed) -> Layout:
    """Scene coordinates of rows, bands and cards, and the routes between them."""
    skeleton, style, framed, lane = packed.skeleton, packed.style, packed.framed, packed.lane
    row, xcol, dense, count, heights = packed.row, packed.xcol, packed.dense, packed.count, packed.heights
    n, strip, wide = skeleton.n, skeleton.strip, packed.wide
    bands = bands_of(packed)
    x0, row_y, band_w = style.margin, bands.row_y, packed.band_width
    content_x = x0 + (style.lane_pad + (style.header_w if style.header == "left" else 0.0) if framed else 0.0)
    below = np.where(count[:, 0] > 0, count[:, 0] * style.pitch_y - style.gap_y + style.strip_gap, 0.0)
    strip_y = np.stack([row_y, row_y + below], axis=1)
    x = content_x + xcol.astype(np.float64) * style.pitch_x
    ys = strip_y[row, strip] + dense * style.pitch_y if n else np.zeros(0)
    w = skeleton.span.astype(np.float64) * style.pitch_x - style.gap_x
    h = skeleton.tall.astype(np.float64) * style.pitch_y - style.gap_y
    line_count = np.where(count > 0, 2 * count + 1, 0).astype(np.int64)
    flat = np.concatenate([[0], np.cumsum(line_count.ravel())])
    first_line = np.zeros((len(heights) + 1, 2), np.int64)
    first_line.ravel()[: len(flat)] = flat
    src, dst = skeleton.edge_src, skeleton.edge_dst
    degree = np.bincount(src, minlength=n).astype(np.int32)
    kind, offsets, points = route(
        src, dst, x, ys, w, h, lane, row, xcol.astype(np.int32), dense, skeleton.span, skeleton.tall, strip, degree,
        row_y, heights, first_line, int(flat[-1]), wide, style.pitch_x, style.pitch_y, style.gap_x, style.gap_y,
        style.lane_gap + 2 * style.lane_pad, style.row_gap, style.strip_gap, style.hub_degree)  # fmt: skip
    gap = np.full(len(heights), style.row_gap)
    if framed:  # above the first row of a lane are its padding, the gap between lanes and the padding of the lane before
        gap[packed.first_rank == 0] = min(style.row_gap, style.lane_gap + 2 * style.lane_pad)
    grid = Grid(x, ys, w, h, row, lane, strip, row_y, gap)
    kind, offsets, points = route_far(src, dst, kind, offsets, points, grid, style)
    extents = (row_y, heights, packed.first_rank, packed.last_rank, packed.lane_of_row)
    rows = tuple(Row(*one) for one in zip(*(values.tolist() for values in extents), strict=True))
    right = (x0 + band_w if framed or not n else float((x + w).max())) + style.margin
    left = 0.0
    if len(
        points
    ):  # links beside all cards, and where gaps are wide those from row to row, run farther out than the margin
        right = max(right, float(points[:, 0].max()) + ROOM)
        left = left if framed else min(left, float(points[:, 0].min()) - ROOM)
    bounds = (left, 0.0, right - left, bands.height)
    return Layout(x, ys, w, h, strip == 1, row, xcol.astype(np.int32), dense, bounds, rows, bands.lanes, packed.frame,
                  src, dst, kind, offsets, points)  # fmt: skip
