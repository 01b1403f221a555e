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
ABOVE_PLATES = 18.0
"""Room for arrowheads and the word about the bottleneck below the tracks of a channel, at most; scene units."""
CHANNEL_USED = 0.9
"""Share of a channel's height that figures and tracks take."""
SWEEPS = 8
"""How often all runs of a channel are moved to where they cross least."""
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

    def upwards(self, j: int) -> tuple[bool, bool]:
        """Whether the ribbon comes to its ``j``-th run from above, and whether it leaves it upwards."""
        channel = self.runs[j][0]
        return (
            self.down if j == 0 else self.runs[j - 1][0] < channel,
            j + 1 < len(self.runs) and self.runs[j + 1][0] < channel,
        )


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
    ports = _ports(stages, pairs, bent)
    lines = _gap_lines(stages, bent)
    track, count = tracks(bent, ports, lines)
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
    apart = [_levels(stages, channel, many)[1] for channel, many in count.items()]
    crowd = np.bincount([w.gap for w in bent if w.gap >= 0])
    apart += [stages.gap / (many + 1) for many in crowd.tolist() if many > 1]
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


def tracks(
    ways: list[Way], ports: dict[tuple[int, bool], float], lines: dict[int, float]
) -> tuple[dict[tuple[int, int], int], dict[int, int]]:
    """Which of a channel's tracks each (pair, run) takes, so that few ribbons cross, and how many tracks each channel has.

    ``ports``: where along its block the ribbon of a pair begins (False) and ends (True); ``lines``: where in its gap it goes up or down.
    """
    by_channel: dict[int, list[Run]] = defaultdict(list)
    for w in ways:
        for j, (channel, a, b) in enumerate(w.runs):
            last = j + 1 == len(w.runs)
            begin = ports[w.pair, False] if j == 0 else lines[w.pair]
            end = ports[w.pair, True] if last else lines[w.pair]
            bits = (1 << (max(a, b) + 1)) - (1 << min(a, b))
            by_channel[channel].append(Run((w.pair, j), bits, (begin, end), w.upwards(j), abs(b - a)))
    taken: dict[tuple[int, int], int] = {}
    count: dict[int, int] = {}
    for channel, runs in by_channel.items():
        full: list[int] = []  # of each track the half columns in use, as bits
        for run in uncrossed(runs):
            t = 1 + max((t for t, used in enumerate(full) if used & run.bits), default=-1)
            if t == len(full):
                full.append(0)
            full[t] |= run.bits
            taken[run.key] = t
        count[channel] = len(full)
    return taken, count


@dataclass(frozen=True)
class Run:
    """A stretch of a ribbon along a channel: where on it both ends are, and whether the ribbon goes up there."""

    key: tuple[int, int]
    bits: int
    ends: tuple[float, float]
    upwards: tuple[bool, bool]
    length: int


def uncrossed(runs: list[Run]) -> list[Run]:
    """Runs of one channel from the plates below upwards so that few cross: short ones first, each then moved to where it crosses least."""
    order = sorted(runs, key=lambda run: (run.length, run.bits, run.key))
    n = len(order)
    ends = np.array([run.ends for run in order]).reshape(-1, 2)
    up = np.array([run.upwards for run in order], bool).reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    # inside[i, j, e]: whether run j passes where end e of run i goes up or down.
    inside = (low[None, :, None] < ends[:, None, :]) & (ends[:, None, :] < high[None, :, None])
    rises, falls = (inside & up[:, None, :]).sum(axis=2), (inside & ~up[:, None, :]).sum(axis=2)
    # Of i below j: what goes up from i meets j, what goes down from j meets i.
    cost = rises + falls.T
    gain = cost - cost.T
    place = list(range(n))
    for _ in range(SWEEPS):
        moved = False
        for i in range(n):
            at = place.index(i)
            rest = place[:at] + place[at + 1 :]
            # What it crosses at each place: at first below all, then above one more each time.
            crossed = np.concatenate([[0], np.cumsum(-gain[i, rest])])
            best = int(np.argmin(crossed))
            if crossed[best] < crossed[at]:
                place = [*rest[:best], i, *rest[best:]]
                moved = True
        if not moved:
            break
    return [order[i] for i in place]


def channel_y(stages: Stages, channel: int, track: int, count: int) -> float:
    """Where a track of a channel runs; track 0 is the nearest to the plates below."""
    first = next(i for i, p in enumerate(stages.place.tolist()) if p >= 0 and p // stages.columns == channel)
    low, pitch = _levels(stages, channel, count)
    return stages.blocks[first][1] - low - pitch * (track + 0.5)


def _levels(stages: Stages, channel: int, count: int) -> tuple[float, float]:
    """How far above the plates the tracks of a channel begin, and how far they are apart."""
    high = stages.channel[channel]
    low = max(min(0.3 * high, ABOVE_PLATES), min(stages.figure * stages.unit, 0.6 * high))
    return low, (CHANNEL_USED * high - low) / count


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

    What leaves the foot of a block and what stands on the plate below share a stretch of a channel, and no two stand at one place
    of it. Its middle is free where a straight ribbon stands there.
    """
    straight = {
        tuple(divmod(int(stages.place[b]), stages.columns))
        for a, b in pairs
        if below(stages.place, stages.columns, a, b)
    }
    sides: dict[tuple[int, int], list[tuple[bool, int, int, bool]]] = defaultdict(list)
    for w in ways:
        a, b = pairs[w.pair]
        for arrives, d, j in ((False, a, 0), (True, b, len(w.runs) - 1)):
            channel, begin, end = w.runs[j]
            column, other = int(stages.place[d]) % stages.columns, begin if arrives else end
            # What goes up, or down, at both ends of a run stands one inside the other.
            nested = len(set(w.upwards(j))) == 1
            side = (other > 2 * column + 1, -other if nested else other, w.pair, arrives)
            sides[channel, column].append(side)
    left = min((box[0] for box in stages.blocks if box[2] > 0), default=0.0)
    wide = max((box[2] for box in stages.blocks), default=0.0)
    out = {}
    for (channel, column), ends in sides.items():
        x, middle = left + column * (wide + stages.gap), (channel, column) in straight
        ends.sort()
        before = sum(not end[0] for end in ends) if middle else 0
        for part, low, high in (
            (ends[:before], -0.5, -FREE),
            (ends[before:], FREE if middle else -0.5, 0.5),
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
