"""What objectives and their components are called, how their amounts are written, and what a move changes about them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from gui.look.numbers import Column, amount_column, one_amount, signed_amount, signed_percent, time_column
from planner.problem.bound import better
from planner.quantity import LEAST, shown_change

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem
    from planner.problem.decision import Evaluation
    from planner.problem.problem import Problem
    from planner.problem.target import Target

SAME = 1e-9
"""Components that differ by no more than this (relative) count as equal."""

SUMS = frozenset({"dram"})
"""Components that add up all devices."""

STAGE_COSTS = frozenset({"bottleneck", "max-load", "stage-time", "chip-latency"})
"""Objectives that are the cost of the worst device; a sum of parts such as gpipe is not."""


@dataclass(frozen=True)
class Words:
    """What a component is called: in a line of text, where room is scarce, and in a sentence of its own."""

    title: str
    short: str
    help: str


COMPONENTS = {
    "max-memory": Words(
        "max memory", "memory", "Largest stage memory: the parameter bytes of the stage that holds most."
    ),
    "dram": Words(
        "off-chip (DRAM)", "off-chip",
        "Off-chip parameters: bytes beyond the stages' caches, which are streamed for every inference.",
    ),
    "max-communication": Words(
        "max communication", "comm.",
        "Largest communication: the bytes that enter one stage from others, each tensor once.",
    ),
    "gpipe": Words(
        "GPipe", "GPipe", "The busiest device of the forward pass plus that of the backward pass: forward samples of a batch run first."
    ),
    "ios": Words("I/Os", "I/Os", "Reads and writes between the slow memory and the fast one."),
}  # fmt: skip

OBJECTIVES = {
    "ios": (COMPONENTS["ios"].title, COMPONENTS["ios"].help),
    "bottleneck": (
        "Bottleneck",
        "The slowest stage as fast as possible: receive + work + streaming + send. It is the time from one sample to the"
        " next.",
    ),
    "max-load": (
        "Max load",
        "The busiest device as little busy as possible: receive + work + send. It is the time from one sample to the"
        " next.",
    ),
    "gpipe": (
        "GPipe",
        "All forward samples of a batch, then all backward ones: the busiest device of the forward pass plus that of the"
        " backward pass. The same as max load where nothing runs backward.",
    ),
    "latency": (
        "Latency",
        "One sample alone, from its first op to the end of its last, as fast as possible: a device begins when all that it"
        " waits for is there.",
    ),
    "chip-latency": (
        "Chip latency",
        "The slowest chip as fast as possible: receive + work + send. It is the time from one sample to the next.",
    ),
    "memory-1-2-3": (
        "Memory 1 → 2 → 3",
        "(1) the largest stage memory as small as possible; then (2) the least off-chip (DRAM) parameters; then (3) the"
        " least communication into one stage.",
    ),
    "memory-1-3": (
        "Memory 1 → 3",
        "(1) the largest stage memory as small as possible; then (3) the least communication into one stage.",
    ),
    "memory-2-1-3": (
        "Memory 2 → 1 → 3",
        "(2) the least off-chip (DRAM) parameters; then (1) the largest stage memory as small as possible; then (3) the"
        " least communication into one stage.",
    ),
    "memory-2-3": (
        "Memory 2 → 3",
        "(2) the least off-chip (DRAM) parameters; then (3) the least communication into one stage. The paper tried it"
        " and dropped it.",
    ),
    "stage-time": (
        "Stage time",
        "The slowest stage as fast as possible: receive + compute + streaming + send, as if it had the host to itself.",
    ),
    "inference-time": (
        "Inference time",
        "The most inferences per second: what all stages stream over one host link, plus the slowest receive + compute +"
        " send, as measured pipelines behave.",
    ),
}
"""Title and one line of explanation of every objective of the machines that come along; one of another package has its name."""


def component_words(component: str) -> Words:
    """What a component of an objective is called; its name where it has no other."""
    known = COMPONENTS.get(component)
    if known is not None:
        return known
    plain = component.replace("-", " ")
    return Words(plain, plain, "")


def objective_title(objective: str) -> str:
    """What an objective is called in a list of choices."""
    known = OBJECTIVES.get(objective)
    return objective.replace("-", " ").capitalize() if known is None else known[0]


def objective_in_words(objective: str) -> str:
    """What an objective is called inside a sentence: ``inference time``, ``I/Os``."""
    title = objective_title(objective)
    return title if title[1:2].isupper() or title[1:2] == "/" else title[:1].lower() + title[1:]


def objective_help(objective: str, target: Target | None = None) -> str:
    """One line on what an objective wants, on a ``target`` with which devices pay no transfers; empty for one of a machine of another package."""
    said = OBJECTIVES.get(objective, ("", ""))[1]
    free = "" if target is None else target.transfers_note()
    return f"{said} {free}." if said and free else said


def amount(problem: PlanningProblem, component: str, value: float) -> str:
    """One value of a component with its unit."""
    return one_amount(value, problem.unit(component))


def column_of(problem: PlanningProblem, component: str, values: Iterable[float]) -> Column:
    """How a column of values of a component is written."""
    return amount_column(values, problem.unit(component))


@dataclass(frozen=True)
class Units:
    """How the amounts of one picture are written: each component in one unit, in which the plan's value of it can be read."""

    problem: PlanningProblem
    columns: Mapping[str, Column]

    def text(self, component: str, value: float) -> str:
        """One value of a component in its unit."""
        return in_unit(self.columns[component], self.problem.unit(component), value)


def in_unit(column: Column, kind: str | None, value: float) -> str:
    """A value of a ``kind`` as its ``column`` has it; a digit more where it is less than the unit, in its own where it is less than a
    hundredth of that, and exactly nothing without decimals."""
    if value == 0.0 and column.suffix:
        return f"0 {column.suffix}"
    if column.suffix and abs(value) < LEAST * column.scale:
        return one_amount(value, kind)
    if abs(value) < column.scale:
        column = replace(column, digits=column.digits + 1)
    return column.text(value)


def units_of(problem: PlanningProblem, values: Sequence[float]) -> Units:
    """The units for the ``values`` of the components of an objective, and for what is said beside them."""
    names = problem.components
    return Units(
        problem, component_columns([(n, problem.unit(n), v) for n, v in zip(names, values, strict=True)])
    )


def component_columns(given: Sequence[tuple[str, str | None, float]]) -> dict[str, Column]:
    """How each component among ``given`` (name, kind, value) is written: in the unit that suits its value, which a smaller one beside it
    would lose its digits in otherwise; nothing at all in that of the largest of its kind."""
    return {
        name: amount_column([value] if value else [v for _, k, v in given if k == kind], kind)
        for name, kind, value in given
    }


def plan_times(problem: Problem, evaluation: Evaluation) -> Column:
    """How times are written wherever a plan is shown, those of its devices and of its ops: in the unit of its objective where that is a
    time, else in that of the device that takes longest."""
    unit = problem.graph.time_unit
    own = [
        value
        for name, value in zip(problem.components, evaluation.values, strict=True)
        if problem.unit(name) == unit
    ]
    return time_column(
        own if any(0.0 < value < math.inf for value in own) else evaluation.cost.tolist(), unit
    )


def components_text(problem: PlanningProblem, values: Sequence[float]) -> str:
    """All components in order: ``max memory 6.72 MiB, off-chip 0 MiB``; the amount alone where there is one."""
    names, units = problem.components, units_of(problem, values)
    if len(names) == 1:
        return units.text(names[0], values[0])
    return ", ".join(
        f"{component_words(name).title} {units.text(name, value)}"
        for name, value in zip(names, values, strict=True)
    )


def seen_better(problem: PlanningProblem, values: Sequence[float], than: Sequence[float]) -> bool:
    """Whether these components come before others so far that their figures show it."""
    return better(values, than) and components_text(problem, values) != components_text(problem, than)


NO_COLUMNS: Mapping[str, Column] = MappingProxyType({})


def components_shortly(
    problem: PlanningProblem, values: Sequence[float], columns: Mapping[str, Column] = NO_COLUMNS
) -> str:
    """The same by short names, each named: ``memory 6.72 MiB, off-chip 0 B``, ``inference time 2.96 ms``.

    ``columns``: how a component is written among other values of it; each suits its own value where there is none.
    """
    names = problem.components
    return ", ".join(
        f"{component_words(name).title if len(names) == 1 else component_words(name).short}"
        f" {columns[name].text(value) if name in columns else amount(problem, name, value)}"
        for name, value in zip(names, values, strict=True)
    )


def worst_device(evaluation: Evaluation, component: str) -> int:
    """The device that a component is about, or that has most of a sum; -1 where there is none."""
    amounts = {
        "max-memory": evaluation.memory,
        "dram": evaluation.details.get("dram"),
        "max-communication": evaluation.details.get("bytes_in"),
    }.get(component)
    if amounts is not None:
        return int(np.argmax(amounts)) if len(amounts) and amounts.max() > 0 else -1
    return evaluation.bottleneck if component in STAGE_COSTS else -1


# ---------------------------------------------------------------------- what a move changes
@dataclass(frozen=True)
class Change:
    """The first component that is different afterwards: ``before`` and ``after``, and how to say it.

    ``share`` is the relative change (0 = nothing changes; less is better). ``text`` names the new amount or, where the
    objective has several components, what becomes more or less; ``brief`` is the same where room is scarce.
    """

    component: str
    before: float
    after: float
    share: float
    text: str
    brief: str
    scalar: bool = False
    """Whether ``text`` is an amount alone."""

    @property
    def what(self) -> str:
        """The component's short name where ``brief`` begins with it, else empty."""
        short = component_words(self.component).short
        return short if self.brief.startswith(f"{short} ") else ""

    @property
    def whole(self) -> str:
        """``text`` where it stands beside the name of a device: an amount alone is said to be the plan's, for the device has one of its own."""
        return f"plan {self.text}" if self.scalar else self.text

    @property
    def sign(self) -> int:
        """-1 for better, 1 for worse, 0 for neither."""
        return (self.share > SAME) - (self.share < -SAME)


def change(
    problem: PlanningProblem, now: Sequence[float], then: Sequence[float], column: Column | None = None
) -> Change:
    """What becomes of the objective when its components ``now`` turn into ``then``.

    ``column`` is how amounts of a scalar objective are written beside others.
    """
    names = problem.components
    first = next((i for i, (a, b) in enumerate(zip(now, then, strict=True)) if abs(b - a) > SAME * abs(a)), 0)
    component, before, after = names[first], float(now[first]), float(then[first])
    share = (after - before) / before if before else float(np.sign(after))
    if len(names) == 1:
        shown = (column or column_of(problem, component, [before, after])).text(after)
        text = f"{shown}  {signed_percent(share if before else 0.0)}"
        return Change(component, before, after, share, text, text, True)
    if abs(share) <= SAME:
        return Change(component, before, after, 0.0, "no change", "no change")
    words = component_words(component)
    unit = problem.unit(component)
    by = signed_amount(shown_change(before, after, unit), max(before, after), unit)
    return Change(component, before, after, share, f"{words.title} {by}", f"{words.short} {by}")


def changes(problem: PlanningProblem, now: Sequence[float], after: np.ndarray) -> tuple[Change, ...]:
    """:func:`change` for every destination of a move (``after`` float64[c, k]), written alike: in the unit of what is now."""
    known = now[0] > 0 and np.isfinite(now[0])
    column = column_of(problem, problem.components[0], [now[0]] if known else after[0])
    return tuple(change(problem, now, after[:, d].tolist(), column) for d in range(after.shape[1]))
