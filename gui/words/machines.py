"""What machines are called, in words that need no knowledge of specifications."""

from __future__ import annotations

from dataclasses import fields

from gui.look.numbers import plural
from planner.problem.problem import Problem


def machine_words(problem: Problem) -> str:
    """A machine and how many devices it has: ``a pipeline of 4 stages``, ``a device pool of 2 accelerators and 1 CPU``."""
    target = problem.target
    kinds: dict[str, set[str]] = {}
    for name, device in zip(target.hardware(problem.graph), problem.devices, strict=True):
        kinds.setdefault(device.kind, set()).add(name)
    if len(kinds) == 1:
        (names,) = kinds.values()
        return f"{target.in_words} of {plural(len(names), *target.words.counted)}"
    each = [plural(len(names), "CPU" if kind == "cpu" else kind) for kind, names in kinds.items()]
    return f"{target.in_words} of {' and '.join(each)}"


def devices_words(problem: Problem) -> str:
    """The devices, and what of the target is chosen by a word: ``4 stages``, ``3 accelerators + 1 CPU``, ``12 chips, int8``."""
    kinds: dict[str, int] = {}
    for device in problem.devices:
        kinds[device.kind] = kinds.get(device.kind, 0) + 1
    known, target = {"cpu": "CPU"}, problem.target
    devices = " + ".join(plural(count, known.get(kind, kind)) for kind, count in kinds.items())
    chosen = [
        value for f in fields(target)  # type: ignore[arg-type]
        if isinstance(value := getattr(target, f.name), str) and value and value != f.default
    ]  # fmt: skip
    return ", ".join([devices, *chosen])
