"""Accelerators and CPUs around a memory: its entry."""

from __future__ import annotations

from planner.machines.machine import Machine
from planner.machines.pool.target import DevicePool

MACHINE = Machine(
    package=__package__,
    target=DevicePool,
    planners=("ideals-dp", "dpl", "memory-fill", "pipedream", "scotch", "max-load-ip", "latency-ip"),
    bounds=("dp", "ip", "critical-path"),
    preferred=(
        "latency-ip",
        "ideals-dp",
        "max-load-ip",
        "dpl",
        "slice-random",
        "local-search",
        "memory-fill",
    ),
    preferred_bounds=("critical-path", "dp", "ip", "simple"),
    quick=("memory-fill", "dpl"),
    first=("ideals-dp", "dpl", "memory-fill"),
    further=("dpl", "local-search", "max-load-ip"),
    without_solver=("memory-fill", "dpl", "ideals-dp", "local-search"),
    immediate="simple",
    unasked=("critical-path", "dp", "ip", "nested-cuts"),
    knowledge=".feasibility:PoolKnowledge",
    repair=".repair:search",
    least=".least:least",
    warm=".warm:Warm",
)
