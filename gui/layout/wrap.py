"""Wrapping the ribbon into rows: where rows break, and how many columns a row holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.layout.result import Frame
from gui.layout.style import LayoutStyle
from planner.compiling.kernel import njit

Starts = NDArray[np.int32]
Rows = NDArray[np.int32]

#: share of the best scale that alignment of repeated blocks must keep
ALIGNED = 0.72
#: an empty row weighs as much as this many cut tensors
RAGGED = 10.0
#: scale is worth this share less for each tensor that the average break cuts beyond the first
CUT = 0.04
#: row lengths whose breaks are chosen with full care
FINALISTS = 3


@dataclass(frozen=True)
class Ribbon:
    """Packed cards before wrapping. All lanes' columns stand in one sequence; lane l has offsets[l]..offsets[l + 1].

    column: int32[n] in that sequence; by_column: ops sorted by it; slot, tall: int32[n]; strip: uint8[n];
    height: slots that the packing had; cut: float64[columns + 1], what a break at the left border of a column cuts;
    stuck: bool[columns + 1], borders where no row may break.
    """

    offsets: NDArray[np.int64]
    column: NDArray[np.int32]
    by_column: NDArray[np.int64]
    slot: NDArray[np.int32]
    tall: NDArray[np.int32]
    strip: NDArray[np.uint8]
    height: int
    cut: NDArray[np.float64]
    stuck: NDArray[np.bool_]

    @property
    def lanes(self) -> int:
        return len(self.offsets) - 1


@njit(cache=True, nogil=True)
def greedy_breaks(offsets, cut, stuck, columns):
    """First column of every row when each holds at most `columns`: int32[rows], and the rows of each lane."""
    starts = np.empty(offsets[-1] + 1, np.int32)
    rows = np.zeros(len(offsets) - 1, np.int32)
    count = 0
    for lane in range(len(offsets) - 1):
        a, end = offsets[lane], offsets[lane + 1]
        while a < end:
            starts[count] = a
            count += 1
            rows[lane] += 1
            if end - a <= columns:
                break
            best = -1
            least = 0.0
            for b in range(a + columns, a + columns - columns // 6 - 1, -1):
                cost = cut[b] + RAGGED * (a + columns - b) / columns
                if b > a and not stuck[b] and (best < 0 or cost < least):
                    best = b
                    least = cost
            if (
                best < 0
            ):  # nothing near: a shorter row, or a longer one where a wide fan must stay in one piece
                for b in range(a + columns, a, -1):
                    if not stuck[b]:
                        best = b
                        break
            if best < 0:
                best = a + columns + 1
                while best < end and stuck[best]:
                    best += 1
            a = best
    return starts[:count].copy(), rows


@njit(cache=True, nogil=True)
def best_breaks(offsets, cut, stuck, columns):
    """As `greedy_breaks`, with the least sum of cut and raggedness over each lane (line breaking as in typesetting)."""
    total = offsets[-1]
    cost = np.full(total + 1, np.inf)
    back = np.zeros(total + 1, np.int32)
    starts = np.empty(total + 1, np.int32)
    rows = np.zeros(len(offsets) - 1, np.int32)
    count = 0
    for lane in range(len(offsets) - 1):
        lo, end = offsets[lane], offsets[lane + 1]
        if lo == end:
            continue
        cost[lo] = 0.0
        for b in range(lo + 1, end + 1):
            cost[b] = np.inf
            if b < end and stuck[b]:
                continue
            shortest = 1 if b == end else (columns + 1) // 2
            for a in range(b - shortest, max(lo, b - columns) - 1, -1):
                here = cost[a] + (0.0 if b == end else RAGGED * (columns - b + a) / columns + cut[b])
                if here < cost[b]:
                    cost[b] = here
                    back[b] = a
        if cost[end] == np.inf:
            return starts[:0].copy(), rows
        a = end
        while a > lo:
            a = back[a]
            starts[count + rows[lane]] = a
            rows[lane] += 1
        starts[count : count + rows[lane]] = starts[count : count + rows[lane]][::-1].copy()
        count += rows[lane]
        cost[end] = np.inf
    return starts[:count].copy(), rows


def _breaks(ribbon: Ribbon, columns: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    starts, rows = best_breaks(ribbon.offsets, ribbon.cut, ribbon.stuck, columns)
    if len(starts) or not len(ribbon.column):
        return starts, rows
    return greedy_breaks(ribbon.offsets, ribbon.cut, ribbon.stuck, columns)


@njit(cache=True, nogil=True)
def row_slots(starts, column, by_column, slot, tall, strip, height):
    """Distinct slots in use in each row and strip: int32[rows, 2]."""
    used = np.zeros((len(starts), 2), np.int32)
    stamp = np.full((2, height + 1), -1, np.int32)
    row = -1
    for v in by_column:
        while row + 1 < len(starts) and starts[row + 1] <= column[v]:
            row += 1
        for k in range(slot[v], slot[v] + tall[v]):
            if stamp[strip[v], k] != row:
                stamp[strip[v], k] = row
                used[row, strip[v]] += 1
    return used


def row_heights(used: NDArray[np.int32], style: LayoutStyle) -> NDArray[np.float64]:
    """Height of each row in scene units: float64[rows]."""
    strips = np.where(used > 0, used * style.pitch_y - style.gap_y, 0.0)
    return strips.sum(axis=1) + np.where((used > 0).all(axis=1), style.strip_gap, 0.0)


def lane_padding(style: LayoutStyle, framed: bool) -> tuple[float, float]:
    """Scene units that a lane adds to its rows: in width for all lanes, and in height for each."""
    if not framed:
        return 0.0, 0.0
    left = style.header_w if style.header == "left" else 0.0
    top = style.header_h if style.header == "top" else 0.0
    return left + 2 * style.lane_pad, top + 2 * style.lane_pad + style.lane_gap


def scale_of(width: float, height: float, viewport: tuple[float, float]) -> float:
    """Pixels per scene unit at which a picture of that size fits the viewport."""
    return min(viewport[0] / max(width, 1.0), viewport[1] / max(height, 1.0))


@njit(cache=True, nogil=True)
def _value(offsets, cut, column, by_column, slot, tall, strip, height, starts, rows, sizes):
    """Scale at which the wrapped ribbon fits the viewport, a little less where breaks cut much. See `_sizes`."""
    pitch_x, gap_x, pitch_y, gap_y, row_gap, strip_gap, pad_w, pad_h, empty, margin, view_w, view_h = sizes
    used = row_slots(starts, column, by_column, slot, tall, strip, height)
    high = 2 * margin
    longest = 1
    lost = 0.0
    row = 0
    for lane in range(len(rows)):
        high += pad_h + row_gap * (rows[lane] - 1) if rows[lane] else empty
        for i in range(rows[lane]):
            end = starts[row + 1] if i + 1 < rows[lane] else offsets[lane + 1]
            longest = max(longest, end - starts[row])
            for s in range(2):
                if used[row, s]:
                    high += used[row, s] * pitch_y - gap_y
            if used[row, 0] and used[row, 1]:
                high += strip_gap
            if i > 0:
                lost += cut[starts[row]]
            row += 1
    wide = longest * pitch_x - gap_x + pad_w + 2 * margin
    inner = row - (rows > 0).sum()
    excess = max(0.0, lost / inner - 1.0) if inner else 0.0
    return min(view_w / max(wide, 1.0), view_h / max(high, 1.0)) / (1.0 + CUT * excess)


@njit(cache=True, nogil=True)
def _rough_values(offsets, cut, stuck, column, by_column, slot, tall, strip, height, lengths, sizes):
    """`_value` of the greedy breaks for every row length: float64[lengths]."""
    values = np.empty(len(lengths))
    for i in range(len(lengths)):
        starts, rows = greedy_breaks(offsets, cut, stuck, lengths[i])
        values[i] = _value(offsets, cut, column, by_column, slot, tall, strip, height, starts, rows, sizes)
    return values


def _sizes(style: LayoutStyle, viewport: tuple[float, float], framed: bool) -> tuple[float, ...]:
    pad_w, pad_h = lane_padding(style, framed)
    scene = (style.pitch_x, style.gap_x, style.pitch_y, style.gap_y, style.row_gap, style.strip_gap)
    lanes = (pad_w, pad_h, style.empty_lane_h + style.lane_gap if framed else 0.0, style.margin)
    return tuple(float(value) for value in (*scene, *lanes, *viewport))


def candidates(longest: int, count: int = 48) -> list[int]:
    """Row lengths to try, dense where they are short: at most about `count` numbers from 1 to `longest`."""
    if longest <= count:
        return list(range(1, longest + 1))
    grid = np.unique(np.rint(np.geomspace(4, longest, count)).astype(int))
    return [int(k) for k in grid]


@njit(cache=True, nogil=True)
def _best_phase(total, cut, stuck, length, parts, first, fewest, ragged):
    """Phase in [first, length] whose breaks cut least and waste least, -1 where every one meets a stuck border."""
    best = -1
    least = np.inf
    for phase in range(first, length + 1):
        value = 0.0
        breaks = 0
        free = True
        for j in range(parts):
            step = (length * j + parts // 2) // parts
            for b in range(phase - length + step, total, length):
                if b > 0:
                    value += cut[b]
                    breaks += 1
                    free = free and not stuck[b]
        if not free:
            continue
        value = (
            value / max(1, breaks) + ragged * (breaks + 1 - fewest + 0.5 * (length - phase) / length) / fewest
        )
        if value < least:
            best = phase
            least = value
    return best


def periodic_breaks(ribbon: Ribbon, period: int, times: int, parts: int) -> NDArray[np.int32] | None:
    """Breaks that repeat with the blocks: rows of `times` periods, or `parts` rows for each period.

    The phase is the one that cuts little and needs few rows. None where no phase is allowed.
    """
    total = int(ribbon.offsets[-1])
    length = period * times
    fewest = max(1, -(-total * parts // length))
    first = length - period + 1
    phase = _best_phase(total, ribbon.cut, ribbon.stuck, length, parts, first, fewest, RAGGED)
    if phase < 0:
        return None
    steps = (length * np.arange(parts) + parts // 2) // parts
    starts = (np.arange(phase - length, total, length)[:, None] + steps).ravel()
    return np.append(0, starts[(starts > 0) & (starts < total)]).astype(np.int32)


def choose_breaks(ribbon: Ribbon, style: LayoutStyle, viewport: tuple[float, float], framed: bool,
                  period: int, frame: Frame | None) -> tuple[Starts, Rows, int, float]:  # fmt: skip
    """First column of every row, rows per lane, the row length that gives the largest scale, and about that scale.

    period: columns after which the graph repeats itself, 0 for none: rows then break in step with it where that
    costs little. frame: of an earlier layout, whose row length is kept instead.
    """
    if frame is not None:
        return *_breaks(ribbon, frame.columns), frame.columns, 0.0
    longest = max(1, int(np.diff(ribbon.offsets).max(initial=1)))

    sizes = _sizes(style, viewport, framed)
    cards = (ribbon.column, ribbon.by_column, ribbon.slot, ribbon.tall, ribbon.strip, ribbon.height)

    def worth(starts: NDArray[np.int32], rows: NDArray[np.int32]) -> float:
        return float(_value(ribbon.offsets, ribbon.cut, *cards, starts, rows, sizes))

    lengths = np.array(candidates(longest), np.int32)
    rough = _rough_values(ribbon.offsets, ribbon.cut, ribbon.stuck, *cards, lengths, sizes)
    best, chosen, top = 1, None, -1.0
    for i in np.argsort(-rough, kind="stable")[:FINALISTS]:
        k = int(lengths[i])
        starts, rows = _breaks(ribbon, k)
        value = worth(starts, rows)
        if value > top:
            best, chosen, top = k, (starts, rows), value
    assert chosen is not None
    if period and ribbon.lanes == 1 and len(chosen[0]) > 1:
        aligned_top, aligned = ALIGNED * top, None
        around = max(1, round(best / period))
        options = [(times, 1) for times in range(max(1, around - 2), around + 3)]
        options += [(1, parts) for parts in range(2, 5) if period // parts >= 6]
        for times, parts in options:
            found = periodic_breaks(ribbon, period, times, parts)
            if found is None:
                continue
            starts = found
            rows = np.array([len(starts)], np.int32)
            # rows that repeat only every few rows show the repetition less well
            value = worth(starts, rows) * (1.0 if parts == 1 else 0.9)
            if value > aligned_top:
                aligned_top, aligned = value, (starts, rows, -(-period * times // parts), value)
        if aligned is not None:
            return aligned
    return *chosen, best, top
