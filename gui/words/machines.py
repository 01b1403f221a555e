"""What machines are called, in words that need no knowledge of specifications."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import Field, fields

import numpy as np

from gui.look.numbers import plural
from gui.words.objectives import component_words, objective_title
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.model.graph import Ints
from planner.problem.base import PlanningProblem
from planner.problem.problem import Problem, constraint_words
from planner.problem.target import Target
from planner.reports.comparison.rules import setting_words, value_words


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


def kinds_of(problem: Problem, devices: Ints) -> str:
    """What sentences call several devices (int[k]): all by their kind where they have one, else devices."""
    kinds = {problem.devices[d].kind.replace("cpu", "CPU") for d in devices.tolist()}
    return f"{kinds.pop()}s" if len(kinds) == 1 else "devices"


def counted_titles(problem: PlanningProblem | None) -> tuple[str, str]:
    """One and many of what a machine is asked the number of, as titles have them: ``Chip`` and ``Chips``; stages where nothing is open."""
    one, many = counted_words(problem)
    return one[:1].upper() + one[1:], many[:1].upper() + many[1:]


def counted_words(problem: PlanningProblem | None) -> tuple[str, str]:
    """The same as sentences have them: ``chip`` and ``chips``."""
    counted = problem.target.counted if isinstance(problem, Problem) else None
    return ("stage", "stages") if counted is None else (counted.one, counted.many)


def parameter_names(target: type[Target]) -> str:
    """What a kind of target lets one choose, by which it is looked for: ``accelerators CPUs memory ...``."""
    return " ".join(field.metadata.get("label") or field.name.replace("_", " ") for field in fields(target))  # type: ignore[arg-type]


def machine_words(problem: Problem) -> str:
    """A machine and its devices: ``a pipeline of 4 stages``, ``a device pool of 2 accelerators and 1 CPU``."""
    return f"{problem.target.in_words} of {counted_devices(problem)}"


def machines_told_apart(before: Problem, after: Problem) -> tuple[str, str]:
    """:func:`machine_words` of two problems; where those are alike, with the settings in which the machines differ:
    ``a multi-chip module of 36 chips, precision int8``."""
    said = [machine_words(before), machine_words(after)]
    targets = before.target, after.target
    if said[0] != said[1] or type(targets[0]) is not type(targets[1]):
        return said[0], said[1]
    for f in fields(targets[0]):  # type: ignore[arg-type]
        values = [getattr(target, f.name) for target in targets]
        if values[0] != values[1]:
            name = str(f.metadata.get("label") or f.name).lower()
            said = [
                f"{words}, {name} {_setting(value, f)}" for words, value in zip(said, values, strict=True)
            ]
    return said[0], said[1]


def machine_with_settings(problem: Problem) -> str:
    """A machine with all of its settings that are not the usual ones, as :meth:`~planner.problem.target.Target.spec` has them, in words:
    ``multi-chip module of 6 chips, memory of a chip 128.00 MiB, int8``; its kind alone where all are as usual."""
    target = problem.target
    heads, _ = target.spec_head()
    said = [
        setting_words(value, f) for f in fields(target)  # type: ignore[arg-type]
        if f.name not in heads and (value := getattr(target, f.name)) != f.default
    ]  # fmt: skip
    words = machine_words(problem) if said else target.in_words
    return ", ".join([words.partition(" ")[2], *said])


def fast_memory_words(problem: NetworkProblem) -> str:
    """The memory that an order is for, and what is evicted from it: ``fast memory of 20 values, LRU``."""
    return f"fast memory of {plural(problem.target.size, 'value')}, {problem.target.policy.upper()}"


def _setting(value: object, of: Field[object]) -> str:
    """The value of one setting, in words."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return value_words(value, of)


def changed_words(before: PlanningProblem, after: PlanningProblem) -> str:
    """What of the objective, the machine's parameters and the cost model is another: ``cache``, ``down and up``."""
    found = [] if before.objective == after.objective else ["objective"]
    found += [
        str(f.metadata.get("label") or f.name.replace("_", " ")).lower() for f in fields(after.target)  # type: ignore[arg-type]
        if getattr(before.target, f.name, None) != getattr(after.target, f.name)
    ]  # fmt: skip
    if (
        isinstance(before, Problem)
        and isinstance(after, Problem)
        and before.graph.cost_model != after.graph.cost_model
    ):
        found.append("cost model")
    return " and ".join(found) if len(found) < 3 else f"{found[0]} and {len(found) - 1} more settings"


def devices_words(problem: Problem) -> str:
    """The devices, and what of the target is chosen by a word: ``4 stages``, ``3 accelerators + 1 CPU``, ``12 chips, int8``."""
    return ", ".join([counted_devices(problem, " + "), *_chosen(problem)])


def hardware_words(problem: Problem) -> str:
    """The same by the hardware's whole name, where it has one: ``4 Edge TPUs``, for titles that name no machine beside it."""
    words = problem.target.words
    if not words.product:
        return devices_words(problem)
    return ", ".join([plural(len(problem.devices), words.product, words.products), *_chosen(problem)])


def picture_title(problem: Problem) -> str:
    """What a picture of a plan is called where nobody says: ``ResNet50 on 4 Edge TPUs``, and what the plan must keep beyond the settings of
    its machine, which the line below says."""
    return ", ".join([f"{problem.graph.name} on {hardware_words(problem)}", *_kept_words(problem)])


def conditions_words(problem: Problem) -> str:
    """What a plan must keep beyond the usual: limits of the target that are not the default, pins, ops kept together; empty where
    there is nothing: ``memory 40 MiB, with 16 pins``. Ops that are copied where they are read are named, too."""
    target = problem.target
    said = [
        f"{str(f.metadata.get('label') or f.name).lower()} {_setting(value, f)}" for f in fields(target)  # type: ignore[arg-type]
        if f.metadata.get("unit") == "B" and (value := getattr(target, f.name)) != f.default
    ]  # fmt: skip
    return ", ".join([*said, *_kept_words(problem)])


def _kept_words(problem: Problem) -> list[str]:
    """Ops that are copied where they are read, pins and ops kept together."""
    copied, said = np.flatnonzero(problem.evaluator.copied).tolist(), []
    if copied:
        one = problem.graph.op_names[copied[0]]
        said.append(f"{one if len(copied) == 1 else plural(len(copied), 'op')} copied")
    kept = constraint_words(problem)
    return [*said, *([f"with {kept}"] if kept else [])]


def apart_words(problem: Problem, others: Iterable[PlanningProblem]) -> str:
    """What sets a problem apart from ``others`` of its model and machine beyond what its devices and conditions say anyway:
    ``non-contiguous``, ``memory unlimited``; empty where nothing does."""
    target, model = problem.target, problem.graph.fingerprint
    alike = [
        other for other in others
        if isinstance(other, Problem) and other.target.kind == target.kind and other.graph.fingerprint == model
    ]  # fmt: skip
    said = []
    for f in fields(target):  # type: ignore[arg-type]
        value = getattr(target, f.name)
        unlike = [other for other in alike if getattr(other.target, f.name) != value]
        name = str(f.metadata.get("label") or f.name.replace("_", " ")).lower()
        counts = isinstance(value, int) and not isinstance(value, bool)
        if not unlike or (counts and all(devices_words(o) != devices_words(problem) for o in unlike)):
            continue
        if isinstance(value, bool):
            said.append(f.metadata["kept"] or name if value else f.metadata["off"] or f"no {name}")
        elif isinstance(value, str):
            said += [value] if value == f.default else []
        elif f.metadata.get("unit") != "B" or value == f.default:
            said.append(f"{name} {_setting(value, f)}")
    title = component_words(problem.components[0]).title
    same = (other for other in alike if component_words(other.components[0]).title == title)
    if any(other.objective != problem.objective for other in same):
        said.append(objective_title(problem.objective).lower())
    return ", ".join(said)


def rules_words(problem: Problem) -> list[str]:
    """What plans for a problem are called by the rules of its target that could be switched off and are on: ``contiguous``."""
    return problem.target.kept_words(problem.target.rules(problem.graph))


def shared_machine(problems: Sequence[Problem]) -> str:
    """What machines of one kind have in common, in full: their devices where these are as many, else the kind, and the settings that are
    not the usual ones: `` on 4 Edge TPUs, int8``, `` on a device pool of 2 accelerators and 1 CPU``, ``, pipeline``."""
    targets = [problem.target for problem in problems]
    first, words = problems[0], targets[0].words
    hardware = (
        plural(len(first.devices), words.product, words.products) if words.product else machine_words(first)
    )
    alike = len({counted_devices(problem) for problem in problems}) == 1
    heads, _ = targets[0].spec_head()
    said = [
        setting_words(value, f) for f in fields(targets[0])  # type: ignore[arg-type]
        if f.name not in heads and (value := getattr(targets[0], f.name)) != f.default
        and all(getattr(target, f.name) == value for target in targets)
    ]  # fmt: skip
    return ", ".join([f" on {hardware}" if alike else f", {targets[0].in_words.partition(' ')[2]}", *said])


def machines_by_letter(problems: Sequence[Problem], letters: Sequence[str], *, shared: bool = True) -> str:
    """In what the problems of compared plans differ, of each by its plan's letter, then where it is ``shared`` what is the same of all: ``A on 4
    stages, B on 6 stages``, ``A contiguous, B non-contiguous; 3 accelerators + 1 CPU``. Empty where words tell nothing apart."""
    parts = [
        (devices_words(problem), apart_words(problem, problems), conditions_words(problem))
        for problem in problems
    ]
    unlike = [len(set(column)) > 1 for column in zip(*parts, strict=True)]
    if not any(unlike):
        return ""
    said = []
    for letter, own in zip(letters, parts, strict=False):
        words = ", ".join(word for word, differs in zip(own, unlike, strict=True) if differs and word)
        said.append(f"{letter} on {words}" if unlike[0] else f"{letter} {words or 'without'}")
    same = ", ".join(word for word, differs in zip(parts[0], unlike, strict=True) if not differs and word)
    same = same if shared else ""
    between = "; " if any(", " in words for words in said) else ", "
    return "; ".join(filter(None, (between.join(said), same)))


def _chosen(problem: Problem) -> list[str]:
    """What of the target is chosen by a word that is not the usual one."""
    target = problem.target
    return [
        value for f in fields(target)  # type: ignore[arg-type]
        if isinstance(value := getattr(target, f.name), str) and value and value != f.default
    ]  # fmt: skip
