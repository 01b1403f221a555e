"""Where a schedule's rows and bars lie on a chart: rows from top to bottom, time from left to right. No painting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gui.look.numbers import Column, time_column
from planner.reports.schedule.parts import WORK
from planner.reports.schedule.schedule import Schedule

RULER, AXIS = 18.0, 20.0
"""Height of the strip above the rows and of the time axis below them."""
LOWEST_ROW, LEAST_ROW, MOST_ROW = 11.0, 13.0, 40.0
LANE, CALM_ROW = 13.0, 14.0
"""A row with several lanes has so much room for each where rows with one lane can give it: those stay so high at least."""
GUTTER = 168.0
NARROW_GUTTERS = (104.0, 148.0)
"""Least and most room for names where charts are narrow."""
BESIDE_NAME, LETTER = 82.0, 6.7
"""What a narrow gutter holds beside a name, and what a letter takes."""
NARROW = 560.0
"""Charts narrower than this have a narrow gutter."""
RIGHT = 12.0
PAD = 3.0
"""Room above and below the bars of a row."""
TICK, CLOSER_TICKS = 84.0, (60.0, 42.0, 30.0)
"""Pixels between two ticks of the time axis at least, and those that are tried where there would be fewer than :data:`LEAST_TICKS`."""
LEAST_TICKS = 3
CLOSEST = 2.0
"""Zoomed in as far as it goes, the shortest of the bars is so many hundred pixels wide."""


@dataclass(frozen=True)
class Row:
    """One line of the chart: a device, or one of its virtual devices (``piece`` >= 0)."""

    device: int
    title: str
    lanes: int
    piece: int = -1
    short: str = ""
    """What it is called where there is no room for the title; empty: the title."""


def letters(number: int) -> str:
    """a, b, ..., z, aa, ab, ...: the virtual devices of one device."""
    text = ""
    number += 1
    while number > 0:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("a") + digit) + text
    return text


def piece_letter(s: Schedule, piece: int) -> str:
    """The letter of a piece; empty where its device has one piece of its part."""
    alone = np.count_nonzero(
        (s.piece_device == s.piece_device[piece]) & (s.piece_part == s.piece_part[piece])
    )
    return "" if alone < 2 else letters(int(s.numbers[piece]))


def device_rows(
    s: Schedule, titles: Sequence[str], virtual: bool = False, short: Sequence[str] = ()
) -> list[Row]:
    """A row per device, or one per virtual device in the order in which they run; ``short``: names for a narrow gutter."""
    short = short or titles
    if not virtual:
        return [Row(d, title, int(s.lane_count[d]), short=short[d]) for d, title in enumerate(titles)]
    rows = []
    for p, (d, part) in enumerate(zip(s.piece_device.tolist(), s.piece_part.tolist(), strict=True)):
        word = " backward" if part else ""
        title, name = (f"{names[d]} {piece_letter(s, p)}".rstrip() + word for names in (titles, short))
        rows.append(Row(d, title, max(1, int(s.lane_count[d])), p, name))
    return rows


def comfortable(row: Row) -> float:
    """The height at which the lanes of a row can be told apart."""
    return 2 * PAD + LANE * row.lanes if row.lanes > 1 else 0.0


def times_of(s: Schedule, unit: str | None, beside: Sequence[Schedule] = ()) -> Column:
    """How all times of a schedule are written: in the unit of a sample's, which is that of the objective and of what devices pay; of the
    longest sample's where others are shown ``beside`` it."""
    return time_column([one.period or one.end for one in (s, *beside)], unit)


@dataclass
class ChartLayout:
    """Geometry in logical pixels. The time axis shows ``left`` (a time) at the gutter, ``scale`` pixels per unit of time."""

    schedule: Schedule
    rows: list[Row]
    time_unit: str | None = None
    width: float = 400.0
    height: float = 150.0
    left: float = 0.0
    scale: float = 1.0
    scrolled: float = 0.0
    """How far the rows are pushed up."""
    until: float = 0.0
    """The time axis reaches at least so far: charts below one another share one."""
    names: float = 0.0
    """Room for names at the left; 0 where it follows from the width."""
    axis: float = AXIS
    """Height of the strip below the rows; times are written in it unless it is lower than usual."""
    foot: float = 0.0
    """Height of the lines below that strip that say what bars are; 0: that stands beside the names."""
    origin: float = 0.0
    """The moment that the ticks are counted from."""
    highest: float = MOST_ROW
    """How high a row is at most."""
    beside: Sequence[Schedule] = ()
    """The schedules with which it shares a time axis, and so the unit of its times."""
    whole: bool = False
    """Whether all rows are seen, however low they are: pictures do not scroll."""
    row_of_bar: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        if self.rows and self.rows[0].piece >= 0:
            row_of = np.empty(len(self.schedule.piece_device), np.int32)
            row_of[[row.piece for row in self.rows]] = np.arange(len(self.rows))
            self.row_of_bar = row_of[self.schedule.piece]
        else:
            row_of = np.zeros(len(self.schedule.lane_count), np.int32)
            row_of[[row.device for row in self.rows]] = np.arange(len(self.rows))
            self.row_of_bar = row_of[self.schedule.device]
        self.fit()

    # ------------------------------------------------------------------ sizes
    @property
    def gutter(self) -> float:
        """Room for names at the left; where it is narrow, for short ones."""
        if self.names:
            return self.names
        if self.width >= NARROW:
            return GUTTER
        longest = max((len(row.short or row.title) for row in self.rows), default=0)
        least, most = NARROW_GUTTERS
        return min(max(BESIDE_NAME + LETTER * longest, least), most)

    @property
    def plot_width(self) -> float:
        """Room for time."""
        return max(1.0, self.width - self.gutter - RIGHT)

    @property
    def plot_height(self) -> float:
        """Room for rows."""
        return max(1.0, self.height - RULER - self.axis - self.foot)

    @property
    def row_height(self) -> float:
        """Rows fill the room within limits; where not all have room, so many as are whole do. They are lower than usual where all can be seen then."""
        if self.whole:
            return min(self.highest, self.plot_height / max(1, len(self.rows)))
        if LOWEST_ROW * len(self.rows) <= self.plot_height < LEAST_ROW * len(self.rows):
            return self.plot_height / len(self.rows)
        shown = min(max(1, len(self.rows)), max(1, int(self.plot_height // LEAST_ROW)))
        return min(self.highest, max(LEAST_ROW, self.plot_height / shown))

    @property
    def heights(self) -> np.ndarray:
        """How high each row is (float64[rows]): :attr:`row_height`, but that rows with many lanes have what is free, and some of the others'."""
        usual, count = self.row_height, len(self.rows)
        heights = np.full(count, usual)
        lack = np.maximum(0.0, np.array([comfortable(row) for row in self.rows]) - usual)
        if not lack.any() or usual * count > self.plot_height + 0.5:
            return heights
        free = self.plot_height - usual * count
        calm = lack == 0
        spare = np.where(calm, usual - min(usual, CALM_ROW), 0.0)
        given = min(float(lack.sum()), free + float(spare.sum()))
        taken = max(0.0, given - free)
        heights += lack * (given / lack.sum())
        return heights - (spare * (taken / spare.sum()) if taken else 0.0)

    @property
    def tops(self) -> np.ndarray:
        """Where each row begins, from the first, and where the last ends (float64[rows + 1])."""
        return np.concatenate([[0.0], np.cumsum(self.heights)])

    @property
    def named_every(self) -> int:
        """Of so many rows one carries its name: all do where they are as high as names."""
        return max(1, math.ceil(LOWEST_ROW / self.row_height - 0.01))

    @property
    def rows_hidden(self) -> bool:
        """Whether some rows have no room: they scroll."""
        return float(self.tops[-1]) > self.plot_height + 0.5

    @property
    def thumb(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the bar that says which rows are in sight, while some are hidden."""
        share = self.plot_height / (float(self.tops[-1]) or self.row_height)
        return self.width - RIGHT + 3, RULER + self.scrolled * share, RIGHT - 6, self.plot_height * share

    @property
    def rows_bottom(self) -> float:
        """Where the rows end, or the room for them."""
        return RULER + min(self.plot_height, float(self.tops[-1]))

    def row_top(self, row: int) -> float:
        """The upper edge of a row; outside the plot while it is scrolled away."""
        return RULER + float(self.tops[row]) - self.scrolled

    # ------------------------------------------------------------------ time
    @property
    def end(self) -> float:
        """The end of the time axis; 1 where nothing takes any time."""
        return max(self.schedule.end, self.until) or 1.0

    @property
    def fitting(self) -> float:
        """The scale at which everything is seen."""
        return self.plot_width / self.end

    @property
    def fitted(self) -> bool:
        """Whether everything is seen."""
        return self.scale <= self.fitting * (1 + 1e-9)

    @property
    def goes_on(self) -> tuple[bool, bool]:
        """Whether there are bars before what is seen, and after it."""
        s, slack = self.schedule, 0.5 / self.scale
        first, until = float(s.start.min(initial=math.inf)), self.time(self.gutter + self.plot_width)
        return first < self.left - slack, s.end > until + slack

    def x(self, time: float) -> float:
        """Where a time lies."""
        return self.gutter + (time - self.left) * self.scale

    def time(self, x: float) -> float:
        """Which time lies at x."""
        return self.left + (x - self.gutter) / self.scale

    def fit(self) -> None:
        """Show everything."""
        self.left, self.scale, self.scrolled = 0.0, self.fitting, 0.0

    def resize(self, width: float, height: float) -> None:
        """Another size; what was fitted stays fitted."""
        fitted = self.fitted
        self.width, self.height = width, height
        if fitted:
            self.left, self.scale = 0.0, self.fitting
        self._keep()

    def leave_for_names(self, room: float) -> None:
        """So much room for names at the left, and the rest for time; what was fitted stays fitted."""
        fitted = self.fitted
        self.names = room
        if fitted:
            self.left, self.scale = 0.0, self.fitting

    def leave_for_key(self, foot: float) -> None:
        """So much room for what bars are, below the axis."""
        self.foot = foot
        self._keep()

    def zoom(self, factor: float, x: float) -> None:
        """Zoom the time around a point."""
        s = self.schedule
        shortest = float((s.finish - s.start).min()) if len(s.start) else self.end
        closest = max(self.fitting, CLOSEST * 100 / shortest)
        at = self.time(x)
        self.scale = min(closest, max(self.fitting, self.scale * factor))
        self.left = at - (x - self.gutter) / self.scale
        self._keep()

    def pan(self, dx: float, dy: float = 0.0) -> None:
        """Move the picture by pixels."""
        self.left -= dx / self.scale
        self.scrolled -= dy
        self._keep()

    def show(self, start: float, finish: float, row: int) -> None:
        """Pan as little as needed to see a bar."""
        seen = self.plot_width / self.scale
        if finish > self.left + seen:
            self.left = finish - seen
        if start < self.left:
            self.left = start
        top, bottom = self.tops[row : row + 2].tolist()
        if bottom > self.scrolled + self.plot_height:
            self.scrolled = bottom - self.plot_height
        self.scrolled = min(self.scrolled, top)
        self._keep()

    def _keep(self) -> None:
        """Nothing beyond the schedule's ends."""
        self.left = max(0.0, min(self.left, self.end - self.plot_width / self.scale))
        over = float(self.tops[-1]) - self.plot_height
        self.scrolled = max(0.0, min(self.scrolled, over))

    # ------------------------------------------------------------------ ticks
    @property
    def times(self) -> Column:
        """How times are written."""
        return times_of(self.schedule, self.time_unit, self.beside)

    def ticks(self) -> tuple[list[float], Column]:
        """Round times that can be labelled without crowding, and how they are written: closer than usual where there would be too few of them
        to read times off."""
        found = self._ticks(TICK)
        for apart in CLOSER_TICKS:
            if len(found[0]) >= LEAST_TICKS:
                break
            times, column = self._ticks(apart)
            longest = max((len(column.number(time - self.origin)) for time in times), default=0)
            if len(times) > 1 and LETTER * (longest + 1) <= (times[1] - times[0]) * self.scale:
                found = times, column
        return found

    def _ticks(self, apart: float) -> tuple[list[float], Column]:
        """Round times that are so many pixels apart at least."""
        column = self.times
        raw = apart / self.scale / column.scale
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * (1 - 1e-9))
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        ends = self.left, self.time(self.gutter + self.plot_width)
        first, last = ((end - self.origin) / column.scale for end in ends)
        numbers = range(math.ceil(first / step - 1e-9), math.floor(last / step + 1e-9) + 1)
        times = [self.origin + i * step * column.scale for i in numbers]
        return times, Column(column.scale, column.suffix, min(digits, 9))

    # ------------------------------------------------------------------ bars
    def seen(self) -> np.ndarray:
        """The bars in sight (int64 indices): in a row that is seen and at a time that is."""
        s = self.schedule
        until = self.time(self.gutter + self.plot_width)
        inside = (s.finish >= self.left) & (s.start <= until)
        ends = [self.scrolled, self.scrolled + self.plot_height]
        first, last = (np.searchsorted(self.tops, ends, "right") - 1).tolist()
        if first > 0 or last < len(self.rows) - 1:
            inside &= (self.row_of_bar >= first) & (self.row_of_bar <= last)
        return np.flatnonzero(inside)

    def boxes(self, bars: np.ndarray) -> np.ndarray:
        """Left, top, width, height of bars (float64[b, 4]); what is not work is thinner."""
        s = self.schedule
        rows = self.row_of_bar[bars]
        lanes = np.array([row.lanes for row in self.rows], np.float64)[rows] if len(rows) else np.empty(0)
        heights, tops = self.heights[rows], self.tops[rows]
        pad = np.where(heights >= 22, PAD, 2.0)
        room = (heights - 2 * pad) / np.maximum(lanes, 1.0)
        thin = (s.phase[bars] != WORK) & (room > 5)
        tall = np.maximum(1.0, np.where(thin, 0.45 * room, room - np.where(lanes > 1, 0.5, 0.0)))
        top = RULER + tops - self.scrolled + pad + s.lane[bars] * room
        x0 = self.gutter + (s.start[bars] - self.left) * self.scale
        x1 = self.gutter + (s.finish[bars] - self.left) * self.scale
        x0, x1 = np.maximum(x0, self.gutter - 20), np.minimum(x1, self.width + 20)
        return np.stack([x0, top + (room - tall) / 2, np.maximum(x1 - x0, 0.0), tall], axis=1)

    def row_at(self, y: float) -> int:
        """The row under y, -1 if none."""
        if not RULER <= y < self.rows_bottom:
            return -1
        row = int(np.searchsorted(self.tops, y - RULER + self.scrolled, "right")) - 1
        return row if 0 <= row < len(self.rows) else -1

    def bar_at(self, x: float, y: float, reach: float = 2.0) -> int:
        """The bar under a point (or within ``reach`` pixels of it in its row), -1 if none."""
        row = self.row_at(y)
        if row < 0 or x < self.gutter or x > self.gutter + self.plot_width:
            return -1
        s, near = self.schedule, reach / self.scale
        at = self.time(x)
        found = np.flatnonzero((self.row_of_bar == row) & (s.start <= at + near) & (s.finish >= at - near))
        if not len(found):
            return -1
        boxes = self.boxes(found)
        # Of several lanes the one under the pointer, then the bar whose time is nearest.
        off_lane = np.maximum(
            0.0, np.abs(boxes[:, 1] + boxes[:, 3] / 2 - y) - self.heights[row] / 2 / self.rows[row].lanes
        )
        off_time = np.maximum(0.0, np.maximum(s.start[found] - at, at - s.finish[found]))
        return int(found[np.lexsort((off_time, off_lane))[0]])
