"""A row of blocks: its entry."""

from __future__ import annotations

from planner.machines.machine import Machine
from planner.machines.pipeline.target import Pipeline

MACHINE = Machine(
    package=__package__,
    target=Pipeline,
    planners=(
        "slice",
        "brkga",
        "mla",
        "mla-weighted",
        "anneal",
        "mtpp-mip",
        "mtpp-cp-sat",
        "chain-dp",
        "blocks",
        "one-device",
    ),
    bounds=("two-superblock", "blocks", "bottleneck", "bottleneck-guess", "exact", "chain-dp"),
    preferred=("anneal", "slice-random", "slice", "local-search"),
    preferred_bounds=("chain-dp", "blocks", "two-superblock", "exact", "auto", "simple"),
    quick=("one-device", "slice"),
    exact={"chain-dp": 0.8, "mtpp-cp-sat": 0.5},
    first=("chain-dp", "slice"),
    further=("slice", "local-search"),
    without_solver=("local-search",),
    immediate="simple",
    unasked=("chain-dp", "two-superblock", "blocks", "nested-cuts"),
    warm=".warm:Warm",
)
