"""Why a plan leaves devices idle: how many there are, and what keeps ops off them."""

from __future__ import annotations

import numpy as np

from gui.look.numbers import percent
from planner.model.graph import Ints
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.reports.idle import kept_idle

NOTHING_TO_DO = "nothing to do"
KEEPS_IDLE = {
    "triangle": "the triangle rule",
    "memory": "the memory limit",
    "shared_children": "the rule of shared children",
    "pin": "a pin",
    "together": "ops kept together",
}
"""What can keep a device idle, by the names of rules."""


def idle_words(problem: Problem, evaluation: Evaluation, device_of: Ints) -> str:
    """How many devices a valid plan (int32[n]) leaves idle, and what does, in sentences; empty where none is, or that is not decided."""
    idle = len(problem.devices) - len(np.unique(device_of))
    why = idle_because(problem, evaluation, device_of) if idle else ""
    return f"{nothing_to_do(problem, idle)}: {why}" if why else ""


def idle_because(problem: Problem, evaluation: Evaluation, device_of: Ints) -> str:
    """What leaves devices idle in a valid plan, in a sentence without its start; empty where that is not decided (:func:`planner.reports.idle.kept_idle`)."""
    if len(np.unique(device_of)) == problem.graph.n:
        return f"there are only {problem.graph.n} ops."
    found = kept_idle(problem, evaluation, device_of)
    rule = "" if found is None else KEEPS_IDLE.get(found.rule, "")
    if found is None or not rule:
        return ""
    shorter = 1 - found.objective / evaluation.objective
    keeps = "keep" if found.rule == "together" else "keeps"
    one = len(problem.devices) - len(np.unique(device_of)) == 1
    it, other = ("it", "it") if one else ("one of them", "that one")
    shared = f"a plan that shares the ops of {problem.devices[evaluation.bottleneck].title} with {other}"
    return f"{rule} {keeps} {it} idle. Without, {shared} would be {percent(shorter)} better."


def nothing_to_do(problem: Problem, idle: int) -> str:
    """``8 of 12 chips have nothing to do``."""
    return f"{idle} of {len(problem.devices)} {problem.target.words.many} {'has' if idle == 1 else 'have'} {NOTHING_TO_DO}"


def idle_alike(problem: Problem, device_of: Ints) -> int:
    """Devices without ops that are as good as the others, so that one more would be idle, too."""
    e = problem.evaluator
    used = np.bincount(device_of, minlength=len(problem.devices)) > 0
    d = int(np.argmax(used))
    alike = len(np.unique(e.class_of[used])) == 1 and (e.class_of == e.class_of[d]) & (
        e.capacity == e.capacity[d]
    )
    return int(np.count_nonzero(alike & ~used))
