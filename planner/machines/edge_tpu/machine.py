"""A pipeline of Edge TPUs: its entry."""

from __future__ import annotations

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.machine import Machine

MACHINE = Machine(
    package=__package__,
    target=EdgeTpuPipeline,
    planners=("edge-tpu-ilp", "edge-tpu-fastest", "edge-tpu-balanced", "edge-tpu-profiled"),
    bounds=("ilp", "fastest"),
    preferred=(
        "edge-tpu-ilp",
        "edge-tpu-fastest",
        "anneal",
        "chain-dp",
        "slice-random",
        "slice",
        "local-search",
    ),
    preferred_bounds=("chain-dp", "exact", "two-superblock", "ilp", "fastest", "simple"),
    quick=("edge-tpu-balanced", "one-device", "slice"),
    exact={"chain-dp": 0.8},
    first=("chain-dp", "edge-tpu-ilp", "edge-tpu-fastest", "slice", "edge-tpu-balanced"),
    further=("slice", "local-search"),
    without_solver=("local-search",),
    immediate="simple",
    unasked=("ilp", "fastest", "chain-dp", "two-superblock"),
    least=".least:least",
    warm=".warm:Warm",
    exports={
        "edge-tpu": (
            ".report:FORM",
            "tensors to cut at and the memory of each segment of an Edge TPU pipeline (text and JSON)",
        )
    },
)
