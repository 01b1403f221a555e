"""The exact dynamic program against the published optima and the CPU time of the paper's own program."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.placement import WORKLOADS, oracle
from planner.formats import read_models
from planner.machines.catalogue import bound_method, planner
from planner.machines.spec import parse_target
from planner.problem.grouping import kept_together
from planner.problem.problem import Problem
from planner.search.run import plan_of, run, run_bound

GOALS = {
    "OperatorGraphs/bert_l-12_inference": 100,
    "OperatorGraphs/bert_L-12_training": 100,
    "OperatorGraphs/bert_l-6_inference": 50,
    "LayerGraphs/gnmt_inference": 20,
    "LayerGraphs/inceptionv3_inference": 1000,
}
"""How many times less CPU than the paper's program it should take."""
REPEAT = 4
"""The first run also loads kernels; the best counts."""


@dataclass(frozen=True)
class Planned:
    """One plan: its objective, what is proven, and the seconds from reading the file to the plan, CPU and wall."""

    objective: float
    status: str
    cpu: float
    wall: float


def planned(path: Path, granularity: str = "op") -> Planned:
    """Read, plan and evaluate, as ``stageboard plan`` does."""
    cpu, wall = time.process_time(), time.perf_counter()
    graph = read_models([path])
    problem = Problem(graph, parse_target("pool", graph), constraints=kept_together(graph, granularity))
    simple = run_bound(bound_method("simple"), problem)
    result = run(planner("ideals-dp"), problem, bounds=simple.bounds)
    plan = plan_of(result)
    assert plan is not None
    return Planned(
        plan.evaluation.objective, result.status, time.process_time() - cpu, time.perf_counter() - wall
    )


def best(path: Path, granularity: str = "op") -> Planned:
    """The quickest of a few."""
    return min((planned(path, granularity) for _ in range(REPEAT)), key=lambda p: p.cpu)


def main() -> None:
    """One row per workload, then planning by layers where the file names them."""
    peers = {row["workload"]: row["cpu_seconds"] for row in oracle("peer_dp_cpu_seconds.tsv")}
    print("Exact contiguous max-load (planner ideals-dp), from reading the file to the plan, one thread")
    print(
        f"  {'workload':36} {'published':>9} {'found':>9} {'status':>8} {'CPU s':>7} {'wall s':>7} {'peer s':>7} {'ratio':>7}"
    )
    for row in oracle("device_placement_throughput.tsv"):
        name = row["workload"]
        found = best(WORKLOADS / "throughput" / f"{name}.json")
        peer = peers.get(name, "")
        ratio = f"{float(peer.lstrip('>')) / found.cpu:7.0f}" if peer else " " * 7
        goal = f"goal {GOALS[name]}" if name in GOALS else ""
        print(
            f"  {name:36} {row['dp']:>9} {found.objective:9.2f} {found.status:>8} {found.cpu:7.3f} {found.wall:7.3f}"
            f" {peer:>7} {ratio}  {goal}".rstrip(),
            flush=True,
        )
    print("Planned by layers (ops of a layer stay together)")
    for row in oracle("device_placement_granularity.tsv"):
        name = row["workload"]
        path = WORKLOADS / "throughput" / f"{name}.json"
        if (read_models([path]).layer < 0).all():
            continue
        found = best(path, "layer")
        print(
            f"  {name:36} {row['layer']:>9} {found.objective:9.2f} {found.status:>8} {found.cpu:7.3f}",
            flush=True,
        )
    print(f"  peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")
