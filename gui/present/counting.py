"""Figures on their way: from the numbers of one keyframe to those of the next, so that they count rather than vanish."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gui.look.numbers import one_amount
from gui.present.captions import Run
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.decision import Evaluation
from planner.problem.problem import Plan

_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_ARRAYS = ("receive", "work", "streaming", "send", "cost", "memory", "pace")


def counted(before: str, after: str, share: float, value: float | None = None) -> str | None:
    """``after`` with its numbers a ``share`` of the way from those of ``before``; None where the words differ otherwise.

    Numbers keep the decimals of ``after``, and thousands their commas. At 0 it is ``before`` as it stands. ``value`` is what lies between
    the two where it is known better than by what was rounded.
    """
    one, other = _NUMBER.findall(before), _NUMBER.findall(after)
    if _NUMBER.sub("#", before) != _NUMBER.sub("#", after):
        return None
    if share <= 0.0 or before == after:
        return before
    if share >= 1.0:
        return after
    pairs = iter(zip(one, other, strict=True))

    def now(_: re.Match[str]) -> str:
        a, b = next(pairs)
        decimals = max(len(text.partition(".")[2]) for text in (a, b))
        x, y = (float(text.replace(",", "")) for text in (a, b))
        shown = x + (y - x) * share if value is None else value
        return f"{shown:,.{decimals}f}" if "," in a + b else f"{shown:.{decimals}f}"

    return _NUMBER.sub(now, after)


def counted_runs(before: Sequence[Run], after: Sequence[Run], share: float) -> tuple[list[Run], list[Run]]:
    """Both lines of words with their figures at the same value, a ``share`` of the way from one to the other.

    Claims are about plans at rest: none is shown while figures count. Lines that name other objectives or other plans stay as they are.
    """
    told = [[run for run in line if not run.claim] for line in (before, after)]
    texts = [_counted_run(a, b, share) for a, b in zip(*told, strict=False)]
    counts = len(told[0]) == len(told[1]) and None not in texts
    same = [run.text for run in told[0]] == [run.text for run in told[1]]
    if not counts or same or not 0.0 < share < 1.0:
        return list(before), list(after)

    def now(line: Sequence[Run]) -> list[Run]:
        figures = iter(text for text in texts if text is not None)
        return [replace(run, shown=False) if run.claim else replace(run, text=next(figures)) for run in line]

    return now(before), now(after)


def _counted_run(a: Run, b: Run, share: float) -> str | None:
    """The words of one figure on its way to another: of amounts what lies between them, whatever their prefixes (1.48 MiB, 293.5 KiB)."""
    now = counted(a.text, b.text, share)
    if a.amount is None or b.amount is None or a.amount[1] != b.amount[1]:
        return now
    value = float(_between(a.amount[0], b.amount[0], share))
    if now is None:
        return one_amount(value, a.amount[1])
    if not a.scale or a.scale != b.scale:
        return now
    return counted(a.text, b.text, share, value / a.scale)  # as exact as in a panel beside it


def alike(first: Plan | OrderPlan, second: Plan | OrderPlan) -> bool:
    """Whether two plans have the same devices and the same figures, so that one can count up to the other."""
    if not isinstance(first, Plan) or not isinstance(second, Plan):
        return False
    a, b = first.problem, second.problem
    return a.devices == b.devices and a.components == b.components and a.graph.time_unit == b.graph.time_unit


def plan_between(first: Plan, second: Plan, share: float) -> Plan:
    """The plan ``second`` with an evaluation on its way from that of ``first``, for pictures alone: no plan costs that."""
    if share >= 1.0:
        return second
    if share <= 0.0:
        return first
    a, b = first.evaluation, second.evaluation
    arrays: dict[str, Any] = {name: _between(getattr(a, name), getattr(b, name), share) for name in _ARRAYS}
    if a.rests is not None and b.rests is not None:
        arrays["rests"] = _between(a.rests, b.rests, share)
    later = second if share >= 0.5 else first
    evaluation: Evaluation = replace(
        b, **arrays, components=_each(a.components, b.components, share), details=_each(a.details, b.details, share),
        figures=_each(a.figures, b.figures, share), violations=later.evaluation.violations,
    )  # fmt: skip
    return replace(later, evaluation=evaluation)


def _between(a: Any, b: Any, share: float) -> Any:
    """A value or an array between two; where one is not finite the second."""
    with np.errstate(invalid="ignore"):
        now = a + (b - a) * share
    if isinstance(now, np.ndarray):
        return np.where(np.isfinite(now), now, b)
    return now if np.isfinite(now) else b


def _each(a: Mapping[str, Any], b: Mapping[str, Any], share: float) -> dict[str, Any]:
    return {name: _between(a[name], value, share) if name in a else value for name, value in b.items()}
