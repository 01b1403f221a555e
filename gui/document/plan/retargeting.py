"""Where ops and pins go when the machine changes: to the device of the same name, not of the same number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.model.graph import Ints
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

    Its namesake; else the last device of its kind; else the one of its number, or the last of all.
    """
    last = {device.kind: i for i, device in enumerate(after)}
    found = namesakes(before, after)
    for i in np.flatnonzero(found < 0).tolist():
        found[i] = last.get(before[i].kind, min(i, len(after) - 1))
    return found


def _place(device: Device) -> tuple[str, int]:
    """The name without a slot, and the slot."""
    base, _, slot = device.name.partition(".")
    return base, int(slot) if slot.isdecimal() else 0
