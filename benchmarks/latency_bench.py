"""Single-sample latency against the paper's integer program (an hour of a commercial solver on four cores)."""

from __future__ import annotations

from benchmarks.placement import compare

ARGUMENTS = ["--objective", "latency", "--planner", "latency-ip", "--gap", "0.01", "--time-limit", "500"]


def main() -> None:
    """One row per workload, one subgraph per accelerator."""
    compare(
        "Single-sample latency (planner latency-ip, to a gap of 1 %)",
        "device_placement_latency.tsv",
        "ip",
        "latency",
        "pool",
        lambda name: ARGUMENTS,
    )
