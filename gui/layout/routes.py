"""Edge classes and waypoints: every route runs in the free space between cards."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

LOCAL, WRAP, STUB, FOLD, LANE = 0, 1, 2, 3, 4

#: distance between edges that share one gap, and how many stand beside each other before they share a line
STEP = 3.5
CHANNELS = 4


@njit(cache=True, nogil=True)
def _lines(n, row, xcol, slot, span, tall, strip, first_line, lines, columns):
    """Use of every horizontal line of every row strip: uint8[lines, columns], 255 where a card stands.

    Slot k of a strip owns line 2k + 1; lines 2k and 2k + 2 are the gaps above and below it.
    """
    use = np.zeros((lines, columns), np.uint8)
    for v in range(n):
        base = first_line[row[v], strip[v]]
        for line in range(base + 2 * slot[v] + 1, base + 2 * (slot[v] + tall[v])):
            for c in range(xcol[v], xcol[v] + span[v]):
                use[line, c] = 255
    return use


@njit(cache=True, nogil=True)
def _run(use, base, count, lo, hi, own, other):
    """The line in which an edge can pass columns lo..hi-1, and how many edges run there already; (-1, 0) if none.

    own, other: the lines of its two ends. Lines at the height of cards are for one edge only, gaps take several.
    """
    best = -1
    load = 0
    least = 2**30
    for line in range(count):
        cost = 4 * (abs(line - own) + abs(line - other))
        if line != own and line != other:
            cost += 2  # a run that starts straight needs one bend less
        if cost >= least:
            continue
        most = 0
        for c in range(lo, hi):
            most = max(most, use[base + line, c])
            if most == 255:
                break
        if most == 255 or (most > 0 and line % 2 == 1):
            continue
        cost += 3 * most
        if cost < least:
            best = line
            load = most
            least = cost
    return best, load


@njit(cache=True, nogil=True)
def _covered(n, row, xcol, slot, span, tall, strip, first_line, lines, columns, rows):
    """Which gaps between columns wide cards cover (gap c lies before column c): uint8[lines, columns + 1], and of whole rows uint8[rows, columns + 1]."""
    at_line = np.zeros((lines, columns + 1), np.uint8)
    in_row = np.zeros((rows, columns + 1), np.uint8)
    for v in range(n):
        base = first_line[row[v], strip[v]]
        for c in range(xcol[v] + 1, xcol[v] + span[v]):
            in_row[row[v], c] = 1
            for line in range(base + 2 * slot[v] + 1, base + 2 * (slot[v] + tall[v])):
                at_line[line, c] = 1
    return at_line, in_row


@njit(cache=True, nogil=True)
def _free(cover, first, last, gap):
    """Whether no card covers the gap in lines, or rows, first..last-1."""
    covers = 0
    for i in range(first, last):
        covers += cover[i, gap]
    return covers == 0


@njit(cache=True, nogil=True)
def _side(at_line, first, own, last, gap, below):
    """Whether an edge leaves its row, lines first..last-1, below line `own`: as wished, unless only the other way is free."""
    clear_below = _free(at_line, own + 1, last, gap)
    clear_above = _free(at_line, first, own, gap)
    if below:
        return clear_below or not clear_above
    return clear_below and not clear_above


@njit(cache=True, nogil=True)
def _channel(in_row, first, last, one, other):
    """The gap between columns in which rows first..last-1 can be passed, nearest to the gaps of both ends; the last, beside all cards, always can."""
    best, least = in_row.shape[1] - 1, 2**30
    for c in range(in_row.shape[1]):
        cost = abs(c - one) + abs(c - other)
        if cost < least and _free(in_row, first, last, c):
            best, least = c, cost
    return best


@njit(cache=True, nogil=True)
def route(src, dst, x, y, w, h, lane, row, xcol, slot, span, tall, strip, out_degree,
          row_y, row_h, first_line, lines, columns, pitch_x, pitch_y, gap_x, gap_y, lane_gap, row_gap, strip_gap,
          hub):  # fmt: skip
    """Class of every edge, uint8[m], and its waypoints: offsets int64[m + 1], points float64[p, 2]."""
    n, m = len(x), len(src)
    kind = np.zeros(m, np.uint8)
    offsets = np.zeros(m + 1, np.int64)
    points = np.empty((6 * m, 2), np.float64)
    fill = 0
    use = _lines(n, row, xcol, slot, span, tall, strip, first_line, lines, columns)
    at_line, in_row = _covered(n, row, xcol, slot, span, tall, strip, first_line, lines, columns, len(row_y))
    turns = np.zeros(len(row_y) + 1, np.int64)  # edges so far in the gap above each row
    key = np.empty(m, np.int64)
    line_of = np.full(m, -1, np.int32)
    shift = np.zeros(m, np.float64)
    for e in range(m):
        u, v = src[e], dst[e]
        key[e] = np.int64(abs(xcol[u] - xcol[v])) * m + e
        apart = abs(row[u] - row[v])
        if lane[u] != lane[v]:
            kind[e] = LANE if out_degree[u] < hub or abs(lane[u] - lane[v]) <= 1 else STUB
        elif strip[u] != strip[v]:
            kind[e] = FOLD if apart <= 1 else STUB
        elif apart == 0:
            kind[e] = STUB if out_degree[u] >= hub and abs(xcol[u] - xcol[v]) > 6 else LOCAL
        else:
            kind[e] = WRAP
            ahead = columns + xcol[v] - xcol[u] if strip[u] == 0 else columns + xcol[u] - xcol[v]
            if apart > 1 or out_degree[u] >= hub or 3 * ahead > 2 * columns:
                kind[e] = STUB
    # short runs first: they take the line next to their ends, longer ones go around them
    for e in np.argsort(key):
        u, v = src[e], dst[e]
        if row[u] != row[v] or strip[u] != strip[v] or lane[u] != lane[v] or kind[e] == STUB:
            continue
        left, right = (u, v) if xcol[u] < xcol[v] else (v, u)
        lo, hi = xcol[left] + span[left], xcol[right]
        if lo >= hi:
            continue
        base = first_line[row[u], strip[u]]
        count = first_line[row[u], strip[u] + 1] - base if strip[u] == 0 else first_line[row[u] + 1, 0] - base
        line, load = _run(use, base, count, lo, hi, 2 * slot[u] + tall[u], 2 * slot[v] + tall[v])
        line_of[e] = line
        for c in range(lo, hi):
            use[base + line, c] = min(250, use[base + line, c] + 1)
        if line % 2 == 0:
            turn = load % CHANNELS
            shift[e] = STEP * ((turn + 1) // 2) * (1 if turn % 2 else -1)
    for e in range(m):
        u, v = src[e], dst[e]
        way_out = -1.0 if strip[u] == 1 else 1.0
        way_in = -1.0 if strip[v] == 1 else 1.0
        xs = x[u] + (w[u] if way_out > 0 else 0.0)
        ys = y[u] + h[u] / 2
        xd = x[v] + (0.0 if way_in > 0 else w[v])
        yd = y[v] + h[v] / 2
        if line_of[e] >= 0:
            # one line is half a slot, measured from the middle of a card in the same strip
            yr = ys + (line_of[e] - 2 * slot[u] - tall[u]) * pitch_y / 2 + shift[e]
            if abs(yr - ys) > 0.01 or abs(yr - yd) > 0.01:
                if abs(yr - ys) > 0.01:
                    points[fill] = (xs + way_out * gap_x, yr)
                    fill += 1
                if abs(yr - yd) > 0.01:
                    points[fill] = (xd - way_in * gap_x, yr)
                    fill += 1
        elif kind[e] != LOCAL:
            r = row[v]
            top = first_line[r, 1] - first_line[r, 0]  # lines of the forward strip: two per slot and one
            # a row with one strip has no gap between strips: there the edge takes the gap between the rows
            folded = top > 0 and first_line[r + 1, 0] > first_line[r, 1]
            if folded and strip[u] != strip[v] and lane[u] == lane[v]:
                below = row_y[r]
                middle = below + (top - 1) // 2 * pitch_y - gap_y + strip_gap / 2
                room = strip_gap
            elif row[u] < r or (row[u] == r and lane[u] <= lane[v]):
                middle = row_y[r] - (row_gap if lane[u] == lane[v] else lane_gap) / 2
                room = row_gap if lane[u] == lane[v] else lane_gap
            else:
                middle = row_y[r] + row_h[r] + (row_gap if lane[u] == lane[v] else lane_gap) / 2
                room = row_gap if lane[u] == lane[v] else lane_gap
            turns[r] += 1
            beside = turns[r] % 5 - 2
            yc = middle + beside * min(STEP, room / 6)
            xa = xs + way_out * gap_x * (0.3 + 0.05 * (turns[r] % 4))
            xb = xd - way_in * gap_x * (0.3 + 0.05 * (turns[r] % 3))
            if lane[u] != lane[v]:
                # cards of folded groups cover gaps between columns: an edge passes their rows in another gap
                gap_u = xcol[u] + (span[u] if way_out > 0 else 0)
                gap_v = xcol[v] + (0 if way_in > 0 else span[v])
                down = row[u] < r
                line_u = first_line[row[u], strip[u]] + 2 * slot[u] + tall[u]
                line_v = first_line[r, strip[v]] + 2 * slot[v] + tall[v]
                below_u = _side(
                    at_line, first_line[row[u], 0], line_u, first_line[row[u] + 1, 0], gap_u, down
                )
                below_v = _side(at_line, first_line[r, 0], line_v, first_line[r + 1, 0], gap_v, not down)
                apart_y = min(row_gap, lane_gap) / 2
                shift_y = beside * min(STEP, room / 6)
                y_out = (
                    row_y[row[u]] + row_h[row[u]] + apart_y if below_u else row_y[row[u]] - apart_y
                ) + shift_y
                if below_v == down:
                    yc = (row_y[r] + row_h[r] + apart_y if below_v else row_y[r] - apart_y) + shift_y
                out_gap, in_gap = row[u] + (1 if below_u else 0), r + (1 if below_v else 0)
                first, last = min(out_gap, in_gap), max(out_gap, in_gap)
                # the first piece goes all the way where that is free, also past the rest of its own row
                straight = below_u == (in_gap > row[u]) and _free(in_row, first, last, gap_u)
                if not straight:
                    c = _channel(in_row, first, last, gap_u, gap_v)
                    xc = x[u] + (c - xcol[u]) * pitch_x - gap_x * (0.5 + 0.05 * (turns[r] % 4 - 1))
                    points[fill] = (xa, ys)
                    points[fill + 1] = (xa, y_out)
                    points[fill + 2] = (xc, y_out)
                    points[fill + 3] = (xc, yc)
                    points[fill + 4] = (xb, yc)
                    points[fill + 5] = (xb, yd)
                    fill += 6
                    offsets[e + 1] = fill
                    continue
            points[fill] = (xa, ys)
            points[fill + 1] = (xa, yc)
            points[fill + 2] = (xb, yc)
            points[fill + 3] = (xb, yd)
            fill += 4
        offsets[e + 1] = fill
    return kind, offsets, points[:fill].copy()
