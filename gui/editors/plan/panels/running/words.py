"""What is said of a run in a line, and in the cells of its table."""

from __future__ import annotations

import math

from gui.look.numbers import DASH, percent, rate_text, time_column
from planner.runs.running.result import DISTURBED, LineRun, PlanRun

COLUMNS = ("Predicted", "Took", "Ratio", "Transfer", "Wait", "Busy")
TIPS = (
    "What the plan's evaluation says: receive, work, streaming, send",
    "Processor time of the stage's run (with several threads: from its start to its end)",
    "Took over predicted: 1 where the prediction holds",
    "Copying tensors into queues and out of them",
    "For tensors that are not there yet, and for room in the queues",
    "From start to end of the stage's run, whatever else the core did meanwhile",
)


def told(run: PlanRun) -> str:
    """The throughput beside all that it is compared with."""
    plan = run.plan
    parts = [f"{rate_text(plan.throughput)} samples per second"]
    if math.isfinite(plan.predicted):
        parts[0] += f", predicted {rate_text(plan.predicted)}"
    parts += [
        f"{run.speedup:.2f} times unsplit",
        "outputs equal the whole model's" if run.outputs_equal else "outputs DIFFER from the whole model's",
    ]
    if plan.disturbed <= DISTURBED:
        parts.append(f"{percent(plan.of_slowest, 0)} of its slowest stage's pace")
    else:
        parts.insert(1, f"on a busy machine ({percent(plan.disturbed, 0)} taken by others)")
    return "   ".join(parts)


def cells(run: LineRun) -> tuple[str, list[list[str]]]:
    """The unit of all times, and a row of figures for each stage."""
    rows = [
        (s.predicted, s.own.seconds, s.transfer.seconds, s.wait.seconds, s.busy.seconds) for s in run.stages
    ]
    column = time_column([value for row in rows for value in row], "s")
    found = []
    for stage, row in zip(run.stages, rows, strict=True):
        predicted, took, *others = map(column.number, row)
        over = f"{stage.own.seconds / stage.predicted:.2f}" if stage.predicted > 0 else DASH
        found.append([predicted, took, over, *others])
    return column.suffix, found
