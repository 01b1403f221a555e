"""A plan as the canvas draws it beside others: devices are rows of the comparison, so that matched ones share a colour."""

from __future__ import annotations

import numpy as np

from gui.canvas.graph.header_data import HeaderData, time_of_one, with_host
from gui.canvas.graph.items import Items
from gui.canvas.graph.lanes.transfers import crossing_bytes
from gui.canvas.graph.naming.row_headers import TYPE, header_letters, header_width
from gui.canvas.graph.scene import Scene, laid_out
from gui.layout.drawn_edges import DrawnEdges
from gui.layout.result import Layout
from gui.layout.skeleton import Skeleton
from gui.look.numbers import amount_column
from gui.panels.comparison.names import compared_times, numbered
from planner.model.graph import Floats, Graph, Ints
from planner.problem.target import Device
from planner.problem.worst import worst_word
from planner.reports.comparison import Comparison
from planner.reports.comparison.matching import works

MOST_NAMES, MOST_PRINTED = 0.25, 0.4
"""The share of a canvas's width that names of rows may take, in a window and on a page on which letters have a least size."""
MISSING, ABSENT = "not in this plan", "absent"
"""What a row is called that a plan has no device for, and where there is little room."""


def names_width(graph: Graph, view: str, width: float, most: float = MOST_NAMES, least: float = 0.0) -> float:
    """The margin for names of rows in the flow ``view``, as on the canvas of one plan, in letters of ``least`` pixels at least; none where
    that would be more than ``most`` of a canvas's width."""
    wide = header_width(graph) * header_letters(1.0, least) / TYPE if view == "flow" else 0.0
    return wide if wide <= most * width else 0.0


def row_devices(comparison: Comparison, plan: int, own: bool = False) -> tuple[Device, ...]:
    """The device of each row by the name that it has in the whole comparison; a row that ``plan`` has no device for says so. ``own``: where
    devices stand in a row, by the plan's own names."""
    own = own and comparison.in_a_row
    found = []
    for r, row in enumerate(comparison.rows):
        if row.devices[plan] < 0:
            found.append(Device("\N{EN DASH}", row.kind, MISSING))
        elif own:
            found.append(Device(comparison.device_name(r, plan), row.kind, comparison.device_title(r, plan)))
        else:
            found.append(Device(comparison.row_title(r, short=True), row.kind, comparison.row_title(r)))
    return tuple(found)


def device_titles(comparison: Comparison, plan: int) -> list[str]:
    """What each of a plan's own devices is called in the comparison, in the plan's order."""
    return [comparison.row_title(row) for row in comparison.row_of[plan].tolist()]


def violating_ops(comparison: Comparison, plan: int) -> Ints:
    """The ops that a plan's broken rules name (int32)."""
    broken = [op for violation in comparison.plans[plan].evaluation.violations for op in violation.ops]
    return np.array(broken, np.int32)


def scene_of_plan(
    comparison: Comparison, plan: int, items: Items, skeleton: Skeleton, layout: Layout, view: str, alone: bool = False,
    edges: DrawnEdges | None = None,
) -> Scene:  # fmt: skip
    """A plan of a comparison as it is laid out, its devices being rows; broken rules and pins are marked. ``alone``: on a canvas of its own,
    where devices in a row have its own numbers; ``edges``: of the layout, where they are known."""
    rows, shown = len(comparison.rows), comparison.plans[plan]
    evaluator = shown.problem.evaluator
    scene = laid_out(
        items, skeleton, layout, view, comparison.places[plan], rows, row_devices(comparison, plan, own=alone), evaluator,
        works(shown), edges,
    )  # fmt: skip
    scene.set_evaluation(shown.problem, shown.evaluation, compared_times(comparison))
    scene.violating = scene.mask(violating_ops(comparison, plan))
    scene.pinned = scene.mask(np.flatnonzero(evaluator.pinned >= 0))
    return scene


def row_headers(comparison: Comparison, plan: int) -> HeaderData:
    """Lane headers by row, their bars on one scale for all plans; amounts of rows that the plan has no device for are NaN or 0."""
    shown = comparison.plans[plan]
    problem, evaluation = shown.problem, shown.evaluation
    rows = len(comparison.rows)
    place = comparison.row_of[plan]

    def by_row(values: Floats, empty: float = 0.0) -> Floats:
        out = np.full(rows, empty)
        out[place] = values
        return out

    crossing = crossing_bytes(
        problem.graph, shown.decision.device_of, len(problem.devices), problem.evaluator.sent
    )
    received, sent = with_host(crossing, evaluation)
    parts = np.stack([
        by_row(part) for part in (evaluation.receive, evaluation.work, evaluation.streaming, evaluation.send)
    ])  # fmt: skip
    devices = row_devices(comparison, plan)
    alike = [
        other.evaluation.pace
        for i, other in enumerate(comparison.plans)
        if not comparison.incomparable(plan, i)
    ]
    titles = tuple(device.title for device in devices)
    numbers = [numbered(comparison, row) for row in range(rows)]
    kinds = {row.kind for row in comparison.rows}
    if len(kinds) > 1 or len(set(numbers)) < rows:  # an accelerator and a CPU would be called the same
        numbers = [comparison.row_title(row, short=True) for row in range(rows)]
    names = tuple(title if title == MISSING else numbers[row] for row, title in enumerate(titles))
    pushed, needs = (
        tuple(by_row(evaluation.details[name]).tolist()) if name in evaluation.details else ()
        for name in ("pushed", "scratch")
    )
    return HeaderData(
        titles, names,
        by_row(evaluation.pace, np.nan), parts, by_row(received), by_row(sent),
        int(place[evaluation.bottleneck]) if evaluation.bottleneck >= 0 else -1,
        amount_column(np.concatenate(alike), problem.unit(problem.components[0])), by_row(evaluation.cost),
        amount_column(evaluation.cost, problem.graph.time_unit), by_row(evaluation.memory),
        by_row(problem.evaluator.budget, np.inf), by_row(problem.evaluator.capacity, np.inf), time=time_of_one(problem), worst=worst_word(problem, evaluation),
        pushed=pushed, needs=needs,
        own=tuple(_own_name(comparison, row, plan) for row in range(rows)),
        own_titles=tuple(comparison.device_title(row, plan) for row in range(rows)),
    ).beside(other.evaluation for other in comparison.plans)  # fmt: skip


def _own_name(comparison: Comparison, row: int, plan: int) -> str:
    """What a plan alone calls its device of a row: written as its title where both are the same word, for it stands beside titles."""
    place = comparison.rows[row].devices[plan]
    if place < 0:
        return ABSENT
    device = comparison.plans[plan].problem.devices[place]
    return device.title if device.title.casefold() == device.name.casefold() else device.name
