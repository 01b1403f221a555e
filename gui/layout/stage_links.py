"""Ways of the ribbons between the blocks of the stages view: straight between neighbours, else through free channels and gaps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gui.layout.result import Stages

PORTS = 0.72
"""Share of a block's width over which the ends of its ribbons are spread."""
FREE = 0.1
"""Share of that which stays free on either side of a straight ribbon in the middle."""
SIDE = 0.22
"""How far from the middle of a plate, in its heights, the ribbons to a neighbour and back stand."""


@dataclass
class Way:
    """A ribbon that is not straight: its runs along channels, and the gap in which it changes from one to the other.

    A run is (channel, from, to) in half columns: block ``c`` has its middle at ``2 c + 1``, the gap left of it is ``2 c``.
    """

    pair: int
    down: bool
    """Whether it leaves at the foot of its block; else through the top."""
    runs: list[tuple[int, int, int]] = field(default_factory=list)
    gap: int = -1


def stage_routes(stages: Stages, pairs: Sequence[tuple[int, int]]) -> tuple[list[NDArray[np.float64]], float]:
    """A polyline float64[p, 2] in scene units for each pair (from, to) of devices that have blocks, and the room between two.

    Neighbours are joined straight: of one row plate to plate, of one column from the foot of the upper one. Others leave through the top of their block, or through its
    foot where they go down, and end on a plate from above; on the way they cross no block.
    """
    routes: list[NDArray[np.float64]] = [np.empty((0, 2))] * len(pairs)
    both = set(pairs)
    for i, (a, b) in enumerate(pairs):
        if _beside(stages, a, b):
            routes[i] = _straight(stages, a, b, (b, a) in both)
        elif below(stages.place, stages.columns, a, b):
            x, y, wide, high = stages.blocks[a]
            routes[i] = np.array([(x + wide / 2, y + high), (x + wide / 2, stages.blocks[b][1])])
    bent = bent_ways(stages.place, stages.columns, pairs)
    track, count = tracks(bent)
    ports = _ports(stages, pairs, bent)
    lines = _gap_lines(stages, bent)
    for w in bent:
        a, b = pairs[w.pair]
        start, end = ports[w.pair, False], ports[w.pair, True]
        _, y, _, h = stages.blocks[a]
        points = [(start, y + h if w.down else y)]
        at = start
        for j, (channel, _, _) in enumerate(w.runs):
            level = channel_y(stages, channel, track[w.pair, j], count[channel])
            to = end if j + 1 == len(w.runs) else lines[w.pair]
            points += [(at, level), (to, level)]
            at = to
        points.append((end, stages.blocks[b][1]))
        routes[w.pair] = np.array(points)
    apart = [0.6 * stages.channel[channel] / many for channel, many in count.items()]
    return routes, min(apart, default=stages.plate / 2)


def bent_ways(place: NDArray[np.int32], columns: int, pairs: ArrayLike) -> list[Way]:
    """The channels and the gap that each ribbon takes whose blocks are not next to each other; ``pairs`` int[m, 2]."""
    a, b = np.asarray(pairs, np.int64).reshape(-1, 2).T
    (row, col), (to_row, to_col) = np.divmod(place[a], columns), np.divmod(place[b], columns)
    straight = ((row == to_row) & (np.abs(col - to_col) == 1)) | (place[b] - place[a] == columns)
    down = to_row > row
    channel = row + down
    gap = np.maximum(np.where(col <= to_col, to_col, to_col + 1), min(1, columns - 1))
    table = np.stack([down, channel, 2 * col + 1, gap, to_row, 2 * to_col + 1], axis=1)
    out = []
    for i in np.flatnonzero(~straight).tolist():
        lower, first, start, g, last, end = table[i].tolist()
        if first == last:
            out.append(Way(i, bool(lower), [(first, start, end)]))
        else:
            out.append(Way(i, bool(lower), [(first, start, 2 * g), (last, 2 * g, end)], g))
    return out


def crowding(ways: list[Way], rows: int, columns: int) -> NDArray[np.int64]:
    """How many ribbons lie beside each other at most in the channel above each row (int64[rows])."""
    runs = np.array([run for w in ways for run in w.runs], np.int64).reshape(-1, 3)
    steps = np.zeros((rows, 2 * columns + 2), np.int64)
    np.add.at(steps, (runs[:, 0], runs[:, 1:].min(axis=1)), 1)
    np.add.at(steps, (runs[:, 0], runs[:, 1:].max(axis=1) + 1), -1)
    return steps.cumsum(axis=1).max(axis=1)


def tracks(ways: list[Way]) -> tuple[dict[tuple[int, int], int], dict[int, int]]:
    """Which of a channel's tracks each (pair, run) takes, and how many tracks each channel has: long runs further from the plates."""
    by_channel: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
    for w in ways:
        for j, (channel, a, b) in enumerate(w.runs):
            by_channel[channel].append((min(a, b), max(a, b), w.pair, j))
    taken: dict[tuple[int, int], int] = {}
    count: dict[int, int] = {}
    for channel, runs in by_channel.items():
        full: list[int] = []  # of each track the half columns in use, as bits
        for low, high, pair, j in sorted(runs, key=lambda run: (run[1] - run[0], run)):
            bits = (1 << (high + 1)) - (1 << low)
            t = next((t for t, used in enumerate(full) if not used & bits), len(full))
            if t == len(full):
                full.append(0)
            full[t] |= bits
            taken[pair, j] = t
        count[channel] = len(full)
    return taken, count


def channel_y(stages: Stages, channel: int, track: int, count: int) -> float:
    """Where a track of a channel runs; track 0 is the nearest to the plates below."""
    first = next(i for i, p in enumerate(stages.place.tolist()) if p >= 0 and p // stages.columns == channel)
    high = stages.channel[channel]
    return stages.blocks[first][1] - high * (0.3 + 0.6 * (track + 0.5) / count)


def below(place: NDArray[np.int32], columns: int, a: int, b: int) -> bool:
    """Whether ``b`` is the next block down in the column of ``a``."""
    return int(place[b]) - int(place[a]) == columns


def _beside(stages: Stages, a: int, b: int) -> bool:
    """Whether two blocks stand next to each other in one row."""
    p, q = int(stages.place[a]), int(stages.place[b])
    return abs(p - q) == 1 and p // stages.columns == q // stages.columns


def _straight(stages: Stages, a: int, b: int, both: bool) -> NDArray[np.float64]:
    ahead = stages.place[b] > stages.place[a]
    x, y, w, _ = stages.blocks[a]
    other = stages.blocks[b]
    level = y + stages.plate * (0.5 + (0.0 if not both else -SIDE if ahead else SIDE))
    ends = (x + w, other[0]) if ahead else (x, other[0] + other[2])
    return np.array([(ends[0], level), (ends[1], level)])


def _ports(
    stages: Stages, pairs: Sequence[tuple[int, int]], ways: list[Way]
) -> dict[tuple[int, bool], float]:
    """Where along its block each ribbon begins (False) and ends (True): those that go left stand left of those that go right.

    The middle of a side is free where a straight ribbon stands there.
    """
    straight = [pair for pair in pairs if below(stages.place, stages.columns, *pair)]
    middles = {(a, True) for a, _ in straight} | {(b, False) for _, b in straight}
    sides: dict[tuple[int, bool], list[tuple[int, bool, int, bool]]] = defaultdict(list)
    for w in ways:
        a, b = pairs[w.pair]
        sides[a, w.down].append((w.runs[0][2], False, w.pair, False))
        sides[b, False].append((w.runs[-1][1], True, w.pair, True))
    out = {}
    for side, ends in sides.items():
        x, _, wide, _ = stages.blocks[side[0]]
        own = 2 * (int(stages.place[side[0]]) % stages.columns) + 1
        ends.sort()
        left = sum(end[0] < own for end in ends) if side in middles else 0
        for part, low, high in (
            (ends[:left], -0.5, -FREE),
            (ends[left:], FREE if side in middles else -0.5, 0.5),
        ):
            for i, (_, _, pair, arrives) in enumerate(part):
                out[pair, arrives] = x + wide * (
                    0.5 + PORTS * (low + (high - low) * (i + 1) / (len(part) + 1))
                )
    return out


def _gap_lines(stages: Stages, ways: list[Way]) -> dict[int, float]:
    """Where in its gap each ribbon that uses one goes up or down."""
    used: dict[int, list[int]] = defaultdict(list)
    for w in ways:
        if w.gap >= 0:
            used[w.gap].append(w.pair)
    if not used:
        return {}
    left, wide = min(b[0] for b in stages.blocks if b[2] > 0), max(b[2] for b in stages.blocks)
    out = {}
    for gap, here in used.items():
        room = stages.gap if gap else left  # where all blocks stand in one column there is the margin alone
        start = left + gap * (wide + stages.gap) - room
        for i, pair in enumerate(here):
            out[pair] = start + room * (i + 1) / (len(here) + 1)
    return out
