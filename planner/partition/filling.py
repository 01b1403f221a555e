"""Filling one device after another along an order."""

from __future__ import annotations

import numpy as np

from planner.graph import Ints
from planner.partition.contraction import Units


def fill(units: Units, order: Ints, contiguous: bool) -> Ints | None:
    """The device of each unit (int32[m]), or None where the greedy pass runs out of devices."""
    e = units.problem.evaluator
    is_cpu = ~e.pays
    accelerators = np.flatnonzero(~is_cpu).tolist()
    cpus = np.flatnonzero(is_cpu).tolist()
    capacity = np.where(is_cpu, np.inf, e.capacity * (1 + 1e-9))
    device_of = np.full(units.count, -1, np.int32)
    here, used = (accelerators.pop(0) if accelerators else -1), 0.0
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
            while here >= 0 and used + units.memory[u] > capacity[here]:
                here, used = (accelerators.pop(0) if accelerators else -1), 0.0
            if here >= 0:
                device_of[u] = here
                used += units.memory[u]
                continue
        if not cpus:
            return None
        device_of[u] = cpus[0]
        if contiguous:
            on_cpu = cpus.pop(0)
            if here >= 0 and used > 0:
                # The accelerator before the run is full as far as contiguity goes.
                here, used = (accelerators.pop(0) if accelerators else -1), 0.0
    return device_of
