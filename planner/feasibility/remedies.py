"""What would give an infeasible problem a valid plan: one change each, tried out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from planner.errors import StageboardError
from planner.evaluation.memory_words import limited_word, memories_in_words, raised_in_words
from planner.feasibility.decide import decide
from planner.feasibility.explanation import Remedy
from planner.feasibility.witness import counted_plan, valid
from planner.machines.evident import conflict_of, knowledge_of
from planner.methods.feasibility.cause import Cause
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.requirements import name_of, switched_off, token
from planner.methods.feasibility.verdict import Change, Verdict
from planner.methods.feasibility.wording import listed
from planner.problem.per_device import PerDevice, at_least, smallest, unlike
from planner.problem.problem import Problem
from planner.problem.target import Target
from planner.quantity import bytes_text, exact_bytes_text

MIB = 2.0**20
MOST_OF_A_KIND = 4
"""Pins, keep-togethers or sources of one explanation that are offered one by one."""
MEMORY_STEPS = (1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0)
"""How much more memory than surely needed is tried."""
MEMORY_FIRST = 0.6
"""Share of the time for the least memory where it is not known what is responsible."""
STEP = MIB / 16
"""Bytes in whose multiples memory is offered."""
QUICKLY = 5.0
"""Seconds after which less memory yet is not looked for, which counted searches need on large models alone: what is offered is not more than the planners need
that are tried where nobody names one."""
MOMENT = 0.5
"""Seconds that a change without smaller and larger steps is tried at least, whatever the others took."""

OFF = {
    "triangle": ("Switch the triangle rule off", "a direct dependency between chips beside an indirect one is then allowed"),
    "no_skip": ("Let chips be skipped", "chips below the highest used one may then be empty"),
    "every_chip": ("Leave chips empty", "chips at the end of the row may then hold no op"),
    "path": ("Let stages be passed", "ops may then send past a stage"),
    "memory": ("Switch the memory rule off", "devices may then hold more than fits"),
    "contiguous": ("Give up contiguity", "the ops of a device may then lie anywhere in the graph"),
    "shared_children": ("Let consumers of an op part", "ops that read from the same op may then be on several stages"),
}  # fmt: skip


def remedies(problem: Problem, cause: Cause, clock: Clock, seed: int) -> tuple[Remedy, ...]:
    """Changes after which there is a valid plan, those that are verified first."""
    found: list[Remedy] = []
    steps = (_fewer_devices, _finer, _memory, _devices)
    for family in (_fewer_devices, _finer, _own, _constraints, _memory, _devices, _rules):
        changes = list(family(problem, cause, clock))
        if family in (_memory, _devices):
            step = _smallest_step(problem, changes, clock.at_most(clock.left / 2), seed)
            if step is not None:
                found.append(_settled(problem, step, cause, clock, seed) if family is _memory else step)
                continue
        for i, change in enumerate(changes):
            if clock.cancelled or (clock.over() and i >= MOST_OF_A_KIND):
                break
            # Each change of a family of alternatives is a larger step: the first that works is enough.
            span = clock.at_most(clock.left / (len(changes) - i + 2))
            remedy = _tried(problem, change, span, seed, 0.0 if family in steps else MOMENT)
            if remedy is not None:
                found.append(remedy)
                if family in steps and remedy.verified:
                    break
    if not any(remedy.verified for remedy in found):
        several = _several(problem, cause, clock, seed)
        found += [several] if several is not None else []
    verified = [remedy for remedy in found if remedy.verified]
    return tuple(verified + _first_of_each(found))


def relaxations(problem: Problem, clock: Clock, seed: int) -> tuple[Remedy, ...]:
    """The nearest changes after which a valid plan was found, where neither a plan is known nor a proof that there is none: a
    little more memory, then one constraint less, or a rule."""
    rules = tuple(rule.partition("<=")[0] for rule in problem.target.rules(problem.graph))
    cause = Cause((), (*rules, *(token(one) for one in problem.constraints)), "")
    found: list[Remedy] = []
    step = _smallest_step(
        problem, list(_memory(problem, cause, clock)), clock.at_most(clock.left * MEMORY_FIRST), seed
    )
    if step is not None:
        found.append(_settled(problem, step, cause, clock, seed))
    changes = [*_constraints(problem, cause, clock), *_rules(problem, cause, clock)]
    for i, change in enumerate(changes):
        if clock.over():
            break
        remedy = _tried(problem, change, clock.at_most(clock.left / (len(changes) - i)), seed)
        if remedy is not None and remedy.verified:
            found.append(remedy)
    return tuple(found)


def poor_remedies(problem: Problem, cause: Cause, clock: Clock, seed: int) -> tuple[Remedy, ...]:
    """Changes after which the direct dependency of ``cause`` keeps nothing on two chips."""
    changes = [*_own(problem, cause, clock), *_rules(problem, cause, clock)]
    tried = [_tried(problem, change, clock.at_most(clock.left / 2), seed) for change in changes]
    return tuple(remedy for remedy in tried if remedy is not None)


def _first_of_each(found: list[Remedy]) -> list[Remedy]:
    """What is not verified, without further steps of what has been offered already; rules are no steps of one another."""
    out: dict[str, Remedy] = {}
    switched = {title for title, _ in OFF.values()}
    kinds = [one.title if one.title in switched else one.title.split()[0] for one in found]
    verified = {kind for kind, remedy in zip(kinds, found, strict=True) if remedy.verified}
    for kind, remedy in zip(kinds, found, strict=True):
        if not remedy.verified and kind not in verified:
            out.setdefault(kind, remedy)
    return list(out.values())


def _smallest_step(problem: Problem, changes: list[Change], clock: Clock, seed: int) -> Remedy | None:
    """The first of ever larger ``changes`` for which a plan is seen at once, then a smaller one by bisection with a search."""
    at_once = (_tried(problem, change, clock.at_most(0.0), seed) for change in changes if not clock.over())
    seen = ((i, remedy) for i, remedy in enumerate(at_once) if remedy is not None and remedy.verified)
    high, best = next(seen, (0, None))
    low = 0
    while best is not None and low < high and not clock.over():
        middle = (low + high) // 2
        remedy = _tried(problem, changes[middle], clock.at_most(clock.left / 3), seed)
        if remedy is not None and remedy.verified:
            best, high = remedy, middle
        else:
            low = middle + 1
    return best


def _settled(problem: Problem, step: Remedy, cause: Cause, clock: Clock, seed: int) -> Remedy:
    """A step to more memory with as little of it as a plan is found for quickly."""
    step = _smaller(problem, step, cause.memory, clock.at_least(QUICKLY).at_most(QUICKLY), seed)
    return _tight(problem, step, cause.memory)


def _smaller(problem: Problem, remedy: Remedy, least: float, clock: Clock, seed: int) -> Remedy:
    """The remedy with less memory, between the ``least`` that could do and what its plan needs, where planners find a plan quickly."""
    field, _ = problem.target.grows["memory"]
    low = _rounded(max(least, smallest(getattr(problem.target, field))))
    high = _need(problem, remedy)
    # To the sixteenth, and by counted searches: whoever asks, with however much time, is told the same.
    while high - low > STEP and not clock.over():
        target = _with_memory(problem.target, field, middle := _rounded((low + high) / 2))
        device_of = counted_plan(replace(problem, target=target), clock, seed)
        if device_of is None:
            low = middle
            continue
        remedy = replace(remedy, target=target, device_of=device_of)
        high = _need(problem, remedy)
    return remedy


def _need(problem: Problem, remedy: Remedy) -> float:
    """Bytes of memory that the remedy's plan needs, rounded up: what its fullest device holds, but no more than the remedy gives; 0 where it
    has no plan."""
    if remedy.device_of is None:
        return 0.0
    changed = remedy.apply(problem)
    given = smallest(getattr(changed.target, problem.target.grows["memory"][0]))
    fullest = knowledge_of(changed).fullest(changed, remedy.device_of)
    return 0.0 if fullest is None else min(_rounded(fullest.bytes), given)


def _tight(problem: Problem, remedy: Remedy, least: float) -> Remedy:
    """As much memory as the plan that was found needs, no more, what that consists of, and how it goes with the ``least`` that could do."""
    field, what = problem.target.grows["memory"][0], limited_word(problem)
    if remedy.target is None or remedy.device_of is None:
        return remedy
    changed = remedy.apply(problem)
    fullest = knowledge_of(changed).fullest(changed, remedy.device_of)
    if fullest is None:
        return remedy
    given = smallest(getattr(remedy.target, field))
    size = min(_rounded(fullest.bytes), given)
    target = _with_memory(problem.target, field, size)
    if valid(replace(problem, target=target), remedy.device_of) is None:
        size, target = given, remedy.target
    sentence = (
        f"{_fitting(what, getattr(problem.target, field), size)}: in the plan found for that,"
        f" {changed.devices[fullest.device].title} is the fullest, with {fullest.parts}"
    )
    if not least:
        sentence += f". With less than {exact_bytes_text(size)} none was found"
    elif size > _rounded(least):
        sentence += f". With less than {bytes_text(least)} there is no plan, with less than {exact_bytes_text(size)} none was found"
    return replace(
        remedy, title=_giving(what, getattr(problem.target, field), size), sentence=sentence, target=target
    )


def _with_memory(target: Target, field: str, size: float) -> Target:
    """The target with at least so many bytes in each device's memory, if each has one of its own."""
    return replace(target, **{field: at_least(getattr(target, field), size)})  # type: ignore[type-var]


def _rounded(size: float) -> float:
    """Up to sixteenths of a MiB."""
    return math.ceil(size / STEP) * STEP


def _giving(what: str, now: PerDevice, size: float) -> str:
    return f"Give each {what} {raised_in_words(now, size)}"


def _fitting(what: str, now: PerDevice, size: float) -> str:
    """What a memory of ``size`` bytes, where there is less ``now``, does for the ops."""
    had, gets = memories_in_words(now), raised_in_words(now, size)
    if unlike(now):
        return f"with {gets} in each {what}, where there are {had}, the ops fit"
    return f"with {gets} instead of {had} in each {what} the ops fit"


def _tried(problem: Problem, change: Change, clock: Clock, seed: int, moment: float = 0.0) -> Remedy | None:
    """The change as a remedy, None where it is proven to be none; where time is too short for a verdict, planners have ``moment`` seconds yet."""
    remedy = Remedy(change.title, change.sentence, change.target, change.constraints)
    try:
        changed = remedy.apply(problem)
        verdict = decide(changed, clock, seed)
    except StageboardError:
        return None
    if verdict.status == "infeasible":
        return None
    device_of = verdict.device_of
    if device_of is None and moment:
        device_of = counted_plan(changed, clock.at_least(moment).at_most(moment), seed)
    return replace(remedy, verified=device_of is not None, device_of=device_of)


# ---------------------------------------------------------------------------------------------------------- changes
def _fewer_devices(problem: Problem, cause: Cause, clock: Clock) -> Iterator[Change]:
    """Smaller machines."""
    return knowledge_of(problem).fewer_devices(problem, cause)


def _finer(problem: Problem, cause: Cause, clock: Clock) -> Iterator[Change]:
    """Fewer bytes for each number."""
    return knowledge_of(problem).finer(problem, cause)


def _own(problem: Problem, cause: Cause, clock: Clock) -> Iterator[Change]:
    """What only this machine allows."""
    return knowledge_of(problem).changes(problem, cause)


def _constraints(problem: Problem, cause: Cause, clock: Clock) -> Iterator[Change]:
    """Give up one of the pins or keep-togethers that are responsible."""
    named = [c for c in problem.constraints if token(c) in cause.rules]
    for c in named[:MOST_OF_A_KIND]:
        rest = tuple(other for other in problem.constraints if other != c)
        name = name_of(problem, c)
        verb = "Remove" if name.startswith("the pin") else "Stop"
        yield Change(f"{verb} {name}", f"{name} is then no longer demanded", constraints=rest)


def _memory(problem: Problem, cause: Cause, clock: Clock) -> Iterator[Change]:
    """The least memory that may be enough, then more."""
    target = problem.target
    field, _ = target.grows.get("memory", ("", ""))
    if not field or "memory" not in cause.rules:
        return
    what = limited_word(problem)
    now = smallest(getattr(target, field))
    least = max(cause.memory, now)
    for factor in MEMORY_STEPS:
        size = _rounded(least * factor)
        if size > now and not clock.over():
            changed = _with_memory(target, field, size)
            if conflict_of(replace(problem, target=changed)) is None:
                yield Change(
                    _giving(what, getattr(target, field), size),
                    _fitting(what, getattr(target, field), size),
                    target=changed,
                )


def _devices(problem: Problem, cause: Cause, clock: Clock) -> Iterator[Change]:
    """More devices, where all of them together hold too little."""
    target = problem.target
    field, what = target.grows.get("devices", ("", ""))
    if not field or not cause.devices or "memory" not in cause.rules:
        return
    now = int(getattr(target, field))
    for count in sorted({max(now + 1, math.ceil(cause.devices * factor)) for factor in MEMORY_STEPS}):
        try:
            changed = target.resized(field, count)
        except StageboardError:
            return
        yield Change(f"Use {count} {what}", f"{count} {what} instead of {now} hold all ops", target=changed)


def _rules(problem: Problem, cause: Cause, clock: Clock) -> Iterator[Change]:
    """Switch off one of the rules that are responsible."""
    for rule in cause.rules:
        if rule in problem.target.switches:
            changed = switched_off(problem, rule)
            if changed is not None:
                other = (f"Switch the rule '{rule}' off", "plans need not keep it then")
                title, sentence = OFF.get(rule, other)
                yield Change(title, sentence, target=changed.target)


def _several(problem: Problem, cause: Cause, clock: Clock, seed: int) -> Remedy | None:
    """Changes one after the other until there is a plan: each takes away a conflict that can be seen without a search."""
    titles: list[str] = []
    current, verdict = problem, Verdict("infeasible")
    while verdict.status == "infeasible" and len(titles) < MOST_OF_A_KIND and not clock.over():
        change = next(
            (c for family in (_constraints, _memory, _rules) for c in family(current, cause, clock)), None
        )
        if change is None:
            return None
        titles.append(change.title if not titles else change.title[0].lower() + change.title[1:])
        current = Remedy("", "", change.target, change.constraints).apply(current)
        verdict = decide(current, clock.at_most(clock.left / 2), seed)
        if verdict.status == "infeasible":
            # Where no conflict is seen, any of the constraints that are left may be in the way.
            left = tuple(token(c) for c in current.constraints)
            cause = Cause((), left, "") if verdict.conflict is None else Cause.of(verdict.conflict)
    if verdict.status != "feasible" or len(titles) < 2:
        return None
    return Remedy(
        listed(titles),
        f"these {len(titles)} changes together leave a valid plan",
        target=None if current.target == problem.target else current.target,
        constraints=None if current.constraints == problem.constraints else current.constraints,
        verified=True,
        device_of=verdict.device_of,
    )
