"""A multi-chip module: its entry."""

from __future__ import annotations

from planner.machines.machine import Machine
from planner.machines.mcm.target import McmPackage

MACHINE = Machine(
    package=__package__,
    target=McmPackage,
    planners=(
        "chip-greedy",
        "chip-random",
        "chip-anneal",
        "chip-local-search",
        "chip-learned",
        "chip-cp-sat",
    ),
    bounds=("cp-sat",),
    preferred=("chip-local-search",),
    preferred_bounds=("chain-dp", "cp-sat", "simple"),
    quick=("chip-greedy",),
    first=("chip-local-search",),
    further=("chip-cp-sat",),
    without_solver=("chip-local-search",),
    immediate="simple",
    exact={"chain-dp": 0.3},
    unasked=("chain-dp", "cp-sat"),
    effort={"chip-local-search": 2.4e8},
    knowledge=".feasibility.knowledge:McmKnowledge",
    repair=".repair.repair:search",
    least=".exact.least:least",
    domains=".domains:domains",
    alone=".schedule:alone",
    simulate=".simulation.report:simulate",
    stuck=".simulation.report:stuck",
    warm=".warm:Warm",
)
