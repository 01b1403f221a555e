"""Words for what the figures say."""

from __future__ import annotations

from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.quantity import bytes_text, time_text

PARTS = (
    ("work", "work of its ops"),
    ("receive", "tensors it receives"),
    ("send", "tensors it sends"),
    ("streaming", "parameters it streams"),
)
AMOUNTS = ("cache", "dram", "bytes_in", "bytes_out")
"""What a stage's byte counts consist of, as an evaluation's details name them."""


def why_bottleneck(problem: Problem, evaluation: Evaluation) -> tuple[list[tuple[str, float]], str]:
    """The parts of the bottleneck's cost, largest first, and a sentence that says which of them matters most.

    Where the objective counts bytes: those of its parameters on chip and off, and of what enters and leaves it.
    """
    d = evaluation.bottleneck
    if d < 0 or problem.graph.n == 0:
        return [], "There is nothing to plan yet."
    if problem.unit(problem.components[0]) == "B" and evaluation.details:
        return _fullest(problem, evaluation, d)
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


def _fullest(problem: Problem, evaluation: Evaluation, d: int) -> tuple[list[tuple[str, float]], str]:
    """Why a stage holds most: the amounts in :data:`AMOUNTS`, and a sentence on its cache."""
    rows = [(name, float(evaluation.details[name][d])) for name in AMOUNTS]
    held, mean = float(evaluation.memory[d]), float(evaluation.memory.mean())
    off_chip = float(evaluation.details["dram"][d])
    more = (
        f", {held / mean - 1:.0%} above the average stage" if len(evaluation.memory) > 1 and mean > 0 else ""
    )
    said = f"{problem.devices[d].title} holds {bytes_text(held)} of parameters{more}; "
    if off_chip:
        late = float(evaluation.streaming[d]) / float(evaluation.cost[d]) if evaluation.cost[d] > 0 else 0.0
        said += (
            f"{bytes_text(off_chip)} do not fit into its cache, and streaming them is {late:.0%} of its time."
        )
        return rows, said
    room = float(problem.evaluator.budget[d]) - held
    return rows, said + f"they fit into its cache with {bytes_text(room)} to spare."
