"""A row of blocks: its entry."""

from __future__ import annotations

from planner.machines.machine import Machine
from planner.machines.pipeline.target import Pipeline

MACHINE = Machine(
    package=__package__,
    target=Pipeline,
    planners=("slice", "brkga", "mla", "mla-weighted", "anneal", "mtpp-mip", "mtpp-cp-sat", "one-device"),
    bounds=("two-superblock", "bottleneck", "bottleneck-guess", "exact"),
    preferred=("anneal", "slice-random", "slice", "local-search"),
    preferred_bounds=("two-superblock", "simple"),
    quick=("one-device", "slice"),
    first=("slice",),
    further=("slice", "local-search"),
    without_solver=("local-search",),
    immediate="simple",
    warm=".warm:Warm",
)
