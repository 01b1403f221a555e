"""The tiny device pools on which kernels are compiled."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pool.target import DevicePool
from planner.methods import tiny
from planner.problem.target import Target


class Warm(tiny.Warm):
    """Pools with and without memory limits, contiguity, backward ops, replication and clusters."""

    targets: ClassVar[tuple[tuple[Target, bool], ...]] = (
        (DevicePool(2, 1), False),
        (DevicePool(2, 1, memory=1e6), True),
        (DevicePool(2, 1, memory=1e6, contiguous=False), False),
        (DevicePool(2, 1), True),
        (DevicePool(2, 1, bandwidth=1.0, replication=True), False),
        (DevicePool(4, 1, bandwidth=1.0, clusters=2, cluster_speed=4.0), False),
    )
