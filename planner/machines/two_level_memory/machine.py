"""A fast memory in front of a slow one: its entry."""

from __future__ import annotations

from planner.machines.machine import Machine
from planner.machines.two_level_memory.target import TwoLevelMemory

MACHINE = Machine(
    package=__package__,
    target=TwoLevelMemory,
    planners=("order-portfolio", "locality", "connection-reordering", "theorem-1"),
    bounds=("segments", "theorem-1"),
    preferred=("order-portfolio",),
    preferred_bounds=("segments", "theorem-1"),
    quick=("theorem-1",),
    immediate="theorem-1",
    unasked=("segments",),
    warm=".warm:Warm",
)
