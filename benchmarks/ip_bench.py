"""Non-contiguous splits against the best that the device-placement paper found."""

from __future__ import annotations

from benchmarks.placement import compare

SHORT = {"OperatorGraphs/bert_l-3_inference", "LayerGraphs/bert24_inference", "LayerGraphs/gnmt_inference"}
"""Workloads whose optimum should be proven to 1 % within 60 CPU seconds; the others have 300."""


def main() -> None:
    """One row per workload."""
    compare(
        "Non-contiguous max-load (planner max-load-ip, to a gap of 1 %)",
        "device_placement_throughput.tsv",
        "ip_noncontiguous",
        "throughput",
        "pool,contiguous=false",
        lambda name: [
            "--planner",
            "max-load-ip",
            "--gap",
            "0.01",
            "--time-limit",
            "55" if name in SHORT else "280",
        ],
    )
