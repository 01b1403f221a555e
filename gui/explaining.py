"""Words for what the figures say."""

from __future__ import annotations

from planner.plan import Evaluation
from planner.problem import Problem
from planner.quantity import time_text

PARTS = (
    ("work", "work of its ops"),
    ("receive", "tensors it receives"),
    ("send", "tensors it sends"),
    ("streaming", "parameters it streams"),
)


def why_bottleneck(problem: Problem, evaluation: Evaluation) -> tuple[list[tuple[str, float]], str]:
    """The parts of the bottleneck's cost, largest first, and a sentence that says which of them matters most."""
    d = evaluation.bottleneck
    if d < 0 or problem.graph.n == 0:
        return [], "There is nothing to plan yet."
    values = [(name, float(getattr(evaluation, name)[d]), phrase) for name, phrase in PARTS]
    values.sort(key=lambda row: -row[1])
    rows = [(name, value) for name, value, _ in values]
    unit = problem.graph.time_unit
    title = problem.devices[d].title
    total = sum(value for _, value, _ in values)
    cost = float(evaluation.cost[d])
    if total <= 0:
        return rows, f"{title} costs nothing: all times are zero."
    _, value, phrase = values[0]
    mean = float(evaluation.cost.mean())
    above = (
        f", {cost / mean - 1:.0%} above the average device" if len(evaluation.cost) > 1 and mean > 0 else ""
    )
    return rows, f"{title} takes {time_text(cost, unit)}{above}; {value / total:.0%} of it is the {phrase}."
