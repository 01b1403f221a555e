"""In what the rules differ under which compared plans were made: "optimal" then is said of each plan's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any, NamedTuple

from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.base import PlanningProblem
from planner.problem.per_device import in_words
from planner.problem.problem import Plan
from planner.problem.target import Target
from planner.quantity import bytes_text

RATES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
MOST = 4
"""Differences that are named one by one."""


class Differing(NamedTuple):
    """In what the problems of plans differ. ``what``: ``rules`` or ``machine``, each plan having its own; ``sentence`` says in what,
    as ``the rules differ: contiguous in A, not in B``. Both are empty where nothing differs."""

    what: str = ""
    sentence: str = ""


def differing(plans: Sequence[Plan | OrderPlan], letters: Sequence[str]) -> Differing:
    """In what machines and constraints of the plans differ; nothing where all plans are of one problem.

    Nothing either where kinds of machines or objectives differ: those plans do not compare at all.
    """
    return differing_problems([plan.problem for plan in plans], letters)


def differing_problems(problems: Sequence[PlanningProblem], letters: Sequence[str]) -> Differing:
    """As :func:`differing`, of the problems themselves."""
    if len({(problem.target.kind, problem.objective) for problem in problems}) > 1:
        return Differing()
    targets = [problem.target for problem in problems]
    found = {
        field.name: words
        for field in fields(targets[0])  # type: ignore[arg-type]
        if (words := _difference(field, targets, letters))
    }
    rules = bool(found.keys() & targets[0].rule_parameters)
    said = list(found.values())
    if len({getattr(problem, "constraints", ()) for problem in problems}) > 1:
        rules = True
        said.append("pins and ops kept together")
    if not said:
        return Differing()
    more = [f"{len(said) - MOST} more"] if len(said) > MOST else []
    what = "rules" if rules else "machine"
    listed = "; ".join([*said[:MOST], *more])
    return Differing(what, f"the {'rules' if rules else 'machines'} differ: {listed}")


def made_for(problem: PlanningProblem, now: PlanningProblem) -> str:
    """What of the machine for which a plan was made is another ``now``, as it was then: ``memory 300.00 MiB``; empty where nothing is,
    and of machines of another kind. Pins come and go, and are not said."""
    if problem.target.kind != now.target.kind:
        return ""
    said = [] if problem.objective == now.objective else [problem.objective.replace("-", " ")]
    for field in fields(problem.target):  # type: ignore[arg-type]
        value = getattr(problem.target, field.name)
        if value == getattr(now.target, field.name):
            continue
        name = (field.metadata["label"] or field.name.replace("_", " ")).lower()
        said.append(
            f"{name} {('off', 'on')[value] if isinstance(value, bool) else value_words(value, field)}"
        )
    return ", ".join(said[:MOST]) + (f" and {len(said) - MOST} more" if len(said) > MOST else "")


def set_apart(targets: Sequence[Target]) -> list[str]:
    """What sets each machine apart from the others, in as few words as tell all apart: ``4 stages`` and ``6 stages``, ``memory 1.00 GiB``
    and ``memory unlimited``, else all that differs; of several kinds what each is called."""
    if len({target.kind for target in targets}) > 1:
        return [target.title for target in targets]
    found = [
        [_own(field, target) for target in targets]
        for field in fields(targets[0])  # type: ignore[arg-type]
        if len({getattr(target, field.name) for target in targets}) > 1
    ]
    alone = next((words for words in found if len(set(words)) == len(targets)), None)
    return [", ".join(words) for words in zip(*found, strict=True)] if alone is None else alone


def _own(field: Field[Any], target: Target) -> str:
    """``6 stages``, ``bandwidth 12 GB/s``, ``non-contiguous``: one parameter of a machine."""
    value = getattr(target, field.name)
    if field.name == target.count_parameter and not target.plans_networks:
        return f"{value} {target.words.one if value == 1 else target.words.many}"
    return setting_words(value, field)


def setting_words(value: Any, field: Field[Any]) -> str:
    """A parameter by its name and value, or by what says both: ``bandwidth 1 GB/s``, ``int8``, ``non-contiguous``."""
    name = (field.metadata["label"] or field.name.replace("_", " ")).lower()
    if isinstance(value, bool):
        return str(name if value else field.metadata["off"] or f"{name} off")
    return value if isinstance(value, str) else f"{name} {value_words(value, field)}"


def _difference(field: Field[Any], targets: Sequence[Target], letters: Sequence[str]) -> str:
    """``bandwidth 12 GB/s in A, 1 GB/s in B`` of one parameter; empty where it is the same for all."""
    values = [getattr(target, field.name) for target in targets]
    if len(set(values)) == 1:
        return ""
    name = (field.metadata["label"] or field.name.replace("_", " ")).lower()
    where: dict[Any, list[str]] = {}
    for value, letter in zip(values, letters, strict=True):
        where.setdefault(value, []).append(letter)
    if isinstance(values[0], bool):
        return f"{name} in {_all(where[True])}, not in {_all(where[False])}"
    if field.name == targets[0].count_parameter and not targets[0].plans_networks:
        many = targets[0].words.many
        return ", ".join(f"{value} {many} in {_all(having)}" for value, having in where.items())
    told = [f"{value_words(value, field)} in {_all(having)}" for value, having in where.items()]
    return f"{name} {', '.join(told)}"


def value_words(value: Any, field: Field[Any]) -> str:
    """A parameter for a person, in its unit; of one with a number for each device as :func:`~planner.problem.per_device.in_words` has it."""
    if isinstance(value, tuple):
        return in_words(value, lambda one: value_words(one, field))
    unit = field.metadata["unit"]
    if value == 0 and field.metadata["unset"]:
        return str(field.metadata["unset"])
    if unit == "B":
        return bytes_text(value)
    if not isinstance(value, float) or not unit:
        return f"{value:g}" if isinstance(value, float) else str(value)
    if math.isinf(value):
        return "unlimited"
    size, letter = next(((size, letter) for size, letter in RATES if value >= size), (1.0, ""))
    return f"{value / size:.4g} {letter}{unit}"


def _all(letters: Sequence[str]) -> str:
    return " and ".join(letters)
