"""What ``stageboard compare`` says of plans of any kind: their figures, and differences with their signs."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from typing import Any

from planner.cli.proving import longer
from planner.cli.report import (
    bound_rows,
    claim_fields,
    claim_text,
    counted_fields,
    estimate_rows,
    rules_text,
    stuck_fields,
)
from planner.machines.stuck import stuck_plan
from planner.plan_files.bound_json import finite
from planner.problem.problem import Plan
from planner.quantity import amount_beside, shown_change
from planner.reports.comparison.figures import Figures
from planner.text_table import percent, table

SHOWN_VIOLATIONS = 4
"""How many broken rules of a plan are told."""
MINUS, NONE = "\N{MINUS SIGN}", "\N{EN DASH}"


def figure_fields(figures: Figures, file: str) -> dict[str, Any]:
    """One plan's figures as JSON."""
    return {
        "letter": figures.letter,
        "name": figures.name,
        "plan_file": file,
        "planner": figures.planner,
        "target": figures.plan.problem.target.spec(),
        **counted_fields(figures.plan.problem),
        "objective_name": figures.objective_name,
        "objective": figures.objective,
        "components": dict(figures.components),
        "lower_bound": None if figures.bound is None else figures.bound.value,
        "bound_method": None if figures.bound is None else figures.bound.method,
        "gap": figures.gap,
        **claim_fields(figures.claim),
        "status": figures.status,
        "valid": figures.valid,
        **stuck_fields(stuck_plan(figures.plan)),
        "violations": [violation.sentence for violation in figures.violations],
        "figures": {name: finite(value) for name, value in figures.estimates.items()},
    }


def heading(model: str, figures: Sequence[Figures], files: Sequence[str]) -> str:
    """What is compared: a line for each plan."""
    lines = [f"{model}: {len(figures)} plans compared"]
    width = max(len(each.name) for each in figures)
    for each, file in zip(figures, files, strict=True):
        lines.append(f"  {each.letter}  {each.name.ljust(width)}  {each.target_words}  {file}".rstrip())
    return "\n".join(lines)


def figure_table(
    figures: Sequence[Figures], more: Sequence[tuple[str, Sequence[str]]] = (), own: str = ""
) -> str:
    """One column for each plan: objective and its components, what is proven, rules; then the rows ``more``.

    ``own`` is what each plan has its own of, ``rules`` or ``machine``: what is optimal is so for those.
    """
    rows: list[list[str]] = []

    def add(label: str, cells: Sequence[str]) -> None:
        rows.append([label, *cells])

    if len({each.objective_name for each in figures}) > 1 or any(
        len(each.components) > 1 for each in figures
    ):
        add("objective", [each.objective_name for each in figures])
    names = list(dict.fromkeys(name for each in figures for name in each.components))
    # A component that is also estimated of every plan has one row: its own where all plans have it, else that of the estimate.
    twice = {name for name in names if _estimated_alike(figures, name)}
    shared = {name for name in twice if all(name in each.components for each in figures)}
    for name in names:
        if name in twice - shared:
            continue
        add(name, _component(figures, name))
    for label, cells in more:
        add(label, cells)
    for label, cells in _estimated(figures, shared):
        add(label, cells)
    bounds = [
        dict(bound_rows(each.plan.problem, each.bound, each.standing)) if each.valid else {}
        for each in figures
    ]
    if own:
        for each, found in zip(figures, bounds, strict=True):
            if each.status == "optimal":
                found["gap"] = f"0, optimal for its own {own}"
    for label in dict.fromkeys(label for found in bounds for label in found):
        add(label, [found.get(label, NONE) for found in bounds])
    if any(each.claim is not None for each in figures):
        claims = [
            NONE if each.claim is None else claim_text(each.plan.problem, each.claim) for each in figures
        ]
        add("claimed by its file", claims)
    add("rules", [rules_text(each.plan.evaluation) for each in figures])
    if any(stuck_plan(each.plan) for each in figures):
        add("simulated", ["does not run" if stuck_plan(each.plan) else NONE for each in figures])
    counted = [counted_fields(each.plan.problem).get("counted_in", "as in the file") for each in figures]
    if set(counted) != {"as in the file"}:
        add("precision", counted)
    add("planner", [each.planner for each in figures])
    return table(["", *(each.letter for each in figures)], rows)


def _estimated_alike(figures: Sequence[Figures], name: str) -> bool:
    """Whether every plan that has a component of this name is estimated at the same value."""
    pairs = [(each.components[name], each.estimates.get(name)) for each in figures if name in each.components]
    return all(estimate is not None and math.isclose(value, estimate) for value, estimate in pairs)


def _estimated(figures: Sequence[Figures], said: Container[str] = ()) -> list[tuple[str, list[str]]]:
    """A row for each figure of whole plans but those ``said`` already, with what it changes against the first plan."""
    rows: dict[str, list[str]] = {}
    for i, each in enumerate(figures):
        if not isinstance(each.plan, Plan) or not each.valid:
            continue
        for name, (label, text) in estimate_rows(each.plan.problem, each.estimates).items():
            if name in said:
                continue
            before, now = (one.estimates.get(name, math.nan) for one in (figures[0], each))
            share = (now - before) / before if i and before and figures[0].valid else math.nan
            differs = math.isfinite(share) and not math.isclose(now, before)
            change = f" ({signed(share, percent(abs(share)))})" if differs else ""
            rows.setdefault(label, [NONE] * len(figures))[i] = text + change
    return list(rows.items())


def claimed_lines(figures: Sequence[Figures], proven_for: float | None) -> list[str]:
    """What to type where a file's claim is not proven after so many seconds."""
    claimed = [each.letter for each in figures if each.claim is not None and each.valid]
    return [f"  claimed of {' and '.join(claimed)}; {longer(proven_for)}"] if claimed else []


def undefined_lines(figures: Sequence[Figures]) -> list[str]:
    """Which plans have no throughput, and why."""
    return [
        "\n".join(
            f"  {each.letter} has no throughput: {each.speed.why}" for each in figures if each.speed.why
        )
    ]


def _component(figures: Sequence[Figures], name: str) -> list[str]:
    """A component of all plans that have it, in one unit."""
    most = largest([each.components.get(name, 0.0) for each in figures])
    return [
        amount_beside(each.components[name], each.units[name], most) if name in each.components else NONE
        for each in figures
    ]


def largest(values: Iterable[float]) -> float:
    """The largest of the amounts that are finite, whatever their sign: in its unit all are written; 0 where none is."""
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def change_text(change: float, before: float, unit: str | None, beside: float = 0.0) -> str:
    """``−6.01 (−21.5 %)``: what the amounts differ by as they are read, in the unit of the largest of them and of what is ``beside`` them;
    the share is left out where it has no meaning."""
    if math.isnan(change):
        return NONE
    if change == 0:
        return "equal"
    most = largest([before, before + change, beside])
    by = abs(shown_change(before, before + change, unit, most))
    shown = signed(change, amount_beside(by, unit, most))
    return f"{shown} ({signed(change, percent(abs(change / before)))})" if before else shown


def signed(value: float, size: str) -> str:
    """A difference with its sign, ``size`` being what is written of its absolute value: ``+1.20 ms``, ``−3``, ``0``, or a dash."""
    if math.isnan(value):
        return NONE
    if value == 0:
        return "0"
    return f"{MINUS if value < 0 else '+'}{size}"


def violation_lines(figures: Sequence[Figures]) -> list[str]:
    """What is broken in each plan."""
    lines = []
    for each in figures:
        shown = [
            f"  ! {each.letter}: {violation.sentence}" for violation in each.violations[:SHOWN_VIOLATIONS]
        ]
        left = len(each.violations) - len(shown)
        if found := stuck_plan(each.plan):
            shown.append(f"  ! {each.letter} does not run, simulated: {found.fields['reason']}")
        lines += [*shown, *([f"  ! {each.letter}: and {left} more"] if left > 0 else [])]
    return ["\n".join(lines)] if lines else []


def and_more(left: int) -> str:
    """The end of a list that is not shown whole."""
    return f"\n  and {left:,} more; --all lists them" if left > 0 else ""
