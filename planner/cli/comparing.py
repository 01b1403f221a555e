"""What ``stageboard compare`` says of plans of one graph: the fields of its JSON and the same as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.cli.comparing_figures import (
    MINUS,
    NONE,
    and_more,
    change_text,
    claimed_lines,
    figure_fields,
    figure_table,
    heading,
    largest,
    signed,
    undefined_lines,
    violation_lines,
)
from planner.model.graph import Floats
from planner.plan_files.bound_json import finite
from planner.problem.worst import worst_word
from planner.quantity import amount_beside, bytes_text, shown_change
from planner.reports.comparison.comparison import PARTS, Comparison
from planner.reports.comparison.moves import Move
from planner.text_table import table, times

SHOWN_OPS, SHOWN_FLOWS = 12, 10
"""How many lines a list has at most, unless all are asked for."""
LONGEST_NAME = 60
MEASURES = ("ops", *PARTS, "memory")


# ---------------------------------------------------------------------- JSON
def comparison_fields(comparison: Comparison, files: Sequence[str]) -> dict[str, Any]:
    """The JSON of a comparison; everything is listed, and what differs is against the first plan."""
    graph = comparison.graph
    others = range(1, len(comparison.plans))
    return {
        "model": graph.name,
        "reference": comparison.letter(0),
        "plans": [
            {
                **figure_fields(comparison.figures(i), file),
                "difference": None if not i else comparison.objective_difference(i),
                "objective_by_reference": finite(comparison.by_objective_of(i)),
                "moved_ops": len(comparison.moved(i)),
            }
            for i, file in enumerate(files)
        ],
        "why_incomparable": comparison.why_incomparable,
        "differing": comparison.differing.sentence,
        "devices": _device_fields(comparison),
        "groups": [
            {
                "plan": comparison.letter(i),
                "ops": len(move.ops),
                "from": row_name(comparison, move.source),
                "to": row_name(comparison, move.target),
                "first": graph.op_names[first],
                "last": graph.op_names[last],
            }
            for i in others
            for move, first, last in _groups(comparison, i)
        ],
        "moved": [
            {
                "plan": comparison.letter(i),
                "op": graph.op_ids[v],
                "name": graph.op_names[v],
                "from": row_name(comparison, comparison.places[0][v]),
                "to": row_name(comparison, comparison.places[i][v]),
                "called": comparison.device_name(int(comparison.places[i][v]), i),
            }
            for i in others
            for v in comparison.moved(i).tolist()
        ],
        "flows": [
            {
                "plan": comparison.letter(i),
                "from": row_name(comparison, a),
                "to": row_name(comparison, b),
                **amounts,
            }
            for i in others
            for a, b, amounts in flow_entries(comparison, i, stays=True)
        ],
        "notes": list(comparison.notes),
    }


def _device_fields(comparison: Comparison) -> list[dict[str, Any]]:
    plans = comparison.plans
    different = [None, *(comparison.differences(i) for i in range(1, len(plans)))]
    found = []
    for r, row in enumerate(comparison.rows):
        names = [None if d < 0 else plans[i].problem.devices[d].name for i, d in enumerate(row.devices)]
        found.append(
            {
                "name": row_name(comparison, r),
                "kind": row.kind,
                "counterparts": names,
                "differences": [
                    None if each is None else {part: float(getattr(each, part)[r]) for part in MEASURES}
                    for each in different
                ],
            }
        )
    return found


def _groups(comparison: Comparison, i: int) -> list[tuple[Move, int, int]]:
    """What moved from the reference to plan i in groups, each with its first and its last op in the order of the graph."""
    place = np.empty(comparison.graph.n, np.int64)
    place[comparison.graph.topological_order] = np.arange(comparison.graph.n)
    return [
        (move, int(move.ops[place[move.ops].argmin()]), int(move.ops[place[move.ops].argmax()]))
        for move in comparison.moves(i)
    ]


def flow_entries(
    comparison: Comparison, i: int, stays: bool = False
) -> list[tuple[int, int, dict[str, Any]]]:
    """(row of the reference, row of plan i, amounts) where any op goes, most ops first; with what ``stays`` where asked for."""
    flows = comparison.flows(i)
    pairs = [(a, b) for a, b in np.argwhere(flows.ops > 0).tolist() if stays or a != b]
    pairs.sort(key=lambda pair: (-flows.ops[pair], pair))
    return [
        (
            a,
            b,
            {
                "ops": int(flows.ops[a, b]),
                "work": float(flows.work[a, b]),
                "param_bytes": float(flows.param_bytes[a, b]),
            },
        )
        for a, b in pairs
    ]


def row_name(comparison: Comparison, row: int) -> str:
    """What a row is called on the command line: the reference's name of the device, else ``stage 5 (B)`` by the first plan that has it."""
    devices = comparison.rows[row].devices
    i = next(i for i, device in enumerate(devices) if device >= 0)
    name = comparison.plans[i].problem.devices[devices[i]].name
    return name if i == 0 else f"{name} ({comparison.letter(i)})"


# ---------------------------------------------------------------------- text
def comparison_text(
    comparison: Comparison, files: Sequence[str], everything: bool = False, proven_for: float | None = None
) -> str:
    """Figures of all plans, then for each but the first what differs from it. ``proven_for``: seconds of proving behind them."""
    plans = comparison.plans
    figures = [comparison.figures(i) for i in range(len(plans))]
    what, said = comparison.differing
    parts = [heading(comparison.graph.name, figures, files)]
    if said:
        parts.append(f"  {said}")
    parts.append(figure_table(figures, _against(comparison), what))
    if comparison.why_incomparable:
        parts.append("\n".join([f"  {comparison.why_incomparable}", *_judged(comparison)]))
    parts += [*undefined_lines(figures), *violation_lines(figures), *claimed_lines(figures, proven_for)]
    for i in range(1, len(plans)):
        parts.append(_section(comparison, i, everything))
    return "\n\n".join(part for part in parts if part)


def _against(comparison: Comparison) -> list[tuple[str, list[str]]]:
    first = comparison.plans[0]
    name = first.problem.components[0]
    different, moved = [""], [""]
    beside = largest(plan.evaluation.components.get(name, 0.0) for plan in comparison.plans)
    for i in range(1, len(comparison.plans)):
        change = comparison.objective_difference(i)
        different.append(change_text(change, first.objective, first.problem.unit(name), beside))
        moved.append(f"{len(comparison.moved(i)):,} of {comparison.graph.n:,}")
    return [(f"against {comparison.letter(0)}", different), ("ops moved", moved)]


def _judged(comparison: Comparison) -> list[str]:
    """What plans of other objectives are by the reference's, a line each."""
    first = comparison.plans[0]
    unit, lines = first.problem.unit(first.problem.components[0]), []
    for i in range(1, len(comparison.plans)):
        value = comparison.by_objective_of(i)
        if not math.isnan(value):
            by = change_text(value - first.objective, first.objective, unit)
            said = f"by {first.problem.components[0]}, which {comparison.letter(0)} is about"
            has = amount_beside(value, unit, largest([value, first.objective]))
            lines.append(f"  {said}, {comparison.letter(i)} has {has}: {by}")
    return lines


def _section(comparison: Comparison, i: int, everything: bool) -> str:
    a, b = comparison.letter(0), comparison.letter(i)
    moved = comparison.moved(i)
    parts = [f"{b} against {a}: devices, {b} minus {a}\n{_device_table(comparison, i)}"]
    if not len(moved):
        return "\n".join([*parts, f"  no op is on another device than in {a}"])
    groups = len(comparison.moves(i))
    parts.append(
        f"{b} against {a}: {len(moved):,} of {comparison.graph.n:,} ops moved, in {groups:,} group{'' if groups == 1 else 's'}"
        f"\n{_group_table(comparison, i, everything)}"
    )
    parts.append(f"The ops that moved from {a} to {b}\n{_moved(comparison, i, everything)}")
    parts.append(f"Flows from {a} to {b}\n{_flows(comparison, i, everything)}")
    return "\n\n".join(parts)


def _device_table(comparison: Comparison, i: int) -> str:
    """One row per device: its cost in both plans, then every part's difference that is not zero everywhere."""
    plans, unit = comparison.plans, comparison.plans[i].problem.graph.time_unit
    letters = (comparison.letter(0), comparison.letter(i))
    rows = [r for r, row in enumerate(comparison.rows) if row.devices[0] >= 0 or row.devices[i] >= 0]
    costs = [comparison.by_row(j, "cost")[rows] for j in (0, i)]
    shown = times([*costs[0], *costs[1]], unit)
    cost_cells = [
        NONE if math.isnan(v) else text for v, text in zip([*costs[0], *costs[1]], shown, strict=True)
    ]
    head = ["device", f"cost {letters[0]}", f"cost {letters[1]}"]
    columns = [cost_cells[: len(rows)], cost_cells[len(rows) :]]
    different = comparison.differences(i)
    held = [comparison.by_row(j, "memory")[rows] for j in (0, i)]
    for part in MEASURES:
        values = getattr(different, part)[rows]
        kind, most = ("B", largest(np.ravel(held))) if part == "memory" else (unit, largest(np.ravel(costs)))
        if part in (
            "cost",
            "memory",
        ):  # as pictures and the window read them, where both amounts are in one unit
            pairs = zip(*(costs if part == "cost" else held), strict=True)
            values = np.array([shown_change(a, b, kind, most) for a, b in pairs])
        if part in ("ops", "cost", "memory") or np.nan_to_num(values).any():
            head.append(f"{part} +/{MINUS}")
            columns.append(_signed_column(values, part, kind, most))
    slowest = [plan.evaluation.bottleneck for plan in (plans[0], plans[i])]
    cells = []
    for place, r in enumerate(rows):
        row = comparison.rows[r]
        at: dict[str, list[str]] = {}
        for j, letter, worst in zip((0, i), letters, slowest, strict=True):
            if row.devices[j] == worst >= 0:
                at.setdefault(worst_word(plans[j].problem, plans[j].evaluation), []).append(letter)
        mark = ", ".join(f"{word} {', '.join(those)}" for word, those in at.items())
        cells.append([_device_label(comparison, r, i), *(column[place] for column in columns), mark])
    return table([*head, ""], cells)


def _signed_column(values: Floats, part: str, unit: str | None, most: float) -> list[str]:
    """Differences with their signs, bytes and times in the unit of the largest amount (``most``) that they are read beside."""
    if part == "ops":
        return [signed(v, f"{abs(v):,.0f}") for v in values.tolist()]
    # What differs by rounding only does not differ.
    least = 1e-12 * float(np.abs(np.nan_to_num(values)).max(initial=0.0))
    different = [0.0 if abs(v) <= least else v for v in values.tolist()]
    plain = times([abs(v) for v in different], None) if unit is None else []
    sizes = plain or [amount_beside(abs(v), unit, most) for v in different]
    return [signed(v, size) for v, size in zip(different, sizes, strict=True)]


def _device_label(comparison: Comparison, row: int, i: int) -> str:
    """What a row is called, and whether plan i has no such device where the name does not say so."""
    name = comparison.row_title(row, short=True, every=True)
    said = comparison.rows[row].devices[i] >= 0 or name != comparison.device_name(row, 0)
    return name if said else f"{name} (not in {comparison.letter(i)})"


def _group_table(comparison: Comparison, i: int, everything: bool) -> str:
    """A line for ops that moved together."""
    groups, names = _groups(comparison, i), comparison.graph.op_names
    shown = groups if everything else groups[:SHOWN_OPS]
    rows = [
        [
            _tail(names[first]) if first == last else f"{_tail(names[first])} to {_tail(names[last])}",
            comparison.row_title(move.source, short=True),
            comparison.row_title(move.target, short=True),
            f"{len(move.ops):,}",
        ]
        for move, first, last in shown
    ]
    head = ["ops", f"in {comparison.letter(0)}", f"in {comparison.letter(i)}", "count"]
    return table(head, rows, left=3) + and_more(len(groups) - len(shown))


def _moved(comparison: Comparison, i: int, everything: bool) -> str:
    moved = comparison.moved(i).tolist()
    shown = moved if everything else moved[:SHOWN_OPS]
    graph = comparison.graph
    rows = [
        [
            _tail(graph.op_names[v]),
            graph.kinds[v],
            comparison.row_title(int(comparison.places[0][v]), short=True),
            comparison.row_title(int(comparison.places[i][v]), short=True),
        ]
        for v in shown
    ]
    text = table(["op", "kind", f"in {comparison.letter(0)}", f"in {comparison.letter(i)}"], rows, left=4)
    return text + and_more(len(moved) - len(shown))


def _tail(name: str) -> str:
    """A name that fits in a table: of a long one its end, which tells it from others."""
    return name if len(name) <= LONGEST_NAME else f"\N{HORIZONTAL ELLIPSIS}{name[1 - LONGEST_NAME :]}"


def _flows(comparison: Comparison, i: int, everything: bool) -> str:
    entries = flow_entries(comparison, i)
    shown = entries if everything else entries[:SHOWN_FLOWS]
    unit = comparison.graph.time_unit
    works = times([amounts["work"] for _, _, amounts in shown], unit)
    rows = [
        [
            comparison.row_title(a, short=True),
            comparison.row_title(b, short=True),
            f"{amounts['ops']:,}",
            work,
            bytes_text(amounts["param_bytes"]),
        ]
        for (a, b, amounts), work in zip(shown, works, strict=True)
    ]
    return table(["from", "to", "ops", "work", "parameters"], rows, left=2) + and_more(
        len(entries) - len(shown)
    )
