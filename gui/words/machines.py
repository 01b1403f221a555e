"""What machines are called in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.look.numbers import plural

if TYPE_CHECKING:
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
