"""Single-sample latency against the paper's integer program (an hour of a commercial solver on four cores)."""

from __future__ import annotations

from benchmarks.placement import WORKLOADS, oracle, plan


def main() -> None:
    """One row per workload, one subgraph per accelerator."""
    print("Single-sample latency (planner latency-ip)")
    print(
        f"  {'workload':36} {'published':>9} {'found':>9} {'differs':>8} {'bound':>9} {'gap':>6} {'CPU s':>7}"
    )
    for row in oracle("device_placement_latency.tsv"):
        name, published = row["workload"], float(row["ip"])
        run = plan(
            WORKLOADS / "latency" / f"{name}.json",
            "pool",
            *("--objective", "latency", "--planner", "latency-ip", "--gap", "0.01", "--time-limit", "500"),
        )
        found = run.number("objective")
        print(
            f"  {name:36} {published:9.2f} {found:9.2f} {found / published - 1:8.2%} {run.number('lower_bound'):9.2f}"
            f" {run.number('gap'):6.1%} {run.cpu:7.1f}",
            flush=True,
        )
