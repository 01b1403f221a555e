"""Slicing on a pipeline: plans per CPU second, and what one plan costs as the graph doubles.

``python -m benchmarks.slice_bench [--out DIR] [--seconds S]`` prints two tables and writes ``slice-time.svg`` to ``DIR``
(out/slice-bench). CPU seconds of this process, after imports and compilation.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.models import ROOT, graph_of
from benchmarks.scatter import scatter
from planner.generate.regal_like import generate
from planner.machines.pipeline.orders.slicer import PipelineSlicer, pipeline_units
from planner.machines.pipeline.target import Pipeline
from planner.methods.orders import depth_first_order
from planner.model.graph import Graph
from planner.problem.problem import Problem
from planner.search.search import Callbacks, Search
from planner.search.stop import Never

BLOCKS = 16
GOAL = 100.0
"""Plans per CPU second of a graph of 2,000 ops on 16 blocks."""
DENSE = 10
"""Edges per op beyond which the goal does not hold: where transfers are most of all costs, a probe tries many places."""
SIZES = (250, 500, 1000, 2000, 4000, 8000, 16000)


def sparse(n: int, seed: int = 0) -> Graph:
    """A graph of ``n`` ops that read from two random earlier ones, with the costs of REGAL-like graphs."""
    from planner.model.graph import Op, Tensor

    rng = np.random.default_rng(seed)
    sizes = np.maximum(1.0, rng.normal(50.0, 10.0, n))
    consumers: list[list[int]] = [[] for _ in range(n)]
    for v in range(1, n):
        for u in set(rng.integers(0, v, 2).tolist()):
            consumers[u].append(v)
    work = np.maximum(1.0, sizes * (1.0 + rng.normal(0.0, 0.1, n)))
    ops = [Op(f"op{v}", f"op{v}", work=float(work[v]), work_cpu=float(work[v])) for v in range(n)]
    tensors = [
        Tensor(f"op{u}", tuple(f"op{v}" for v in to), float(sizes[u]), float(sizes[u]))
        for u, to in enumerate(consumers)
        if to
    ]
    return Graph.build(f"sparse {n} ops", ops, tensors)


def cpu(work: Callable[[], object], seconds: float) -> tuple[int, float]:
    """How often ``work`` ran, and CPU seconds each; it runs at least three times, the first not counted."""
    work()
    count, began = 0, time.process_time()
    while count < 2 or time.process_time() - began < seconds:
        work()
        count += 1
    return count, (time.process_time() - began) / count


class Case:
    """One graph on a pipeline, ready to be sliced."""

    def __init__(self, graph: Graph) -> None:
        problem = Problem(graph, Pipeline(BLOCKS))
        self.units = pipeline_units(problem)
        self.search = Search(problem, Never(), Callbacks(), 0, {})
        self.rng = np.random.default_rng(1)
        self.depth_first = depth_first_order(*self.units.succs)

    def one(self) -> object:
        """The best slicing of the depth-first order."""
        return PipelineSlicer(self.units).solve(self.depth_first, self.search)

    def many(self, count: int, strict: bool) -> Callable[[], object]:
        """``count`` random orders, drawn and sliced; with ``strict`` only as far as it takes to see that one is no better."""
        slicer = PipelineSlicer(self.units)
        return lambda: slicer.slice_keys(self.rng.random((count, self.units.count)), self.search, strict)


def rates(seconds: float) -> bool:
    """Print plans per CPU second of graphs of some 2,000 ops; returns whether the goal is met."""
    print(f"{'graph':<28}{'ops':>6}{'edges':>7}  plans per CPU second, {BLOCKS} blocks (goal {GOAL:g})")
    print(f"{'':<41}{'each at its best':>18}{'only if better':>16}{'depth-first':>13}")
    met = True
    for graph in (
        graph_of(2012),
        sparse(2000),
        generate(0, {"kind": "erdos-renyi", "nodes": 2000, "degree": 100}),
    ):
        case = Case(graph)
        _, full = cpu(case.many(8, False), seconds)
        _, strict = cpu(case.many(8, True), seconds)
        _, one = cpu(case.one, seconds)
        edges = len(graph.edges[0])
        print(
            f"{graph.name[:26]:<28}{graph.n:>6}{edges:>7}{8 / full:>18.0f}{8 / strict:>16.0f}{1 / one:>13.0f}"
        )
        met = met and (8 / full >= GOAL or edges > DENSE * graph.n)
    return met


def growth(seconds: float, out: Path) -> None:
    """Print and plot the CPU time of one plan as the number of ops doubles."""
    points: dict[str, list[tuple[float, float]]] = {
        "depth-first order": [],
        "random order": [],
        "random, only if better": [],
    }
    print(f"\n{'ops':>7}{'edges':>8}  CPU ms of one plan: " + ", ".join(points))
    for n in SIZES:
        graph = sparse(n)
        case = Case(graph)
        times = [
            cpu(case.one, seconds)[1],
            cpu(case.many(4, False), seconds)[1] / 4,
            cpu(case.many(4, True), seconds)[1] / 4,
        ]
        for series, value in zip(points.values(), times, strict=True):
            series.append((float(n), 1e3 * value))
        print(f"{n:>7}{len(graph.edges[0]):>8}" + "".join(f"{1e3 * t:>10.2f}" for t in times), flush=True)
    out.mkdir(parents=True, exist_ok=True)
    path = out / "slice-time.svg"
    title = f"One plan on {BLOCKS} blocks"
    path.write_text(scatter(title, "ops", "CPU milliseconds", points), "utf-8")
    print(f"wrote {path}")


def main() -> int:
    """Run both; returns 0 when the goal is met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out" / "slice-bench", help="folder of the picture"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds per figure")
    args, _ = parser.parse_known_args()
    met = rates(args.seconds)
    growth(args.seconds, args.out)
    print("the goal is met" if met else "the goal is not met")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
