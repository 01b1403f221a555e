"""The panel beside the stage: which one a keyframe wants, and what it is painted from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.document.network.memory_history import Counters
from gui.look.numbers import one_time, percent, plural
from gui.look.theme import Theme, device_colours
from gui.present.captions import paint_frame
from gui.present.counting import alike, plan_between
from gui.present.panels.lines import Member, paint_convergence
from gui.present.panels.rows import Row, bar_rects, paint_costs, paint_head, paint_memory, row_boxes
from gui.widgets.bars import Part, paint_parts, paint_track
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan

if TYPE_CHECKING:
    from gui.panels.schedule.layout import ChartLayout
    from gui.present.package import PackageShot
    from planner.reports.comparison import Comparison
    from planner.reports.schedule.schedule import Schedule

PAD = 18.0
SCHEDULE = 1.65
"""A schedule is so much larger than in a window."""
STEADY = "steady state"
SHOWN_PERIODS = 5.0
"""A schedule beside the stage shows so many samples of the steady state: no more than can be told apart there."""


@dataclass(frozen=True, eq=False)
class PanelData:
    """All that the panel of one keyframe may show.

    ``members`` are the story's plans of the same problem, and bounds of these, in the order in which it tells of them (see
    :func:`gui.present.panels.lines.steps_of`), ``shown`` how many of them it has by then. ``comparison`` is of ``versus`` and ``plan``, where there is one.
    """

    kind: str
    plan: Plan | OrderPlan
    bounds: tuple[Bound, ...]
    members: Sequence[Member]
    shown: int
    versus: Plan | None = None
    comparison: Comparison | None = None
    schedule: Schedule | None = None
    package: PackageShot | None = None
    full: float = 0.0
    """What the whole of a bar of costs, of reads and writes or of memory stands for at least: the most that the story shows beside these."""
    step: float = 1.0
    """How much of the way from the plan that was told of before is over, where that is another."""
    now: NetworkNow | None = None
    """What a network's panel counts."""
    counting: bool = False
    """Whether the figures are between those of two plans, of which no bound is said."""


@dataclass(frozen=True)
class NetworkNow:
    """What a network's panel shows of a moment: how many connections are done, I/Os, and values held of how many."""

    done: int
    counters: Counters
    held: int
    dirty: int

    def towards(self, later: NetworkNow, share: float) -> NetworkNow:
        """A ``share`` of the way to another."""

        def between(a: int, b: int) -> int:
            return round(a + (b - a) * share)

        counters = (between(a, b) for a, b in zip(self.counters, later.counters, strict=True))
        return NetworkNow(
            between(self.done, later.done), Counters(*counters), between(self.held, later.held),
            between(self.dirty, later.dirty),
        )  # fmt: skip


def paint_panel(
    painter: QPainter, rect: QRectF, data: PanelData, unit: float, theme: Theme, now: NetworkNow | None = None
) -> None:
    """The card and what stands on it."""
    paint_frame(painter, rect, unit, theme)
    inner = rect.adjusted(PAD * unit, 14 * unit, -PAD * unit, -14 * unit)
    plan, now = data.plan, now or data.now
    if data.kind == "convergence":
        paint_convergence(painter, inner, data.members, data.shown, unit, theme, data.step)
    elif isinstance(plan, OrderPlan):
        assert now is not None
        if data.kind == "costs":
            _paint_ios(painter, inner, plan, now, unit, theme, data.full)
        else:
            _paint_fast(painter, inner, plan, now, unit, theme)
    elif data.kind == "costs":
        paint_costs(painter, inner, plan, data.bounds, unit, theme, data.full, data.counting)
    elif data.kind == "package" and data.package is not None:
        _paint_package(painter, inner, plan, data.package, unit, theme)
    elif data.kind == "memory":
        paint_memory(painter, inner, plan, unit, theme, data.full)
    elif data.kind == "schedule" and data.schedule is not None:
        _paint_schedule(painter, inner, plan, data.schedule, unit, theme)
    elif data.kind == "difference" and data.versus is not None and data.comparison is not None:
        from gui.present.panels.difference import paint_difference

        paint_difference(painter, inner, plan, data.versus, data.comparison, unit, theme)


def panel_between(first: PanelData, second: PanelData, share: float) -> PanelData | None:
    """The panel ``second`` with its figures a ``share`` of the way from those of ``first``; None where they are about other things."""
    a, b = first.plan, second.plan
    if isinstance(a, OrderPlan) and isinstance(b, OrderPlan):
        return _orders_between(first, second, a, b, share)
    if first.kind != second.kind or not isinstance(a, Plan) or not isinstance(b, Plan) or not alike(a, b):
        return None
    if first.kind == "convergence":
        one_more = second.shown == first.shown + 1
        return replace(second, step=share) if one_more else None
    if first.kind == "difference":
        return _difference_between(first, second, share)
    if first.kind not in ("costs", "memory", "package"):
        return None
    shot = second.package
    if first.package is not None and shot is not None:
        if not first.package.alike(shot):
            return None
        shot = first.package.towards(shot, share)
    later = second if share >= 0.5 else first
    counting = 0.0 < share < 1.0 and a.evaluation.values != b.evaluation.values
    return replace(later, plan=plan_between(a, b, share), package=shot, counting=counting)


def _orders_between(
    first: PanelData, second: PanelData, a: OrderPlan, b: OrderPlan, share: float
) -> PanelData | None:
    """Counts of two orders of one network in one memory, at the moments of their keyframes."""
    alike = first.kind == second.kind and a.problem == b.problem and first.kind in ("costs", "memory")
    if not alike or first.now is None or second.now is None:
        return None
    later, ends = second if share >= 0.5 else first, (a.evaluation, b.evaluation)
    reads, writes = (
        round(one + (other - one) * share)
        for one, other in ((ends[0].reads, ends[1].reads), (ends[0].writes, ends[1].writes))
    )
    assert isinstance(later.plan, OrderPlan)
    evaluation = replace(later.plan.evaluation, reads=reads, writes=writes)
    now = first.now.towards(second.now, share)
    return replace(later, plan=replace(later.plan, evaluation=evaluation), now=now)


def _difference_between(first: PanelData, second: PanelData, share: float) -> PanelData | None:
    """Differences by device on their way; None where devices are matched otherwise."""
    one, other = first.comparison, second.comparison
    if one is None or other is None or first.versus is None or second.versus is None:
        return None
    matched = [row.devices for row in one.rows] == [row.devices for row in other.rows]
    if not matched or not alike(first.versus, second.versus):
        return None
    later = second if share >= 0.5 else first
    comparison = one if later is first else other
    assert isinstance(first.plan, Plan)
    assert isinstance(second.plan, Plan)
    plan, versus = (
        plan_between(a, b, share) for a, b in ((first.plan, second.plan), (first.versus, second.versus))
    )
    return replace(later, plan=plan, versus=versus, comparison=replace(comparison, plans=(versus, plan)))


def _paint_package(
    painter: QPainter, rect: QRectF, plan: Plan, shot: PackageShot, unit: float, theme: Theme
) -> None:
    """The chips in their chain under the one that sets the pace."""
    problem, e = plan.problem, plan.evaluation
    hot = int(np.argmax(e.cost))
    title, cost = (
        problem.devices[hot].title,
        one_time(float(e.cost.max(initial=0.0)), problem.graph.time_unit),
    )
    colour = device_colours(len(problem.devices), theme)[hot]
    note = f"the slowest of {plural(len(problem.devices), problem.target.words.one)}"
    free = paint_head(painter, rect, unit, theme, "Package", f"{title}  {cost}", note, colour, theme.warning)
    shot.paint(painter, free, unit, unit, theme, framed=True)


def schedule_of(plan: Plan) -> Schedule:
    """The schedule that suits the objective, of as many samples as show its steady state."""
    from planner.reports.schedule.schedule import kinds_for, schedule

    kind = kinds_for(plan.problem)[0]
    return schedule(
        plan.problem,
        plan.decision.device_of,
        kind=kind,
        samples=1 if kind == "latency" else None,
        evaluation=plan.evaluation,
    )


def _paint_schedule(
    painter: QPainter, rect: QRectF, plan: Plan, found: Schedule, unit: float, theme: Theme
) -> None:
    """When each device works on which sample, drawn as in the dock, in larger letters."""
    from gui.panels.schedule.key import KEY, leave_for_key
    from gui.panels.schedule.layout import AXIS, LEAST_ROW, RULER, ChartLayout, device_rows, times_of
    from gui.panels.schedule.painter import names_room, paint_schedule
    from gui.panels.schedule.panel import in_practice
    from planner.reports.schedule.schedule import KINDS

    devices = plan.problem.devices
    titles = [d.title for d in devices]
    time = plan.problem.graph.time_unit
    times = times_of(found, time)
    practice = in_practice(plan.problem.target, plan.evaluation, found, time)
    if found.kind == "latency":
        headline, note = times.text(found.end), practice or "from the first op to the last"
    else:
        busiest = max(found.share.tolist(), default=0.0)
        headline = f"one sample every {times.text(found.period)}"
        note = practice or f"busiest device {percent(busiest, 0)} busy"
    free = paint_head(painter, rect, unit, theme, KINDS[found.kind], headline, note)
    rows = device_rows(found, titles)
    needed = RULER + AXIS + LEAST_ROW * len(rows) + KEY
    grown = min(SCHEDULE * unit, free.height() / needed)
    layout = ChartLayout(found, rows, time, free.width() / grown, free.height() / grown)
    layout.names = min(names_room(layout), 0.5 * layout.width)
    layout.fit()
    leave_for_key(layout)
    painter.save()
    painter.setClipRect(free)
    painter.translate(free.topLeft())
    painter.scale(grown, grown)
    show_steady(layout)
    paint_schedule(painter, layout, theme)
    painter.restore()


def show_steady(layout: ChartLayout) -> None:
    """Zoom to the beginning of the steady state, which is what the figures above are about; all where there is none."""
    found = layout.schedule
    steady = next((span for span in found.spans if span.name == STEADY), None)
    if steady is None or found.period <= 0.0:
        return
    shown = min(steady.finish - steady.start, SHOWN_PERIODS * found.period)
    layout.scale, layout.left = layout.plot_width / shown, steady.start


# ---------------------------------------------------------------------- networks
def _paint_ios(
    painter: QPainter, rect: QRectF, plan: OrderPlan, now: NetworkNow, unit: float, theme: Theme, whole: float
) -> None:
    """Reads and writes up to the moment, beside those of the whole order and the fewest that any order has.

    ``whole`` is what the whole of a bar stands for at least, so that bars of several keyframes can be compared.
    """
    from planner.machines.two_level_memory.orders.io_bounds import io_bounds

    e, c = plan.evaluation, now.counters
    least = io_bounds(plan.problem.network)
    note = f"{c.beyond:,} beyond what any order needs" if c.beyond else "none that an order could do without"
    free = paint_head(painter, rect, unit, theme, "Reads and writes so far", f"{c.total:,} I/Os", note)
    colours = device_colours(2, theme)
    total = len(plan.decision.order)
    text_of = f"{now.done:,} of {total:,} connections done"
    rows = [
        Row("reads", f"{c.reads:,}", colours[0]), Row("in the end", f"{e.reads:,}", colours[0]),
        Row("at least", f"{least.least_reads:,}", colours[0]),
        Row("writes", f"{c.writes:,}", colours[1]), Row("in the end", f"{e.writes:,}", colours[1]),
        Row("at least", f"{least.least_writes:,}", colours[1]),
    ]  # fmt: skip
    amounts = [c.reads, e.reads, least.least_reads, c.writes, e.writes, least.least_writes]
    free = paint_head(painter, free, unit, theme, text_of, "", "")
    bars = bar_rects(painter, row_boxes(free, len(rows), unit), rows, unit, theme)
    full = max(float(max(amounts)), whole) or 1.0
    for i, bar in enumerate(bars):
        colour = colours[i // 3]
        shade = (colour.accent, colour.soft, theme.good)[i % 3]
        paint_track(painter, bar, theme, 3 * unit)
        paint_parts(painter, bar, [Part(float(amounts[i]), shade)], full)


def _paint_fast(
    painter: QPainter, rect: QRectF, plan: OrderPlan, now: NetworkNow, unit: float, theme: Theme
) -> None:
    """How much of the fast memory is in use, and what of that slow memory does not have."""
    size, slots = plan.problem.target.size, plan.problem.evaluator.slots
    clean = now.held - now.dirty
    share = f"{now.held:,} of {plural(slots, 'slot')}"
    note = f"{now.dirty:,} not yet in slow memory" if now.dirty else "all of them also in slow memory"
    title = f"Fast memory, {plan.problem.target.policy.upper()}"
    free = paint_head(painter, rect, unit, theme, title, share, note)
    from gui.canvas.network.colours import ink_of

    ink = ink_of(theme)
    bar = QRectF(free.left(), free.top() + 6 * unit, free.width(), 34 * unit)
    paint_track(painter, bar, theme, 4 * unit)
    parts = [Part(float(amount), shade) for amount, shade in ((now.dirty, ink.dirty), (clean, ink.clean))]
    paint_parts(painter, bar, parts, float(slots))
    colours = device_colours(2, theme)
    rows = [
        Row("only here", f"{now.dirty:,}", colours[0]), Row("also in slow memory", f"{clean:,}", colours[1]),
        Row("free", f"{slots - now.held:,}", colours[1]), Row("weight of the connection", f"{size - slots:,}", colours[1]),
    ]  # fmt: skip
    from gui.present.panels.rows import BODY, RIGHT, text

    y = bar.bottom() + 16 * unit
    for row, shade in zip(rows, (ink.dirty, ink.clean, theme.track, theme.panel), strict=True):
        painter.setPen(QColor(0, 0, 0, 0))
        painter.setBrush(QColor(shade))
        painter.drawRoundedRect(QRectF(free.left(), y + 8 * unit, 14 * unit, 14 * unit), 3 * unit, 3 * unit)
        line = QRectF(free.left() + 24 * unit, y, free.width() - 24 * unit, 30 * unit)
        text(painter, line, row.name, BODY * unit, theme.text)
        text(painter, line, row.amount, BODY * unit, theme.text, bold=True, align=RIGHT)
        y += 32 * unit
