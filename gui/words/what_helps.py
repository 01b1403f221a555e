"""What is left to change where no plan is better: what the largest part of the cost depends on, and the limits and rules that plans keep."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gui.look.numbers import percent
from gui.words.idle_devices import KEEPS_IDLE, NOTHING_TO_DO, idle_alike, idle_words, nothing_to_do
from gui.words.machines import kinds_of
from gui.words.more_devices import MoreDevices
from gui.words.short_memory import SHORT, memory_words, none_fit
from gui.words.without_rules import gap_without, rules_bring_more, without_rules_words
from planner.evaluation.memory_words import must_fit
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.worst import LATENCY
from planner.quantity import bytes_text

LARGE = 0.5
"""Share of a cost from which a single part or op is named."""
UNTRIED = "Which of these helps most has not been tried."
OTHERS_UNTRIED = "Which of the others helps most has not been tried."
GOOD = 0.2
"""Share of a cost from which transfers are named though work is more."""
UNCACHED = "Most of it is parameters that do not fit"
"""What is said of a bottleneck that streams most of the time."""


def beyond(
    problem: Problem, evaluation: Evaluation, device_of: Ints, rows: Iterable[tuple[str, float]], bounds: Iterable[Bound] = (),
    more: MoreDevices | None = None,
) -> str:  # fmt: skip
    """What may help a plan (int32[n]) that is the best there is: the machine, the model, its memory limit, its rules. None is said to help
    most of those that were not tried; what one can bring at most stands beside it where that is proven.

    ``rows``: the parts of the cost of its bottleneck, of its critical path, or of what all stream and the largest rest; ``bounds``: what is proven, also without some rule; ``more``: what
    is known of more devices.
    """
    told, parts = tuple(bounds), dict(rows)
    unfit = none_fit(problem, device_of)
    memory = unfit or memory_words(problem, evaluation, device_of, told)
    idle = idle_words(problem, evaluation, device_of)
    if problem.unit(problem.components[0]) == "B":
        larger = "A larger cache" if more is not None and not more.better else "A larger cache, more stages"
        said = [f"{larger} or a smaller model would leave more room."]
        memory = ""
    else:
        said = [_parts(problem, evaluation, device_of, parts, bool(unfit), idle, more)]
        if said[0].startswith(UNCACHED):  # that more memory helps is what it says
            memory = ""
    first = memory.startswith(SHORT) and (unfit or not _link_saves_more(problem, evaluation, parts, told))
    if first:
        said.insert(0, memory)
    elif memory:
        said.insert(1, memory)
    if idle and not any(idle in words for words in said):
        said.append(idle)
    # Where one rule is found to keep a device idle, the others are not guessed at.
    found = any(f": {rule} keep" in idle for rule in KEEPS_IDLE.values())
    if not found and (rules := without_rules_words(problem, evaluation, told)):
        said.insert(0 if first and rules_bring_more(problem, evaluation, told) else len(said), rules)
    untried = len(said) > 1
    if more is not None and not _says(said, more):
        said.append(f"{more.words}.")
    if untried:
        said.append(OTHERS_UNTRIED if more is not None and more.better else UNTRIED)
    return " ".join(said)


def _says(said: list[str], more: MoreDevices) -> bool:
    """Whether sentences say already what is known of more devices, or that even those that there are have nothing to do."""
    return any(more.words in sentence or (not more.better and NOTHING_TO_DO in sentence) for sentence in said)


def _link_saves_more(
    problem: Problem, evaluation: Evaluation, parts: dict[str, float], bounds: tuple[Bound, ...]
) -> bool:
    """Whether twice the speed of links takes more off a cost with these ``parts`` than any memory can: at most the streaming, or where plans
    must keep the limit what is not yet proven without it.

    Where nothing is proven without the limit, what other plans more memory allows is not known.
    """
    saved = (parts["receive"] + parts["send"]) / 2
    if not must_fit(problem):
        return saved > parts["streaming"]
    room = gap_without(problem, evaluation, "memory", bounds)
    return room is not None and saved > room * sum(parts.values())


def _parts(
    problem: Problem, evaluation: Evaluation, device_of: Ints, parts: dict[str, float], unfit: bool, idle: str,
    more: MoreDevices | None,
) -> str:  # fmt: skip
    """What acts on the largest part of the cost. ``unfit``: hardly an op fits the devices that are empty (:func:`none_fit`); ``idle``:
    :func:`idle_words`."""
    total = sum(parts.values())
    if total <= 0:
        return "It takes no time."
    latency, transfers = problem.components[0] == LATENCY, parts["receive"] + parts["send"]
    if parts["streaming"] > max(parts["work"], transfers):
        return _streaming(problem, device_of, more)
    if transfers > parts["work"]:
        if not latency:
            return _on_the_way(problem, evaluation, parts)
        share = percent(transfers / total, 0)
        return f"Tensors on their way are {share} of it: a faster link or smaller tensors between devices would help."
    if latency:
        link = "" if unfit and not transfers else ", or a faster link between them"
        return f"Faster devices on its critical path may help{link}."
    if largest := _largest(problem, evaluation, device_of):
        return f"{largest}: a faster {problem.target.words.counted[0]} or splitting that op would help."
    if transfers < GOOD * total:
        if unfit:
            return f"Faster {kinds_of(problem, np.unique(device_of))} may help as well."
        return _more(problem, device_of, ", or a faster link between them", idle, more)
    return f"{_on_the_way(problem, evaluation, parts)} {_more(problem, device_of, ' as well', idle, more)}"


def _largest(problem: Problem, evaluation: Evaluation, device_of: Ints) -> str:
    """The op whose own work is most of the bottleneck's cost, with its share; empty where there is none."""
    d, e = evaluation.bottleneck, problem.evaluator
    whole = evaluation.cost[d] if evaluation.rests is None else evaluation.objective
    on, cost = np.flatnonzero(device_of == d), float(whole)
    work = e.op_work[e.class_of[d], on]
    if not len(on) or cost <= 0 or float(work.max()) < LARGE * cost:
        return ""
    name = problem.graph.op_names[int(on[int(np.argmax(work))])]
    return f"The work of {name} alone is {percent(float(work.max()) / cost, 0)} of it"


def _on_the_way(problem: Problem, evaluation: Evaluation, parts: dict[str, float]) -> str:
    """What helps a bottleneck that mostly receives or sends: how much of that the model's own input or output is where a target says so."""
    d, total, details = evaluation.bottleneck, sum(parts.values()), evaluation.details
    name = "receive" if parts["receive"] >= parts["send"] else "send"
    if parts[name] < LARGE * total:
        share = percent((parts["receive"] + parts["send"]) / total, 0)
        return f"Receiving and sending are {share} of it: a faster link or smaller tensors would help."
    between, own, ing, what, link = (
        ("bytes_in", "host_in", "Receiving", "input", "a faster link to it")
        if name == "receive"
        else ("bytes_out", "host_out", "Sending", "output", "a faster link from it")
    )
    share = percent(parts[name] / total, 0)
    if "host_in" not in details:
        return f"{ing} tensors is {share} of it: a faster link or smaller tensors between {problem.target.words.many} would help."
    own_bytes = float(details[own][d])
    size = float(details[between][d]) + own_bytes
    if own_bytes < LARGE * size:
        return f"{ing} {bytes_text(size)} is {share} of it: {link} or smaller tensors between {problem.target.words.many} would help."
    whose = (
        f"the model's own {what}"
        if own_bytes == size
        else f"{bytes_text(own_bytes)} of them the model's own {what}"
    )
    return f"{ing} {bytes_text(size)}, {whose}, is {share} of it: {link} or a smaller {what} would help."


def _streaming(problem: Problem, device_of: Ints, more: MoreDevices | None) -> str:
    """What helps a bottleneck that mostly streams, or whose copies synchronise. Where others like it are idle, one more would be, too; where
    ``more`` are known to bring nothing they are not named."""
    if problem.evaluator.sync_rate > 0:
        return "Most of it is copies of its parameters that synchronise: a faster link would help."
    one = problem.target.words.counted[0]
    useless = idle_alike(problem, device_of) or (more is not None and not more.better)
    another = "" if useless else f" or another {one}"
    return f"{UNCACHED}: more memory for each {one}{another} helps, or a faster link."


def _more(problem: Problem, device_of: Ints, besides: str, why: str, more: MoreDevices | None) -> str:
    """What helps where the work of several ops counts; ``besides`` follows what may; ``why``: :func:`idle_words`; ``more``: what is known of
    more devices."""
    if why:
        return why
    if idle := idle_alike(problem, device_of):
        return f"{nothing_to_do(problem, idle)}, so more of them do not help: faster ones may{besides}."
    if more is not None:
        return f"{more.words}{'. Faster' if more.better else ': faster'} ones may help{besides}."
    return f"More or faster devices may help{besides}."
