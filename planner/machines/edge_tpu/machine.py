"""A pipeline of Edge TPUs: its entry."""

from __future__ import annotations

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.machine import Machine

MACHINE = Machine(
    package=__package__,
    target=EdgeTpuPipeline,
    planners=("edge-tpu-ilp", "edge-tpu-fastest", "edge-tpu-balanced", "edge-tpu-profiled"),
    bounds=("ilp",),
    preferred=("edge-tpu-ilp", "edge-tpu-fastest", "anneal", "slice-random", "slice", "local-search"),
    preferred_bounds=("exact", "two-superblock", "ilp", "simple"),
    quick=("edge-tpu-balanced", "one-device", "slice"),
    first=("slice", "edge-tpu-balanced"),
    further=("slice", "local-search"),
    without_solver=("local-search",),
    immediate="simple",
    least=".least:least",
    warm=".warm:Warm",
    exports={
        "edge-tpu": (
            ".report:FORM",
            "tensors to cut at and the memory of each segment of an Edge TPU pipeline (text and JSON)",
        )
    },
)
