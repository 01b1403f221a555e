"""Memory that cannot be enough, whatever the plan."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from planner.methods.feasibility.conflicts import Conflict
from planner.methods.feasibility.requirements import token
from planner.methods.feasibility.wording import listed
from planner.model.graph import Floats, Ints
from planner.problem.problem import Pin, Problem
from planner.quantity import bytes_text

SLACK = 1e-9
"""A rounding error that the memory rule lets pass."""


def memory_conflict(problem: Problem) -> Conflict | None:
    """A unit that is larger than every device it may be on, pins that overfill a device, or too much altogether.

    Of several the one of the fewest constraints and ops is named, then the one that asks for most memory: what answers it answers all.
    """
    e = problem.evaluator
    if not any(rule.name == "memory" for rule in e.rules):
        return None
    found = [conflict for look in (_unit, _pinned, _total) if (conflict := look(problem)) is not None]
    if not found:
        return None
    named = least = min(found, key=lambda conflict: (len(conflict.rules), len(conflict.ops)))
    most = max(found, key=lambda conflict: conflict.memory)
    if named is not most:
        # What is offered answers both, so both are said.
        named = replace(named, memory=most.memory, sentence=f"{named.sentence}; besides, {most.sentence}")
    return _with_alike(problem, named) if least.alone else named


def fit_nowhere(problem: Problem) -> list[Ints]:
    """The ops (int32[m]) of each group that are too large for every device they may be on, those that need most first."""
    return [problem.groups.ops(g) for g in _too_large(problem)]


def unit_bytes(problem: Problem, op: int) -> float:
    """What the ops that share a device with ``op`` need there at least, in bytes."""
    held, most = _units(problem)
    g = int(problem.groups.group_of[op])
    return float(held[g] + most[g])


def _units(problem: Problem) -> tuple[Floats, Floats]:
    """What the ops of each group hold, and the most that one of them reads and writes (float64[groups], bytes)."""
    e, groups = problem.evaluator, problem.groups
    most = np.zeros(groups.count)
    np.maximum.at(most, groups.group_of, e.working_set())
    return np.bincount(groups.group_of, e.memory, groups.count).astype(np.float64), most


def _room(problem: Problem) -> Floats:
    """The most that a device holds on which the ops of each group may be (float64[groups], bytes)."""
    e, groups = problem.evaluator, problem.groups
    room = np.full(groups.count, np.inf)
    np.minimum.at(room, groups.group_of, np.where(e.allowed, e.capacity[None, :], 0.0).max(axis=1))
    return room


def _too_large(problem: Problem) -> list[int]:
    """Groups that no device holds, those that need most first."""
    held, most = _units(problem)
    need = held + most
    large = np.flatnonzero(need > _room(problem) * (1 + SLACK))
    found: list[int] = large[np.argsort(-need[large], kind="stable")].tolist()
    return found


def _with_alike(problem: Problem, named: Conflict) -> Conflict:
    """A conflict about the largest ops that no device holds with all others of which that is so: a memory for the first need not hold them."""
    large = _too_large(problem)
    if len(large) < 2:
        return named
    names, groups = problem.graph.op_names, problem.groups
    told, ops = [], list(named.ops)
    for g in large[1:]:
        members = groups.ops(g).tolist()
        ops += members
        beside = f" and {len(members) - 1} more on its device" if len(members) > 1 else ""
        told.append(f"{names[members[0]]}{beside} ({bytes_text(unit_bytes(problem, members[0]))})")
    more = len(told)
    them = "fits" if more == 1 else "fit"
    what = "op" if groups.count == problem.graph.n else "unit"
    sentence = f"{named.sentence}; {more} more {what}{'s' if more > 1 else ''} {them} no device alone, either: {listed(told)}"
    return replace(named, ops=tuple(ops), sentence=sentence)


def _unit(problem: Problem) -> Conflict | None:
    e, groups = problem.evaluator, problem.groups
    active = e.working_set()
    held, most = _units(problem)
    room = _room(problem)
    large = _too_large(problem)
    if not large:
        return None
    g = large[0]
    ops = groups.ops(g)
    need = float(held[g] + most[g])
    first = ops[np.argsort(-(e.memory[ops] + active[ops]), kind="stable")].tolist()
    names = problem.graph.op_names
    who = names[first[0]]
    if len(first) > 1:
        who += f" and {len(first) - 1} more ops that share its device"
    verb = "needs" if len(first) == 1 else "need"
    parts = (
        f" ({bytes_text(float(held[g]))} parameters and {bytes_text(float(most[g]))} of what it reads and writes)"
        if most[g] and len(first) == 1
        else ""
    )
    sentence = f"{who} {verb} {bytes_text(need)}{parts}, and no device they may be on holds more than {bytes_text(float(room[g]))}"
    if len(first) == 1:
        sentence = sentence.replace("they may be on", "it may be on")
    return Conflict(tuple(first), ("memory", *_tied(problem, g)), sentence, memory=need, alone=True)


def _pinned(problem: Problem) -> Conflict | None:
    e, groups = problem.evaluator, problem.groups
    device = np.full(groups.count, -1, np.int64)
    ops = np.flatnonzero(e.pinned >= 0)
    device[groups.group_of[ops]] = e.owner[e.pinned[ops]]
    bound = device[groups.group_of]
    for d in np.unique(bound[bound >= 0]).tolist():
        if not e.pays[d]:
            continue
        on = np.flatnonzero(bound == d)
        need = float(e.memory[on].sum())
        if need <= e.capacity[d] * (1 + SLACK):
            continue
        largest = on[np.argsort(-e.memory[on], kind="stable")]
        total = np.cumsum(e.memory[largest])
        enough = largest[
            : int(np.searchsorted(total, e.capacity[d] * (1 + SLACK), side="right")) + 1
        ].tolist()
        names = problem.graph.op_names
        sentence = (
            f"{listed([names[v] for v in enough], 3)}, kept on {problem.devices[d].title} by pins, need"
            f" {bytes_text(float(e.memory[enough].sum()))},"
            f" {bytes_text(float(e.memory[enough].sum() - e.capacity[d]))} more than it holds"
        )
        tied = [t for g in np.unique(groups.group_of[enough]).tolist() for t in _tied(problem, g)]
        return Conflict(tuple(enough), ("memory", *dict.fromkeys(tied)), sentence, memory=need)
    return None


def _total(problem: Problem) -> Conflict | None:
    e = problem.evaluator
    limited = np.isfinite(e.capacity)
    bound = ~(e.allowed & ~limited[None, :]).any(axis=1)
    machines = [d for d in range(e.k) if limited[d] and e.shares_memory[d].argmax() == d]
    room = float(e.capacity[machines].sum()) if machines else 0.0
    need = float(e.memory[bound].sum())
    if need <= room * (1 + SLACK) or not bound.any():
        return None
    ops = np.flatnonzero(bound)
    largest = ops[np.argsort(-e.memory[ops], kind="stable")]
    total = np.cumsum(e.memory[largest])
    enough = largest[: int(np.searchsorted(total, room * (1 + SLACK), side="right")) + 1].tolist()
    what = problem.target.memory_holds
    names = problem.graph.op_names
    named = listed([names[v] for v in enough], 3)
    sentence = (
        f"the ops need {bytes_text(need)} of {what}, the {len(machines)} devices hold {bytes_text(room)} together;"
        f" {f'{len(enough)} of them already need more together: {named}' if len(enough) > 1 else f'{named} alone needs more'}"
    )
    each = float(e.capacity[machines].max()) if machines else 0.0
    return Conflict(
        tuple(enough),
        ("memory",),
        sentence,
        memory=need / len(machines) if machines else need,
        devices=math.ceil(need / each) if each else 0,
    )


def _tied(problem: Problem, group: int) -> tuple[str, ...]:
    """Constraints that name ops of a group."""
    ids = {problem.graph.op_ids[v] for v in problem.groups.ops(group).tolist()}
    found = [
        token(c)
        for c in problem.constraints
        if (c.op in ids if isinstance(c, Pin) else len(ids.intersection(c.ops)) > 1)
    ]
    return tuple(dict.fromkeys(found))
