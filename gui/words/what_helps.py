"""What is left to change where no plan is better: what the largest part of the cost depends on, and the limits and rules that plans keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gui.look.numbers import percent, plural
from gui.words.proofs import RULES
from planner.evaluation.memory_words import limited_word, must_fit
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.worst import LATENCY
from planner.quantity import bytes_text
from planner.reports.idle import kept_idle

LARGE = 0.5
"""Share of a cost from which a single part or op is named."""
FULL = 0.9
"""Share of its memory that a device holds from which the memory is named first."""
SHORT = "Memory is short"
LOOSE = 1e-3
"""A gap to what is proven without a rule, below which the rule costs nothing."""
KEEPS_IDLE = {
    "triangle": "the triangle rule",
    "memory": "the memory limit",
    "shared_children": "the rule of shared children",
    "pin": "a pin",
    "together": "ops kept together",
}
"""What can keep a device idle, by the names of rules."""


def beyond(
    problem: Problem, evaluation: Evaluation, device_of: Ints, rows: Iterable[tuple[str, float]], bounds: Iterable[Bound] = (),
) -> str:  # fmt: skip
    """What may help a plan (int32[n]) that is the best there is: the machine, the model, its memory limit, its rules.

    ``rows``: the parts of the cost of its bottleneck, of its critical path, or of what all stream and the largest rest; ``bounds``: what is proven, also without some rule.
    """
    told = tuple(bounds)
    memory = _memory(problem, evaluation, told)
    if problem.unit(problem.components[0]) == "B":
        said = ["A larger cache, more stages or a smaller model would leave more room."]
        memory = ""
    else:
        said = [_parts(problem, evaluation, device_of, dict(rows))]
    if memory.startswith(SHORT) and not _link_saves_more(problem, dict(rows)):
        said.insert(0, memory)
    elif memory:
        said.insert(1, memory.replace("may help most", "may help as well"))
    # Where one rule is found to keep a device idle, the others are not guessed at.
    found = any(f": {rule} keep" in words for rule in KEEPS_IDLE.values() for words in said)
    if not found and (rules := _rules(problem, evaluation, told)):
        said.append(rules)
    return " ".join(said)


def _link_saves_more(problem: Problem, parts: dict[str, float]) -> bool:
    """Whether twice the speed of links takes more off a cost with these ``parts`` than any memory can, which at most ends the streaming.

    Where memory is a limit that plans keep, more of it allows other plans: what that gives is not known.
    """
    return not must_fit(problem) and (parts["receive"] + parts["send"]) / 2 > parts["streaming"]


def _parts(problem: Problem, evaluation: Evaluation, device_of: Ints, parts: dict[str, float]) -> str:
    """What acts on the largest part of the cost."""
    total = sum(parts.values())
    if total <= 0:
        return "It takes no time."
    latency, transfers = problem.components[0] == LATENCY, parts["receive"] + parts["send"]
    if parts["streaming"] > max(parts["work"], transfers):
        return _streaming(problem, device_of)
    if transfers > parts["work"]:
        if not latency:
            return _on_the_way(problem, evaluation, parts)
        share = percent(transfers / total, 0)
        return f"Tensors on their way are {share} of it: a faster link or smaller tensors between devices would help."
    if latency:
        return "Faster devices on its critical path may help, or a faster link between them."
    if largest := _largest(problem, evaluation, device_of):
        return f"{largest}: a faster {problem.target.words.counted[0]} or splitting that op would help."
    return _more(problem, evaluation, device_of)


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


def _streaming(problem: Problem, device_of: Ints) -> str:
    """What helps a bottleneck that mostly streams, or whose copies synchronise. Where others like it are idle, one more would be, too."""
    if problem.evaluator.sync_rate > 0:
        return "Most of it is copies of its parameters that synchronise: a faster link would help."
    one = problem.target.words.counted[0]
    another = "" if _idle(problem, device_of) else f" or another {one}"
    return f"Most of it is parameters that do not fit: more memory for each {one}{another} helps, or a faster link."


def _idle(problem: Problem, device_of: Ints) -> int:
    """Devices without ops that are as good as the others, so that one more would be idle, too."""
    e = problem.evaluator
    used = np.bincount(device_of, minlength=len(problem.devices)) > 0
    d = int(np.argmax(used))
    alike = len(np.unique(e.class_of[used])) == 1 and (e.class_of == e.class_of[d]) & (
        e.capacity == e.capacity[d]
    )
    return int(np.count_nonzero(alike & ~used))


def _more(problem: Problem, evaluation: Evaluation, device_of: Ints) -> str:
    """What helps where the work of several ops counts most."""
    idle, words = _idle(problem, device_of), problem.target.words
    if idle:
        left = f"{idle} of {len(problem.devices)} {words.many} {'has' if idle == 1 else 'have'} nothing to do"
        if why := idle_because(problem, evaluation, device_of):
            return f"{left}: {why}"
        return f"{left}, so more of them do not help: faster ones may, or a faster link between them."
    return "More or faster devices may help, or a faster link between them."


def idle_because(problem: Problem, evaluation: Evaluation, device_of: Ints) -> str:
    """What leaves devices idle in a plan that is proven the best, in a sentence without its start; empty where that cannot be decided."""
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


def _memory(problem: Problem, evaluation: Evaluation, bounds: tuple[Bound, ...]) -> str:
    """The memory of devices where more of it may help: it is limited, and not so large that one device holds everything."""
    e, target = problem.evaluator, problem.target
    rule = must_fit(problem)
    limits = e.capacity if rule else e.budget
    finite = np.isfinite(limits)
    if not finite.any() or _holds_all(problem, evaluation, float(limits[finite].min())):
        return ""
    if "memory" in target.switches and _costs_nothing(problem, evaluation, "memory", bounds):
        return ""
    one = limited_word(problem)
    share = np.where(finite, evaluation.memory / np.where(limits > 0, limits, np.inf), 0.0)
    fullest = int(np.argmax(share))
    held = f"{bytes_text(float(evaluation.memory[fullest]))} of {bytes_text(float(limits[fullest]))}"
    if share[fullest] < FULL:
        return f"More memory per {one} may help as well: the fullest holds {held}."
    if share[fullest] > 1.0:
        return f"More memory per {one} may help as well: {problem.devices[fullest].title} holds more than fits ({held})."
    return f"{SHORT}: {problem.devices[fullest].title} holds {held}, so more of it per {one} may help most."


def short_elsewhere(problem: Problem, evaluation: Evaluation, bounds: Iterable[Bound]) -> str:
    """That a limit on memory keeps ops off devices other than the bottleneck, in a sentence; empty where none of these is full."""
    if not must_fit(problem):
        return ""
    others = np.arange(len(problem.devices)) != evaluation.bottleneck
    full = evaluation.memory >= FULL * problem.evaluator.capacity
    said = _memory(problem, evaluation, tuple(bounds)) if (full & others).any() else ""
    return said if said.startswith(SHORT) else ""


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


def _costs_nothing(problem: Problem, evaluation: Evaluation, rule: str, bounds: tuple[Bound, ...]) -> bool:
    """Whether it is proven that no plan is better without one of the target's rules that can be switched off."""
    field, off = problem.target.switches[rule]
    without = replace(problem, target=replace(problem.target, **{field: off}))  # type: ignore[type-var]
    gap = without.standing(evaluation.values, bounds).gap
    return gap is not None and gap < LOOSE


def _rules(problem: Problem, evaluation: Evaluation, bounds: tuple[Bound, ...]) -> str:
    """The rules in force, apart from memory, without which plans may be better, as far as nothing is proven of that."""
    if len(problem.devices) < 2:
        return ""
    in_force = set(problem.target.rules(problem.graph))
    switched = [
        RULES.get(rule, rule.replace("_", " "))
        for rule in problem.target.switches
        if rule != "memory" and rule in in_force and not _costs_nothing(problem, evaluation, rule, bounds)
    ]
    said = []
    if switched:
        said.append(f"Plans that need not keep {_or(switched)} may be better, too.")
    if unsupported := int(np.count_nonzero(~problem.evaluator.supported.all(axis=0))):
        them = "it" if unsupported == 1 else "them"
        said.append(f"{plural(unsupported, 'op')} cannot go everywhere: support for {them} may help as well.")
    return " ".join(said)


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
