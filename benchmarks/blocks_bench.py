"""What ``blocks`` proves on graphs that are wide and sparse, beside the simple bound, two superblocks, and plans of ``anneal``.

The graphs are REGAL-like (``planner/generate/regal_like.py``). ``STAGEBOARD_BLOCKS`` chooses what is measured:
``graphs=20 first=1000 degree=2 stages=2,4,8,16,32,64 seconds=60 others=2 models=1 row=0`` (the values given here are the defaults).
``first`` is the seed of the first graph; ``seconds`` is processor time of each search of ``blocks``, its solvers included, ``others`` that of two superblocks and of ``anneal``
(0 leaves both out). ``row=100`` prints only how hard 100 graphs are: the simple bound over plans of annealing that begins hot, ``others`` seconds each.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.paper_columns import HOT, PAPER_SIMPLE
from planner.formats import read_model
from planner.generate import regal_like
from planner.machines.catalogue import bound_method, planner
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph
from planner.problem.problem import Problem
from planner.search.run import run, run_bound
from planner.search.stop import Stop, WorkBudget, processor_seconds

MODELS = (
    ("denoiser.onnx", 16),
    ("fpn_detector.onnx", 8),
    ("transformer_encoder.onnx", 16),
    ("inception_resnet_v2.json", 16),
)
PAPER_STAGES = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Cell:
    """One graph on one number of stages: objectives and bounds (NaN = not measured), CPU seconds of ``blocks`` with its solvers."""

    anneal: float
    plan: float
    simple: float
    split: float
    bound: float
    proven: bool
    cpu: float


def within(seconds: float) -> Stop:
    """A stop criterion for so much processor time from now on, that of children included."""
    return WorkBudget(cpu=seconds, wall=math.inf).stop()


def bound_of(name: str, problem: Problem, seconds: float) -> float:
    """What a bound method proves."""
    bound = problem.strongest_bound(run_bound(bound_method(name), problem, within(seconds)).bounds)
    assert bound is not None
    return bound.value


def plan_of(name: str, problem: Problem, seconds: float, options: Mapping[str, str]) -> float:
    """What the best plan of a planner costs."""
    found = run(planner(name), problem, within(seconds), options=options).objective
    assert found is not None
    return found


def measure(graph: Graph, stages: int, seconds: float, others: float) -> Cell:
    """Plan and prove by ``blocks``; the others for comparison, ``anneal`` as it is by default."""
    problem = Problem(graph, Pipeline(stages))
    split = bound_of("two-superblock", problem, others) if others else math.nan
    annealed = plan_of("anneal", problem, others, {}) if others else math.nan
    began = processor_seconds()
    found = run(planner("blocks"), problem, within(seconds))
    time.sleep(0.3)  # its solvers are ended in a thread
    spent = processor_seconds() - began
    bound = problem.strongest_bound(found.bounds)
    assert bound is not None and found.objective is not None
    return Cell(
        annealed, found.objective, bound_of("simple", problem, 10.0), split, bound.value,
        found.status == "optimal", spent,
    )  # fmt: skip


def mean(values: list[float]) -> float:
    """Geometric mean."""
    return math.exp(sum(math.log(v) for v in values) / len(values))


def line(name: str, cells: list[Cell]) -> str:
    """A row of the table: shares of the best plan known."""
    best = [c.plan if math.isnan(c.anneal) else min(c.plan, c.anneal) for c in cells]
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


def hardness(graphs: list[Graph], seconds: float) -> None:
    """The simple row of MTPP's table 3, over plans of annealing that begins hot."""
    print(f"Simple bound over plans of {seconds:g} s of annealing that begins hot; {len(graphs)} graphs")
    for k, paper in zip(PAPER_STAGES, PAPER_SIMPLE, strict=True):
        shares = []
        for graph in graphs:
            problem = Problem(graph, Pipeline(k))
            best = plan_of("anneal", problem, seconds, dict(HOT.run.options))
            shares.append(bound_of("simple", problem, 10.0) / best)
        print(f"  {k:2} stages {mean(shares):.3f}, MTPP {paper:.3f}", flush=True)


def main() -> None:
    """One row per number of stages, then one per model."""
    given = dict(part.split("=", 1) for part in os.environ.get("STAGEBOARD_BLOCKS", "").split())
    count, seconds = int(given.get("graphs", "20")), float(given.get("seconds", "60"))
    first, others = int(given.get("first", "1000")), float(given.get("others", "2"))
    degree, row = float(given.get("degree", "2")), int(given.get("row", "0"))
    stages = [int(k) for k in given.get("stages", "2,4,8,16,32,64").split(",") if k]
    graphs = [regal_like.generate(first + i, {"degree": degree}) for i in range(row or count)]
    measure(regal_like.generate(0), 8, 5.0, 0.0)  # compiles
    if row:
        hardness(graphs, others)
        return
    print(
        f"Shares of the best plan known; {count} REGAL-like graphs of degree {degree:g} from seed {first}, geometric means, {seconds:g} CPU s for each search"
    )
    print("                                simple 2-super  blocks    plan  anneal  proven   CPU s  slowest")
    for k in stages:
        cells = [measure(graph, k, seconds, others) for graph in graphs]
        print(line(f"graphs, {k} stages", cells), flush=True)
    if given.get("models", "1") != "0":
        for name, k in MODELS:
            cell = measure(read_model(f"sample_models/{name}"), k, seconds, others)
            print(line(f"{name}, {k} stages", [cell]), flush=True)
