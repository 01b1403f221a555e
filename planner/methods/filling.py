"""Filling one device after another along an order."""

from __future__ import annotations

import numpy as np

from planner.methods.units import Units
from planner.model.graph import Floats, Ints


def fill(
    units: Units, order: Ints, contiguous: bool, *, cores: bool = False, limit: Floats | None = None
) -> Ints | None:
    """The device of each unit (int32[m]), or None where the greedy pass runs out of devices.

    ``contiguous``: a run of units on a CPU, where no accelerator may hold them, ends the accelerator before it, and takes
    a CPU of its own unless cores do not run out (``cores``). ``limit`` float64[k]: bytes per accelerator instead of its
    capacity. Slots of one accelerator share its memory.
    """
    e = units.problem.evaluator
    is_cpu = ~e.pays
    accelerators = np.flatnonzero(~is_cpu).tolist()
    cpus = np.flatnonzero(is_cpu).tolist()
    capacity = e.capacity if limit is None else np.minimum(limit, e.capacity)
    capacity = np.where(is_cpu, np.inf, capacity * (1 + 1e-9))
    device_of = np.full(units.count, -1, np.int32)
    used = np.zeros(e.k)  # by the first slot of each accelerator
    here = accelerators.pop(0) if accelerators else -1
    begun = False  # whether the current slot holds anything
    on_cpu = -1
    for u in order.tolist():
        supported = bool(units.allowed[u, ~is_cpu].any())
        if contiguous and on_cpu >= 0:
            # A run on a CPU ends where an accelerator is free again; it started a new device either way.
            if not supported or here < 0:
                device_of[u] = on_cpu
                continue
            on_cpu = -1
        if supported:
            while here >= 0 and (
                not units.allowed[u, here] or used[e.owner[here]] + units.memory[u] > capacity[here]
            ):
                here, begun = (accelerators.pop(0) if accelerators else -1), False
            if here >= 0:
                device_of[u] = here
                used[e.owner[here]] += units.memory[u]
                begun = True
                continue
        if not cpus:
            return None
        device_of[u] = cpus[0]
        if contiguous:
            on_cpu = cpus[0] if cores else cpus.pop(0)
            if here >= 0 and begun:
                # The accelerator before the run is full as far as contiguity goes.
                here, begun = (accelerators.pop(0) if accelerators else -1), False
    return device_of
