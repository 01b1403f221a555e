"""Where ops and pins go when the machine changes: to the device of the same name, not of the same number.

Devices that differ by number alone are taken in another order where that breaks fewer rules.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.problem.target import Device


def namesakes(before: Sequence[Device], after: Sequence[Device]) -> Ints:
    """For each device of one machine the same device of another (int32), -1 where there is none.

    An accelerator that runs subgraphs in turn is several devices, ``acc 1.0``, ``acc 1.1`` and so on: all are ``acc 1``
    where it runs one, which itself goes to the first of them; a slot that is no more goes to the last that is.
    """
    exact = {device.name: i for i, device in enumerate(after)}
    slots: dict[str, list[int]] = {}
    for i, device in enumerate(after):
        slots.setdefault(_place(device)[0], []).append(i)
    found = []
    for device in before:
        base, slot = _place(device)
        mates = slots.get(base, [])
        found.append(exact.get(device.name, mates[min(slot, len(mates) - 1)] if mates else -1))
    return np.array(found, np.int32)


def heirs(before: Sequence[Device], after: Sequence[Device]) -> Ints:
    """For each device of one machine the one of another that takes its ops (int32).

    Its namesake; else the last device of its kind; else the one of its number among those of the first kind, which are the
    fast ones, or their last.
    """
    last = {device.kind: i for i, device in enumerate(after)}
    found = namesakes(before, after)
    for i in np.flatnonzero(found < 0).tolist():
        found[i] = last.get(before[i].kind, min(i, last[after[0].kind]))
    return found


def carried_over(device_of: Ints, before: Problem, after: Problem) -> Ints:
    """An assignment of one machine (int32[n]) on another of the same graph (int32[n]).

    By :func:`heirs`; where that breaks rules, and fewer are broken with devices of a kind numbered in topological order, or with
    neighbours in that order put together where there are fewer devices, so.
    """
    taken = heirs(before.devices, after.devices)[device_of]
    # What evaluates it again, the canvas first, finds it known.
    broken = len(after.evaluate(taken).violations)
    for way in (in_order, put_together):
        if broken:
            other = way(device_of, before, after)
            if (left := len(after.evaluator.violations(other))) < broken:
                taken, broken = other, left
    return taken


def in_order(device_of: Ints, before: Problem, after: Problem) -> Ints:
    """An assignment of one machine (int32[n]) on another: the devices of each kind in the order in which they work (int32[n]).

    A device goes to the next one of its own kind, of the first kind where there is none; those beyond the last go to it.
    """
    kinds = [device.kind for device in after.devices]
    free = {kind: [i for i, other in enumerate(kinds) if other == kind] for kind in dict.fromkeys(kinds)}
    taken = np.zeros(len(before.devices), np.int32)
    for device in _working_order(device_of, before):
        kind = before.devices[device].kind
        room = free[kind if kind in free else kinds[0]]
        taken[device] = room.pop(0) if len(room) > 1 else room[0]
    return taken[device_of]


def put_together(device_of: Ints, before: Problem, after: Problem) -> Ints:
    """As :func:`in_order`, but where a kind has fewer devices now, neighbours share one so that each has about the same work (int32[n])."""
    kinds = [device.kind for device in after.devices]
    work = np.bincount(device_of, before.evaluator.work_on(device_of), len(before.devices))
    groups: dict[str, list[int]] = {}
    for device in _working_order(device_of, before):
        kind = before.devices[device].kind
        groups.setdefault(kind if kind in kinds else kinds[0], []).append(device)
    taken = np.zeros(len(before.devices), np.int32)
    for kind, devices in groups.items():
        room = np.flatnonzero([other == kind for other in kinds])
        place = np.arange(len(devices))
        if len(devices) > len(room):
            each = work[devices] + 1e-9 * (1.0 + work.sum())
            place = ((np.cumsum(each) - each / 2) / each.sum() * len(room)).astype(int)
        taken[devices] = room[place]
    return taken[device_of]


def _working_order(device_of: Ints, problem: Problem) -> list[int]:
    """The devices that have ops, each after those that it waits for; where two wait for each other the one that begins earlier first."""
    graph, k = problem.graph, len(problem.devices)
    sources, consumers = graph.edges
    waits = np.zeros((k, k), bool)
    waits[device_of[consumers], device_of[sources]] = True
    np.fill_diagonal(waits, False)
    position = np.empty(graph.n)
    position[graph.topological_order] = np.arange(graph.n)
    counts = np.bincount(device_of, minlength=k)
    middle = np.bincount(device_of, position, k) / np.maximum(counts, 1)
    left = sorted(np.flatnonzero(counts).tolist(), key=lambda device: float(middle[device]))
    order: list[int] = []
    while left:
        device = next((d for d in left if not waits[d, left].any()), left[0])
        left.remove(device)
        order.append(device)
    return order


def _place(device: Device) -> tuple[str, int]:
    """The name without a slot, and the slot."""
    base, _, slot = device.name.partition(".")
    return base, int(slot) if slot.isdecimal() else 0
