"""What ``blocks`` proves on graphs that are wide and sparse, beside the simple bound, two superblocks, and plans of ``anneal``.

The graphs: rings whose ends are rewired with probability 0.3 (Watts-Strogatz, 2 neighbours), directed by a random order, 50 to 90
ops, tensors of N(50, 10) bytes, an op's cost (1 + N(0, 0.1)) of its own output. ``STAGEBOARD_BLOCKS`` chooses what is measured:
``graphs=20 stages=2,4,8,16,32,64 seconds=60 models=1`` (the values given here are the defaults; seconds are wall time of each search).
"""

from __future__ import annotations

import math
import os
import resource
import time
from dataclasses import dataclass

import networkx as nx
import numpy as np

from planner.formats import read_model
from planner.machines.catalogue import bound_method, planner
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.problem.problem import Problem
from planner.search.run import run, run_bound
from planner.search.stop import TimeLimit

MODELS = (
    ("denoiser.onnx", 16),
    ("fpn_detector.onnx", 8),
    ("transformer_encoder.onnx", 16),
    ("inception_resnet_v2.json", 16),
)


@dataclass(frozen=True)
class Cell:
    """One graph on one number of stages: objectives, bounds, CPU seconds of the planner ``blocks`` with its solvers."""

    anneal: float
    plan: float
    simple: float
    split: float
    bound: float
    proven: bool
    cpu: float


def sparse_ring(seed: int) -> Graph:
    """The graph of a seed; costs have no unit, a byte takes one unit to move."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 91))
    ring = nx.watts_strogatz_graph(n, 2, 0.3, seed=seed)
    place = rng.permutation(n)
    sizes = np.maximum(1.0, rng.normal(50.0, 10.0, n))
    work = np.maximum(1.0, (1.0 + rng.normal(0.0, 0.1, n)) * sizes)
    consumers: list[set[int]] = [set() for _ in range(n)]
    for u, v in ring.edges:
        a, b = sorted((int(place[u]), int(place[v])))
        consumers[a].add(b)
    ops = [Op(f"op{v}", f"op{v}", work=float(work[v]), work_cpu=float(work[v])) for v in range(n)]
    tensors = [
        Tensor(f"op{v}", tuple(f"op{w}" for w in sorted(consumers[v])), float(sizes[v]), float(sizes[v]))
        for v in range(n)
    ]
    return Graph.build(f"sparse ring {n} seed {seed}", ops, tensors, time_unit=None)


def cpu_seconds() -> float:
    """CPU seconds of this process and of those that it has seen end."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(graph: Graph, stages: int, seconds: float) -> Cell:
    """Plan and prove by ``blocks``; the others for comparison, ``anneal`` as it is by default."""
    problem = Problem(graph, Pipeline(stages))
    simple, split = (
        problem.strongest_bound(run_bound(bound_method(name), problem, TimeLimit(10)).bounds)
        for name in ("simple", "two-superblock")
    )
    annealed = run(planner("anneal"), problem, TimeLimit(seconds))
    began = cpu_seconds()
    found = run(planner("blocks"), problem, TimeLimit(seconds))
    time.sleep(0.3)  # its solvers are ended in a thread
    spent = cpu_seconds() - began
    bound = problem.strongest_bound(found.bounds)
    assert simple is not None and split is not None and bound is not None
    assert annealed.objective is not None and found.objective is not None
    return Cell(
        annealed.objective,
        found.objective,
        simple.value,
        split.value,
        bound.value,
        found.status == "optimal",
        spent,
    )


def mean(values: list[float]) -> float:
    """Geometric mean."""
    return math.exp(sum(math.log(v) for v in values) / len(values))


def line(name: str, cells: list[Cell]) -> str:
    """A row of the table: shares of the best plan known."""
    best = [min(c.plan, c.anneal) for c in cells]
    shares = [
        mean([value / b for value, b in zip(values, best, strict=True)])
        for values in (
            [c.simple for c in cells],
            [c.split for c in cells],
            [c.bound for c in cells],
            [c.plan for c in cells],
            [c.anneal for c in cells],
        )
    ]
    cpu = [c.cpu for c in cells]
    return (
        f"  {name:28}"
        + "".join(f" {share:7.4f}" for share in shares)
        + f" {sum(c.proven for c in cells):4}/{len(cells):<3} {sum(cpu) / len(cpu):7.1f} {max(cpu):7.1f}"
    )


def main() -> None:
    """One row per number of stages, then one per model."""
    given = dict(part.split("=", 1) for part in os.environ.get("STAGEBOARD_BLOCKS", "").split())
    count, seconds = int(given.get("graphs", "20")), float(given.get("seconds", "60"))
    stages = [int(k) for k in given.get("stages", "2,4,8,16,32,64").split(",") if k]
    measure(sparse_ring(0), 8, seconds)  # compiles
    print(
        f"Shares of the best plan known; {count} sparse rings, geometric means, {seconds:g} s for each search"
    )
    print("                                simple 2-super  blocks    plan  anneal  proven   CPU s  slowest")
    for k in stages:
        print(
            line(f"rings, {k} stages", [measure(sparse_ring(s), k, seconds) for s in range(count)]),
            flush=True,
        )
    if given.get("models", "1") != "0":
        for name, k in MODELS:
            print(
                line(f"{name}, {k} stages", [measure(read_model(f"sample_models/{name}"), k, seconds)]),
                flush=True,
            )
