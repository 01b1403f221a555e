"""What the memory of a plan counts, and what limits it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.evaluation.parameter_bytes import counted_in_int8
from planner.problem.per_device import PerDevice, at_least, in_words, limited, unlike
from planner.quantity import bytes_text, exact_bytes_text

if TYPE_CHECKING:
    from planner.problem.decision import Evaluation
    from planner.problem.problem import Problem


def held_words(problem: Problem, evaluation: Evaluation) -> str:
    """What a device's memory holds: "parameters", "parameters and outputs", "parameters and activations"."""
    held = problem.target.memory_holds
    return f"{held} and activations" if "activations" in evaluation.details else held


def fitting_words(problem: Problem) -> str:
    """What a memory rule asks to fit: "parameters and outputs", "parameters and peak activations"."""
    held = problem.target.memory_holds
    return f"{held} and peak activations" if problem.evaluator.working_set().any() else held


def assumed_precision(problem: Problem) -> str:
    """``int8`` where a target counts so what the model's file has in floating point; else empty."""
    precision = str(getattr(problem.target, "precision", ""))
    return precision if counted_in_int8(problem.graph, precision) else ""


def must_fit(problem: Problem) -> bool:
    """Whether a rule keeps devices from holding more than their memory; else what exceeds it is streamed."""
    return any(rule.name == "memory" for rule in problem.evaluator.rules)


def limit_words(problem: Problem, evaluation: Evaluation) -> str:
    """The limit of a device's memory and what it means: "64.00 MiB per accelerator, which ops must fit", of unlike ones all; empty where none is set."""
    e = problem.evaluator
    limits = e.budget if "dram" in evaluation.details else e.capacity
    limits = limits[np.isfinite(limits)]
    if not len(limits):
        return ""
    means = "which ops must fit" if must_fit(problem) else "what exceeds it is streamed each time"
    each = tuple(limits.tolist())
    one = limited_word(problem)
    whose = f", each {one} its own" if unlike(each) else f" per {one}"
    return f"{memories_in_words(each)}{whose}, {means}"


def memories_in_words(memory: PerDevice) -> str:
    """The memory of those that are limited: ``64.00 MiB`` where all have as much, else ``64.00 MiB, 64.00 MiB and 128.00 MiB``."""
    limits = limited(memory)
    return in_words(limits if unlike(memory) else limits[:1], bytes_text)


def raised_in_words(memory: PerDevice, size: float) -> str:
    """``size`` bytes, to the byte where a few more digits say it, as the least that each has once ``memory`` is raised to it:
    ``at least 99.5625 MiB`` where one has more."""
    more = any(bytes_text(limit) != bytes_text(size) for limit in limited(at_least(memory, size)))
    return f"{'at least ' if more else ''}{exact_bytes_text(size)}"


def limited_word(problem: Problem) -> str:
    """What sentences call each of those whose memory is limited: "accelerator"; "device" where CPUs have a limit as well."""
    target = problem.target
    kinds = {
        device.kind
        for device, memory in zip(problem.devices, target.own_memories(problem.graph), strict=False)
        if np.isfinite(memory)
    }
    if "cpu" in kinds:
        return "device" if len(kinds) > 1 else "CPU"
    _, one = target.grows.get("memory", ("", target.words.counted[0]))
    return one
