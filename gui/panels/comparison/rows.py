"""A plan as the canvas draws it beside others: devices are rows of the comparison, so that matched ones share a colour."""

from __future__ import annotations

import numpy as np

from gui.canvas.graph.headers import HeaderData
from gui.canvas.graph.scene import crossing_bytes
from gui.look.numbers import amount_column
from planner.model.graph import Floats, Ints
from planner.problem.target import Device
from planner.reports.comparison import Comparison

MISSING = "not in this plan"


def row_devices(comparison: Comparison, plan: int) -> tuple[Device, ...]:
    """What a plan calls the device of each row; a row that it has no device for says so."""
    devices = comparison.plans[plan].problem.devices
    return tuple(
        devices[row.devices[plan]] if row.devices[plan] >= 0 else Device("\N{EN DASH}", row.kind, MISSING)
        for row in comparison.rows
    )


def names_elsewhere(comparison: Comparison, plan: int) -> tuple[str, ...]:
    """What another plan's cards call the device of each row in ``plan``: ``stage 2``, or ``stage 2 in C`` where the reference
    calls it otherwise or has no such device."""
    found = []
    for row, device in enumerate(row_devices(comparison, plan)):
        alike = not plan or comparison.device_name(row, 0) == device.name or device.title == MISSING
        found.append(device.name if alike else f"{device.name} in {comparison.letter(plan)}")
    return tuple(found)


def violating_ops(comparison: Comparison, plan: int) -> Ints:
    """The ops that a plan's broken rules name (int32)."""
    broken = [op for violation in comparison.plans[plan].evaluation.violations for op in violation.ops]
    return np.array(broken, np.int32)


def row_headers(comparison: Comparison, plan: int) -> HeaderData:
    """Lane headers by row; amounts of rows that the plan has no device for are NaN or 0."""
    shown = comparison.plans[plan]
    problem, evaluation = shown.problem, shown.evaluation
    rows = len(comparison.rows)
    place = comparison.row_of[plan]

    def by_row(values: Floats, empty: float = 0.0) -> Floats:
        out = np.full(rows, empty)
        out[place] = values
        return out

    received, sent = crossing_bytes(
        problem.graph, shown.decision.device_of, len(problem.devices), problem.evaluator.size
    )
    parts = np.stack([
        by_row(part) for part in (evaluation.receive, evaluation.work, evaluation.streaming, evaluation.send)
    ])  # fmt: skip
    devices = row_devices(comparison, plan)
    alike = [
        other.evaluation.pace
        for i, other in enumerate(comparison.plans)
        if not comparison.incomparable(plan, i)
    ]
    titles = tuple(
        device.title
        if row.devices[plan] < 0
        else comparison.row_title(r, (0, plan) if row.devices[0] >= 0 else (plan,))
        for r, (row, device) in enumerate(zip(comparison.rows, devices, strict=True))
    )
    # Where there is no room for both names the plan's own stands alone.
    names = tuple(d.name if title == d.title else d.title for title, d in zip(titles, devices, strict=True))
    return HeaderData(
        titles, names,
        by_row(evaluation.pace, np.nan), parts, by_row(received), by_row(sent),
        int(place[evaluation.bottleneck]) if evaluation.bottleneck >= 0 else -1,
        amount_column(np.concatenate(alike), problem.unit(problem.components[0])), by_row(evaluation.cost),
        amount_column(evaluation.cost, problem.graph.time_unit), by_row(evaluation.memory),
        by_row(problem.evaluator.budget, np.inf), by_row(problem.evaluator.capacity, np.inf),
    )  # fmt: skip
