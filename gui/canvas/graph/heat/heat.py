"""What a heat map shows of each card: time, bytes, or measured over estimated time, as a place on a scale. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gui.canvas.graph.items import Items
from gui.look.numbers import DASH, Column, detailed_column, one_time, ratio_text
from planner.evaluation.estimates import op_times
from planner.evaluation.times_source import any_measured
from planner.lifetime import while_it_lives
from planner.model.cost_model import bytes_moved, bytes_touched
from planner.model.graph import Floats, Ints
from planner.model.kind_groups import NO_WORK
from planner.problem.problem import Problem
from planner.quantity import bytes_text

STAGE, TIME, BYTES, RATIO = "stage", "time", "bytes", "ratio"
COLOURINGS = {STAGE: "Stage", TIME: "Time", BYTES: "Bytes", RATIO: "Measured over Estimated"}
"""What cards can be coloured by, and how menus call it."""
STEPS = 65
"""Colours of a scale: an odd number, so that its middle has one."""
LEAST_SPAN, SPAN = 8.0, 1000.0
"""The most over the least that a scale of amounts has at least, so that what hardly differs looks alike, and that it tells apart: what is less
has the colour of the least."""
FARTHEST = 8.0
"""Measured over estimated: so many times, up or down, and all beyond, have the colours of the ends."""
USUAL = 3.0
"""A median of measured over estimated beyond it, up or down, is in the middle of the scale: the estimates are of another machine."""

_TICKS = ("⅛x", "¼x", "½x", "1x", "2x", "4x", "8x")
"""What stands at equal distances of that scale: each place is twice the one before, 1 in the middle."""


@dataclass(frozen=True, eq=False)
class Heat:
    """The places of all cards on a scale: ``step`` int32[count] from 0 to :data:`STEPS` - 1, -1 for a card that has none.

    ``values`` float64[count] are what they stand for (NaN: none), called ``word``. ``ticks`` are places from 0 to 1 with what stands at them, ``none`` what a card without a place is. ``both_ways``: the middle
    of the scale is what is expected, and as many times less or more are as far from it.
    """

    what: str
    step: Ints
    values: Floats
    word: str
    column: Column | None
    """How values are written, all in one unit; None for ratios."""
    title: str
    ticks: tuple[tuple[float, str], ...]
    none: str
    both_ways: bool = False

    def value_text(self, item: int) -> str:
        """What a card is coloured by, as it is written on it."""
        value = float(self.values[item])
        if self.column is not None:
            return self.column.text(value)
        return DASH if math.isnan(value) else ratio_text(value)


def has_ratio(problem: Problem) -> bool:
    """Whether measured times can be held against estimates."""
    return any_measured(problem) and problem.target.uses_cost_model


def colourings_of(problem: Problem) -> tuple[str, ...]:
    """What the cards of a problem can be coloured by."""
    return tuple(name for name in COLOURINGS if name != RATIO or has_ratio(problem))


def heat_of(
    problem: Problem, device_of: Ints, items: Items, what: str, times: Column | None = None
) -> Heat | None:
    """The heat map of cards by ``what``, of :data:`COLOURINGS`; None where they are coloured by their stage, or there is nothing to show.

    ``device_of`` int32[n]: times are those on the devices that ops are on, written like ``times``.
    """
    if what not in colourings_of(problem) or what == STAGE or items.count == 0:
        return None
    if what == RATIO:
        return _ratio(problem, device_of, items)
    if what == TIME:
        e, unit = problem.evaluator, problem.graph.time_unit
        values = e.op_work[e.class_of[device_of], np.arange(e.n)]
        return _amounts(
            what, items, values, unit, "time", "Time of an op, where it is", lambda value: one_time(value, unit), "takes no time",
            times,
        )  # fmt: skip
    return _amounts(
        what, items, _bytes(problem), "B", "bytes moved", "Bytes an op moves", bytes_text, "moves nothing"
    )


@while_it_lives
def _bytes(problem: Problem) -> Floats:
    """Bytes that each op reads and writes, its parameters among them (float64[n]).

    Inputs and constants bring their bytes, outputs take them: no time is estimated for that, but they are moved.
    """
    graph = problem.graph
    bring = np.isin(np.array(graph.kinds), sorted(NO_WORK))
    return np.where(bring, bytes_touched(graph), bytes_moved(graph))


def _by_item(items: Items, values: Floats) -> Floats:
    """Values of ops (float64[n]) added up by card (float64[count])."""
    return np.bincount(items.item_of, weights=values, minlength=items.count).astype(np.float64)


def _amounts(
    what: str, items: Items, of_ops: Floats, unit: str | None, word: str, title: str, text: Callable[[float], str], none: str,
    beside: Column | None = None,
) -> Heat | None:  # fmt: skip
    """A scale of amounts of ops (float64[n]) added up by card, in logarithms from the least to the largest; written in ``unit``, like what is told ``beside`` them."""
    values = _by_item(items, of_ops)
    most = float(values.max(initial=0.0))
    if not most > 0.0:
        return None
    place = np.full(len(values), -1.0)
    shown = values > 0.0
    span = min(SPAN, max(LEAST_SPAN, most / float(values[shown].min())))
    place[shown] = 1.0 + np.log(values[shown] / most) / math.log(span)
    ticks = tuple((i / 3, _brief(text(most * span ** (i / 3 - 1.0)))) for i in range(4))
    column = detailed_column(of_ops.tolist(), unit, beside)
    return Heat(what, _steps(place, shown), values, word, column, title, ticks, none)


def _brief(amount: str) -> str:
    """An amount without digits that a scale does not need: ``13 ms`` for ``13.03 ms``."""
    number, space, unit = amount.partition(" ")
    try:
        value = float(number.replace(",", ""))
    except ValueError:
        return amount
    return (
        f"{value:,.0f}{space}{unit}"
        if value >= 10
        else f"{value:.1f}{space}{unit}"
        if value >= 0.1
        else amount
    )


def _ratio(problem: Problem, device_of: Ints, items: Items) -> Heat:
    """A scale of measured over estimated, which has as many times less as times more; of a group, what was measured of it together.

    1 is in its middle, or what is usual where that is far from 1: all ops would have one colour where estimates are of another machine.
    """
    times = op_times(problem, device_of)
    known = ~np.isnan(times.ratio)
    measured, estimated = (
        _by_item(items, np.where(known, values, 0.0)) for values in (times.measured, times.estimated)
    )
    shown = estimated > 0.0
    place = np.full(items.count, -1.0)
    ratio = np.full(items.count, np.nan)
    ratio[shown] = measured[shown] / estimated[shown]
    middle = middle_ratio(times.ratio[known])
    place[shown] = 0.5 + 0.5 * np.log(ratio[shown] / middle) / math.log(FARTHEST)
    title = "Measured over estimated time"
    ticks = tuple((i / (len(_TICKS) - 1), tick) for i, tick in enumerate(_TICKS))
    if middle != 1.0:
        title = f"Measured over estimated, median {ratio_text(middle)}"
        ticks = tuple(
            (at, ratio_text(middle * times_more).replace(" ", ""))
            for at, times_more in ((0.0, 1 / FARTHEST), (0.5, 1.0), (1.0, FARTHEST))
        )
    return Heat(
        RATIO, _steps(place, shown), ratio, "measured over estimated", None, title, ticks, "not measured", both_ways=True,
    )  # fmt: skip


def middle_ratio(ratios: Floats) -> float:
    """What is in the middle of the scale of ``ratios`` (float64[known]): 1, or their median in two digits where that is beyond :data:`USUAL` either way."""
    median = float(np.median(ratios)) if len(ratios) else 1.0
    return 1.0 if not median > 0.0 or 1 / USUAL <= median <= USUAL else float(f"{median:.2g}")


def _steps(place: Floats, shown: np.ndarray) -> Ints:
    step = np.clip(np.rint(place * (STEPS - 1)), 0, STEPS - 1)
    return np.where(shown, step, -1).astype(np.int32)
