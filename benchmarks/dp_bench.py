"""The exact dynamic program against the published optima and the CPU time of the paper's own program."""

from __future__ import annotations

from benchmarks.placement import WORKLOADS, oracle, plan

GOALS = {
    "OperatorGraphs/bert_l-12_inference": 100,
    "OperatorGraphs/bert_L-12_training": 100,
    "OperatorGraphs/bert_l-6_inference": 50,
    "LayerGraphs/gnmt_inference": 20,
    "LayerGraphs/inceptionv3_inference": 1000,
}
"""How many times less than the paper's program it should take."""


def main() -> None:
    """One row per workload, then planning by layers; ``seconds`` runs from reading the file to the plan."""
    peers = {row["workload"]: row["cpu_seconds"] for row in oracle("peer_dp_cpu_seconds.tsv")}
    print("Exact contiguous max-load (planner ideals-dp)")
    print(
        f"  {'workload':36} {'published':>9} {'found':>9} {'status':>8} {'seconds':>8} {'peer s':>7} {'ratio':>7} {'GB':>5}"
    )
    for row in oracle("device_placement_throughput.tsv"):
        name = row["workload"]
        best = min(
            (
                plan(WORKLOADS / "throughput" / f"{name}.json", "pool", "--planner", "ideals-dp")
                for _ in range(3)
            ),
            key=lambda run: run.number("seconds"),
        )
        seconds = best.number("seconds")
        peer = peers.get(name, "")
        ratio = float(peer.lstrip(">")) / seconds if peer else float("nan")
        goal = f"goal {GOALS[name]}" if name in GOALS else ""
        print(
            f"  {name:36} {row['dp']:>9} {best.number('objective'):9.2f} {best.report.get('status')!s:>8}"
            f" {seconds:8.3f} {peer:>7} {ratio:7.0f} {best.gigabytes:5.2f}  {goal}",
            flush=True,
        )
    print("Planned by layers (ops of a layer stay together)")
    for row in oracle("device_placement_granularity.tsv"):
        name = row["workload"]
        run = plan(
            WORKLOADS / "throughput" / f"{name}.json",
            "pool",
            "--planner",
            "ideals-dp",
            "--granularity",
            "layer",
        )
        print(
            f"  {name:36} {row['layer']:>9} {run.number('objective'):9.2f} {run.report.get('status')!s:>8}"
            f" {run.number('seconds'):8.3f}",
            flush=True,
        )
