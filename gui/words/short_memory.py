"""The memory of devices where more of it may help a plan: it is full, too small for hardly an op, or holds more than fits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from gui.look.numbers import plural
from gui.words.machines import kinds_of
from gui.words.without_rules import LOOSE, SMALL, at_most, gap_without
from planner.evaluation.memory_words import limited_word, must_fit
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.worst import LATENCY
from planner.quantity import bytes_text
from planner.text_table import gap_percent

FULL = 0.9
"""Share of its memory that a device holds from which the memory is named first."""
SHORT = "Memory is short"
HARDLY = 0.1
"""Share of all ops below which so few fit a device that its memory is why it is empty."""


def none_fit(problem: Problem, device_of: Ints) -> str:
    """That devices are empty in a plan (int32[n]) because hardly an op fits their memory, in a sentence; empty where that is not so."""
    if not must_fit(problem):
        return ""
    e = problem.evaluator
    used = np.bincount(device_of, minlength=len(problem.devices)) > 0
    fitting = np.array([int(np.count_nonzero(e.memory <= limit)) for limit in e.capacity])
    empty = np.flatnonzero(~used & (fitting < HARDLY * problem.graph.n)).astype(np.int32)
    if not len(empty):
        return ""
    d = int(empty[np.argmax(fitting[empty])])
    few = "no op fits" if not fitting[d] else f"only {fitting[d]} of {plural(problem.graph.n, 'op')} fit"
    whose = (
        problem.devices[d].title
        if len(empty) == 1
        else f"each of {len(empty)} empty {kinds_of(problem, empty)}"
    )
    return f"{SHORT}: {few} the {bytes_text(float(e.capacity[d]))} of {whose}, so more of it would help."


def short_elsewhere(
    problem: Problem, evaluation: Evaluation, device_of: Ints, bounds: Iterable[Bound]
) -> str:
    """That a limit on memory keeps ops off devices other than the bottleneck, in a sentence; empty where none of these is full or too small."""
    if not must_fit(problem):
        return ""
    if unfit := none_fit(problem, device_of):
        return unfit
    others = np.arange(len(problem.devices)) != evaluation.bottleneck
    full = evaluation.memory >= FULL * problem.evaluator.capacity
    said = memory_words(problem, evaluation, device_of, tuple(bounds)) if (full & others).any() else ""
    return said if said.startswith(SHORT) else ""


def memory_words(problem: Problem, evaluation: Evaluation, device_of: Ints, bounds: tuple[Bound, ...]) -> str:
    """The memory of devices where more of it may help: it is limited, and not so large that one device holds everything.

    It is short where a device is full that is or may relieve the bottleneck, unless it is proven that plans without a limit are hardly better.
    """
    e = problem.evaluator
    rule = must_fit(problem)
    limits = e.capacity if rule else e.budget
    finite = np.isfinite(limits)
    if not finite.any() or _holds_all(problem, evaluation, float(limits[finite].min())):
        return ""
    room = gap_without(problem, evaluation, "memory", bounds)
    if room is not None and room < LOOSE:
        return ""
    one = limited_word(problem)
    share = np.where(finite, evaluation.memory / np.where(limits > 0, limits, np.inf), 0.0)
    worst = fullest = int(np.argmax(share))
    near = np.where(_relieving(problem, evaluation, device_of), share, 0.0)
    if (room is None or room >= SMALL) and near.max() >= FULL:
        fullest = int(np.argmax(near))
    elif share[fullest] <= 1.0 and room is not None and room < SMALL:
        return f"More memory per {one} brings at most {gap_percent(room)}."
    held = f"{bytes_text(float(evaluation.memory[fullest]))} of {bytes_text(float(limits[fullest]))}"
    title, most = problem.devices[worst].title, bytes_text(float(evaluation.memory[worst]))
    over = int(np.count_nonzero(share > 1.0))
    if share[fullest] > 1.0 and over > 1:
        held = f"up to {most} of {bytes_text(float(limits[worst]))} on {title}"
        return f"More memory per {one} may help as well: {over} {problem.target.words.many} hold more than fits, {held}."
    if share[fullest] > 1.0:
        return f"More memory per {one} may help as well: {problem.devices[fullest].title} holds more than fits ({held})."
    if near[fullest] < FULL and not rule and not _streams(problem, evaluation, device_of):
        return ""
    if near[fullest] < FULL:
        return f"More memory per {one} may help as well: the fullest holds {held}."
    if share[worst] > share[fullest]:
        held += f" and {title}, the fullest, {most}"
    return f"{SHORT}: {problem.devices[fullest].title} holds {held}, so more of it per {one} may help{at_most(', by', room)}."


def _streams(problem: Problem, evaluation: Evaluation, device_of: Ints) -> bool:
    """Whether parameters that do not fit are part of what counts: of the bottleneck and its neighbours, or of all that stream over one link."""
    if evaluation.rests is not None:
        return bool(evaluation.streaming.any())
    return bool(evaluation.streaming[_relieving(problem, evaluation, device_of)].any())


def _relieving(problem: Problem, evaluation: Evaluation, device_of: Ints) -> npt.NDArray[np.bool_]:
    """Which devices (bool[D]) are the bottleneck or could take ops off it: of a row those that it sends to or receives from."""
    d, devices = evaluation.bottleneck, len(problem.devices)
    if not problem.target.in_a_row or problem.components[0] == LATENCY:
        return np.ones(devices, bool)
    near = np.zeros(devices, bool)
    near[d] = True
    source, target = (device_of[ops] for ops in problem.graph.edges)
    near[target[source == d]] = near[source[target == d]] = True
    return near


def _holds_all(problem: Problem, evaluation: Evaluation, limit: float) -> bool:
    """Whether any device holds all ops within its ``limit`` in bytes, with the activations that it counts."""
    e = problem.evaluator
    held = float((e.memory if must_fit(problem) else e.params).sum())
    if "activations" in evaluation.details or e.working_set().any():
        held += float(e.size.sum())
    # Activations that share a cache with parameters push some out: none where nothing is streamed.
    elif not must_fit(problem) and evaluation.streaming.any():
        return False
    return held <= limit
