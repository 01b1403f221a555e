"""What is left to change where no plan is better: what the largest part of the cost depends on, and the limits and rules that plans keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gui.look.numbers import percent, plural
from gui.words.more_devices import MoreDevices
from gui.words.proofs import RULES
from planner.evaluation.memory_words import limited_word, must_fit
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.worst import LATENCY
from planner.quantity import bytes_text
from planner.reports.idle import kept_idle
from planner.text_table import gap_percent

LARGE = 0.5
"""Share of a cost from which a single part or op is named."""
FULL = 0.9
"""Share of its memory that a device holds from which the memory is named first."""
SHORT = "Memory is short"
UNTRIED = "Which of these helps most has not been tried."
OTHERS_UNTRIED = "Which of the others helps most has not been tried."
NOTHING_TO_DO = "nothing to do"
GOOD = 0.2
"""Share of a cost from which transfers are named though work is more."""
HARDLY = 0.1
"""Share of all ops below which so few fit a device that its memory is why it is empty."""
SMALL = 0.01
"""What can be gained at most where what gains it is not worth naming as a remedy."""
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
    memory = unfit or _memory(problem, evaluation, device_of, told)
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
    if not found and (rules := _rules(problem, evaluation, told)):
        said.insert(0 if first and _rules_bring_more(problem, evaluation, told) else len(said), rules)
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
    room = _gap_without(problem, evaluation, "memory", bounds)
    return room is not None and saved > room * sum(parts.values())


def _rules_bring_more(problem: Problem, evaluation: Evaluation, bounds: tuple[Bound, ...]) -> bool:
    """Whether plans without some other rule may be better by more than any memory can make them, as far as that is proven."""
    room = _gap_without(problem, evaluation, "memory", bounds)
    others = (_gap_without(problem, evaluation, rule, bounds) for rule in problem.target.switches)
    return room is not None and any(gap is not None and gap > room for gap in others)


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
        else f"each of {len(empty)} empty {_kinds(problem, empty)}"
    )
    return f"{SHORT}: {few} the {bytes_text(float(e.capacity[d]))} of {whose}, so more of it would help."


def _kinds(problem: Problem, devices: Ints) -> str:
    """What sentences call several devices (int[k]): all by their kind where they have one, else devices."""
    kinds = {problem.devices[d].kind.replace("cpu", "CPU") for d in devices.tolist()}
    return f"{kinds.pop()}s" if len(kinds) == 1 else "devices"


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
            return f"Faster {_kinds(problem, np.unique(device_of))} may help as well."
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
    useless = _idle(problem, device_of) or (more is not None and not more.better)
    another = "" if useless else f" or another {one}"
    return f"{UNCACHED}: more memory for each {one}{another} helps, or a faster link."


def _idle(problem: Problem, device_of: Ints) -> int:
    """Devices without ops that are as good as the others, so that one more would be idle, too."""
    e = problem.evaluator
    used = np.bincount(device_of, minlength=len(problem.devices)) > 0
    d = int(np.argmax(used))
    alike = len(np.unique(e.class_of[used])) == 1 and (e.class_of == e.class_of[d]) & (
        e.capacity == e.capacity[d]
    )
    return int(np.count_nonzero(alike & ~used))


def _more(problem: Problem, device_of: Ints, besides: str, why: str, more: MoreDevices | None) -> str:
    """What helps where the work of several ops counts; ``besides`` follows what may; ``why``: :func:`idle_words`; ``more``: what is known of
    more devices."""
    if why:
        return why
    if idle := _idle(problem, device_of):
        return f"{_nothing_to_do(problem, idle)}, so more of them do not help: faster ones may{besides}."
    if more is not None:
        return f"{more.words}{'. Faster' if more.better else ': faster'} ones may help{besides}."
    return f"More or faster devices may help{besides}."


def _nothing_to_do(problem: Problem, idle: int) -> str:
    """``8 of 12 chips have nothing to do``."""
    return f"{idle} of {len(problem.devices)} {problem.target.words.many} {'has' if idle == 1 else 'have'} {NOTHING_TO_DO}"


def idle_words(problem: Problem, evaluation: Evaluation, device_of: Ints) -> str:
    """How many devices a valid plan (int32[n]) leaves idle, and what does, in sentences; empty where none is, or that is not decided."""
    idle = len(problem.devices) - len(np.unique(device_of))
    why = idle_because(problem, evaluation, device_of) if idle else ""
    return f"{_nothing_to_do(problem, idle)}: {why}" if why else ""


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


def _memory(problem: Problem, evaluation: Evaluation, device_of: Ints, bounds: tuple[Bound, ...]) -> str:
    """The memory of devices where more of it may help: it is limited, and not so large that one device holds everything.

    It is short where a device is full that is or may relieve the bottleneck, unless it is proven that plans without a limit are hardly better.
    """
    e = problem.evaluator
    rule = must_fit(problem)
    limits = e.capacity if rule else e.budget
    finite = np.isfinite(limits)
    if not finite.any() or _holds_all(problem, evaluation, float(limits[finite].min())):
        return ""
    room = _gap_without(problem, evaluation, "memory", bounds)
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
    return f"{SHORT}: {problem.devices[fullest].title} holds {held}, so more of it per {one} may help{_at_most(', by', room)}."


def _at_most(joint: str, gap: float | None) -> str:
    """``, by at most 12 %`` where that is proven and says anything: a bound of 0 does not."""
    return "" if gap is None or gap >= 1.0 else f"{joint} at most {gap_percent(gap)}"


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
    said = _memory(problem, evaluation, device_of, tuple(bounds)) if (full & others).any() else ""
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


def _gap_without(
    problem: Problem, evaluation: Evaluation, rule: str, bounds: tuple[Bound, ...]
) -> float | None:
    """How much better a plan could be at most without one of the target's rules: a share of the cost; None where the rule is always kept, or nothing is proven of that."""
    if rule not in problem.target.switches:
        return None
    field, off = problem.target.switches[rule]
    without = replace(problem, target=replace(problem.target, **{field: off}))  # type: ignore[type-var]
    return without.standing(evaluation.values, bounds).gap


def _rules(problem: Problem, evaluation: Evaluation, bounds: tuple[Bound, ...]) -> str:
    """The rules in force, apart from memory, without which plans may be better, as far as nothing is proven of that."""
    if len(problem.devices) < 2:
        return ""
    in_force = set(problem.target.rules(problem.graph))
    gaps = {rule: _gap_without(problem, evaluation, rule, bounds) for rule in problem.target.switches}
    told = [
        (RULES.get(rule, rule.replace("_", " ")), gap)
        for rule, gap in gaps.items()
        if rule != "memory" and rule in in_force and not (gap is not None and gap < LOOSE)
    ]
    # What can bring most comes first; of what is not known nobody can say that it brings less.
    told.sort(key=lambda one: -1.0 if one[1] is None else -one[1])
    switched = [f"{words} ({most})" if (most := _at_most("by", gap)) else words for words, gap in told]
    said = []
    if switched:
        said.append(f"Plans that need not keep {_or(switched)} may be better.")
    if unsupported := int(np.count_nonzero(~problem.evaluator.supported.all(axis=0))):
        them = "it" if unsupported == 1 else "them"
        said.append(f"{plural(unsupported, 'op')} cannot go everywhere: support for {them} may help as well.")
    return " ".join(said)


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
