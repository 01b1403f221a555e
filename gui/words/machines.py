"""What machines are called, in words that need no knowledge of specifications."""

from __future__ import annotations

from dataclasses import fields

from gui.look.numbers import plural
from planner.problem.problem import Problem


def counted_devices(problem: Problem, between: str = " and ") -> str:
    """``4 stages``, ``6 accelerators and 1 CPU`` or ``6 accelerators (12 subgraphs) and 1 CPU``."""
    kinds: dict[str, list[str]] = {}
    for name, device in zip(problem.target.hardware(problem.graph), problem.devices, strict=True):
        kinds.setdefault(device.kind, []).append(name)
    parts = []
    for kind, names in kinds.items():
        count = len(set(names))
        slots = f" ({len(names)} subgraphs)" if count < len(names) else ""
        parts.append(plural(count, "CPU" if kind == "cpu" else kind) + slots)
    return between.join(parts)


def machine_words(problem: Problem) -> str:
    """A machine and its devices: ``a pipeline of 4 stages``, ``a device pool of 2 accelerators and 1 CPU``."""
    return f"{problem.target.in_words} of {counted_devices(problem)}"


def devices_words(problem: Problem) -> str:
    """The devices, and what of the target is chosen by a word: ``4 stages``, ``3 accelerators + 1 CPU``, ``12 chips, int8``."""
    target = problem.target
    chosen = [
        value for f in fields(target)  # type: ignore[arg-type]
        if isinstance(value := getattr(target, f.name), str) and value and value != f.default
    ]  # fmt: skip
    return ", ".join([counted_devices(problem, " + "), *chosen])
