"""The schedules of compared plans on one time axis: one kind, one number of samples, rows in the comparison's order. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gui.panels.schedule.layout import ChartLayout, Row
from planner.problem.decision import Evaluation
from planner.problem.problem import Plan, Problem
from planner.reports.comparison import Comparison
from planner.reports.schedule import common
from planner.reports.schedule.schedule import Schedule, schedule

STRIP = 15.0
"""Height of the strip below a chart's rows that holds the flags of the plans."""


@dataclass(frozen=True, eq=False)
class Schedules:
    """One schedule per plan, all of one kind and for as many samples. ``until`` is when the last of them ends."""

    kind: str
    samples: int
    of: tuple[Schedule, ...]

    @property
    def until(self) -> float:
        """Where the shared time axis ends."""
        return max(s.end for s in self.of)

    def periods(self) -> list[float]:
        """Each plan's time of a sample."""
        return [s.period for s in self.of]

    @property
    def period_words(self) -> str:
        """What that time is, in a few words."""
        return "time of a sample" if self.kind == "latency" else "a sample later"


VERY_MANY = 5_000
"""Ops of a model above which each plan's schedules are made in turns of the event loop of their own: one takes some ms for 20,000."""


def common_kinds(comparison: Comparison) -> tuple[str, ...]:
    """The kinds of schedule that every plan has, those of the reference first. Raises like :func:`planner.reports.schedule.common.common_kinds`."""
    return common.common_kinds(comparison.plans)


class ScheduleMaker:
    """Makes schedules, and keeps those of plans that have not changed."""

    def __init__(self) -> None:
        self._kept: list[tuple[Plan, tuple[str, str, int | None], Schedule]] = []

    def step(self, comparison: Comparison, kind: str, samples: int | None) -> bool:
        """Make one of the schedules of very many ops that :meth:`make` needs and are not there yet; whether there was one.

        Raises :class:`StageboardError` where a plan has none.
        """
        plans, count = comparison.plans, len(self._kept)
        if comparison.graph.n <= VERY_MANY:
            return False
        by, found = common.counted_alike(plans), []
        for plan, one in zip(plans, by, strict=True):
            found.append(self._one(plan, one, kind, samples))
            if len(self._kept) > count:
                return True
        most = max(s.samples for s in found)
        for s, plan, one in zip(found, plans, by, strict=True):
            if s.samples != most:
                self._one(plan, one, kind, most)
            if len(self._kept) > count:
                return True
        return False

    def make(self, comparison: Comparison, kind: str, samples: int | None) -> Schedules:
        """Schedules of ``kind``; ``samples`` None: as many as the plan needs that takes longest to become steady.

        Raises :class:`StageboardError` where a plan has none.
        """
        plans = comparison.plans
        by = common.counted_alike(plans)
        found = [self._one(plan, one, kind, samples) for plan, one in zip(plans, by, strict=True)]
        most = max(s.samples for s in found)
        made = [
            s if s.samples == most else self._one(plan, one, kind, most)
            for s, plan, one in zip(found, plans, by, strict=True)
        ]
        self._kept = [entry for entry in self._kept if any(entry[0] is plan for plan in plans)]
        return Schedules(kind, most, tuple(made))

    def _one(self, plan: Plan, by: tuple[Problem, Evaluation], kind: str, samples: int | None) -> Schedule:
        """A plan's schedule ``by`` a problem of its model and its evaluation there."""
        problem, evaluation = by
        asked = (problem.objective, kind, samples)
        for known, answered, made in self._kept:
            if known is plan and answered == asked:
                return made
        made = schedule(problem, plan.decision.device_of, kind=kind, samples=samples, evaluation=evaluation)
        self._kept.append((plan, asked, made))
        return made


def shared_rows(comparison: Comparison, plan: int, rows: Sequence[Row]) -> list[Row]:
    """A chart's rows in the order of the comparison; devices that hold no op of any plan are left out."""
    used = np.zeros(len(comparison.rows), bool)
    for places in comparison.places:
        used[places] = True
    row_of = comparison.row_of[plan]
    kept = [row for row in rows if used[row_of[row.device]]] or list(rows)
    return sorted(kept, key=lambda row: int(row_of[row.device]))


def shared_layout(
    s: Schedule,
    rows: list[Row],
    unit: str | None,
    width: float,
    height: float,
    made: Schedules,
    whole: bool = False,
) -> ChartLayout:
    """A chart on the time axis of all that are ``made``, with a strip for flags below its rows (a row per device); ``whole``: all of
    them, however low they are."""
    layout = ChartLayout(
        s, rows, unit, width, height, until=made.until, axis=STRIP, beside=made.of, whole=whole
    )
    place = np.zeros(len(s.lane_count), np.int32)
    place[[row.device for row in rows]] = np.arange(len(rows))
    layout.row_of_bar = place[s.device]
    return layout


def flag_places(wanted: Sequence[float], first: int, width: float) -> list[tuple[int, float]]:
    """Where the flags of plans go, so that none covers another: as near to ``wanted`` (x of each) as is free, that of plan ``first``
    exactly there."""
    shown = [(first, wanted[first])]
    for plan, x in enumerate(wanted):
        if plan != first:
            taken = [place for _, place in shown]
            near = sorted(
                [x, *(place + way * width for place in taken for way in (-1, 1))], key=lambda at: abs(at - x)
            )
            shown.append(
                (plan, next(at for at in near if all(abs(at - place) >= width - 1e-6 for place in taken)))
            )
    return shown
