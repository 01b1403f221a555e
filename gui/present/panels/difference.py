"""What is different from another plan: the objective in large letters, the ops that moved, and every device's change."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.look.numbers import plural, signed_amount
from gui.look.theme import Theme, numbered_colours
from gui.present.panels.rows import HEAD, MANY, Row, bar_rects, paint_head, row_boxes
from gui.widgets.bars import paint_change_bar
from gui.words.methods import shown_name
from gui.words.objectives import SAME, change, column_of, component_words
from planner.problem.problem import Plan
from planner.quantity import shown_change
from planner.reports.comparison import Comparison

ROW = 26.0
"""Height that a row with a name and an amount takes at least, in pixels of a frame of 1280 x 800."""


def headline(plan: Plan, versus: Plan, comparison: Comparison) -> tuple[str, str]:
    """The change of the objective in words, and what became of it: ``better``, ``worse``, ``same``, or empty."""
    if comparison.why_incomparable:
        return f"{plural(len(comparison.moved(1)), 'op')} moved", ""
    if not plan.evaluation.valid or not versus.evaluation.valid:
        broken = len(plan.evaluation.violations)
        return (
            f"{plural(broken, 'violation')}" if broken else "no rule broken now"
        ), "worse" if broken else "better"
    # In its own unit, as the line above the stage has it.
    column = column_of(plan.problem, plan.problem.components[0], [plan.evaluation.objective])
    found = change(plan.problem, versus.evaluation.values, plan.evaluation.values, column)
    words = {-1: "better", 1: "worse", 0: "same"}[found.sign]
    return found.text if found.sign else "same objective", words


def _beside(plan: Plan, most: float, unit: str | None) -> float:
    """The amount in whose unit changes of ``most`` are written: the objective's, in large letters above them, where they are not far larger."""
    objective = float(plan.evaluation.objective)
    same = plan.problem.unit(plan.problem.components[0]) == unit
    return objective if same and 0.01 * most <= objective < np.inf else most


def _names(comparison: Comparison, row: int) -> tuple[str, ...]:
    """What the plan calls a device, and what the other called it where that is something else; then the same for less and less room."""
    found = []
    for called in (comparison.device_title, comparison.device_name):
        before, now = (called(row, i) for i in (0, 1))
        found.append(f"{now} (was {before})" if now and before and now != before else now or before)
        if now and before and now != before and before.rpartition(" ")[0] == now.rpartition(" ")[0]:
            found.append(f"{now} (was {before.rpartition(' ')[2]})")  # no word of it twice
    return (*found, comparison.device_name(row, 1) or comparison.device_name(row, 0))


def paint_difference(
    painter: QPainter,
    rect: QRectF,
    plan: Plan,
    versus: Plan,
    comparison: Comparison,
    unit: float,
    theme: Theme,
) -> None:
    """``comparison`` is of ``versus`` (the reference) and ``plan``; its rows have the colours of their numbers."""
    words, how = headline(plan, versus, comparison)
    moved = len(comparison.moved(1))
    other = shown_name(versus.name or versus.provenance.planner)
    colour = {"better": theme.good, "worse": theme.bad}.get(how, theme.text)
    share = f"{moved:,} of {plural(plan.problem.graph.n, 'op')} moved"
    title = f"Against {other}"
    free = paint_head(painter, rect, unit, theme, title, words, share, colour=colour)
    rows_of = comparison.rows
    differences = comparison.differences(1)
    counted_in_bytes = plan.problem.unit(plan.problem.components[0]) == "B"
    amounts = np.asarray(differences.memory if counted_in_bytes else differences.cost, np.float64)
    what = "memory" if counted_in_bytes else "cost"
    unit_of = "B" if counted_in_bytes else plan.problem.graph.time_unit
    both = [e.memory if counted_in_bytes else e.cost for e in (versus.evaluation, plan.evaluation)]
    paid = max(float(np.max(part, initial=0.0)) for part in both)
    with np.errstate(invalid="ignore"):  # what is left of figures that count past each other is no difference
        amounts = np.where(np.abs(amounts) <= SAME * paid, 0.0, amounts)
    then, now = (comparison.by_row(i, "memory" if counted_in_bytes else "cost") for i in (0, 1))
    read = [
        shown_change(before, after, unit_of, paid) if change else 0.0
        for change, before, after in zip(amounts.tolist(), then.tolist(), now.tolist(), strict=True)
    ]
    most = float(np.nanmax(np.abs(amounts))) if np.isfinite(amounts).any() else 0.0
    used = comparison.by_row(0, "ops") + comparison.by_row(1, "ops")
    shown = [r for r in range(len(rows_of)) if len(rows_of) <= MANY or used[r] != 0.0]
    # On the scale of what is paid: a change that is small beside it looks small.
    full = max(most, paid)
    one, many = component_words(what).title.capitalize(), plan.problem.target.words.many
    title, note = f"{one} of each device", ""
    room = max(1, int((free.height() - HEAD * unit) // (ROW * unit)))
    if len(shown) > room:  # rows too low for names and amounts: those that say most
        changed = np.nan_to_num(np.abs(amounts[shown]), nan=np.inf)
        largest = np.argsort(-changed, kind="stable")[:room].tolist()
        title, note = f"{one}: the largest changes", f"the other {len(shown) - room} {many} change less"
        shown = [shown[i] for i in sorted(largest)]
    free = paint_head(painter, free, unit, theme, title, "", note)
    colours = numbered_colours(comparison.numbers, theme)
    beside = _beside(plan, most, unit_of)
    rows = []
    for r in shown:
        row, change_of = rows_of[r], signed_amount(read[r], beside, unit_of)
        words = "new" if row.devices[0] < 0 else "gone" if row.devices[1] < 0 else change_of
        name, *briefer = _names(comparison, r)
        rows.append(Row(name, words, colours[r], briefer=tuple(briefer)))
    bars = bar_rects(painter, row_boxes(free, len(rows), unit), rows, unit, theme)
    for r, bar in zip(shown, bars, strict=True):
        part = float(amounts[r]) / full if full > 0 else 0.0
        paint_change_bar(painter, bar, part, colours[r].accent, theme.border, unit=unit)
