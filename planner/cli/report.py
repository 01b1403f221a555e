"""What commands say of a plan: the fields of their JSON and the same as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.bound import Bound
from planner.cli.table import percent, seconds_text, table, times
from planner.plan import Evaluation
from planner.problem import Problem
from planner.quantity import bytes_text, time_text

_SHOWN_VIOLATIONS = 8


def plan_fields(problem: Problem, evaluation: Evaluation | None) -> dict[str, Any]:
    """The JSON fields of a plan that say what it is and costs; nulls and empty lists where there is no plan."""
    head: dict[str, Any] = {"target": problem.target.spec(), "objective_name": problem.objective}
    if evaluation is None:
        return {**head, "objective": None, "components": {}, "valid": False, "violations": [], "devices": []}
    from planner.formats.plan_json import evaluation_dict

    # What a plan file says of an evaluation and what the command line says are one and the same.
    return {**head, **evaluation_dict(evaluation, problem)}


def device_table(problem: Problem, evaluation: Evaluation) -> str:
    """One row per device; the one that costs most is marked."""
    unit = problem.graph.time_unit
    parts = [evaluation.receive, evaluation.work, evaluation.streaming, evaluation.send, evaluation.cost]
    k = len(problem.devices)
    shown = times([float(v) for part in parts for v in part], unit)
    rows = []
    for i, device in enumerate(problem.devices):
        mark = "  < bottleneck" if i == evaluation.bottleneck and evaluation.cost[i] > 0 else ""
        cells = [shown[p * k + i] for p in range(len(parts))]
        rows.append(
            [
                device.name + copies_text(problem, evaluation, i),
                str(int(evaluation.ops[i])),
                *cells,
                bytes_text(float(evaluation.memory[i])) + mark,
            ]
        )
    width = max(len(row[-1].removesuffix("  < bottleneck")) for row in rows)
    for row in rows:
        memory = row[-1].removesuffix("  < bottleneck")
        row[-1] = memory.rjust(width) + ("  < bottleneck" if memory != row[-1] else " " * 14)
    return table(
        ["device", "ops", "receive", "work", "streaming", "send", "cost", "memory".rjust(width) + " " * 14],
        rows,
    )


def copies_text(problem: Problem, evaluation: Evaluation, device: int) -> str:
    """`` x3`` for a stage on three devices, `` > acc 0`` for a device that works on another's stage, else nothing."""
    stage = int(evaluation.serves[device])
    if stage not in (-1, device):
        return f" > {problem.devices[stage].name}"
    copies = int(evaluation.replicas[device])
    return f" x{copies}" if copies > 1 else ""


def summary(
    problem: Problem,
    evaluation: Evaluation | None,
    rows: Sequence[tuple[str, str]] = (),
    proven: Sequence[tuple[str, str]] = (),
) -> str:
    """A title, the figures as ``label value`` lines (``proven`` beside the objective), the devices, what is broken."""
    title = f"{problem.graph.name} on {problem.target.spec()}"
    lines: list[tuple[str, str]] = []
    if evaluation is not None:
        unit = problem.graph.time_unit
        lines.append((problem.objective, time_text(evaluation.objective, unit)))
    lines.extend(proven)
    if evaluation is not None:
        broken = len(evaluation.violations)
        rules = "valid" if not broken else "1 rule broken" if broken == 1 else f"{broken} rules broken"
        lines.append(("rules", rules))
    lines.extend(rows)
    width = max((len(label) for label, _ in lines), default=0)
    out = [title, *(f"  {label.ljust(width)}  {value}" for label, value in lines)]
    if evaluation is not None:
        out += ["", device_table(problem, evaluation)]
        for v in evaluation.violations[:_SHOWN_VIOLATIONS]:
            out.append(f"  ! {v.sentence}")
        if len(evaluation.violations) > _SHOWN_VIOLATIONS:
            out.append(f"  ! and {len(evaluation.violations) - _SHOWN_VIOLATIONS} more")
    return "\n".join(out)


def bound_rows(problem: Problem, bound: Bound | None, gap: float | None) -> list[tuple[str, str]]:
    """The lines on the lower bound and the gap."""
    if bound is None:
        return [("lower bound", "none proven")]
    rows = [("lower bound", f"{time_text(bound.value, problem.graph.time_unit)} ({bound.method})")]
    if gap is not None:
        rows.append(("gap", "0, optimal" if gap == 0 else percent(gap)))
    return rows


def ending(stop_reason: str, seconds: float) -> str:
    """How a search ended, in words."""
    how = {"finished": "finished", "time": "time limit", "gap": "gap reached", "cancelled": "cancelled"}
    return f"{how.get(stop_reason, stop_reason)}, {seconds_text(seconds)}"
